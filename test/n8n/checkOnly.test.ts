import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import { CATALOGUE } from '../../nodes/PayrollPayments/actions/catalogue';
import { processedKeys, runNode, type RunResult } from '../support/actionHost';
import { useActionSandbox, without } from '../support/actionSandbox';
import { formFor } from '../support/sandboxForms';

const sandbox = useActionSandbox();

/** The same parameters with *Check Only* turned on. */
function checking(parameters: INodeParameters, checkOnly: unknown = true): INodeParameters {
	const { options, ...rest } = parameters;
	return Object.assign(rest, { options: { ...Object(options), checkOnly } });
}

async function execution(change: INodeParameters = {}): Promise<INodeParameters> {
	return { ...(await formFor(sandbox, 'administratorInvite.complete')), ...change };
}

async function providedPayment(isDescribed: boolean): Promise<INodeParameters> {
	const payload = await sandbox.authorization();
	const parameters = sandbox.paying(payload, await sandbox.signed(payload));
	return isDescribed ? parameters : { ...parameters, options: {} };
}

async function providedExecution(isDescribed: boolean): Promise<INodeParameters> {
	const parameters = await execution();
	const structure = Object(JSON.parse(String(parameters.typedData)));
	const { domain, types, typed_data: message } = structure;
	const typedData = JSON.stringify(isDescribed ? structure : message);
	return { ...parameters, ...(await sandbox.signed({ domain, types, message })), typedData };
}

interface Write {
	readonly summary: () => RegExp;
	prepare(): Promise<INodeParameters>;
}

const administrators = (): INodeParameters => ({
	resource: 'administratorInvite',
	entityId: sandbox.team,
	role: 'team_viewer',
	emails: 'one@example.com, two@example.com',
});

const invitation = (change: INodeParameters): INodeParameters => ({
	resource: 'invite',
	operation: 'create',
	teamId: sandbox.team,
	role: 'contractor',
	existingPeople: 'invite',
	...change,
});

const paid = (signature: string) => () =>
	new RegExp(
		`^Pay \\$125\\.00 to ana@example\\.com from team ${sandbox.team}\\. Authorization: \\$125\\.00 \\(125000000 token units\\) of token 0x\\w{40} to 0x\\w{40}.*, ${signature}`,
	);
const EXECUTED = () =>
	new RegExp(
		`^Execute 2 invites \\(in-[\\w-]{12}, in-[\\w-]{12}\\) with the role Team: Viewer.*, signed by ${sandbox.wallet().address}$`,
	);

/** Every write, from every source of signatures and of invitees. */
const WRITES: Readonly<Record<string, Write>> = {
	'administratorInvite.create': {
		summary: () =>
			new RegExp(
				`^Invite 2 people \\(one@example\\.com, two@example\\.com\\) to team ${sandbox.team} as Team: Viewer; Execute then sets the role$`,
			),
		prepare: async () => ({ ...administrators(), operation: 'create' }),
	},
	'administratorInvite.send': {
		summary: () =>
			new RegExp(
				`^Invite 2 people \\(one@example\\.com, two@example\\.com\\) to team ${sandbox.team} as Team: Viewer, then check the typed data that the service returns and set the role, signed by ${sandbox.wallet().address}$`,
			),
		prepare: async () => ({ ...administrators(), operation: 'send' }),
	},
	'administratorInvite.complete': { summary: EXECUTED, prepare: async () => await execution() },
	'administratorInvite.complete with a provided signature': {
		summary: EXECUTED,
		prepare: async () => await providedExecution(true),
	},
	'administratorInvite.complete with a provided signature of the inner object': {
		summary: EXECUTED,
		prepare: async () => await providedExecution(false),
	},
	'authentication.verify': {
		summary: () => /^Exchange the signed sign-in message for a token, which will be in the output$/,
		prepare: async () => await formFor(sandbox, 'authentication.verify'),
	},
	'invite.create from the form': {
		summary: () =>
			new RegExp(`^Invite 1 person \\(ana@example\\.com\\) to team ${sandbox.team} as Contractor$`),
		prepare: async () =>
			invitation({
				inviteesSource: 'fields',
				invitees: { invitee: [{ email: 'ana@example.com', firstName: 'Ana' }] },
			}),
	},
	'invite.create from JSON': {
		summary: () =>
			new RegExp(
				`^Invite 2 people \\(a@example\\.com, b@example\\.com\\) to team ${sandbox.team} as Contractor, anonymously$`,
			),
		prepare: async () =>
			invitation({
				inviteesSource: 'json',
				inviteesJson: '[{"email":"a@example.com"},{"email":"b@example.com"}]',
				anonymous: true,
			}),
	},
	'nameReview.update': {
		summary: () =>
			new RegExp(
				`^Cancel the payment to user us-a1B2c3D4e5F6 in team ${sandbox.team}, as reviewed in version 2026-03-31T09:30:00Z$`,
			),
		prepare: async () => ({
			resource: 'nameReview',
			operation: 'update',
			teamId: sandbox.team,
			userId: { __rl: true, mode: 'id', value: 'us-a1B2c3D4e5F6' },
			decision: 'cancel',
			reviewVersion: '2026-03-31T09:30:00Z',
			options: { decisionFieldName: 'decision' },
		}),
	},
	'payment.create': {
		summary: paid('signed by 0x'),
		prepare: async () => await sandbox.payment(),
	},
	'payment.create with a provided signature': {
		summary: paid('with a provided signature of 0x\\w+, which was checked'),
		prepare: async () => await providedPayment(true),
	},
	'payment.create with a provided signature that can only be sent': {
		summary: paid('with a provided signature of 0x\\w+ that can’t be checked'),
		prepare: async () => await providedPayment(false),
	},
	'webhook.send': {
		summary: () => /^Send a test event invite\.accepted of version 3 to webhook wh-a1B2c3D4e5F6$/,
		prepare: async () => ({
			resource: 'webhook',
			operation: 'send',
			webhookId: 'wh-a1B2c3D4e5F6',
			eventType: 'invite.accepted',
			version: 3,
		}),
	},
};

