import { id, Wallet } from 'ethers';
import type { INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { startRemoteSigner, type RemoteSigner } from '../../sandbox/remoteSigner';
import { runNode } from '../support/actionHost';
import { useActionSandbox, without, type Payload } from '../support/actionSandbox';
import { formOf } from '../support/operationForms';
import { formFor } from '../support/sandboxForms';
import { waitFor } from '../../n8nHost/waiting';

/*
 * test/unit/signing holds what the guards refuse. Here: that each request to sign reaches them, with what
 * the form says. services.test.ts has typed data from the Platform ID, and with few members.
 */

const sandbox = useActionSandbox();

const unknownHash = id('a role that the document does not name');
const another = new Wallet(id('another wallet'));
const sent = () => sandbox.writes();
const PAID = { json: { transaction: expect.stringMatching(/^tx-/) } };

async function expectRefused(parameters: INodeParameters, words: RegExp | string): Promise<void> {
	const { error, output } = await sandbox.run(parameters);
	expect(output).toEqual([]);
	expect(error?.message).toMatch(words);
	expect(error?.message).toMatch(/ \[item 0\]$/);
	expect(sandbox.writes()).toEqual([]);
}

describe('administrator invites', () => {
	/** What Create answers for two people, with the given role in any form. */
	async function payload(role: string): Promise<Payload> {
		const { typedData } = await formFor(sandbox, 'administratorInvite.complete');
		const { domain, types, primary_type, typed_data } = JSON.parse(String(typedData));
		const type = role.startsWith('0x') ? 'bytes32' : /^\d+$/.test(role) ? 'uint8' : 'string';
		const [, account] = types.SetRole;
		const data = typed_data.data.map((each: object) => ({ ...each, role }));
		sandbox.service.wireLog.clear();
		return {
			domain,
			types: { ...types, SetRole: [{ name: 'role', type }, account] },
			primaryType: primary_type,
			message: { ...typed_data, data },
		};
	}

	const structureOf = ({ domain, types, primaryType, message }: Payload) => ({
		...{ domain, types, primary_type: primaryType, typed_data: message },
	});
	const execute = (typedData: object, change: INodeParameters = {}): INodeParameters =>
		formOf('administratorInvite.complete', {
			inviteIds: 'in-aaaaaaaaaaaa, in-bbbbbbbbbbbb',
			typedData: JSON.stringify(typedData),
			...{ signatureSource: 'wallet', role: 'team_viewer', ...change },
		});

	it.each(['org_admin', id('org_admin')])(
		'give nobody the role %s where another one was asked for',
		async (role) => {
			const given = await payload(role);
			const typedData = structureOf(given);
			const words = /gives the role Company: Admin \(org_admin\), not Team: Viewer/;
			await expectRefused(execute(typedData), words);
			const options = { expectedRoleCode: id('org_admin') };
			await expectRefused(execute(typedData, { options }), words);
			await expectRefused(execute(typedData, await sandbox.signed(given)), words);
			await expectRefused(execute(typedData.typed_data, await sandbox.signed(given)), words);
		},
	);

	it.each([unknownHash, '2'])(
		'give the role of the code %s only where it is entered',
		async (code) => {
			const typedData = structureOf(await payload(code));
			const { error } = await sandbox.run(execute(typedData));
			expect(error?.message).toBe(`The typed data gives the role code ${code} [item 0]`);
			expect(error?.description).toContain('enter the code as Expected Role Code under Options');
			await expectRefused(execute(typedData, { options: { expectedRoleCode: '3' } }), 'not 3');
			await sandbox.run(execute(typedData, { options: { expectedRoleCode: ` ${code} ` } }));
			expect(sent()).toHaveLength(1);
		},
	);

	const APART = {
		inviteIds: '={{ $json.id }}, {{ $json.id.replace("in-a", "in-b") }}',
		role: '={{ $json.role }}',
	};

	it.each([
		['the same typed data twice', 'team_viewer', {}, 'Typed Data is already in item 0 [item 1]'],
		[
			'one code as two roles',
			'team_admin',
			{ options: { expectedRoleCode: '2' } },
			'Items of this run differ about the role of code 2: Team: Viewer (team_viewer) and Team: Admin (team_admin) (the same in item 1) [item 0]',
		],
	])('sign nothing for items that have %s', async (_what, role, change, words) => {
		const given = structureOf(
			await payload('2'.repeat(Object.keys(change).length) || 'team_viewer'),
		);
		const items = ['team_viewer', role].map((each, index) => ({
			role: each,
			id: `in-aaaaaaaaaaa${index}`,
		}));
		const { error } = await sandbox.run(execute(given, { ...APART, ...change }), { items });
		expect(error?.message).toBe(words);
		expect(sent()).toEqual([]);
	});

	const NO_CODE = 'must be a whole number, e.g. 2, or 0x followed by 64 hex characters';

	it.each<[INodeParameters, string]>([
		[{ role: '' }, 'Expected Role is missing'],
		[{ role: 'any' }, 'Expected Role can be Any only with a provided signature'],
		[{ options: { expectedRoleCode: '={{ 2 }}' } }, 'Expected Role Code can’t be an expression'],
		[{ options: { expectedRoleCode: 'two' } }, `Expected Role Code ${NO_CODE}`],
		[{ options: { expectedRoleCode: '02' } }, `Expected Role Code ${NO_CODE}`],
	])('sign nothing with %j', async (change, words) => {
		const given = await payload('options' in change ? '2' : 'team_viewer');
		await expectRefused(execute(structureOf(given), change), words);
	});

	it.each(['domain', 'types', 'primary_type'] as const)(
		'with a provided signature are refused where the typed data has all but %s',
		async (name) => {
			const given = await payload('team_viewer');
			const rest = without<unknown>(structureOf(given), name);
			const { error } = await sandbox.run(execute(rest, await sandbox.signed(given)));
			expect(error?.message).toBe(`Typed Data has no ${name} [item 0]`);
			expect(sandbox.writes()).toEqual([]);
		},
	);

	it('with a provided signature alone are refused for more accounts than invites', async () => {
		const given = await payload('team_viewer');
		const all = [...Object(given.message.data), { role: 'team_viewer', account: another.address }];
		const provided = execute({ ...given.message, data: all }, await sandbox.signed(given));
		await expectRefused(provided, /gives 3 accounts a role, not 2/);
	});

	it('with a provided signature may have any role where none is expected', async () => {
		const given = await payload(unknownHash);
		const signature = await sandbox.signed(given);
		for (const role of ['', 'any']) {
			await sandbox.run(execute(given.message, { ...signature, role }));
		}
		expect(sent()).toHaveLength(2);
	});
});

describe('instant payments', () => {
	it.each<[string, change: object, data: object, words: string]>([
		['pays another amount', {}, { amount: '125000001' }, 'Authorization: $125.000001. Amount: $'],
		['is from another wallet', { from: another.address }, {}, another.address],
		['names another team', {}, { groupID: 'te-zzzzzzzzzzzz' }, 'te-zzzzzzzzzzzz'],
		['names another email address', {}, { data: 'mallory@example.com' }, 'mallory@example.com'],
	])('are refused, unsigned and unsent, where the typed data %s', async (...row) => {
		const [, change, data, words] = row;
		/* Only then is there a place for identifiers and email addresses. */
		sandbox.service.change({ paymentForm: 'texts' });
		const { message, ...payload } = await sandbox.authorization();
		const changed = { ...message, ...change, data: { ...Object(message.data), ...data } };
		const bad = { ...payload, message: changed };
		for (const signature of [{}, await sandbox.signed(bad)]) {
			const { error } = await sandbox.run(sandbox.paying(bad, signature));
			expect(error?.message).toContain(words);
		}
		expect(sandbox.writes()).toEqual([]);
	});

	it('are refused where another wallet signed, and can be sent with the right signature', async () => {
		const payload = await sandbox.authorization();
		const right = sandbox.paying(payload, await sandbox.signed(payload));
		const { signature } = await sandbox.signed(payload, 'viewer');
		await expectRefused(
			{ ...right, signature },
			'Signature isn’t Signer’s signature of this typed data',
		);
		expect((await sandbox.run(right)).output[0]?.json).toHaveProperty('transaction');
	});

	it('are sent with a signature that verifiers take, where a hardware wallet ended it in 00 or 01', async () => {
		const payload = await sandbox.authorization();
		const provided = await sandbox.signed(payload);
		const signature = String(provided.signature);
		const fromZero = signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01');
		const form = sandbox.paying(payload, { ...provided, signature: fromZero });
		expect((await sandbox.run(form)).output).toMatchObject([PAID]);
		expect(sent()).toMatchObject([{ body: { signature } }]);
	});

	it('are the same payment where they are signed from a whole payload', async () => {
		const payload = await sandbox.authorization();
		const { primaryType: primary_type, message: typed_data, ...others } = payload;
		const whole = JSON.stringify({ ...others, primary_type, typed_data });
		const { output } = await sandbox.run(sandbox.paymentForm({ typedData: whole }));
		expect(output[0]?.json).toHaveProperty('transaction');
		expect(sent().map(({ body }) => Object(body).typed_data)).toEqual([payload.message]);
		const again = await sandbox.run(sandbox.paying(payload));
		expect(again.error?.message).toContain('was already paid');
		expect(sent()).toHaveLength(1);
	});
});

describe('a remote signer that asks a person', () => {
	let signer: RemoteSigner;

	beforeEach(async () => {
		signer = await startRemoteSigner({ asksPerson: true, vFromZero: true });
	});

	afterEach(async () => {
		await signer.close();
	});

	const credentials = () => sandbox.remoteSigner({ remoteSignerUrl: signer.url, privateKey: '' });
	const asked = async (method: string) =>
		await waitFor(
			`the person is asked by ${method}`,
			async () => signer.waiting().find((each) => each.method === method),
			{ interval: 10 },
		);
	const expectPaid = async (payload: Payload) =>
		expect((await sandbox.run(sandbox.paying(payload))).output).toMatchObject([PAID]);
	/** Starts a payment, and signs in for it. */
	async function paymentThatAsks(stop?: AbortSignal) {
		const payload = await sandbox.authorization();
		const run = runNode(credentials(), sandbox.paying(payload), { stop });
		const { id: signIn } = await asked('personal_sign');
		signer.decide(signIn, 'confirmed');
		return { payload, run, request: await asked('eth_signTypedData_v4') };
	}

	it('refuses the payment once the person declines, which can then be made', async () => {
		const { payload, run, request } = await paymentThatAsks();
		signer.decide(request.id, 'declined');
		expect((await run).error?.message).toContain(
			'was not sent. The signature was declined in the wallet: "User rejected the request." (4001)',
		);
		expect((await run).error?.description).toContain('Nothing was signed or sent.');
		expect(sent()).toEqual([]);
		await expectPaid(payload);
	});

	it('shows what is signed, gives no code while it waits, and pays once the person confirms', async () => {
		const { payload, run, request } = await paymentThatAsks();
		const { domain, primaryType, message } = payload;
		expect(request).toMatchObject({ domain, primaryType, message });
		const { error } = await sandbox.run(sandbox.paying(payload));
		expect(error?.description).not.toMatch(/[\dA-F]{4}-[\dA-F]{4}-1/);
		signer.decide(request.id, 'confirmed');
		expect((await run).output).toMatchObject([PAID]);
		expect(sent()).toMatchObject([{ body: { signature: expect.stringMatching(/1[bc]$/) } }]);
	});

	it('stops to ask once the execution is stopped, and the payment can then be made', async () => {
		const execution = new AbortController();
		const { payload, run } = await paymentThatAsks(execution.signal);
		execution.abort();
		await run;
		await waitFor('the request is gone', async () => signer.waiting().length === 0 || undefined);
		expect(signer.log.map(({ outcome }) => outcome)).toEqual(['signed', 'abandoned']);
		expect(sent()).toEqual([]);
		await expectPaid(payload);
	});

	it('asks nobody to sign in once the only execution that needs it is stopped', async () => {
		const saved = credentials();
		await sandbox.fault({ kind: 'latency', delay: 500, match: { path: 'siwe' } });
		await runNode(saved, sandbox.balance(), { stop: AbortSignal.timeout(100) });
		await new Promise((resolve) => setTimeout(resolve, 800));
		expect([signer.waiting(), signer.log]).toEqual([[], []]);
		/* And nobody has to wait for the pause after a sign-in that failed. */
		const again = runNode(saved, sandbox.balance());
		signer.decide((await asked('personal_sign')).id, 'confirmed');
		expect((await again).error).toBeUndefined();
	});

	it('is asked for another execution that waits for the same sign-in', async () => {
		const saved = credentials();
		await sandbox.fault({ kind: 'latency', delay: 500, match: { path: 'siwe' } });
		const first = runNode(saved, sandbox.balance(), { stop: AbortSignal.timeout(100) });
		const second = runNode(saved, sandbox.balance());
		signer.decide((await asked('personal_sign')).id, 'confirmed');
		expect((await second).error).toBeUndefined();
		await first;
	});

	it('sends nothing after Stop to which another execution’s sign-in gave a token', async () => {
		const saved = credentials();
		const payload = await sandbox.authorization();
		const execution = new AbortController();
		const run = runNode(saved, sandbox.paying(payload), { stop: execution.signal });
		signer.decide((await asked('personal_sign')).id, 'confirmed');
		const { id: payment } = await asked('eth_signTypedData_v4');
		/* The token is revoked. Another workflow finds out, and its sign-in asks the person. */
		sandbox.service.tokens.expireAll();
		const read = runNode(saved, sandbox.balance());
		const { id: signIn } = await asked('personal_sign');
		signer.decide(payment, 'confirmed');
		await waitFor('it is signed', async () => signer.log.length === 2 || undefined);
		await new Promise((resolve) => setTimeout(resolve, 300));
		execution.abort();
		signer.decide(signIn, 'confirmed');
		await Promise.all([run, read]);
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect(sent()).toEqual([]);
		const check = sandbox.paying(payload, { options: { checkOnly: true } });
		expect((await sandbox.run(check)).output[0]?.json).toMatchObject({ check: 'passed' });
	});
});
