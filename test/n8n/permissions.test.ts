import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { PERMISSIONS } from '../../nodes/PayrollPayments/api/credentialLimits';
import type { FaultInput } from '../../sandbox/server';
import { runNode, sendRaw, type SavedCredentials } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { formFor } from '../support/sandboxForms';

const sandbox = useActionSandbox();

const NEEDED = CATALOGUE.flatMap(({ resource, operation, permission }) =>
	permission === 'none' ? [] : [[`${resource}.${operation}`, permission] as const],
);

/** It signs what the service names only afterwards. */
const CREATE_AND_EXECUTE = 'administratorInvite.send';

const forget = () => sandbox.service.wireLog.clear();

describe('the action node', () => {
	it.each(NEEDED)(
		'%s is refused without %s before anything is signed or sent, and goes out with it alone',
		async (pair, permission) => {
			const parameters = await formFor(sandbox, pair);
			forget();
			const others = Object.keys(PERMISSIONS).filter((each) => each !== permission);
			const refusing: ICredentialDataDecryptedObject[] = [
				{ access: 'readOnly', permissions: [permission] },
				{ access: 'selected', permissions: others },
				{ access: 'selected', permissions: [] },
				{ access: 'selected', permissions: '' },
				{ access: 'selected' },
			];
			for (const change of refusing) {
				const { error, output } = await runNode(sandbox.remoteSigner(change), {
					...parameters,
					/* Inviting would read the team first. */
					existingPeople: 'skip',
				});
				expect(output).toEqual([]);
				expect(error?.message).toMatch(/^These credentials don’t allow [a-z ]+ \[item 0\]$/);
				const field = change.access === 'readOnly' ? 'Workflows May is' : 'under Permissions';
				expect(error?.description).toMatch(
					RegExp(`${field} .*in the credentials “saved”\\..* Nothing was signed or sent\\.`),
				);
			}
			expect(sandbox.wire()).toEqual([]);
			const limits = { maximumPayment: '125.00', paymentRecipients: '@example.com' };
			const alone = { access: 'selected', permissions: [permission], ...limits };
			const { error } = await runNode(sandbox.credentials(alone), parameters);
			expect(error?.message ?? '').not.toContain('don’t allow');
			expect(sandbox.writes().length).toBeGreaterThan(0);
		},
	);

	it('changes nothing without an approved check, where the credentials require one', async () => {
		const saved = sandbox.remoteSigner({ requireApproval: true });
		for (const [pair] of NEEDED) {
			if (pair === CREATE_AND_EXECUTE) continue;
			const parameters = await formFor(sandbox, pair);
			const before = sandbox.writes().length;
			const { error } = await runNode(saved, parameters);
			expect(error?.message).toMatch(
				/^Approved Check is missing, and the credentials “saved” require it/,
			);
			expect(sandbox.writes().length).toBe(before);
		}
	});

	it('doesn’t create and execute, where the credentials require an approved check', async () => {
		const parameters = await formFor(sandbox, CREATE_AND_EXECUTE);
		const run = async (options: INodeParameters, saved = sandbox.credentials()) =>
			await runNode(saved, {
				...parameters,
				options: { ...Object(parameters.options), ...options },
			});
		const [check] = (await run({ checkOnly: true })).output;
		forget();
		for (const options of [
			{},
			{ checkOnly: true },
			{ approvedCheck: String(check?.json.approval) },
		]) {
			const { error } = await run(options, sandbox.credentials({ requireApproval: true }));
			expect(error?.message).toBe(
				'Create and Execute can’t be approved in advance, which the credentials “saved” require [item 0]',
			);
			expect(error?.description).toMatch(/Use Create, then Execute.* Nothing was signed or sent\./);
		}
		expect(sandbox.wire()).toEqual([]);
		expect((await run({ approvedCheck: String(check?.json.approval) })).error).toBeUndefined();
	});

	it.each<[ICredentialDataDecryptedObject, string, INodeParameters?]>([
		[
			{ maximumPayment: '124.99' },
			'These credentials allow payments up to $124.99, and this one is $125.00',
		],
		[
			{ paymentRecipients: 'ben@example.com, @example.org' },
			'These credentials don’t allow paying ana@example.com',
		],
		[
			{ maximumPayment: '125' },
			'The signed amount can’t be compared with the limit of these credentials',
			{ typedAmountUnit: 'notChecked' },
		],
		[
			{ maximumPayment: '125' },
			'Authorization: $1,250,000.00. Amount: $125.00',
			{ typedAmountUnit: 'cents' },
		],
	])('refuses a payment beyond %j before it is signed', async (limit, words, options = {}) => {
		const payload = await sandbox.authorization();
		for (const signature of [{}, await sandbox.signed(payload)]) {
			const saved = sandbox.remoteSigner(limit);
			const { error } = await runNode(saved, sandbox.paying(payload, { ...signature, options }));
			expect(error?.message).toBe(`${words} [item 0]`);
			expect(error?.description).toMatch(/in the credentials “saved”|Typed Amount Unit under/);
		}
		expect(sandbox.wire()).toEqual([]);
	});
});

