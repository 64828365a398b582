import { z } from 'zod';

import type { Credentials } from '../support/n8nRest';
import { shareTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { action, chain, START } from '../support/workflows';

jest.setTimeout(300_000);

let environment: TestEnvironment;
let company: string;
/** One line for each trick, printed at the end: what the service did and what the user sees. */
const table: string[] = [];

beforeAll(async () => {
	environment = await shareTestEnvironment();
	const organisation = await environment.sandbox.control('GET', 'organisation');
	company = z.object({ company: z.object({ nanoid: z.string() }) }).parse(organisation)
		.company.nanoid;
});

afterAll(async () => {
	process.stdout.write(`\nHostile services, as n8n shows them:\n${table.join('\n')}\n`);
	await environment.stop();
});

const log = z.object({
	entries: z.array(
		z.object({ method: z.string(), path: z.string(), headers: z.record(z.string()) }),
	),
});

/** The requests that reached the service since the log was last cleared. */
async function wire() {
	return log.parse(await environment.sandbox.control('GET', 'log')).entries;
}

beforeEach(async () => {
	await environment.sandbox.control('DELETE', 'log');
	await environment.sandbox.control('DELETE', 'faults');
});

function readable(message: string | undefined): string {
	expect(message).toMatch(/^\S.{20,}/);
	expect(message).not.toMatch(/\bat .*\.js|undefined|\[object|0x[0-9a-f]{64,}|eyJ/);
	return message ?? '';
}

describe('a sign-in message', () => {
	const domain = () => new URL(environment.sandbox.url).host;
	const account = (change: Record<string, unknown> = {}) => ({
		baseUrl: environment.sandbox.url,
		authentication: 'walletSignIn',
		access: 'everything',
		platformId: environment.account.platformId,
		signer: 'privateKey',
		privateKey: environment.account.privateKey,
		signInDomain: domain(),
		signInChainId: '42161',
		...change,
	});
	let saved: Credentials;

	beforeAll(async () => {
		saved = await environment.n8n.saveCredentials('payrollPaymentsApi', 'Hostile', account());
	});

	it('is signed if it is genuine', async () => {
		expect((await environment.n8n.testCredentials(saved, account())).status).toBe('OK');
		expect((await wire()).map(({ path }) => path)).toEqual(['/v2/auth/siwe', '/v2/auth/verify']);
	});

	it.each([
		'anotherWallet',
		'anotherDomain',
		'anotherUri',
		'anotherChain',
		'expired',
		'notYetValid',
		'issuedInTheFuture',
		'withoutIssuedAt',
		'withoutNonce',
		'shortNonce',
		'lineBreaks',
		'version2',
		'trailingText',
		'lowerCaseAddress',
		'notAMessage',
		'empty',
	])('with the trick %s is not signed', async (tamper) => {
		await environment.sandbox.control('POST', 'sign-in-message', { tamper, times: 1 });
		const { status, message } = await environment.n8n.testCredentials(saved, account());
		expect(status).toBe('Error');
		table.push(`  sign-in message, ${tamper}: ${readable(message)}`);
		expect((await wire()).map(({ path }) => path)).toEqual(['/v2/auth/siwe']);
	});
});

/** Runs one node and returns its error as the user sees it. */
async function failureOf(parameters: Record<string, unknown>): Promise<string> {
	const workflow = chain('Hostile', [START, action('Payroll', parameters)]);
	const { id } = await environment.n8n.saveWorkflow(workflow, [environment.api]);
	const { runs } = await environment.n8n.runWorkflow(id);
	const error = runs.Payroll?.at(-1)?.error;
	const message = readable(error?.message);
	expect(message).toMatch(/\[item 0\]$/);
	return message;
}

describe('typed data of administrator invites', () => {
	it.each([
		'anotherPrimaryType',
		'addedType',
		'addedMember',
		'anotherRole',
		'anotherFrom',
		'extraAccount',
		'mixedRoles',
		'expired',
	])('with the trick %s is not signed', async (tamper) => {
		await environment.sandbox.control('POST', 'typed-data', { tamper, times: 1 });
		const message = await failureOf({
			resource: 'administratorInvite',
			operation: 'send',
			entityId: company,
			role: 'org_viewer',
			emails: `${tamper}@example.com`,
		});
		table.push(`  typed data, ${tamper}: ${message}`);
		expect((await wire()).filter(({ method }) => method === 'PUT')).toEqual([]);
	});
});

describe('an answer', () => {
	const balance = () => ({
		resource: 'balance',
		operation: 'get',
		entityId: environment.teamId,
		options: { retries: 0 },
	});

	it.each([
		['redirect', { location: 'http://localhost:1/elsewhere' }],
		['failureEnvelope', {}],
		['hugeBody', {}],
		['html', {}],
		['truncatedJson', {}],
		['missingFields', {}],
	])('of the kind %s is refused in plain words', async (kind, more) => {
		await environment.sandbox.control('POST', 'faults', {
			match: { path: '/v2/balance' },
			kind,
			times: 1,
			...more,
		});
		const message = await failureOf(balance());
		table.push(`  answer, ${kind}: ${message}`);
		const requests = (await wire()).filter(({ path }) => path === '/v2/balance');
		expect(requests).toHaveLength(1);
	});

	it('that redirects within the service isn’t followed with the token either', async () => {
		await environment.sandbox.control('POST', 'faults', {
			match: { path: '/v2/balance' },
			kind: 'redirect',
			location: `${environment.sandbox.url}/v2/invites?nanoid=${environment.teamId}`,
			times: 1,
		});
		await failureOf(balance());
		expect((await wire()).filter(({ path }) => path === '/v2/invites')).toEqual([]);
	});
});
