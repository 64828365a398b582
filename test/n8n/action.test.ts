import { WorkflowExpression, type INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { TYPED_DATA_TRICKS } from '../../sandbox/administratorInvites';
import { systemClock } from '../../nodes/PayrollPayments/api/clock';
import { startRemoteSigner, type RemoteSigner } from '../../sandbox/remoteSigner';
import { SIGN_IN_TRICKS } from '../../sandbox/signInMessages';
import { CONTINUE, recordsOf, runNode, SavedCredentials, testSaved } from '../support/actionHost';
import { expectValidRequests, PAYMENT, useActionSandbox } from '../support/actionSandbox';
import { formFor } from '../support/sandboxForms';

const sandbox = useActionSandbox();
let signer: RemoteSigner;

beforeAll(async () => {
	signer = await startRemoteSigner();
});

afterAll(async () => {
	await signer.close();
});

expectValidRequests(sandbox);

/** The sandbox's administrator, whose key a remote signer holds. */
const withSigner = (change: Record<string, string> = {}) =>
	sandbox.remoteSigner({ remoteSignerUrl: signer.url, ...change });

const requests = () => sandbox.requests();
const signIns = () => sandbox.wire().filter(({ path }) => path === '/v2/auth/verify').length;

describe('reads', () => {
	it('get a balance with one sign-in for many items, in the order of the input', async () => {
		const { team, company } = sandbox;
		const ids = [team, company, team, company, team];
		const { output, error } = await sandbox.run(sandbox.balance({ entityId: '={{ $json.id }}' }), {
			items: ids.map((id) => ({ id })),
		});
		expect(error).toBeUndefined();
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
		expect(output[0]?.json).not.toEqual(output[1]?.json);
		expect(output[0]?.json).toEqual(output[2]?.json);
		expect(signIns()).toBe(1);
	});

	it('list invites up to a limit, or all', async () => {
		const list = { resource: 'invite', operation: 'getAll', entityId: sandbox.company };
		const all = await sandbox.run({ ...list, returnAll: true });
		const two = await sandbox.run({ ...list, returnAll: false, limit: 2 });
		expect(all.output.length).toBeGreaterThan(2);
		expect(recordsOf(two.output)).toEqual(recordsOf(all.output).slice(0, 2));
	});

	it('ask for more than 100 emails in several requests, for both spellings of one, and list each user once', async () => {
		const wanted = sandbox.firstTeam.users.map(({ email }) => email);
		const [first = ''] = wanted;
		const emails = [...wanted, 'Nobody@example.org', first.toUpperCase()].join(', ');
		const { output } = await sandbox.run(sandbox.teamUsers({ emails }));
		expect(output.map((item) => item.json.email).sort()).toEqual([...wanted].sort());
		expect(requests()).toHaveLength(Math.ceil((wanted.length + 3) / 100));
		const asked = requests().flatMap(({ query }) => query.emails);
		expect(asked).toEqual(expect.arrayContaining([first.toUpperCase(), 'nobody@example.org']));
	});

	it('evaluate each parameter once an item', async () => {
		const entityId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		const encoding = "={{ 'brackets' }}";
		const evaluated = jest.spyOn(WorkflowExpression.prototype, 'getParameterValue');
		const { output } = await sandbox.run(
			sandbox.balance({ entityId, options: { currenciesEncoding: encoding } }),
			{ items: [{ id: sandbox.team }, { id: sandbox.company }] },
		);
		const calls = evaluated.mock.calls.filter(([, , , , node]) => node === 'Payroll');
		const unit = "={{ 'cents' }}";
		await sandbox.run(await sandbox.payment({ amountUnit: unit, amountDollars: '1' }));
		expect(evaluated.mock.calls.filter(([value]) => value === unit)).toHaveLength(1);
		evaluated.mockRestore();
		expect(output).toHaveLength(2);
		const ofItem = (wanted: number) =>
			calls.filter(([, , , item]) => item === wanted).map(([value]) => value);
		const fields = [{ currenciesEncoding: encoding }, entityId, [], false, 'asReceived'];
		expect(ofItem(0)).toEqual(['balance', 'get', ...fields]);
		expect(ofItem(1)).toEqual(fields);
	});
});

it('has a notice above the output where nothing was found, and only there', async () => {
	const hintsOf = async (parameters: INodeParameters) =>
		JSON.parse((await sandbox.run(parameters)).stored).runData.Payroll[0].hints;
	const message = 'No users found; check Team ID, Emails and Filters';
	const notices = [{ message, location: 'outputPane' }];
	expect(await hintsOf(sandbox.teamUsers({ emails: 'nobody@example.com' }))).toEqual(notices);
	expect(await hintsOf(sandbox.teamUsers())).toEqual([]);
	sandbox.firstTeam.invites.splice(0);
	expect(await hintsOf(await formFor(sandbox, 'invite.getAll'))).toEqual([]);
});

it('has no other operations than those of its menus', async () => {
	const { error } = await sandbox.run({ resource: 'balance', operation: 'send' });
	const message = 'The resource balance has no operation send';
	const description = 'Select the resource and operation again.';
	expect(error).toMatchObject({ message, description });
});

describe('what an execution has done', () => {
	it.each([
		...['administratorInvite.create', 'administratorInvite.complete', 'nameReview.update'],
		...['administratorInvite.send', 'invite.create', 'payment.create', 'webhook.send'],
	])('%s: is answered from memory, without a second request or signature', async (name) => {
		const parameters = await formFor(sandbox, name);
		const saved = withSigner();
		const run = async () => await runNode(saved, parameters, { executionId: `twice ${name}` });
		const first = await run();
		const [sent, signed] = [sandbox.writes().length, signer.log.length];
		const again = await run();
		expect(first.error).toBeUndefined();
		const already = name === 'payment.create' ? { already_sent: true } : {};
		expect(recordsOf(again.output)).toEqual(
			recordsOf(first.output).map((item) => ({ ...item, ...already })),
		);
		expect([sandbox.writes().length, signer.log.length]).toEqual([sent, signed]);
	});

	it('is done again in the next run of a loop', async () => {
		await sandbox.run(await formFor(sandbox, 'invite.create'), { secondRun: [{}] });
		expect(sandbox.writes()).toHaveLength(2);
	});

	it('may have been done where the answer is missing, on the regular output, too', async () => {
		await sandbox.fault({ match: { path: '/v2/invites' }, kind: 'cutAfter', times: 1 });
		const parameters = await formFor(sandbox, 'invite.create');
		const { output } = await sandbox.run(parameters, { items: [{}, {}], ...CONTINUE });
		expect(output[0]?.json.error).toContain('[item 0]. The request may have succeeded anyway');
		/* Only a payment ends the run with it. */
		expect(output[1]?.json).not.toHaveProperty('error');
	});
});

it('names what is wrong in a form before what is wrong in the credentials', async () => {
	const form = { ...(await sandbox.payment()), teamId: '={{ $json.team }}' };
	const { error } = await runNode(sandbox.credentials({ baseUrl: 'nowhere' }), form);
	expect(error?.message).toContain('Team ID');
});

describe('a bad option under Continue On Fail', () => {
	it.each([{ inviteesPerRequest: 2.5 }, { timeout: 0 }, { concurrency: 99 }])(
		'fails every row of a sheet, and none passes as if it had been sent: %j',
		async (options) => {
			const parameters = {
				...(await formFor(sandbox, 'invite.create')),
				inviteesSource: 'items',
				options,
			};
			const items = [{ email: 'a@example.com' }, { email: 'b@example.com' }];
			const { output, error } = await sandbox.run(parameters, { items, ...CONTINUE });
			expect(error).toBeUndefined();
			expect(recordsOf(output)).toEqual(
				[0, 1].map(() => ({
					error: expect.stringContaining('must be a whole number'),
					outcome: 'refused',
					hint: expect.stringContaining('Nothing was signed or sent.'),
				})),
			);
			expect(requests()).toEqual([]);
		},
	);

	it('fails its item, and the others go on', async () => {
		const { output, error } = await sandbox.run(
			sandbox.balance({ options: { currenciesEncoding: '={{ $json.encoding }}' } }),
			{ items: [{ encoding: 'dots' }, { encoding: 'brackets' }], ...CONTINUE },
		);
		expect(error).toBeUndefined();
		expect(output[0]?.json.error).toContain('Currencies Encoding must be');
		expect(output[1]?.json).toHaveProperty('balances');
	});
});

/* test/unit/operations/interface has the fields. */
it.each(['={{ $json.value }}', '{{ $json.value }}', "={{ $fromAI('value') }}"])(
	'a field that takes no expressions refuses %s by name',
	async (expression) => {
		const parameters = await sandbox.payment({ options: { confirmedNotPaid: expression } });
		const { error } = await sandbox.run(parameters, { items: [{ value: '7F3A-91C2-1' }] });
		expect(error?.message).toBe('Confirmed Not Paid can’t be an expression [item 0]');
		expect(sandbox.wire()).toEqual([]);
	},
);

it.each(['={{ { checkOnly: true } }}', '{{ { checkOnly: true } }}', 'checkOnly'])(
	'Options as a whole is refused where it is %s',
	async (options) => {
		const { error } = await sandbox.run({ ...(await sandbox.payment()), options });
		expect(error?.message).toBe('Options can’t be an expression or a text [item 0]');
		expect(sandbox.wire()).toEqual([]);
	},
);

const field = (name: string) => (value: string) => ({ [name]: value });
const filter = (name: string) => (value: string) => ({ filters: { [name]: value } });
const option = (name: string) => (value: string) => ({ options: { [name]: value } });

it.each<[string, string, (value: string) => INodeParameters, ...others: string[]]>([
	['Anonymous', 'invite.create', field('anonymous')],
	['Approved Check', 'invite.create', option('approvedCheck')],
	['Currencies', 'balance.get', field('currencies'), '={{ [] }}'],
	['Domain', 'payment.create', option('domain'), '={{ ({}) }}', '={{ "{ }" }}'],
	['Emails', 'teamUser.getAll', field('emails'), '={{ [] }}'],
	['Expected Role', 'administratorInvite.complete', field('role')],
	['Invitees (JSON)', 'invite.create', field('inviteesJson')],
	['Name', 'teamUser.getAll', filter('name')],
	['Payable', 'teamUser.getAll', filter('payable')],
	['Payment Reference', 'payment.create', field('paymentReference'), '={{ undefined }}', '= '],
	['Primary Type', 'payment.create', option('primaryType'), '={{ " " }}'],
	['Roles', 'teamUser.getAll', filter('roles'), '={{ [] }}'],
	['Types', 'payment.create', option('types'), '={{ ({}) }}'],
])('%s doesn’t count as left out where its expression finds nothing', async (...row) => {
	const [label, operation, holding, ...others] = row;
	const parameters = await formFor(sandbox, operation);
	sandbox.service.wireLog.clear();
	for (const expression of ['={{ $json.none }}', '={{ null }}', '={{ "" }}', ...others]) {
		const { output, error } = await sandbox.run({ ...parameters, ...holding(expression) });
		expect(output).toEqual([]);
		expect(error?.message).toBe(`${label} is an expression that resolved to nothing [item 0]`);
	}
	expect(sandbox.wire()).toEqual([]);
});

describe('administrator invites', () => {
	const send = (change: INodeParameters = {}): INodeParameters =>
		sandbox.administratorInvites('one@example.com, two@example.com', {
			...{ entityId: sandbox.company, role: 'org_viewer' },
			...change,
		});
	const many = Array.from({ length: 150 }, (_, index) => `admin${index}@example.com`).join();
	const typedDataCreated = {
		invites: expect.any(Array),
		typed_data: expect.objectContaining({ primary_type: 'SetRolesForwardRequest' }),
	};

	it.each(['create', 'send'])('invite nobody twice by two items: %s', async (operation) => {
		const parameters = send({ operation, emails: '={{ $json.email }}' });
		const items = ['a@example.com', 'b@example.com', 'A@example.com'].map((email) => ({ email }));
		const { error } = await sandbox.run(parameters, { items });
		expect(error?.message).toBe('Emails: A@example.com is already in item 0 [item 2]');
		expect(sandbox.wire()).toEqual([]);
	});

	it.each(TYPED_DATA_TRICKS)(
		'are not signed where the service sends typed data with %s, and can be finished',
		async (tamper) => {
			for (const roleForm of ['number', 'name', 'hash'] as const) {
				sandbox.service.change({ roleForm });
				await sandbox.control('POST', 'typed-data', { tamper, times: 1 });
				const signed = () => signer.log.filter(({ method }) => /TypedData/.test(method)).length;
				const before = signed();
				const { output } = await runNode(withSigner(), send(), CONTINUE);
				expect(output[0]?.json).toMatchObject({
					error: expect.stringMatching(/2 invites were created .* but the node refused to sign/),
					...{ outcome: 'unknown', invites: expect.any(Array), typed_data: expect.any(Object) },
				});
				expect(signed()).toBe(before);
			}
			expect(requests().filter(({ method }) => method === 'PUT')).toEqual([]);
		},
	);

	/* docs/errors.md has the rest of what it says. */
	it('tell in the error what was done, though the next try can’t sign in', async () => {
		await sandbox.run(sandbox.balance());
		const match = { path: 'balance|manager' };
		await sandbox.fault({ match, kind: 'status', status: 401, skip: 1, times: 'always' });
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { error } = await sandbox.run(send(), { node });
		expect(error?.description).toMatch(/^2 invites were created \(one@example\.com, two@/);
		expect(error?.data).toEqual(typedDataCreated);
	});

	it('tell which of several batches were done', async () => {
		const match = { method: 'PUT' };
		await sandbox.fault({ match, kind: 'status', status: 403, skip: 1, times: 1 });
		const { error } = await sandbox.run(send({ emails: many }));
		expect(error?.description).toMatch(
			/^Already invited: 100 people, from admin0@example\.com to admin99@example\.com\. Leave them out of the next run\. This request was for 50 people, from admin100@example\.com to admin149@example\.com\. 50 invites were created \(admin100@/,
		);
		const completed = [{ emails: many.split(',').slice(0, 100) }];
		expect(error?.data).toMatchObject({ completed, ...typedDataCreated });
	});

	it.each([
		[403, 'the role couldn’t be set. Don’t create them again. To set it, run Execute with'],
		[500, 'it isn’t known whether the role was set. Don’t create them again. If the service says'],
	])('go in batches of 100, and are resumed after %d', async (status, said) => {
		await sandbox.fault({ match: { method: 'PUT' }, kind: 'status', status, times: 1 });
		const run = async (options = {}) =>
			await sandbox.run(send({ emails: many }), { executionId: `resumed ${status}`, ...options });
		const [first] = (await run(CONTINUE)).output;
		expect(first?.json).toMatchObject({ http_status: status, outcome: 'unknown' });
		expect(first?.json.error).toContain(said);
		const again = await run();
		expect(again.error).toBeUndefined();
		expect(again.output).toHaveLength(2);
		expect(requests().filter(({ method }) => method === 'POST')).toHaveLength(2);
	});

	it('tell after Create that the role isn’t set', async () => {
		await sandbox.fault({ match: { method: 'POST' }, kind: 'cutAfter', skip: 1, times: 1 });
		const { error } = await sandbox.run(send({ operation: 'create', emails: many }));
		expect(error?.description).toContain('Their role isn’t set: run Execute with the invites and');
	});

	it('invite nobody twice where a loop leads a failed item back', async () => {
		await sandbox.fault({ match: { method: 'PUT' }, kind: 'cutAfter', skip: 1, times: 1 });
		const items = ['one@example.com', 'two@example.com'].map((emails) => ({ emails }));
		const runs = { ...CONTINUE, items, secondRun: items.slice(1) };
		const { output } = await sandbox.run(send({ emails: '={{ $json.emails }}' }), runs);
		/* The service says that it was executed, and so says the first run's doubt. */
		expect(output[0]?.json.outcome).toBe('unknown');
		expect(requests().map(({ method }) => method)).toEqual(['POST', 'PUT', 'POST', 'PUT', 'PUT']);
	});
});

describe('sign-in', () => {
	it.each(SIGN_IN_TRICKS)('signs no message with %s', async (trick) => {
		sandbox.service.signIn.tampering.plan(trick, 1);
		/* With another token each time, since a sign-in that failed isn't repeated at once. */
		const saved = withSigner({
			remoteSignerToken: `token-for-${trick}`,
			signInDomain: sandbox.signInDomain,
			signInChainId: String(sandbox.service.settings.signInChainId),
		});
		const before = signer.log.length;
		const { error } = await runNode(saved, sandbox.balance());
		expect(error?.message).toMatch(/ \[item 0\]$/);
		expect(error?.description).toBeTruthy();
		expect(sandbox.wire().map(({ path }) => path)).toEqual(['/v2/auth/siwe']);
		expect(signer.log).toHaveLength(before);
	});

	/* test/unit/signing/remoteSigner has the other answers of signers. */
	it('shows what a remote signer answered, in a workflow and in the credential test', async () => {
		const message = 'The remote signer rejected the request (HTTP 401)';
		const hint = expect.stringContaining('Check Remote Signer Token in the credentials');
		signer.fail('http401', 'http401');
		const before = signer.log.length;
		const { error } = await runNode(
			withSigner({ remoteSignerToken: 'one-token' }),
			sandbox.balance(),
		);
		expect(error).toMatchObject({ message: `${message} [item 0]`, description: hint });
		const tested = await testSaved(withSigner({ remoteSignerToken: 'another-token' }));
		expect(tested).toEqual({ status: 'Error', message: hint });
		expect(tested.message).toContain(message);
		/* Neither asks twice. */
		expect(signer.log.length - before).toBe(2);
	});

	it('is separate from the signature of a payment, which is refused where the signer fails', async () => {
		const saved = withSigner();
		const parameters = await sandbox.payment();
		await runNode(saved, sandbox.balance());
		signer.fail('cut');
		const { output } = await runNode(saved, parameters, CONTINUE);
		expect(output[0]?.json.outcome).toBe('refused');
		/* The wallet may have signed. */
		expect(output[0]?.json.hint).toMatch(/(?<!Nothing was signed or sent)\. Nothing was sent\./);
		expect((await runNode(saved, parameters)).error).toBeUndefined();
		expect(sandbox.writes()).toHaveLength(1);
	});

	/* test/n8n/session.test.ts has what other changes cost, and tokens that are refused. */
	it('is confirmed by a read of the paying team’s balance before money moves, unless the service took the token within five minutes', async () => {
		/* Credentials that no other test here has used. */
		const saved = sandbox.credentials({ signInDomain: sandbox.signInDomain });
		const pay = async (by: SavedCredentials, form: INodeParameters) => {
			sandbox.service.wireLog.clear();
			const { error } = await runNode(by, form);
			expect(error?.message).toBeUndefined();
			const sent = requests().map(({ method, query, status }) => [method, query.nanoid, status]);
			return { sent, signIns: signIns() };
		};
		const [read, write] = [
			['GET', sandbox.team, 200],
			['PUT', undefined, 200],
		];
		expect(await pay(saved, await sandbox.payment())).toEqual({ sent: [read, write], signIns: 1 });
		const second = new SavedCredentials(saved.data);

		const later = performance.now() + 5 * 60_000;
		const clock = jest.spyOn(systemClock, 'elapsed').mockImplementation(() => later);
		sandbox.service.tokens.expireAll();
		const made = await sandbox.payment();
		const sent = [['GET', sandbox.team, 401], read, write];
		expect(await pay(saved, made)).toEqual({ sent, signIns: 1 });
		/* A second credential for the wallet has an older token; this process knows the newer one. */
		expect(await pay(second, await sandbox.payment())).toEqual({ sent: [write], signIns: 0 });
		clock.mockReturnValue(2 * later);
		const options = { ...Object(made.options), ifAlreadyPaid: 'skip' };
		expect(await pay(saved, { ...made, options })).toEqual({ sent: [], signIns: 0 });
		clock.mockRestore();
	});
});

it('keeps words in an error in which n8n sees a system error', async () => {
	const message = 'jeeperman is unknown';
	await sandbox.fault({ match: { path: '/v2/balance' }, kind: 'status', status: 400, message });
	const { error } = await sandbox.run(sandbox.balance());
	expect(error?.message).toBe(`The service refused: ${message} [item 0]`);
});

it('lets no word of the service make n8n list the execution as canceled', async () => {
	const message = 'The payment was canceled';
	await sandbox.fault({ kind: 'status', status: 400, message, match: PAYMENT });
	const { error } = await sandbox.run(await sandbox.payment());
	/* n8n-core's processSuccessExecution looks for this word. */
	expect(error?.message).toContain('The payment was Canceled');
});

describe('as an AI tool', () => {
	const tool = { type: 'payrollPaymentsTool' };

	it('reads freely', async () => {
		expect((await sandbox.run(sandbox.balance(), { node: tool })).error).toBeUndefined();
	});

	const byHand = 'Allow Writes by AI can’t be an expression: set it by hand';
	it.each([
		[false, 'To allow it, turn on Allow Writes by AI in the node'],
		['={{ true }}', byHand],
		['true', byHand],
	])('writes nothing with allowToolWrites %j', async (allowToolWrites, reason) => {
		const parameters = { ...(await formFor(sandbox, 'invite.create')), allowToolWrites };
		const { error } = await sandbox.run(parameters, { node: tool });
		expect(error?.message).toBe(
			`“Create invites” was refused because an AI agent called it. ${reason} [item 0]`,
		);
		expect(requests()).toEqual([]);
	});

	it('writes with permission, and nothing again whose outcome is unknown, though each try is a separate run', async () => {
		const parameters = { ...(await formFor(sandbox, 'invite.create')), allowToolWrites: true };
		expect((await sandbox.run(parameters, { node: tool })).error).toBeUndefined();
		await sandbox.fault({ match: { path: '/v2/invites' }, kind: 'cutAfter', times: 1 });
		const node = { ...tool, ...CONTINUE.node };
		await sandbox.run(parameters, { node, secondRun: [{}] });
		expect(sandbox.writes()).toHaveLength(2);
	});

	it('makes both payments of two calls that n8n counts as one run', async () => {
		for (const paymentReference of ['INV-1', 'INV-2']) {
			const parameters = await sandbox.payment({ paymentReference, allowToolWrites: true });
			const { output } = await sandbox.run(parameters, { node: tool, executionId: 'agent' });
			expect(output[0]?.json).toMatchObject({ transaction: expect.stringMatching(/^tx-/) });
		}
	});

	it('never signs in by hand', async () => {
		const parameters = await formFor(sandbox, 'authentication.getSignInMessage');
		const { error } = await sandbox.run({ ...parameters, allowToolWrites: true }, { node: tool });
		expect(error?.message).toBe(
			'“Get sign in message” was refused because an AI agent called it. Sign in outside the AI agent [item 0]',
		);
	});
});

describe('the credential test', () => {
	it.each<[Record<string, string>, RegExp, status?: string]>([
		[{}, /^Signed in with the wallet$/, 'OK'],
		[{ privateKey: `0x${'7'.repeat(64)}` }, /role/i],
		[{ walletAddress: `0x${'1'.repeat(40)}` }, /Wallet Address|wallet address/],
		[{ baseUrl: 'http://api.example.com' }, /must start with https/],
		[{ baseUrl: 'http://127.0.0.1:1' }, /it refused the connection/],
		[{ privateKey: '0x12' }, /64 hex characters/],
		[{ signInDomain: 'app.example.com' }, /domain/i],
		[{ signInChainId: '42161' }, /chain/i],
	])('says how signing in ends: %j', async (change, message, status = 'Error') => {
		const result = await testSaved(sandbox.credentials(change));
		expect(result).toEqual({ status, message: expect.stringMatching(message) });
		expect(signIns()).toBe(status === 'OK' ? 1 : 0);
	});

	it('tells a token that is taken from one that is not', async () => {
		const token = await sandbox.token();
		const test = async (method: object) =>
			await testSaved(new SavedCredentials({ baseUrl: sandbox.url, ...method }));
		const accessToken = { authentication: 'accessToken', accessToken: token };
		const taken = { status: 'OK', message: 'The service took the token' };
		expect(await test(accessToken)).toEqual(taken);
		expect(await test({ authentication: 'legacyApiKey', apiKey: token })).toEqual(taken);
		expect((await test({ ...accessToken, accessToken: 'no.to.ken' })).status).toBe('Error');
		expect(await test({ ...accessToken, baseUrl: 'http://127.0.0.1:1' })).toEqual({
			status: 'Error',
			message: expect.stringMatching(
				/^No response from 127\.0\.0\.1:1: it refused the connection\. Check that n8n can/,
			),
		});
		const elsewhere = { kind: 'redirect', location: `${sandbox.url}/v2/balance` } as const;
		for (const fault of [elsewhere, { kind: 'status', status: 503 } as const]) {
			await sandbox.fault({ ...fault, times: 1, match: { path: 'balance' } });
			expect((await test(accessToken)).status).toBe('Error');
		}
	});
});
