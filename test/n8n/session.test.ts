import path from 'node:path';

import { z } from 'zod';

import { systemClock } from '../../nodes/PayrollPayments/api/session';
import { buildFolder } from '../../scripts/lib/paths.mjs';
import { CONTINUE, rawRequest, runNode, SavedCredentials } from '../support/actionHost';
import { FORMS } from '../support/operationForms';
import { walletCredentials } from '../support/sandboxCredentials';
import { SandboxProcess, type Account } from '../support/sandboxProcess';
import { SUITE_SETTINGS } from '../support/sandboxSettings';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A process, so that its clock stays right while the clock of n8n goes wrong. */
let sandbox: SandboxProcess;
let accounts: readonly Account[];
let company: string;

beforeAll(async () => {
	sandbox = await SandboxProcess.start({
		logFile: path.join(buildFolder, 'session.log'),
		settings: SUITE_SETTINGS,
	});
	({ accounts } = await sandbox.control<{ accounts: Account[] }>('GET', 'accounts'));
	const organisation = sandbox.control<{ company: { nanoid: string } }>('GET', 'organisation');
	company = (await organisation).company.nanoid;
});

afterAll(async () => {
	await sandbox.stop();
});

beforeEach(async () => {
	await sandbox.control('POST', 'reset');
	// No call stops waiting, except where a test says so.
	jest.spyOn(systemClock, 'sleep').mockReturnValue(new Promise(() => {}));
});

afterEach(() => {
	jest.restoreAllMocks();
});

let used = 0;

/** Credentials that no other test here has used: what was learned about theirs does not count. */
function freshCredentials(): SavedCredentials {
	const name = ['companyAdministrator', 'viewer'][used % 2];
	const account = accounts.find((each) => each.name === name);
	if (account === undefined || used >= 8) throw new Error('no more credentials');
	const hasDomain = used % 4 >= 2;
	const hasChain = used >= 4;
	used += 1;
	return new SavedCredentials({
		...walletCredentials(sandbox.url, account),
		signInDomain: hasDomain ? new URL(sandbox.url).host : '',
		signInChainId: hasChain ? '42161' : '',
		sessionToken: '',
	});
}

/** Sets the clock of n8n, and of n8n only, ahead by so many milliseconds. */
function setClockAhead(milliseconds: number): void {
	jest.spyOn(Date, 'now').mockImplementation(() => new Date().getTime() + milliseconds);
}

const log = z.object({ entries: z.array(z.object({ path: z.string(), status: z.number() })) });

/** How many requests of each kind reached the service since this was last asked. */
async function requests() {
	const { entries } = log.parse(await sandbox.control('GET', 'log'));
	await sandbox.control('DELETE', 'log');
	const calls = entries.filter(({ path }) => path === '/v2/balance');
	return {
		accepted: calls.filter(({ status }) => status === 200).length,
		refused: calls.filter(({ status }) => status === 401).length,
		signIns: entries.filter(({ path }) => path === '/v2/auth/verify').length,
	};
}

/** As many calls as asked for, in one execution of the action node. */
async function call(saved: SavedCredentials, calls = 1) {
	return await runNode(
		saved,
		{
			resource: 'balance',
			operation: 'get',
			output: 'asReceived',
			entityId: company,
			options: { concurrency: 50, retries: 0 },
		},
		{ items: Array.from({ length: calls }, () => ({})) },
	);
}

/** The same calls as n8n's HTTP Request node makes them. */
async function callPlainly(saved: SavedCredentials, calls = 1) {
	return await runNode(
		saved,
		{ url: `${sandbox.url}/v2/balance?nanoid=${company}` },
		{ items: Array.from({ length: calls }, () => ({})), node: { type: 'plainRequests' } },
	);
}