/** Parameters of a write. What reached the service for them is forgotten. */
async function prepared(name: string): Promise<INodeParameters> {
	const parameters = await WRITES[name]?.prepare();
	if (parameters === undefined) throw new Error(`no write ${name}`);
	sandbox.service.wireLog.clear();
	return parameters;
}

const json = ({ output }: RunResult) => output.map((item) => item.json);
const asTool = { type: 'payrollPaymentsTool' };
const NAMES = Object.keys(WRITES);

it('covers every operation that changes something', () => {
	const writes = CATALOGUE.filter(({ effect }) => effect === 'write');
	expect([...new Set(NAMES.map((name) => name.split(' ')[0]))]).toEqual(
		writes.map(({ resource, operation }) => `${resource}.${operation}`),
	);
	for (const { effect, options } of CATALOGUE) {
		expect('checkOnly' in options).toBe(effect === 'write');
	}
});

describe.each(NAMES)('%s', (name) => {
	const signsIn = name === 'authentication.verify';
	/** What the operation changed at the service. */
	const changes = () =>
		signsIn
			? sandbox.wire().filter(({ operation }) => operation === 'verifySignIn')
			: sandbox.writes();

	it('is shown as it would be sent, and neither signed, sent nor remembered', async () => {
		const parameters = await prepared(name);
		const before = processedKeys.entries();
		const execution = { executionId: `checked ${name}` };
		/* The signer doesn't answer, so that a signature would fail. */
		const check = async (options = {}) =>
			await runNode(sandbox.unreachableSigner(), checking(parameters), options);
		const shown = await check(execution);
		expect(shown.error).toBeUndefined();
		expect((await check(execution)).output).toEqual(shown.output);
		expect(shown.output).toMatchObject([
			{
				json: {
					check: 'passed',
					summary: expect.stringMatching(WRITES[name]?.summary() ?? /^$/),
					approval: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/),
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(JSON.stringify(shown.output)).not.toMatch(/0x[0-9a-f]{130}|"sig(nature)?"/i);
		/* As a tool, it needs no permission to write. */
		const inTool = await check({ node: asTool });
		if (signsIn) expect(inTool.error?.message).toContain('refused because an AI agent called it');
		else expect(inTool.output).toEqual(shown.output);
		expect(sandbox.wire()).toEqual([]);
		expect(processedKeys.entries()).toEqual(before);

		/* The judge is what the service receives in a real run of the same execution. */
		const real = await sandbox.run(parameters, execution);
		expect(real.output[0]?.json ?? {}).not.toHaveProperty('already_sent');
		const [sent, ...others] = changes();
		expect(others).toHaveLength(name === 'administratorInvite.send' ? 1 : 0);
		expect(shown.output[0]?.json.request).toEqual({
			method: sent?.method,
			path: sent?.path,
			body: without(Object(sent?.body), 'signature', 'sig'),
		});
	});

	it.each<[unknown, string]>([
		["={{ $fromAI('check', '', 'boolean') }}", 'can’t be an expression'],
		['true', 'can’t be an expression'],
		[1, 'must be true or false'],
		[{}, 'must be true or false'],
		[null, 'must be true or false'],
	])('is refused where Check Only is %j, also in a tool', async (checkOnly, fault) => {
		const parameters = await prepared(name);
		const { error } = await sandbox.run(checking(parameters, checkOnly));
		expect(error?.message).toBe(`Check Only ${fault} [item 0]`);
		const inTool = await sandbox.run(checking(parameters, checkOnly), { node: asTool });
		expect(inTool.error?.message).toMatch(/was refused because an AI agent|^Check Only /);
		expect(inTool.output).toEqual([]);
		expect(sandbox.wire()).toEqual([]);
	});

	it('is refused as a tool where it is off', async () => {
		const parameters = await prepared(name);
		const { error } = await sandbox.run(checking(parameters, false), { node: asTool });
		expect(error?.message).toContain('was refused because an AI agent called it');
		expect(sandbox.wire()).toEqual([]);
	});

	it('fails item by item with Continue On Fail, and the others are shown', async () => {
		const parameters = await prepared(name);
		const first = Object.keys(parameters).find((key) =>
			['entityId', 'inviteIds', 'teamId', 'webhookId', 'message'].includes(key),
		);
		if (first === undefined) throw new Error('no field to break');
		const broken = {
			...checking(parameters),
			[first]: `={{ $json.isBroken ? '' : ${JSON.stringify(parameters[first])} }}`,
		};
		const { output, error } = await runNode(sandbox.unreachableSigner(), broken, {
			items: [{ isBroken: true }, {}],
			node: { onError: 'continueRegularOutput' },
		});
		expect(error).toBeUndefined();
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(output[0]?.json.error).toMatch(/(is missing|is empty|must).* \[item 0\]/);
		expect(output[1]?.json).toHaveProperty('check', 'passed');
		expect(sandbox.wire()).toEqual([]);
	});
});

describe('several requests', () => {
	const many = (count: number) =>
		Array.from({ length: count }, (_, index) => `admin${index}@example.com`);

	it.each(['create', 'send'])(
		'administratorInvite.%s gives one item per batch of 100',
		async (operation) => {
			const parameters = { ...administrators(), operation, emails: many(250).join() };
			const shown = await sandbox.run(checking(parameters));
			const sizes = json(shown).map(({ request }) => Object(request).body.emails.length);
			expect(sizes).toEqual([100, 100, 50]);
			expect(json(shown).map(({ summary }) => String(summary).slice(0, 18))).toEqual([
				'Invite 100 people ',
				'Invite 100 people ',
				'Invite 50 people (',
			]);
			expect(json(shown)[2]?.summary).toContain(
				'(admin200@example.com, admin201@example.com, admin202@example.com and 47 more)',
			);
			expect(sandbox.wire()).toEqual([]);
			expect(new Set(shown.output.map(({ pairedItem }) => JSON.stringify(pairedItem))).size).toBe(
				1,
			);
		},
	);

	it('names nothing as done where a later item is refused', async () => {
		const good = await sandbox.payment();
		const wrong = await sandbox.payment({}, { amount_cents: 12_600 });
		const parameters = checking({ ...good, typedData: '={{ $json.typedData }}' });
		const items = [good, wrong].map(({ typedData }) => ({ typedData: String(typedData) }));
		const { error, output } = await sandbox.run(parameters, { items });
		expect(output).toEqual([]);
		expect(error?.message).toMatch(/^Authorization: \$126\.00\. Form: \$125\.00 \[item 1\]$/);
		expect(error?.description).not.toContain('Already done');
		expect(error?.data).toBeUndefined();
		expect(sandbox.wire()).toEqual([]);
	});
});

it.each(['accessToken', 'legacyApiKey'])(
	'a wallet is missing from credentials with %s, as in a real run',
	async (authentication) => {
		const saved = () =>
			sandbox.credentials({ authentication, accessToken: 'a-token', apiKey: 'a-key' });
		for (const name of ['payment.create', 'administratorInvite.send']) {
			const parameters = await prepared(name);
			const { error } = await runNode(saved(), checking(parameters));
			expect(error?.message).toBe('These credentials don’t have a wallet to sign with [item 0]');
		}
		const provided = await prepared('payment.create with a provided signature');
		expect((await runNode(saved(), checking(provided))).error).toBeUndefined();
		expect(sandbox.wire()).toEqual([]);
	},
);

describe('what a real run refuses, a check refuses in the same words', () => {
	const REFUSED: ReadonlyArray<{
		readonly what: string;
		readonly prepare: () => Promise<INodeParameters>;
		readonly limit?: ICredentialDataDecryptedObject;
	}> = [
		{
			what: 'a payment with another amount',
			prepare: async () => await sandbox.payment({ amountCents: 12_501 }),
		},
		{
			what: 'an expression for the reference that finds nothing',
			prepare: async () => await sandbox.payment({ paymentReference: '={{ $json.missing }}' }),
		},
		{
			what: 'a signature that is not the signer’s',
			prepare: async () => ({
				...(await providedPayment(true)),
				signer: sandbox.account('teamAdministrator').address,
			}),
		},
		{
			what: 'typed data for another role',
			prepare: async () => await execution({ role: 'team_admin' }),
		},
		{
			what: 'invites that the typed data has not',
			prepare: async () => await execution({ inviteIds: 'in-aaaaaaaaaaaa' }),
		},
		{
			what: 'a role of the wrong kind',
			prepare: async () => ({ ...administrators(), operation: 'create', role: 'org_viewer' }),
		},
		{
			what: 'a row without an email',
			prepare: async () => invitation({ inviteesSource: 'items' }),
		},
		{
			what: 'a message without a nonce',
			prepare: async () => ({
				...(await formFor(sandbox, 'authentication.verify')),
				message: 'no nonce',
			}),
		},
		...NAMES.filter((name) => name !== 'authentication.verify').map((name) => ({
			what: `${name} without permission`,
			prepare: async () => await prepared(name),
			limit: { access: 'readOnly' },
		})),
	];

	it.each(REFUSED)('$what', async ({ prepare, limit }) => {
		const parameters = await prepare();
		sandbox.service.wireLog.clear();
		const before = processedKeys.entries();
		const shown = await runNode(sandbox.unreachableSigner(limit), checking(parameters));
		const real = await runNode(sandbox.unreachableSigner(limit), parameters);
		expect(shown.output).toEqual([]);
		expect(shown.error?.message).toMatch(/( \[item 0\]|^Row 1: .*)$/);
		expect(shown.error).toEqual(real.error);
		expect(sandbox.wire()).toEqual([]);
		expect(processedKeys.entries()).toEqual(before);
	});

	it('a payment beyond the limits, in a tool too', async () => {
		const parameters = await prepared('payment.create');
		const limits = { maximumPayment: '124.99', paymentRecipients: '@example.com' };
		for (const node of [{}, asTool]) {
			const saved = sandbox.credentials(limits);
			const { error } = await runNode(saved, checking(parameters), { node });
			expect(error?.message).toContain('These credentials allow payments up to $124.99');
		}
		expect(sandbox.wire()).toEqual([]);
	});
});

describe('payments', () => {
	const codeIn = (text: string | null | undefined) =>
		/[0-9A-F]{4}-[0-9A-F]{4}-\d/.exec(text ?? '')?.[0] ?? '';

	it.each([{}, { paymentReference: 'INV-7' }])(
		'checked any number of times are paid once, and then refused: %j',
		async (change) => {
			const parameters = await sandbox.payment(change);
			for (let count = 0; count < 3; count++) {
				expect(json(await sandbox.run(checking(parameters)))[0]).toHaveProperty('check', 'passed');
			}
			expect(processedKeys.entries()).toEqual([]);
			expect(json(await sandbox.run(parameters))[0]).toHaveProperty('transaction');
			const before = processedKeys.entries();
			for (const node of [{}, asTool]) {
				const shown = await sandbox.run(checking(parameters), { node });
				expect(shown.error?.message).toBe(
					'The payment of $125.00 to ana@example.com was already paid by this node, so it was not sent again [item 0]',
				);
			}
			expect(processedKeys.entries()).toEqual(before);
			expect(sandbox.writes()).toHaveLength(1);
		},
	);

	it.each([1, 5])(
		'that are the same in two items pass once, %d at the same time',
		async (concurrency) => {
			const parameters = await sandbox.payment({ options: { concurrency } });
			const { output } = await sandbox.run(checking(parameters), {
				items: [{}, {}, {}],
				node: { onError: 'continueRegularOutput' },
			});
			expect(output.filter(({ json: { check } }) => check === 'passed')).toHaveLength(1);
			const refused = output.filter(({ json: { error } }) => error !== undefined);
			expect(refused).toHaveLength(2);
			for (const { json: failed } of refused) {
				expect(failed.error).toMatch(
					/^The payment of \$125\.00 to ana@example\.com would be refused, because row \d has the same payment or authorization \[item \d\]/,
				);
			}
			expect(processedKeys.entries()).toEqual([]);
			expect(sandbox.wire()).toEqual([]);
		},
	);

	it('with a code of an unknown outcome are shown as the next attempt, and leave no trace', async () => {
		const payload = await sandbox.authorization();
		const parameters = sandbox.paying(payload);
		await sandbox.fault({ match: { path: 'instant' }, kind: 'cutBefore', times: 1 });
		const unknown = await sandbox.run(parameters);
		const confirmedNotPaid = codeIn(unknown.error?.description);
		expect(confirmedNotPaid).toMatch(/-1$/);
		const before = processedKeys.entries();
		const sent = sandbox.writes().length;

		const without = await sandbox.run(checking(parameters));
		expect(without.error?.message).toContain('was already sent by this node');
		expect(codeIn(without.error?.description)).toBe(confirmedNotPaid);
		const confirmed = sandbox.paying(payload, { options: { confirmedNotPaid } });
		for (let count = 0; count < 2; count++) {
			const shown = await sandbox.run(checking(confirmed));
			expect(json(shown)[0]?.summary).toMatch(/, signed by 0x[0-9a-fA-F]{40}, as attempt 2$/);
		}
		const tool = await sandbox.run(checking(confirmed), { node: asTool });
		expect(tool.error?.message).toContain('“Confirmed Not Paid” was refused');
		expect(processedKeys.entries()).toEqual(before);
		expect(sandbox.writes()).toHaveLength(sent);

		expect(json(await sandbox.run(confirmed))[0]).toHaveProperty('transaction');
		expect(sandbox.writes()).toHaveLength(sent + 1);
		const again = await sandbox.run(checking(confirmed));
		expect(again.error?.message).toContain('already paid by this node');
		expect(sandbox.writes()).toHaveLength(sent + 1);
	});

	it('with a code of another payment, or of one that was refused, are told so', async () => {
		const parameters = await sandbox.payment({ paymentReference: 'INV-9' });
		await sandbox.fault({ match: { path: 'instant' }, kind: 'cutBefore', times: 1 });
		const confirmedNotPaid = codeIn((await sandbox.run(parameters)).error?.description);
		processedKeys.clear();
		const { error } = await sandbox.run(
			checking({ ...parameters, options: { ...Object(parameters.options), confirmedNotPaid } }),
		);
		expect(error?.message).toContain('This node has no record of the attempt');
		const other = await sandbox.payment({ options: { confirmedNotPaid } });
		expect(json(await sandbox.run(checking(other)))[0]?.summary).not.toContain('attempt');
	});

	it('that n8n cannot look up are not passed', async () => {
		const parameters = await sandbox.payment();
		const broken = jest
			.spyOn(processedKeys, 'checkProcessedAndRecord')
			.mockRejectedValue(new Error('the database is gone'));
		const { error, output } = await sandbox.run(checking(parameters));
		broken.mockRestore();
		expect(output).toEqual([]);
		expect(error?.message).toBe('n8n’s record of payments could not be looked up [item 0]');
		expect(error?.description).toContain('Nothing was signed or sent.');
	});

	it('with a whole EIP-712 payload or an amount in dollars are shown in the same way', async () => {
		const payload = await sandbox.authorization();
		const { domain, primaryType, message } = payload;
		const shown = await sandbox.run(
			checking(
				sandbox.paymentForm({
					typedData: JSON.stringify(payload),
					amountUnit: 'dollars',
					amountDollars: '125.00',
				}),
			),
		);
		expect(json(shown)).toEqual([
			{
				check: 'passed',
				summary: expect.any(String),
				approval: expect.any(String),
				signs: { domain, primaryType, message },
				amount: '125.00',
				currency: 'USD',
				network: 'arbitrum',
				team: sandbox.team,
				recipient_email: 'ana@example.com',
				recipient_address: Object(message.data).recipient,
				token: Object(message.data).token,
				reference: null,
				expires: message.expires,
				signer: sandbox.wallet().address,
				request: {
					method: 'PUT',
					path: '/v2/payments/external_entity/instant',
					body: {
						from: sandbox.team,
						amount_cents: 12_500,
						signer: sandbox.wallet().address,
						typed_data: message,
						external_recipient_email: 'ana@example.com',
						currency_symbol: 'USD',
						network: 'arbitrum',
					},
				},
			},
		]);
	});
});
