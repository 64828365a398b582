import { Wallet } from 'ethers';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startSandbox, type FaultInput, type Sandbox } from '../../sandbox/server';

import { processedKeys, runNode, SavedCredentials, type RunResult } from '../support/actionHost';

let sandbox: Sandbox;
let team: string;

beforeAll(async () => {
	sandbox = await startSandbox();
});

afterAll(async () => {
	await sandbox.close();
});

beforeEach(async () => {
	await control('POST', 'reset');
	processedKeys.clear();
	team = sandbox.service.organisation.teams[0]?.nanoid ?? '';
});

async function control(method: string, route: string, body?: FaultInput): Promise<unknown> {
	const answer = await fetch(`${sandbox.url}/sandbox/${route}`, {
		method,
		...(body === undefined
			? {}
			: { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
	});
	if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
	return await answer.json();
}

function administrator() {
	const account = sandbox.accounts.find(({ name }) => name === 'companyAdministrator');
	if (account === undefined) throw new Error('no company administrator');
	return account;
}

function credentials(baseUrl = sandbox.url): SavedCredentials {
	const { privateKey, platformId } = administrator();
	return new SavedCredentials({
		baseUrl,
		authentication: 'walletSignIn',
		signer: 'privateKey',
		platformId,
		privateKey,
		walletAddress: '',
		signInDomain: '',
		signInChainId: '',
		sessionToken: '',
	});
}

/** An operation: how to ask for it, and which of its requests a fault befalls. */
interface Asked {
	readonly effect: 'read' | 'write';
	readonly request: { readonly method: string; readonly path: string };
	/** Requests of other kinds that are there before, e.g. to create what is then executed. */
	prepare(): Promise<INodeParameters>;
	/** Sign-in itself has no token that could be renewed. */
	readonly withoutToken?: true;
}

const emails = 'one@example.com, two@example.com';

let payees = 0;

async function run(parameters: INodeParameters, saved = credentials()): Promise<RunResult> {
	return await runNode(saved, parameters);
}

async function outputOf(parameters: INodeParameters): Promise<IDataObject> {
	const { output, error } = await run(parameters);
	if (output[0] === undefined) throw new Error(`nothing came out: ${error?.message}`);
	return output[0].json;
}

const ASKED: Readonly<Record<string, Asked>> = {
	'administratorInvite.create': {
		effect: 'write',
		request: { method: 'POST', path: '^/v2/invites/manager$' },
		prepare: async () => ({ entityId: team, role: 'team_viewer', emails }),
	},
	'administratorInvite.createAndExecute': {
		effect: 'write',
		request: { method: 'PUT', path: '^/v2/invites/manager$' },
		prepare: async () => ({ entityId: team, role: 'team_viewer', emails }),
	},
	'administratorInvite.execute': {
		effect: 'write',
		request: { method: 'PUT', path: '^/v2/invites/manager$' },
		prepare: async () => {
			const created = await outputOf({
				resource: 'administratorInvite',
				operation: 'create',
				entityId: team,
				role: 'team_viewer',
				emails,
			});
			return {
				inviteIds: String(created.invites),
				typedData: JSON.stringify(created.typed_data),
				signatureSource: 'wallet',
			};
		},
	},
	'authentication.getSignInMessage': {
		effect: 'read',
		withoutToken: true,
		request: { method: 'GET', path: '^/v2/auth/siwe$' },
		prepare: async () => ({}),
	},
	'authentication.verify': {
		effect: 'write',
		withoutToken: true,
		request: { method: 'POST', path: '^/v2/auth/verify$' },
		prepare: async () => {
			const { siwe } = await outputOf({
				resource: 'authentication',
				operation: 'getSignInMessage',
			});
			const message = String(siwe);
			return {
				message,
				signature: await new Wallet(administrator().privateKey).signMessage(message),
			};
		},
	},
	'balance.get': {
		effect: 'read',
		request: { method: 'GET', path: '^/v2/balance$' },
		prepare: async () => ({ entityId: team }),
	},
	'invite.create': {
		effect: 'write',
		request: { method: 'POST', path: '^/v2/invites$' },
		prepare: async () => ({
			teamId: team,
			role: 'contractor',
			inviteesSource: 'json',
			inviteesJson: '[{ "email": "ana@example.com" }]',
		}),
	},
	'invite.getAll': {
		effect: 'read',
		request: { method: 'GET', path: '^/v2/invites$' },
		prepare: async () => ({ entityId: team, returnAll: true }),
	},
	'nameReview.resolve': {
		effect: 'write',
		request: { method: 'POST', path: '/name_review$' },
		prepare: async () => {
			const [review] = [...(sandbox.service.organisation.teams[0]?.nameReviews ?? [])];
			return {
				teamId: team,
				userId: { __rl: true, mode: 'id', value: review?.[0] ?? '' },
				decision: 'approve',
				reviewVersion: review?.[1].reviewVersion ?? '',
			};
		},
	},
	'payment.createInstant': {
		effect: 'write',
		request: { method: 'PUT', path: '/instant$' },
		prepare: async () => {
			/* Each test pays somebody else: the guard would take the same payment for a repeat. */
			payees += 1;
			const email = `payee.${payees}@example.com`;
			const query = new URLSearchParams({
				from: team,
				amount_cents: '12500',
				email,
				signer: administrator().address,
			});
			const ready = Object(await control('GET', `payment-typed-data?${query.toString()}`));
			return {
				teamId: team,
				amountCents: 12_500,
				recipientEmail: email,
				currency: 'USD',
				network: 'arbitrum',
				typedData: JSON.stringify(ready.typed_data),
				signatureSource: 'wallet',
				domain: JSON.stringify(ready.domain),
				types: JSON.stringify(ready.types),
				primaryType: String(ready.primary_type),
			};
		},
	},
	'teamUser.getAll': {
		effect: 'read',
		request: { method: 'GET', path: '/users$' },
		prepare: async () => ({ teamId: team, returnAll: true }),
	},
	'webhook.sendTest': {
		effect: 'write',
		request: { method: 'POST', path: '^/v2/webhooks/test/' },
		prepare: async () => ({
			webhookId: sandbox.service.organisation.firstWebhookId,
			eventType: 'deposit.received',
		}),
	},
};

/** The faults that end a request for good, and what the user reads of each. */
const LASTING: ReadonlyArray<readonly [string, Omit<FaultInput, 'match'>, RegExp]> = [
	['no answer in time', { kind: 'latency', delay: 1_000 }, /it took too long to respond/],
	['the connection cut before', { kind: 'cutBefore' }, /the connection was interrupted/],
	[
		'the connection cut after the work was done',
		{ kind: 'cutAfter' },
		/the connection was interrupted/,
	],
	['400', { kind: 'status', status: 400 }, /refused: The sandbox was told to fail/],
	['401', { kind: 'status', status: 401 }, /refused: The sandbox was told to fail/],
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
const NEVER_SHOWN = [
	/\n\s+at /,
	/node_modules/,
	/<html/i,
	/\[object /,
	/\bundefined\b/,
	/\bNaN\b/,
	/eyJ[\w-]+\.eyJ/,
];

function expectToSuitAPerson({ error, stored }: RunResult, saved: SavedCredentials): void {
	expect(error?.message).toMatch(/\[item 0\]$/);
	expect(error?.description).toMatch(/\w{3,}.*[.”)}\]]$/s);
	const said = `${error?.message} ${error?.description}`;
	expect(said.length).toBeLessThan(5_000);
	for (const pattern of NEVER_SHOWN) expect(said).not.toMatch(pattern);
	expect(stored).not.toContain(String(saved.data.privateKey).slice(2));
	expect(stored).not.toMatch(/eyJ[\w-]+\.eyJ/);
}

const sent = ({ method, path }: Asked['request']) =>
	sandbox.service.wireLog
		.read()
		.entries.filter((entry) => entry.method === method && new RegExp(path).test(entry.path)).length;

describe.each(Object.entries(ASKED))('%s', (name, { effect, request, prepare, withoutToken }) => {
	const [resource = '', operation = ''] = name.split('.');
	const asked = async (options: INodeParameters = {}): Promise<INodeParameters> => ({
		resource,
		operation,
		...(await prepare()),
		options: { timeout: 5_000, ...options },
	});

	it.each(LASTING)(
		'%s: one request, and an error that a person can act on',
		async (_what, fault, message) => {
			/* Long enough for the request to arrive even on a busy machine. */
			const timeout = fault.kind === 'latency' ? 700 : 5_000;
			const parameters = await asked({ timeout, ...(effect === 'read' ? { retries: 0 } : {}) });
			await control('POST', 'faults', { ...fault, match: request, times: 'always' });
			const before = sent(request);
			const saved = credentials();
			const result = await run(parameters, saved);
			expectToSuitAPerson(result, saved);
			expect(result.error?.message).toMatch(message);
			/* After a 401 n8n itself signs in and sends once more. */
			const requests = fault.status === 401 && withoutToken === undefined ? 2 : 1;
			expect(sent(request) - before).toBe(requests);
			const isDecided = fault.kind === 'status' && [400, 401, 403, 404].includes(fault.status ?? 0);
			if (resource === 'payment' && !isDecided) {
				expect(result.error?.message).toMatch(
					/^The payment of \$125\.00 to \S+ may or may not have been made\. /,
				);
			}
			/* A late request is still served, and must not be served in the next test. */
			await new Promise((resolve) => setTimeout(resolve, (fault.delay ?? 0) * 1.2));
		},
	);

	it('the true answer as text/plain, and a slow one: taken', async () => {
		const parameters = await asked();
		await control('POST', 'faults', { kind: 'wrongContentType', delay: 50, match: request });
		const { error, output } = await run(parameters);
		expect(error).toBeUndefined();
		expect(output.length).toBeGreaterThan(0);
	});

	it('a token that dies on the way: renewed, and the request is sent again', async () => {
		const parameters = await asked();
		await control('POST', 'faults', { kind: 'status', status: 401, match: request });
		const { error } = await run(parameters);
		if (withoutToken) expect(error?.message).toMatch(/^The service refused: /);
		else expect(error).toBeUndefined();
	});

	it.each([
		['seconds', 0],
		['a date', 'Wed, 21 Oct 2015 07:28:00 GMT'],
	])(
		'429 with Retry-After as %s: a read comes again, a write does not',
		async (_what, retryAfter) => {
			const parameters = await asked();
			await control('POST', 'faults', { kind: 'status', status: 429, retryAfter, match: request });
			const before = sent(request);
			const { error } = await run(parameters);
			expect(sent(request) - before).toBe(effect === 'read' ? 2 : 1);
			if (effect === 'read') expect(error).toBeUndefined();
			else expect(error?.message).toMatch(/\[item 0\]$/);
		},
	);

	it.each([
		['a name that nobody has', 'https://payroll.invalid', /payroll\.invalid: its host name/],
		['a port where nothing listens', 'http://127.0.0.1:1', /it refused the connection/],
		['a server without TLS', 'https', /it doesn't support TLS/],
	])('%s', async (_what, baseUrl, message) => {
		const parameters = await asked(effect === 'read' ? { retries: 0 } : {});
		const saved = credentials(baseUrl === 'https' ? sandbox.url.replace('http', baseUrl) : baseUrl);
		const result = await run(parameters, saved);
		expectToSuitAPerson(result, saved);
		expect(result.error?.message).toMatch(message);
	});
});

describe('sign-in on the way to an operation', () => {
	const requests = [
		{ method: 'GET', path: '^/v2/auth/siwe$' },
		{ method: 'POST', path: '^/v2/auth/verify$' },
	];
	const cases = requests.flatMap((match) =>
		LASTING.filter(([, { kind }]) => kind !== 'latency').map(
			([what, fault]) => [match.path, what, { ...fault, match }] as const,
		),
	);

	it.each(cases)('%s: %s: asked once', async (_path, _what, fault) => {
		/* At an address of its own: a failed sign-in puts off the next one at the same address. */
		const shared = sandbox;
		sandbox = await startSandbox();
		await control('POST', 'faults', { ...fault, times: 'always' });
		const saved = credentials();
		const result = await run(
			{ resource: 'balance', operation: 'get', entityId: team, options: { retries: 0 } },
			saved,
		);
		const requests = sent(fault.match);
		await sandbox.close();
		sandbox = shared;
		expectToSuitAPerson(result, saved);
		expect(requests).toBe(1);
	});
});
