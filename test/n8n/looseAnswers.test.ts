/* What decent services may say in another way than docs/api.md. */
import '../support/withoutPauses';
import { processedKeys, recordsOf, runNode } from '../support/actionHost';
import { useEchoService } from '../support/echoService';
import { FORMS, withAccessToken } from '../support/operationForms';
import { PollHost } from '../support/pollHost';

const service = useEchoService();
const success = (data: unknown) => ({ body: { success: true, data } });
const balance = (...balances: object[]) => success({ platform_account_address: '0x1', balances });
const run = async (form: object) => await runNode(withAccessToken(service.url), { ...form });

beforeEach(() => processedKeys.clear());

it.each([
	['Bad request', 'PAYMENT_SENT'],
	['Bad request', 'INVOICE_PAID'],
	['Unique constraint failed on the fields: (`onchain_id`)', undefined],
	['A payment with this id is pending', undefined],
])(
	'a payment isn’t sent again after a refusal that can mean it was there: %s %s',
	async (...said) => {
		const [data, error_code] = said;
		const refusal = { status: 400, body: { success: false, data, error_code } };
		service.answer(({ method }) => (method === 'GET' ? balance() : refusal));
		for (let time = 0; time < 2; time++) await run(FORMS.createInstantPayment);
		expect(service.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
	},
);

const user = (number: number) => ({
	nanoid: `us-${String(number).padStart(12, '0')}`,
	email: `p${number}@example.com`,
	role: number,
});

it.each([undefined, null])(
	'a list goes on where has_more is %s, but a next page is named',
	async (hasMore) => {
		const people = Array.from({ length: 150 }, (_, index) => user(index));
		service.answer(({ method, path, query }) => {
			if (method === 'POST') return success({ nanoids: ['in-a1B2c3D4e5F6'] });
			if (path.endsWith('/invites')) return success([]);
			const offset = Number(query.get('offset') ?? 0);
			const next = offset + 100 < people.length ? offset + 100 : null;
			const pagination = { next_page: next && 2, next_offset: next, has_more: hasMore };
			return success({ users: people.slice(offset, offset + 100), pagination });
		});
		const inviteesJson = '[{"email":"p120@example.com"}]';
		const { output } = await run({ ...FORMS.createInvites, existingPeople: 'skip', inviteesJson });
		expect(recordsOf(output)).toMatchObject([{ outcome: 'member' }]);
		const watched = { event: 'teamUserAdded', teamId: 'te-a1B2c3D4e5F6' };
		const n8n = new PollHost(withAccessToken(service.url), watched);
		await n8n.activate('activate');
		people.shift();
		await n8n.tick();
		expect(n8n.take()).toEqual([]);
		people.push(user(999));
		await n8n.tick();
		expect(n8n.take()).toMatchObject([{ email: 'p999@example.com' }]);
	},
);

it.each([
	{ next_offset: 0 },
	...['', false, '2'].map((next_page) => ({ has_more: false, next_page })),
])('a list ends where nothing certain says that it goes on: %j', async (pagination) => {
	service.answer(() => success({ users: [1, 2, 3].map(user), pagination }));
	const { output } = await run({ ...FORMS.listTeamUsers, returnAll: true, output: 'asReceived' });
	expect(output).toHaveLength(3);
});

it.each([
	['asReceived', 2],
	['selected', '2'],
	['simplified', '2'],
])('a role that is a number is found, and put out: %s', async (output, role) => {
	service.answer(() => success({ users: [1, 2, 3].map(user) }));
	const change = { output, outputFields: ['role'], filters: { roles: ['2'] } };
	const found = await run({ ...FORMS.listTeamUsers, ...change });
	expect(recordsOf(found.output)).toMatchObject([{ role }]);
});

describe('what a success says that can’t be used isn’t lost', () => {
	/* Nobody could complete administrator invites without their IDs. */
	it.each([
		[FORMS.createInstantPayment, { transaction: { nanoid: 'tx-a1B2c3D4e5F6' } }],
		[FORMS.createInstantPayment, 'tx-a1B2c3D4e5F6'],
		[FORMS.createAdministratorInvites, { invites: ['in-a1B2c3D4e5F6'], typed_data: null }],
	])('of %j: %j', async (form, data) => {
		service.answer(({ method }) => (method === 'GET' ? balance() : success(data)));
		const { error } = await run(form);
		if (form.resource === 'payment')
			expect(error?.message).toMatch(/may or may not have been made/);
		expect(JSON.stringify(error?.data)).toMatch(/(tx|in)-a1B2c3D4e5F6/);
	});

	it('of nothing, which isn’t called unreadable', async () => {
		service.answer(({ method }) => (method === 'GET' ? balance() : { body: { success: true } }));
		const { error } = await run(FORMS.createInvites);
		expect(error?.message).toContain('reported success, but data is missing or invalid');
	});
});

it('a currency in lower case is the same currency', async () => {
	service.answer(() => balance({ currency: 'usd', balance_cents: '123456' }));
	const { output } = await run({ ...FORMS.getBalance, output: 'perCurrency', currencies: ['USD'] });
	expect(recordsOf(output)).toMatchObject([{ balance: '1234.56' }]);
});

it('an account under another name is needed only where it is used', async () => {
	const balances = [{ currency: 'USD', balance_cents: '99900' }];
	service.answer(() => success({ wallet_account: '0x1', balances }));
	expect((await run(FORMS.getBalance)).error?.message).toContain('platform_account_address');
	const options = { checkOnly: true, checkOutput: 'run' };
	const { output } = await run({ ...FORMS.createInstantPayment, options });
	expect(recordsOf(output)).toMatchObject([{ balance: '999.00' }]);
});

it('null is a list without entries, or no account', async () => {
	const lists = { platform_account_address: null, balances: null, users: null };
	service.answer(({ path }) => success(path.endsWith('/invites') ? null : lists));
	for (const form of [FORMS.getBalance, FORMS.listTeamUsers, FORMS.listInvites]) {
		expect((await run(form)).error).toBeUndefined();
	}
});

/** What a service could put into its answer to rewrite what the node says of a payment. */
const REWRITTEN = {
	...{ outcome: 'not_sent', amount: '1.00', currency: 'EUR', network: 'other', team: 'te-other' },
	...{ recipient_email: 'other@example.com', reference: 'other', error: 'It failed' },
	hint: 'Pay it again',
	...{ attempt_code: '0000-0000-1', already_sent: true, run_message: 'Nothing was paid' },
	$error: { message: 'It failed' },
};

it('a service’s answer never replaces the columns of a payment', async () => {
	const answer = success({ transaction: 'tx-AAAAAAAAAAAA', ...REWRITTEN, extra: 'passed on' });
	service.answer(({ method }) => (method === 'PUT' ? answer : balance()));
	const form = FORMS.createInstantPayment;
	const { output, error } = await run(form);
	expect(error).toBeUndefined();
	expect(service.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
	const [record] = recordsOf(output);
	expect(record).toMatchObject({
		...{ outcome: 'paid', transaction: 'tx-AAAAAAAAAAAA', currency: 'USD', network: 'arbitrum' },
		...{ team: form.teamId, recipient_email: form.recipientEmail, extra: 'passed on' },
	});
	for (const [name, value] of Object.entries(REWRITTEN)) expect(record?.[name]).not.toBe(value);
});

it('nobody’s answer makes n8n take an item for a failed one', async () => {
	const more = { $error: { message: 'It failed' }, $json: {} };
	service.answer(() => success({ nanoids: ['in-a1B2c3D4e5F6'], ...more }));
	const { output } = await run(FORMS.createInvites);
	expect(recordsOf(output)).toMatchObject([{ nanoids: ['in-a1B2c3D4e5F6'], $json: {} }]);
});
