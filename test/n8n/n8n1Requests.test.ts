/*
 * The action node in an n8n whose request function loses the response and the cause of every error,
 * as 1.x does. What n8n 2.x does, it does here too, with the same requests.
 */
import { systemClock } from '../../nodes/PayrollPayments/api/session';
import type { FaultInput } from '../../sandbox/server';
import { ActionSandbox } from '../support/actionSandbox';
import {
	processedKeys,
	runNode,
	type RunResult,
	type SavedCredentials,
} from '../support/actionHost';
import { sendAsN8n1 } from '../support/n8n1Requests';

/** A new one for each test: what was learned about a sign-in at another address doesn't count. */
let service: ActionSandbox;

beforeEach(async () => {
	service = new ActionSandbox();
	await service.start();
	processedKeys.clear();
	// No call stops waiting for another.
	jest.spyOn(systemClock, 'sleep').mockReturnValue(new Promise(() => {}));
});

afterEach(async () => {
	jest.restoreAllMocks();
	await service.stop();
});

const PAYMENT = { method: 'PUT', path: '/instant$' };

/** Statuses of the requests for a path, in the order in which they were answered. */
function statuses(path: RegExp) {
	return service
		.wire()
		.filter((entry) => path.test(entry.path))
		.map(({ status }) => status);
}

const payments = () => statuses(/\/instant$/);
const signIns = () => statuses(/\/auth\/verify$/);

async function pay(
	email: string,
	credentials: SavedCredentials = service.credentials(),
): Promise<() => Promise<RunResult>> {
	const parameters = await service.payment({ recipientEmail: email }, { email });
	return async () => await runNode(credentials, parameters);
}

async function readBalance(credentials: SavedCredentials, calls = 1): Promise<RunResult> {
	return await runNode(
		credentials,
		{
			resource: 'balance',
			operation: 'get',
			entityId: service.company,
			options: { concurrency: 50, retries: 0 },
		},
		{ items: Array.from({ length: calls }, () => ({})) },
	);
}

const refusals: Array<Pick<FaultInput & { kind: 'status' }, 'status' | 'errorCode'>> = [
	{ status: 400 },
	{ status: 403, errorCode: 'no_role' },
	{ status: 404 },
];

