import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { id as ethersId, Wallet } from 'ethers';
import { z } from 'zod';

import { repository } from '../../scripts/lib/paths.mjs';
import { outputOf } from '../support/executions';
import { markdownTable } from '../support/markdown';
import { shareTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';
import { action, chain, node, START } from '../support/workflows';

jest.setTimeout(600_000);

const PAGE = path.join(repository, 'docs', 'errors.md');

/** What a person did, and what went wrong. */
interface Situation {
	readonly when: string;
	/** Parameters of the operation; by default `balance.get` for the environment's team. */
	readonly parameters?: Record<string, unknown>;
	/** A fault of the sandbox. */
	readonly fault?: Record<string, unknown>;
	/** A control call to the sandbox: its route and body. */
	readonly control?: readonly [string, Record<string, unknown>];
	/** Changes to the credentials. */
	readonly credentials?: Record<string, unknown>;
	/** The input items; by default one empty item. */
	readonly rows?: readonly Record<string, unknown>[];
	/** How often to run it; the last error counts. */
	readonly runs?: number;
}

interface Chapter {
	readonly title: string;
	readonly situations: readonly Situation[];
}

interface Payment {
	readonly domain: unknown;
	readonly types: unknown;
	readonly primary_type: string;
	readonly typed_data: unknown;
}

const createdInvites = z.object({
	invites: z.array(z.string()),
	typed_data: z.object({
		domain: z.object({
			name: z.string(),
			version: z.string(),
			chainId: z.number(),
			verifyingContract: z.string(),
		}),
		types: z.record(z.array(z.object({ name: z.string(), type: z.string() }))),
		typed_data: z.record(z.unknown()),
		primary_type: z.string(),
	}),
});

/** One row of the page: the situation, the error, what to do. */
interface Line {
	readonly when: string;
	readonly message: string;
	readonly next: string;
}

let environment: TestEnvironment;
const lines: Line[] = [];
let said: string;

/** The URL of a port that nobody listens on. */
const NOBODY = 'http://127.0.0.1:9';

async function preparePayment(amountCents: number): Promise<Payment> {
	const query = new URLSearchParams({
		from: environment.teamId,
		amount_cents: String(amountCents),
		email: 'ana@example.com',
		signer: environment.account.address,
	});
	return await environment.sandbox.control<Payment>('GET', `payment-typed-data?${query}`);
}

async function typedPayment(amountCents: number): Promise<Record<string, unknown>> {
	return {
		resource: 'payment',
		operation: 'create',
		teamId: environment.teamId,
		amountUnit: 'cents',
		amountCents,
		recipientEmail: 'ana@example.com',
		typedData: JSON.stringify(await preparePayment(amountCents)),
	};
}

/** Administrator invites with a signature that the named signer didn't make. */
async function signedByAnother(): Promise<Record<string, unknown>> {
	const { n8n, api, teamId, account } = environment;
	const create = action('Create', {
		resource: 'administratorInvite',
		operation: 'create',
		entityId: teamId,
		role: 'team_viewer',
		emails: 'dora@example.com',
	});
	const { id } = await n8n.saveWorkflow(chain('Create', [START, create]), [api]);
	const [created] = outputOf(await n8n.runWorkflow(id), 'Create');
	const { invites, typed_data: structure } = createdInvites.parse(created);
	const types = Object.fromEntries(
		Object.entries(structure.types).filter(([name]) => name !== 'EIP712Domain'),
	);
	const another = new Wallet(ethersId('errors: another wallet'));
	return {
		resource: 'administratorInvite',
		operation: 'complete',
		inviteIds: invites,
		typedData: JSON.stringify(structure),
		signatureSource: 'provided',
		signature: await another.signTypedData(structure.domain, types, structure.typed_data),
		signer: account.address,
	};
}

async function chapters(): Promise<readonly Chapter[]> {
	const { teamId } = environment;
	const { accounts } = await environment.sandbox.control<{
		accounts: { name: string; privateKey: string; platformId: string }[];
	}>('GET', 'accounts');
	const wallet = (name: string) => {
		const { privateKey, platformId } = accounts.find((each) => each.name === name) ?? {};
		return { privateKey, platformId };
	};
	const invite = { resource: 'invite', operation: 'create', teamId, role: 'contractor' };
	const administrators = {
		resource: 'administratorInvite',
		operation: 'send',
		entityId: teamId,
		role: 'team_viewer',
		emails: 'carla@example.com',
	};
	const reads = { options: { retries: 0 } };
	const payment = async (amount: number, more = {}) => ({
		...(await typedPayment(amount)),
		...more,
	});
	return [
		{
			title: 'A field is not right',
			situations: [
				{ when: 'An identifier is empty', parameters: { entityId: '={{ "" }}' } },
				{ when: 'The ID has the wrong format', parameters: { entityId: 'Team Lisbon' } },
				{
					when: 'A user’s identifier stands where a team’s belongs',
					parameters: { resource: 'teamUser', operation: 'getAll', teamId: 'us-a1B2c3D4e5F6' },
				},
				{ when: 'An identifier is too short', parameters: { entityId: 'te-a1B2c3' } },
				{
					when: 'An email address is misspelled',
					parameters: {
						...invite,
						inviteesSource: 'json',
						inviteesJson: '[{ "email": "ana@example.com" }, { "email": "ben@example" }]',
					},
				},
				{
					when: 'The same person is invited twice',
					parameters: {
						...invite,
						inviteesSource: 'json',
						inviteesJson: '[{ "email": "ana@example.com" }, { "email": "Ana@example.com" }]',
					},
				},
				{
					when: 'The input items have no column email',
					parameters: { ...invite, inviteesSource: 'items' },
				},
				{
					when: 'A row of the sheet is bad',
					rows: [{ email: 'ana@example.com' }, { email: 'ben at example.com' }],
					parameters: { ...invite, inviteesSource: 'items' },
				},
				{
					when: 'Two rows of the sheet are the same person',
					rows: [{ email: 'ana@example.com' }, { email: 'ANA@example.com' }],
					parameters: { ...invite, inviteesSource: 'items' },
				},
				{
					when: 'No email address is given',
					parameters: { ...administrators, emails: '={{ "" }}' },
				},
				{
					when: "The JSON isn't valid",
					parameters: { ...invite, inviteesSource: 'json', inviteesJson: '[{' },
				},
				{
					when: "The role doesn't fit a team",
					parameters: { ...administrators, role: 'org_admin' },
				},
				{
					when: "Review Version isn't a date on the calendar",
					parameters: {
						resource: 'nameReview',
						operation: 'update',
						teamId,
						userId: { __rl: true, mode: 'id', value: 'us-a1B2c3D4e5F6' },
						decision: 'approve',
						reviewVersion: '2026-02-30T09:00:00Z',
					},
				},
				{
					when: 'A payment is below a dollar',
					parameters: await payment(10_000, { amountCents: 99 }),
				},
				{
					when: "The amount isn't a whole number of cents",
					parameters: await payment(10_000, { amountCents: 125.5 }),
				},
				{
					when: 'A payment has no domain to sign for',
					parameters: await payment(10_000, {
						typedData: JSON.stringify((await preparePayment(10_000)).typed_data),
						options: { domain: '{}' },
					}),
				},
			],
		},
		{
			title: 'The credentials are not right',
			situations: [
				{ when: 'The base URL is not https', credentials: { baseUrl: 'http://api.example.com' } },
				{ when: 'The private key is cut', credentials: { privateKey: '0x1234' } },
				{
					when: 'The wallet address belongs to another key',
					credentials: { walletAddress: '0x52908400098527886E0F7030069857D2E4169EE7' },
				},
				{ when: 'The wallet has no role', credentials: wallet('stranger') },
				{
					when: 'The sign-in message names another site',
					credentials: { signInDomain: 'app.example.com' },
				},
				{
					when: 'The sign-in message is for another wallet',
					// A different setting, so that no earlier token is reused.
					credentials: { signInDomain: new URL(environment.sandbox.url).host },
					control: ['sign-in-message', { tamper: 'anotherWallet' }],
				},
				{
					when: 'An access token has run out',
					credentials: { authentication: 'accessToken', accessToken: 'expired' },
				},
				{
					when: 'A wallet is needed, but there is only a token',
					parameters: administrators,
					credentials: { authentication: 'accessToken', accessToken: 'some-token' },
				},
			],
		},
		{
			title: 'The service refuses the request',
			situations: [
				{
					when: '400',
					fault: {
						kind: 'status',
						status: 400,
						message: 'nanoid must match pattern',
						errorCode: 'BAD_REQUEST',
					},
				},
				{
					when: '401 again after a new sign-in',
					fault: { kind: 'status', status: 401, message: 'Unauthorized', times: 4 },
				},
				{
					when: '403 for the invites of a team',
					parameters: { resource: 'invite', operation: 'getAll', entityId: teamId },
					fault: { kind: 'status', status: 403, message: 'Forbidden' },
				},
				{ when: '404', parameters: { entityId: 'te-000000000000' } },
				{
					when: '403 without a reason',
					parameters: reads,
					fault: { kind: 'status', status: 403, envelope: false },
				},
				{
					when: '429',
					parameters: reads,
					fault: { kind: 'status', status: 429, message: 'Too many requests' },
				},
				{
					when: '500',
					parameters: reads,
					fault: { kind: 'status', status: 500, message: 'Internal error' },
				},
				{
					when: '500 that is not in the service’s form',
					parameters: reads,
					fault: { kind: 'status', status: 500, envelope: false },
				},
				{
					when: '503',
					parameters: reads,
					fault: { kind: 'status', status: 503, message: 'Down for maintenance' },
				},
				{
					when: 'Success without the promised fields',
					parameters: reads,
					fault: { kind: 'missingFields' },
				},
			],
		},
		{
			title: 'The service cannot be reached',
			situations: [
				{
					when: 'Nobody listens',
					parameters: reads,
					credentials: {
						authentication: 'accessToken',
						accessToken: 'some-token',
						baseUrl: NOBODY,
					},
				},
				{ when: 'The connection breaks', parameters: reads, fault: { kind: 'cutBefore' } },
				{
					when: 'The answer takes too long',
					parameters: { options: { retries: 0, timeout: 300 } },
					fault: { kind: 'latency', delay: 3_000 },
				},
				{ when: 'A proxy answers with a web page', parameters: reads, fault: { kind: 'html' } },
				{ when: 'The answer breaks off', parameters: reads, fault: { kind: 'truncatedJson' } },
				{ when: 'The service redirects', parameters: reads, fault: { kind: 'redirect' } },
			],
		},
		{
			title: 'The node refuses to sign',
			situations: [
				{
					when: 'The service asks for one account more than invited',
					parameters: administrators,
					control: ['typed-data', { tamper: 'extraAccount' }],
				},
				{
					when: 'The service asks for another role than chosen',
					parameters: administrators,
					control: ['typed-data', { tamper: 'anotherRole' }],
				},
				{
					when: 'The typed data names another wallet',
					parameters: administrators,
					control: ['typed-data', { tamper: 'anotherFrom' }],
				},
				{
					when: 'The typed data has run out',
					parameters: administrators,
					control: ['typed-data', { tamper: 'expired' }],
				},
				{
					when: 'A provided signature was made by another wallet',
					parameters: await signedByAnother(),
				},
				{
					when: 'The typed data pays another amount than the form',
					parameters: await payment(20_000, { amountCents: 25_000 }),
				},
			],
		},
		{
			title: 'Money',
			situations: [
				{
					when: 'The connection breaks after the payment was sent',
					parameters: await payment(30_000),
					fault: { kind: 'cutAfter', match: { path: 'instant' } },
				},
				{ when: 'The same payment is sent again', parameters: await payment(40_000), runs: 2 },
				{
					when: 'The service refuses the payment',
					parameters: await payment(50_000),
					fault: {
						kind: 'status',
						status: 400,
						message: 'Insufficient funds',
						match: { path: 'instant' },
					},
				},
			],
		},
		{
			title: 'Some of it was done',
			situations: [
				{
					when: 'The invites were created, and setting the role fails',
					parameters: administrators,
					fault: {
						kind: 'status',
						status: 500,
						message: 'Internal error',
						match: { method: 'PUT', path: 'manager' },
					},
				},
				{
					when: 'The second of three requests is refused',
					parameters: {
						...invite,
						inviteesSource: 'json',
						inviteesJson: JSON.stringify(
							['ana', 'ben', 'carla', 'dora', 'emil', 'fay'].map((name) => ({
								email: `${name}.batch@example.com`,
							})),
						),
						options: { inviteesPerRequest: 2 },
					},
					fault: {
						kind: 'status',
						status: 400,
						message: 'Too many pending invites',
						skip: 1,
						match: { path: 'invites$' },
					},
				},
			],
		},
	];
}

/** Runs one situation in a new workflow and returns the error as the user sees it. */
async function provoke(situation: Situation): Promise<Line> {
	const { n8n, sandbox, teamId, account } = environment;
	const { when, parameters, fault, control, credentials, rows = [{}], runs = 1 } = situation;
	const saved = await n8n.saveCredentials('payrollPaymentsApi', when, {
		baseUrl: sandbox.url,
		authentication: 'walletSignIn',
		access: 'everything',
		signer: 'privateKey',
		platformId: account.platformId,
		privateKey: account.privateKey,
		...credentials,
	});
	const input = node(
		'Input',
		'n8n-nodes-base.code',
		{ jsCode: `return ${JSON.stringify(rows)}.map((json) => ({ json }));` },
		{ typeVersion: 2 },
	);
	const asked = { resource: 'balance', operation: 'get', entityId: teamId, ...parameters };
	const nodes = [START, ...(situation.rows ? [input] : []), action('Payroll', asked)];
	const { id } = await n8n.saveWorkflow(chain(when, nodes), [saved]);
	if (fault !== undefined) {
		await sandbox.control('POST', 'faults', { match: { path: '^/v2/(?!auth)' }, ...fault });
	}
	if (control !== undefined) await sandbox.control('POST', ...control);
	let execution = await n8n.runWorkflow(id, 120_000);
	for (let run = 1; run < runs; run++) execution = await n8n.runWorkflow(id, 120_000);
	await sandbox.control('DELETE', 'faults');
	const { message = '', description } = execution.error ?? {};
	return { when, message, next: description ?? '' };
}

/** The trigger's answers to deliveries that it rejects. */
async function refusedDeliveries(): Promise<[string, string][]> {
	const workflow = await TriggerWorkflow.start(environment);
	const closed = await TriggerWorkflow.start(environment, {
		parameters: { options: { ipAllowlist: '192.0.2.1' } },
	});
	const event = { object: 'event', event_type: 'deposit.received', event_version: 2 };
	const answers: readonly (readonly [string, Promise<{ status: number; body: unknown }>])[] = [
		['The signature is missing', workflow.deliver('{}', { 'content-type': 'application/json' })],
		['The signing secret is another one', workflow.send(event, { secret: 'another secret' })],
		['The sender is not on the allowlist', closed.send(event)],
		["The body isn't an event", workflow.send({ hello: 'world' })],
		['A required field is missing', workflow.send({ ...event, idempotency_key: 'key' })],
	];
	return await Promise.all(
		answers.map(async ([when, answer]): Promise<[string, string]> => {
			const { status, body } = await answer;
			return [when, `${status} ${JSON.stringify(body)}`];
		}),
	);
}

/** Replaces identifiers and addresses that differ between runs. */
function cell(text: string): string {
	return text
		.replace(/\b(te|co|us|in|tx|wh)-[A-Za-z0-9_-]{12}(?![A-Za-z0-9_-])/g, '$1-…')
		.replace(/0x[0-9a-fA-F]{40,}/g, '0x…')
		.replace(/\b[0-9A-F]{4}-[0-9A-F]{4}-(\d)\b/g, '7F3A-91C2-$1')
		.replace(/127\.0\.0\.1:\d+/g, 'api.example.com')
		.replace(/\s+/g, ' ')
		.replace(/\|/g, '\\|');
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
	const cells = rows.map((row) => row.map(cell));
	return ['', markdownTable(heads, cells)];
}

beforeAll(async () => {
	environment = await shareTestEnvironment();
	const page = [
		'# What the errors say',
		'',
		'Written by `npm run docs:errors`, which provokes each of them in a real n8n. The number in',
		'`[item 0]` is that of the input item, from 0.',
	];
	for (const { title, situations } of await chapters()) {
		const shown: Line[] = [];
		for (const situation of situations) shown.push(await provoke(situation));
		lines.push(...shown);
		const rows = shown.map(({ when, message, next }) => [when, message, next]);
		page.push('', `## ${title}`, ...table(['When', 'What you see', 'What to do'], rows));
	}
	page.push(
		'',
		'## The trigger turns a delivery away',
		'',
		'No execution starts; the service sees the answer, and so do its own logs of deliveries.',
		...table(['When', 'What the service is answered'], await refusedDeliveries()),
	);
	said = `${page.join('\n')}\n`;
});

afterAll(async () => {
	await environment.stop();
});

it('errors say what happened, for which item, and what to do next', () => {
	const poor = lines.filter(
		({ message, next }) =>
			!/^(Row \d+: .{10,}|\S.{10,} \[item \d+\])$/s.test(message) ||
			!/^\S.{10,}([.”)}\]]|\.md)$/s.test(next),
	);
	expect(poor).toEqual([]);
});

it('errors contain no key, no token and no stack trace', () => {
	const secrets = [environment.account.privateKey.slice(2), 'some-token', 'eyJhbGciOi'];
	const leaks = /\bat .*\.js|undefined|\[object/;
	for (const { message, next } of lines) {
		const shown = `${message} ${next}`;
		expect(shown).not.toMatch(leaks);
		for (const secret of secrets) expect(shown).not.toContain(secret);
	}
});

it('errors match docs/errors.md', () => {
	if (process.env.PAYROLL_PAYMENTS_WRITE !== undefined) writeFileSync(PAGE, said);
	expect(said).toBe(readFileSync(PAGE, 'utf8'));
});
