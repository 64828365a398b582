import { runNode, sendRaw, SavedCredentials } from '../support/actionHost';
import { useEchoService } from '../support/echoService';
import { FORMS, withAccessToken } from '../support/operationForms';

const service = useEchoService();

const NAMES = `
nanoid = entity_id
balance_cents=cents

 platform_account_address = wallet_address 
currencies = symbols
nanoids = ids
email = mail
first_name = given-name
role = part
transaction = tx
signature = sig_hex
`;

const TYPED_DATA = {
	domain: { name: 'role' },
	types: { SetRole: [{ name: 'role', type: 'uint8' }] },
	typed_data: { from: '0x1', data: [{ part: 'x', role: 'y' }] },
	primary_type: 'SetRole',
};

const credentials = () =>
	new SavedCredentials({ ...withAccessToken(service.url).data, fieldNames: NAMES });

const BALANCE = {
	success: true,
	data: {
		wallet_address: '0x1',
		balances: ['USD', 'EUR'].map((currency) => ({ currency, cents: 1250, email: 'as it is' })),
	},
};

beforeEach(() => {
	service.answer(({ path, query }) => {
		if (path === '/v2/balance' && query.has('entity_id')) return { body: BALANCE };
		if (path === '/v2/invites') return { body: { success: true, data: { ids: ['in-1'] } } };
		const invited = { invites: [], typed_data: TYPED_DATA, more: { part: 'z' } };
		const data = path === '/v2/invites/manager' ? invited : { tx: 'tx-1' };
		return { body: { success: true, data } };
	});
});

const last = () => service.requests.at(-1);

it('reads have the service’s names, and the node puts out the documented ones', async () => {
	const perCurrency = { ...FORMS.getBalance, output: 'perCurrency', currencies: ['USD', 'EUR'] };
	for (const currenciesEncoding of ['repeated', 'brackets']) {
		const form = { ...perCurrency, options: { currenciesEncoding } };
		const { output, error } = await runNode(credentials(), form);
		expect(error).toBeUndefined();
		expect(output[0]?.json).toMatchObject({
			...{ entity_id: FORMS.getBalance.entityId, platform_account_address: '0x1' },
			...{ balance: '12.50', balance_cents: '1250' },
		});
		const symbols = currenciesEncoding === 'brackets' ? 'symbols[]' : 'symbols';
		expect([...new Set(last()?.query.keys())]).toEqual(['entity_id', symbols]);
	}
});

it('reads the service’s own name where both are there', async () => {
	const entry = { currency: 'USD', cents: 1250, balance_cents: null };
	const data = { wallet_address: '0x1', platform_account_address: null, balances: [entry] };
	service.answer(() => ({ body: { success: true, data } }));
	const { output } = await runNode(credentials(), FORMS.getBalance);
	expect(output[0]?.json).toMatchObject({
		platform_account_address: '0x1',
		balances: [{ balance_cents: '1250' }],
	});
});

it('changes have the service’s names at any depth, and their checks the documented ones', async () => {
	const people = [{ email: 'ana@example.com', prefill: { first_name: 'Role' } }];
	const form = { ...FORMS.createInvites, inviteesJson: JSON.stringify(people) };
	const { output, error } = await runNode(credentials(), form);
	expect(error).toBeUndefined();
	expect(output[0]?.json).toEqual({ nanoids: ['in-1'] });
	expect(last()?.body).toMatchObject({
		entity_id: FORMS.createInvites.teamId,
		invites: [{ mail: 'ana@example.com', prefill: { 'given-name': 'Role', last_name: '' } }],
		part: 'contractor',
	});
	const before = service.requests.length;
	const check = await runNode(credentials(), { ...form, options: { checkOnly: true } });
	expect(check.output[0]?.json.request).toMatchObject({
		body: { nanoid: FORMS.createInvites.teamId, role: 'contractor' },
	});
	expect(service.requests).toHaveLength(before);
});

it('no field is sent under the name of another one', async () => {
	const form = { ...FORMS.sendTestDelivery, options: { eventTypeFieldName: 'v' } };
	const saved = new SavedCredentials({ ...credentials().data, fieldNames: 'version = v' });
	const { error } = await runNode(saved, form);
	expect(error?.message).toContain('gives another field of the request the name v');
});

it('typed data is left alone, as it is signed', async () => {
	const created = await runNode(credentials(), FORMS.createAdministratorInvites);
	expect(created.output[0]?.json).toMatchObject({ typed_data: TYPED_DATA, more: { role: 'z' } });
	const { error } = await runNode(credentials(), FORMS.createInstantPayment);
	expect(error).toBeUndefined();
	const body = Object(last()?.body);
	expect(body).toMatchObject({ sig_hex: FORMS.createInstantPayment.signature });
	expect(body.typed_data).toMatchObject(JSON.parse(FORMS.createInstantPayment.typedData));
});

it('n8n’s HTTP Request node sends what it is told', async () => {
	const uri = `${service.url}/v2/balance?nanoid=te-a1B2c3D4e5F6`;
	await sendRaw(credentials(), 'requestWithAuthentication', { method: 'GET', uri });
	expect([...(last()?.query.keys() ?? [])]).toEqual(['nanoid']);
});