const VIA = ['requestWithAuthentication', 'httpRequestWithAuthentication'] as const;

/** Runs one request of another node through n8n's own request function. */
async function send(saved: SavedCredentials, via: (typeof VIA)[number], options: object) {
	const named = (given: { url?: string }) =>
		via === 'requestWithAuthentication' ? { ...given, url: undefined, uri: given.url } : given;
	return await sendRaw(saved, via, named(options));
}

describe.each(VIA)('another node over %s', (via) => {
	const url = (path: string) => `${sandbox.url}${path}`;
	const invites = () => ({
		method: 'POST',
		url: url('/v2/invites'),
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({
			nanoid: sandbox.team,
			role: 'contractor',
			invites: [{ email: 'new@example.com' }],
		}),
	});

	/* test/unit/api/outboundRequests has every limit, and what else isn't a plain read of the service. */
	it('only reads with a limit', async () => {
		const saved = sandbox.credentials({ maximumPayment: '1000000' });
		const read = { method: 'GET', url: url(`/v2/balance?nanoid=${sandbox.team}`) };
		expect((await send(saved, via, read)).error).toBeUndefined();
		for (const write of [
			invites(),
			{ ...invites(), method: 'PUT', url: url('/v2/payments/external_entity/instant') },
			{ ...read, body: '{"a":1}' },
			{ ...read, headers: { 'X-HTTP-Method-Override': 'POST' } },
		]) {
			const { error } = await send(saved, via, write);
			expect(`${error?.message} ${error?.description}`).toContain('Other nodes may only read');
		}
		expect(sandbox.writes()).toEqual([]);
	});

	it.each<FaultInput>([{ kind: 'cutAfter' }, { kind: 'status', status: 401 }])(
		'writes once where n8n repeats what it has a new token for: %j',
		async (fault) => {
			await sandbox.fault({ ...fault, match: { path: '^/v2/invites$' }, times: 'always' });
			const { error } = await send(sandbox.credentials(), via, invites());
			const isSpared = via === 'httpRequestWithAuthentication' && fault.status === 401;
			expect(`${error?.message}. ${error?.description}`).toContain(
				isSpared
					? 'which isn’t sent again. It may change something. With Wallet Sign-In, run it again'
					: '',
			);
			expect(sandbox.writes()).toHaveLength(1);
		},
	);

	it('keeps a token in use that nobody refused, where a read fails and so does signing in', async () => {
		/* What one remembers of a failed sign-in is not for the other. */
		const saved =
			via === 'requestWithAuthentication'
				? sandbox.credentials({ signInChainId: '1' })
				: sandbox.credentials({ signInDomain: sandbox.signInDomain });
		await runNode(saved, sandbox.balance());
		await sandbox.fault({
			kind: 'status',
			status: 503,
			match: { path: '/v2/auth/' },
			times: 'always',
		});
		await send(saved, via, { method: 'GET', url: `${sandbox.url}/v2/no/such` });
		expect((await runNode(saved, sandbox.balance())).error).toBeUndefined();
	});
});
