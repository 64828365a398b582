import { request } from 'node:https';

import type { INodeParameters } from 'n8n-workflow';

import { runNode, SavedCredentials } from '../support/actionHost';
import { startPrivateAuthorityServer, startSelfSignedServer } from '../support/selfSignedServer';

/* Nobody waits for the pauses before retries. */
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async () => undefined,
}));

const TOKEN = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1cy1hMUIyYzNENGU1RjYifQ.';
const TEAM = 'te-a1B2c3D4e5F6';

const withToken = (baseUrl: string) =>
	new SavedCredentials({
		baseUrl,
		authentication: 'accessToken',
		access: 'everything',
		accessToken: TOKEN,
	});

const withWallet = (baseUrl: string) =>
	new SavedCredentials({
		baseUrl,
		authentication: 'walletSignIn',
		access: 'everything',
		platformId: 'platform',
		signer: 'privateKey',
		privateKey: `0x${'11'.repeat(32)}`,
		sessionToken: '',
	});

/** Credentials with a token, so that the operation's own request fails and not the sign-in. */
const OPERATIONS: Readonly<Record<string, INodeParameters>> = {
	'balance.get': { entityId: TEAM },
	'invite.getAll': { entityId: TEAM, returnAll: true },
	'invite.create': {
		teamId: TEAM,
		role: 'contractor',
		inviteesSource: 'json',
		existingPeople: 'invite',
		inviteesJson: '[{ "email": "ana@example.com" }]',
	},
	'administratorInvite.create': { entityId: TEAM, role: 'team_viewer', emails: 'ana@example.com' },
	'nameReview.update': {
		teamId: TEAM,
		userId: { __rl: true, mode: 'id', value: 'us-a1B2c3D4e5F6' },
		decision: 'approve',
		reviewVersion: '2026-03-31T09:30:00Z',
	},
	'payment.create': {
		teamId: TEAM,
		amountUnit: 'cents',
		amountCents: 12_500,
		recipientEmail: 'ana@example.com',
		currency: 'USD',
		network: 'arbitrum',
		typedData: JSON.stringify({
			from: TEAM,
			to: `0x${'22'.repeat(20)}`,
			salt: `0x${'33'.repeat(32)}`,
			expires: '4102444800',
			data: {
				...{
					id: 'tx-a1B2c3D4e5F6',
					groupID: TEAM,
					payAtTime: '1',
					validMinutes: '60',
					payType: 'instant',
				},
				...{ token: `0x${'66'.repeat(20)}`, recipient: `0x${'77'.repeat(20)}` },
				...{ amount: '125000000', data: 'ana@example.com' },
			},
		}),
		signatureSource: 'provided',
		signature: `0x${'44'.repeat(65)}`,
		signer: `0x${'55'.repeat(20)}`,
	},
	'teamUser.getAll': { teamId: TEAM, returnAll: true },
	'webhook.send': { webhookId: 'wh-a1B2c3D4e5F6', eventType: 'deposit.received' },
};

let server: Awaited<ReturnType<typeof startSelfSignedServer>>;

beforeAll(async () => {
	server = await startSelfSignedServer();
});

afterAll(async () => {
	await server.close();
});

/** The two base URLs, and the error and the hint that the user sees for each. */
const places = () =>
	[
		[
			`https://localhost:${server.port}`,
			`localhost:${server.port}: its TLS certificate is self-signed`,
			/Fix the server's certificate/,
		],
		[
			'https://payroll.invalid',
			'payroll.invalid: its host name',
			/Check that n8n can reach this address/,
		],
	] as const;

async function failure(name: string, saved: SavedCredentials, parameters: INodeParameters) {
	const [resource = '', operation = ''] = name.split('.');
	const options = { timeout: 5_000, ...(/get/.test(operation) ? { retries: 0 } : {}) };
	const { error, stored } = await runNode(saved, { resource, operation, ...parameters, options });
	expect(stored).not.toContain(TOKEN);
	return error;
}

it.each(Object.entries(OPERATIONS))(
	'%s: names an untrusted certificate or an unknown host, and sends nothing',
	async (name, parameters) => {
		for (const [baseUrl, reason, hint] of places()) {
			const error = await failure(name, withToken(baseUrl), parameters);
			expect(error?.message).toContain(`No response from ${reason}`);
			expect(error?.message).toMatch(/\[item 0\]$/);
			expect(error?.description).toMatch(hint);
			if (!/get/.test(name)) expect(error?.description).toContain('Nothing was signed or sent');
		}
		expect(server.requests()).toBe(0);
	},
);

it('says how to trust a private certificate authority', async () => {
	const company = await startPrivateAuthorityServer();
	const credentials = withToken(`https://localhost:${company.port}`);
	const error = await failure('balance.get', credentials, { entityId: TEAM });
	await company.close();
	expect(error?.message).toContain("its TLS certificate isn't trusted");
	expect(error?.description).toContain('NODE_EXTRA_CA_CERTS');
	expect(company.requests()).toBe(0);
});

it('sign-in: names an untrusted certificate or an unknown host', async () => {
	for (const [baseUrl, reason] of places()) {
		const error = await failure('balance.get', withWallet(baseUrl), { entityId: TEAM });
		expect(`${error?.message} ${error?.description}`).toContain(reason);
	}
	expect(server.requests()).toBe(0);
});

it('the test server answers a client that trusts its certificate', async () => {
	const status = await new Promise((resolve, reject) => {
		request({ host: 'localhost', port: server.port, ca: server.cert }, ({ statusCode }) => {
			resolve(statusCode);
		})
			.on('error', reject)
			.end();
	});
	expect(status).toBe(200);
	expect(server.requests()).toBe(1);
});
