import type { INodeParameters } from 'n8n-workflow';

import { systemClock } from '../../nodes/PayrollPayments/api/clock';
import { FRESH_MS } from '../../nodes/PayrollPayments/api/session';
import '../support/withoutPauses';
import type { FaultInput } from '../../sandbox/server';
import { runNode, SavedCredentials, type RunResult } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { formFor } from '../support/sandboxForms';
import { startPrivateAuthorityServer, startSelfSignedServer } from '../support/selfSignedServer';

const sandbox = useActionSandbox();

/** How far the stopwatch has gone beyond the real one. */
let passed = 0;
let untrusted: Awaited<ReturnType<typeof startSelfSignedServer>>;

beforeAll(async () => {
	const elapsed = systemClock.elapsed.bind(systemClock);
	jest.spyOn(systemClock, 'elapsed').mockImplementation(() => elapsed() + passed);
	untrusted = await startSelfSignedServer();
});

/** Which request of each operation a fault hits: its method, and a pattern of its path. */
const HIT: Readonly<Record<string, readonly [method: string, path: string]>> = {
	'administratorInvite.create': ['POST', '^/v2/invites/manager$'],
	'administratorInvite.send': ['PUT', '^/v2/invites/manager$'],
	'administratorInvite.complete': ['PUT', '^/v2/invites/manager$'],
	'authentication.getSignInMessage': ['GET', '^/v2/auth/siwe$'],
	'authentication.verify': ['POST', '^/v2/auth/verify$'],
	'balance.get': ['GET', '^/v2/balance$'],
	'invite.create': ['POST', '^/v2/invites$'],
	'invite.getAll': ['GET', '^/v2/invites$'],
	'nameReview.update': ['POST', '/name_review$'],
	'payment.create': ['PUT', '/instant$'],
	'teamUser.getAll': ['GET', '/users$'],
	'webhook.send': ['POST', '^/v2/webhooks/test/'],
};

/** A read, a write and a payment, which share their client with all others. */
const KINDS = ['balance.get', 'invite.create', 'payment.create'];

/** Faults after which an operation could say something of its own. */
const OF_EACH = /^(400|401|403|404|500|missing fields|200 with a failure|.* after the work)$/;

/** The faults that end a request for good, and what the user reads of each. */
type Lasting = readonly [string, Omit<FaultInput, 'match'>, RegExp];

const LASTING: readonly Lasting[] = [
	['no answer in time', { kind: 'latency', delay: 1_500 }, /it took too long to respond/],
	['the connection cut before', { kind: 'cutBefore' }, /the connection was interrupted/],
	['the connection cut after the work', { kind: 'cutAfter' }, /the connection was interrupted/],
	['400', { kind: 'status', status: 400 }, /refused: The sandbox was told to fail/],
	['401', { kind: 'status', status: 401 }, /refused: The sandbox was told to fail/],
	['401 of a gateway', { kind: 'html', status: 401 }, /HTTP 401/],
	['401 without a body', { kind: 'status', status: 401, envelope: false }, /401/],
	['401 that can’t be read', { kind: 'unreadable', status: 401 }, /./],
	['502 that can’t be read', { kind: 'unreadable' }, /./],
	['407', { kind: 'status', status: 407 }, /proxy between n8n and the service/],
	...[408, 425, 502, 504].map(
		(status): Lasting => [`${status}`, { kind: 'status', status }, /told to fail/],
	),
	['403', { kind: 'status', status: 403, errorCode: 'no_role' }, /told to fail \(no_role\)/],
	['404', { kind: 'status', status: 404 }, /refused: The sandbox was told to fail/],
	['429 for an hour', { kind: 'status', status: 429, retryAfter: 3_600 }, /told to fail|HTTP 429/],
	[
		'429 until 2099',
		{ kind: 'status', status: 429, retryAfter: 'Wed, 21 Oct 2099 07:28:00 GMT' },
		/told to fail|HTTP 429/,
	],
	['500', { kind: 'status', status: 500 }, /told to fail/],
	['503 without a body', { kind: 'status', status: 503, envelope: false }, /503/],
	['a page of a proxy', { kind: 'html' }, /502/],
	['a page with status 200', { kind: 'html', status: 200 }, /Unexpected response/],
	['a redirect', { kind: 'redirect' }, /redirect/],
	['200 with a failure', { kind: 'failureEnvelope' }, /refused: The sandbox was told to fail/],
	['truncated JSON', { kind: 'truncatedJson' }, /Unexpected response/],
	['missing fields', { kind: 'missingFields' }, /success, but data\S* is missing or invalid/],
	['10 MB', { kind: 'hugeBody' }, /success, but data\S* is missing or invalid/],
];

