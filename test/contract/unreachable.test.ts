import { request } from 'node:https';

import { runNode, SavedCredentials } from '../support/actionHost';
import { FORMS, OPERATION_IDS, withAccessToken, type OperationId } from '../support/operationForms';
import { startPrivateAuthorityServer, startSelfSignedServer } from '../support/selfSignedServer';

/* Nobody waits for the pauses before retries. */
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async () => undefined,
}));

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

const isRead = (id: OperationId) => /^(get|list)/.test(id);

async function failure(id: OperationId, saved: SavedCredentials) {
	const options = { timeout: 5_000, ...(isRead(id) ? { retries: 0 } : {}) };
	const { error, stored } = await runNode(saved, { ...FORMS[id], options });
	expect(stored).not.toContain('the.access.token');
	return error;
}

it.each(OPERATION_IDS)(
	'%s: names an untrusted certificate or an unknown host, and sends nothing',
	async (id) => {
		for (const [baseUrl, reason, hint] of places()) {
			const error = await failure(id, withAccessToken(baseUrl));
			expect(error?.message).toContain(`No response from ${reason}`);
			expect(error?.message).toMatch(/\[item 0\]$/);
			expect(error?.description).toMatch(hint);
			if (!isRead(id) && id !== 'verifySignIn')
				expect(error?.description).toContain('Nothing was signed or sent');
		}
		expect(server.requests()).toBe(0);
	},
);

it('says how to trust a private certificate authority', async () => {
	const company = await startPrivateAuthorityServer();
	const credentials = withAccessToken(`https://localhost:${company.port}`);
	const error = await failure('getBalance', credentials);
	await company.close();
	expect(error?.message).toContain("its TLS certificate isn't trusted");
	expect(error?.description).toContain('NODE_EXTRA_CA_CERTS');
	expect(company.requests()).toBe(0);
});

it('sign-in: names an untrusted certificate or an unknown host', async () => {
	for (const [baseUrl, reason] of places()) {
		const error = await failure('getBalance', withWallet(baseUrl));
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