/** The same after a write of the HTTP Request node, which n8n doesn't repeat with a new token. */
async function callAfterWrite(saved: SavedCredentials, calls?: number) {
	const options = { method: 'POST', uri: `${sandbox.url}/v2/invites`, body: '{}' };
	Object.assign(rawRequest, { via: 'requestWithAuthentication', options });
	await runNode(saved, {}, { node: { type: 'rawRequest' } });
	return await call(saved, calls);
}

describe.each([
	['the action node', call],
	['the HTTP Request node', callPlainly],
	['the action node, after a write of the HTTP Request node', callAfterWrite],
])('an expired token in %s', (_name, send) => {
	it('costs 200 calls at once one refused request and one sign-in', async () => {
		await sandbox.control('POST', 'settings', { signInMessageLifetimeSeconds: 5 * 3600 });
		const saved = freshCredentials();
		await send(saved);
		await sandbox.control('POST', 'tokens/expire');
		await requests();
		setClockAhead(2 * HOUR);
		const { output, error } = await send(saved, 200);
		expect(error).toBeUndefined();
		expect(output).toHaveLength(200);
		expect(await requests()).toEqual({ accepted: 200, refused: 1, signIns: 1 });
	});
});

it('a write that gets a 401 drops the token: what follows signs in first', async () => {
	const saved = freshCredentials();
	await sandbox.control('POST', 'faults', { kind: 'status', status: 401, match: { path: 'test' } });
	const { output } = await runNode(saved, FORMS.sendTestDelivery, { items: [{}, {}], ...CONTINUE });
	expect(output.map(({ json }) => json.http_status)).toEqual([401, 404]);
	expect((await requests()).signIns).toBe(2);
});

it('Never Error in the HTTP Request node renews no token, until the action node does', async () => {
	const neverError = async (saved: SavedCredentials) => {
		const url = `${sandbox.url}/v2/balance?nanoid=${company}`;
		const options = { method: 'GET', uri: url, simple: false, resolveWithFullResponse: true };
		Object.assign(rawRequest, { via: 'requestWithAuthentication', options });
		return await runNode(saved, {}, { node: { type: 'rawRequest' } });
	};
	const saved = freshCredentials();
	await call(saved);
	await sandbox.control('POST', 'tokens/expire');
	await requests();
	for (let time = 0; time < 2; time++) {
		expect((await neverError(saved)).error).toBeUndefined();
		expect(await requests()).toEqual({ accepted: 0, refused: 1, signIns: 0 });
	}
	expect((await call(saved)).error).toBeUndefined();
	await requests();
	expect((await neverError(saved)).error).toBeUndefined();
	expect(await requests()).toEqual({ accepted: 1, refused: 0, signIns: 0 });
});

describe('a clock that is ahead', () => {
	it.each([
		['the action node', call],
		['the HTTP Request node, where nobody reports the answer', callPlainly],
	])('by a day costs no sign-in in %s while the service takes the token', async (_name, send) => {
		const saved = freshCredentials();
		await send(saved);
		await requests();
		setClockAhead(DAY);
		if (send === callPlainly) jest.spyOn(systemClock, 'sleep').mockResolvedValue();
		for (let time = 0; time < 5; time++) expect((await send(saved)).error).toBeUndefined();
		expect((await send(saved, 200)).output).toHaveLength(200);
		expect(await requests()).toEqual({ accepted: 205, refused: 0, signIns: 0 });
	});

	it('by more than a token lives costs five calls one sign-in', async () => {
		await sandbox.control('POST', 'settings', { tokenLifetimeSeconds: 60 });
		setClockAhead(4 * MINUTE);
		const saved = freshCredentials();
		for (let time = 0; time < 5; time++) expect((await call(saved)).error).toBeUndefined();
		expect(await requests()).toEqual({ accepted: 5, refused: 0, signIns: 1 });
	});
});

it.each([-HOUR, HOUR])('time passes as before with a clock that is moved by %d ms', (moved) => {
	const before = systemClock.elapsed();
	setClockAhead(moved);
	const passed = systemClock.elapsed() - before;
	expect([passed >= 0, passed < MINUTE]).toEqual([true, true]);
});