/** What nobody should read: places in code, HTML, secrets, values that were never filled in. */
const NEVER_SHOWN = /\n\s+at |node_modules|<html|\[object |\bundefined\b|\bNaN\b|eyJ[\w-]+\.eyJ/i;

function expectToSuitAPerson({ error, stored }: RunResult, saved: SavedCredentials): void {
	expect(error?.message).toMatch(/\[item 0\]$/);
	expect(error?.description).toMatch(/\w{3,}.*(?:[.”)}\]]|\.md(?:#[\w-]+)?)$/s);
	const said = `${error?.message} ${error?.description}`;
	expect(said.length).toBeLessThan(5_000);
	expect(said).not.toMatch(NEVER_SHOWN);
	expect(stored).not.toContain(String(saved.data.privateKey).slice(2));
	expect(stored).not.toMatch(/eyJ[\w-]+\.eyJ/);
}

/** How many requests reached the service that a fault would hit. */
function sent(wanted: { method: string; path: string }): number {
	const pattern = new RegExp(wanted.path);
	return sandbox.wire().filter(({ method, path }) => method === wanted.method && pattern.test(path))
		.length;
}

describe.each(Object.entries(HIT))('%s', (name, [method, path]) => {
	const [resource] = name.split('.');
	const effect = method === 'GET' ? 'read' : 'write';
	const request = { method, path };
	/* Sign-in itself has no token that could be renewed. */
	const withoutToken = resource === 'authentication';
	/* Half of the answer to a sign-in may hold the token. */
	const mayHoldToken = (what: string) => withoutToken && what === 'truncated JSON';
	const faults = LASTING.filter(
		([what]) => KINDS.includes(name) || OF_EACH.test(what) || mayHoldToken(what),
	);
	const asked = async (options: INodeParameters = {}): Promise<INodeParameters> => {
		const prepared = await formFor(sandbox, name);
		const own = Object(prepared.options);
		return { ...prepared, options: { timeout: 40_000, ...own, ...options } };
	};

	it.each(faults)(
		'%s: one request, and an error that a person can act on',
		async (_what, fault, message) => {
			/* Long enough for the request to arrive even on a busy machine. */
			const timeout = fault.kind === 'latency' ? 1_000 : 40_000;
			const parameters = await asked({ timeout, ...(effect === 'read' ? { retries: 0 } : {}) });
			await sandbox.fault({ ...fault, match: request, times: 'always' });
			/* A read that was refused with 401 a moment ago, too, isn't repeated. */
			if (fault.status === 401 && !withoutToken) passed += FRESH_MS;
			const before = sent(request);
			const saved = sandbox.credentials();
			const result = await runNode(saved, parameters);
			expectToSuitAPerson(result, saved);
			expect(result.error?.message).toMatch(message);
			/* After a 401, n8n signs in and repeats a read. Nothing repeats a write. */
			const isRenewed = fault.status === 401 && !withoutToken && effect === 'read';
			expect(sent(request) - before).toBe(isRenewed ? 2 : 1);
			const isDecided =
				fault.kind === 'status' && [400, 401, 403, 404, 407].includes(fault.status ?? 0);
			if (resource === 'payment' && !isDecided) {
				expect(result.error?.message).toMatch(
					/^The payment of \$125\.00 to \S+ may or may not have been made\. /,
				);
			}
		},
	);

	it('the true answer as text/plain, and a slow one: taken', async () => {
		const parameters = await asked();
		await sandbox.fault({ kind: 'wrongContentType', delay: 50, match: request });
		const { error, output } = await sandbox.run(parameters);
		expect(error).toBeUndefined();
		expect(output.length).toBeGreaterThan(0);
	});

	/* test/unit/api/client.test.ts has Retry-After as a date. */
	it('429 with Retry-After: a read comes again, a write does not', async () => {
		const parameters = await asked();
		await sandbox.fault({ kind: 'status', status: 429, retryAfter: 0, match: request });
		const before = sent(request);
		const { error } = await sandbox.run(parameters);
		expect(sent(request) - before).toBe(effect === 'read' ? 2 : 1);
		if (effect === 'read') expect(error).toBeUndefined();
		else expect(error?.message).toMatch(/\[item 0\]$/);
	});

	/* The others fail when they sign in. */
	if (!KINDS.includes(name) && !withoutToken) return;

	const withoutTls = () => sandbox.url.replace('http', 'https');
	const selfSigned = () => `https://localhost:${untrusted.port}`;
	it.each<[string, () => string, RegExp]>([
		[
			'a name that nobody has',
			() => 'https://payroll.invalid',
			/ from payroll\.invalid: its host name/,
		],
		[
			'a closed port',
			() => 'http://127.0.0.1:1',
			/ from 127\.0\.0\.1:1: it refused the connection/,
		],
		['a server without TLS', withoutTls, / from 127\.0\.0\.1:\d+: it doesn’t support TLS/],
		['a strange certificate', selfSigned, / from localhost:\d+: its TLS .* is self-signed/],
	])('%s: an error that a person can act on, and nothing is sent', async (_what, url, message) => {
		const saved = sandbox.credentials({ baseUrl: url() });
		const result = await runNode(saved, await asked(effect === 'read' ? { retries: 0 } : {}));
		expectToSuitAPerson(result, saved);
		expect(result.error?.message).toMatch(message);
		if (effect === 'write' && !withoutToken)
			expect(result.error?.description).toContain('Nothing was signed or sent');
		expect(untrusted.requests()).toBe(0);
	});
});

it('says how to trust a private certificate authority', async () => {
	const company = await startPrivateAuthorityServer();
	const saved = sandbox.credentials({ baseUrl: `https://localhost:${company.port}` });
	const { error } = await runNode(saved, sandbox.balance());
	expect(error?.message).toContain('its TLS certificate isn’t trusted');
	expect(error?.description).toContain('NODE_EXTRA_CA_CERTS');
	expect(company.requests()).toBe(0);
});