describe.each([
	['2.x', () => {}],
	['1.x', sendAsN8n1],
])('in n8n %s', (_version, prepare) => {
	beforeEach(prepare);

	it.each(refusals)('a payment refused with $status can be sent again', async (refusal) => {
		await service.fault({ kind: 'status', ...refusal, match: PAYMENT, times: 1 });
		const send = await pay('ana@example.com');
		const refused = await send();
		expect(refused.error?.message).toMatch(
			/was not made\. The service refused: The sandbox was told to fail/,
		);
		expect((await send()).error).toBeUndefined();
		expect(payments()).toEqual([refusal.status, 200]);
	});

	it.each([429, 500, 503])('a payment answered with %i is not sent again', async (status) => {
		await service.fault({ kind: 'status', status, match: PAYMENT, times: 1 });
		const send = await pay('ana@example.com');
		expect((await send()).error?.message).toMatch(
			/may or may not have been made\. .*The sandbox was told to fail/,
		);
		expect((await send()).error?.message).toMatch(/was already sent by this node/);
		expect(payments()).toEqual([status]);
	});

	it('a 401 costs one sign-in, and the request is sent once more', async () => {
		await service.fault({ kind: 'status', status: 401, match: PAYMENT, times: 1 });
		const send = await pay('ana@example.com');
		expect((await send()).error).toBeUndefined();
		expect(payments()).toEqual([401, 200]);
		expect(signIns()).toEqual([200, 200]);
	});

	it('a payment refused with 401 twice can be sent again', async () => {
		await service.fault({ kind: 'status', status: 401, match: PAYMENT, times: 2 });
		const send = await pay('ana@example.com');
		expect((await send()).error?.message).toMatch(/was not made\. The service refused: /);
		expect(payments()).toEqual([401, 401]);
		expect((await send()).error).toBeUndefined();
		expect(payments()).toEqual([401, 401, 200]);
	});

	it('a payment refused after a new sign-in can be sent again', async () => {
		await service.fault({ kind: 'status', status: 401, match: PAYMENT, times: 1 });
		await service.fault({ kind: 'status', status: 403, match: PAYMENT, times: 1 });
		const send = await pay('ana@example.com');
		expect((await send()).error?.message).toMatch(/was not made\. The service refused: /);
		expect((await send()).error).toBeUndefined();
		expect(payments()).toEqual([401, 403, 200]);
	});

	it('200 calls at once with a refused token share one sign-in, which is saved', async () => {
		const credentials = service.credentials();
		await readBalance(credentials);
		const first = credentials.data.sessionToken;
		await service.control('POST', 'tokens/expire');
		const { error, output } = await readBalance(credentials, 200);
		expect(error).toBeUndefined();
		expect(output).toHaveLength(200);
		expect(signIns()).toEqual([200, 200]);
		expect(credentials.data.sessionToken).not.toBe(first);
		const sent = statuses(/\/balance$/);
		expect(sent.filter((status) => status === 200)).toHaveLength(201);
	});

	it('200 calls at once with an expired token cost one refused request and one sign-in', async () => {
		await service.control('POST', 'settings', { signInMessageLifetimeSeconds: 5 * 3600 });
		const credentials = service.credentials();
		await readBalance(credentials);
		await service.control('POST', 'tokens/expire');
		jest.spyOn(Date, 'now').mockImplementation(() => new Date().getTime() + 2 * 3_600_000);
		const { error } = await readBalance(credentials, 200);
		expect(error).toBeUndefined();
		expect(signIns()).toEqual([200, 200]);
		const sent = statuses(/\/balance$/);
		expect(sent.filter((status) => status === 401)).toHaveLength(1);
		expect(sent).toHaveLength(202);
	});

	it('a refused sign-in says why, and nothing was paid', async () => {
		await service.fault({
			kind: 'status',
			status: 403,
			message: 'no such wallet',
			match: { path: '/auth/verify$' },
			times: 1,
		});
		const send = await pay('ana@example.com', service.credentials());
		const { error } = await send();
		expect(error?.message).toMatch(
			/was not made\. Sign-in failed \(HTTP 403\)\. The service refused: no such/,
		);
		expect(error?.description).toContain('The wallet may have no role on this Platform ID');
		expect(payments()).toEqual([]);
	});

	it('a sign-in refused after a 401 says why, and the next call repeats it', async () => {
		const credentials = service.credentials();
		await readBalance(credentials);
		await service.control('POST', 'tokens/expire');
		const match = { path: '/auth/verify$' };
		await service.fault({ kind: 'status', status: 403, message: 'no role', match, times: 1 });
		expect((await readBalance(credentials)).error?.message).toMatch(/^Sign-in failed .*no role/);
		expect((await readBalance(credentials)).error?.message).toMatch(/^Sign-in failed .*no role/);
		expect(signIns()).toEqual([200, 403]);
	});

	it('an access token that is refused says so', async () => {
		const { error } = await readBalance(
			service.credentials({ authentication: 'accessToken', accessToken: 'expired' }),
		);
		expect(error?.message).toMatch(/^The service refused: /);
		expect(error?.description).toContain('If the access token or API key has expired, replace it');
	});

	it('a connection that was refused paid nothing, and one that broke may have', async () => {
		const unreachable = service.credentials({
			authentication: 'accessToken',
			accessToken: 'any',
			baseUrl: 'http://127.0.0.1:1',
		});
		expect((await readBalance(unreachable)).error?.message).toBe(
			'No response from 127.0.0.1:1: it refused the connection [item 0]',
		);
		await service.fault({ kind: 'cutAfter', match: PAYMENT, times: 1 });
		const send = await pay('ana@example.com');
		expect((await send()).error?.message).toMatch(
			/may or may not have been made\. .*the connection was interrupted/,
		);
		expect(payments()).toHaveLength(1);
	});

	it('a response that comes too late says so', async () => {
		await service.fault({ kind: 'latency', delay: 300, match: { path: '/balance$' }, times: 1 });
		const { error } = await runNode(service.credentials(), {
			resource: 'balance',
			operation: 'get',
			entityId: service.company,
			options: { timeout: 50, retries: 0 },
		});
		expect(error?.message).toMatch(/: it took too long to respond \[item 0\]$/);
	});

	it('a redirect is not followed', async () => {
		await service.fault({ kind: 'redirect', match: { path: '/balance$' }, times: 1 });
		const { error } = await readBalance(service.credentials());
		expect(error?.message).toMatch(/^The service answered with a redirect \(HTTP 30\d\)/);
		expect(statuses(/\/balance$/)).toHaveLength(1);
	});
});
