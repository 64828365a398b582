import { Wallet } from 'ethers';
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runs } from '../support/propertyRuns';
import { CONTINUE, runNode, SavedCredentials, searchUsers, testSaved } from '../support/actionHost';
import { useEchoService, type EchoAnswer, type EchoRequest } from '../support/echoService';
import { FORMS } from '../support/operationForms';
import { useLog } from '../support/n8nLog';
import { echo, leakIn, privateKey, textsIn, token } from '../support/leakedSecrets';
import { newWallet, signInMessage } from '../support/tokenService';

const service = useEchoService();
const signer = useEchoService();
const log = useLog();

const failure = (status: number, said: string): EchoAnswer => ({
	status,
	body: { success: false, data: said, error_code: said },
});
const success = (data: unknown): EchoAnswer => ({ body: { success: true, data } });

interface Scene {
	readonly credentials: SavedCredentials;
	/** The secrets that those outside know, and one of them. */
	readonly secrets: readonly string[];
}

/** What those outside say, where they repeat the text. */
type Answering = (request: EchoRequest, said: string, status: number) => EchoAnswer;

const BALANCE = { ...FORMS.getBalance, options: { retries: 0 } };
const INVITES: INodeParameters = {
	...FORMS.createInvites,
	inviteesJson: '[{"email":"a@example.com"},{"email":"b@example.com"}]',
	options: { inviteesPerRequest: 1 },
};

let writesSeen = 0;
/** The first write succeeds and the later ones fail. The read before it says that the token is good. */
function toWrites({ method }: EchoRequest, first: EchoAnswer, later = first): EchoAnswer {
	if (method === 'GET') return failure(404, 'Not found');
	writesSeen += 1;
	return writesSeen === 1 ? first : later;
}

const structure = (said: string) => ({
	domain: { name: said, version: said },
	types: { SetRolesForwardRequest: [], SetRole: [], [said]: [] },
	primary_type: said,
	typed_data: {
		...{ from: said, to: said, salt: said, expires: said },
		data: [{ role: said, account: said }],
	},
});

const PLACES: Readonly<Record<string, readonly [INodeParameters, Answering]>> = {
	'a refusal': [BALANCE, (_request, said, code) => failure(code, said)],
	'a failure with HTTP 200': [BALANCE, (_request, said) => failure(200, said)],
	'a page of a proxy': [BALANCE, (_request, said, status) => ({ status, body: `<a>${said}</a>` })],
	'a success without what was promised': [
		BALANCE,
		(_request, said) => success({ [said]: said, balances: [{ currency: said }] }),
	],
	'a refused write': [
		{ ...INVITES, options: {} },
		(request, said, code) => toWrites(request, failure(code, said)),
	],
	'identifiers of what was done before a later request failed': [
		INVITES,
		(request, said, code) => {
			const done = success({ nanoids: [said], [said]: { note: said } });
			return toWrites(request, done, failure(code, said));
		},
	],
	'typed data that is refused': [
		{ ...FORMS.createAdministratorInvites, operation: 'send' },
		(request, said, code) => {
			const created = success({ invites: [said], typed_data: structure(said) });
			return toWrites(request, created, failure(code, said));
		},
	],
};

type Failing = {
	readonly node?: { readonly onError: 'continueRegularOutput' | 'continueErrorOutput' };
};
const failing = fc.constantFrom<Failing>({}, CONTINUE, {
	node: { onError: 'continueErrorOutput' },
});
const status = fc.constantFrom(400, 401, 403, 404, 409, 429, 500, 502);

async function expectNoLeak(
	{ credentials, secrets }: Scene,
	parameters: INodeParameters,
	options: Failing,
): Promise<void> {
	writesSeen = 0;
	const { stored, error, output, errorOutput } = await runNode(credentials, parameters, options);
	expect(
		error !== undefined || [...output, ...errorOutput].some(({ json }) => 'error' in json),
	).toBe(true);
	expect(writesSeen > 0).toBe(parameters.resource !== 'balance');
	const texts = [...textsIn(JSON.parse(stored)), ...log.lines];
	for (const secret of secrets) expect(leakIn(texts, secret)).toBeUndefined();
}

/** The service signs the wallet in with this token. */
function signingIn(request: EchoRequest, jwt: string, how: () => EchoAnswer): EchoAnswer {
	if (request.path === '/v2/auth/verify') return success({ jwt });
	if (request.path !== '/v2/auth/siwe') {
		return request.headers.authorization === undefined ? failure(401, 'No token') : how();
	}
	return success({ siwe: signInMessage(request.query.get('wallet') ?? '') });
}

const wallet = (key: string, more: IDataObject = {}) =>
	newWallet(service.url, { privateKey: key, ...more });

/** What is drawn for one run: secrets, how they are repeated, and the status of the answer. */
interface Drawn {
	readonly key: string;
	readonly token: string;
	readonly other: string;
	readonly say: (text: string) => string;
	readonly code: number;
}

/** Runs the node with secrets that those outside repeat: nothing that n8n shows holds any. */
async function neverShows(
	numRuns: number,
	parameters: INodeParameters,
	setUp: (drawn: Drawn) => Scene,
	isTested = false,
): Promise<void> {
	await fc.assert(
		fc.asyncProperty(
			fc.record({ key: privateKey, token, other: token, say: echo, code: status }),
			failing,
			async (drawn, options) => {
				const scene = setUp(drawn);
				await expectNoLeak(scene, parameters, options);
				if (!isTested) return;
				const { message, status: outcome } = await testSaved(scene.credentials);
				expect(outcome).toBe('Error');
				for (const secret of scene.secrets) expect(leakIn([message], secret)).toBeUndefined();
			},
		),
		{ numRuns: runs(numRuns) },
	);
}

/** A session that the wallet got with other credentials. */
const foreignSession = (jwt: string) =>
	JSON.stringify({ boundTo: 'other credentials', token: jwt });

describe.each(Object.entries(PLACES))('%s that repeats a secret', (_name, [parameters, answer]) => {
	/* Credentials with a token alone can't sign. */
	const needsWallet = parameters.operation === 'send';
	const ofToken = (field: string, authentication: string) => async () =>
		await neverShows(25, parameters, ({ token: secret, other, say, code }) => {
			service.answer((request) => answer(request, say(secret), code));
			const credentials = new SavedCredentials({
				baseUrl: service.url,
				authentication,
				access: 'everything',
				accessToken: other,
				apiKey: other,
				[field]: secret,
			});
			return { credentials, secrets: [secret] };
		});

	if (!needsWallet) {
		it('shows nothing of the access token', ofToken('accessToken', 'accessToken'));
		it('shows nothing of the API key', ofToken('apiKey', 'legacyApiKey'));
	}

	it('shows nothing of the private key, nor of the session that the wallet got', async () => {
		await neverShows(25, parameters, ({ key, token: old, other: jwt, say, code }) => {
			const secrets = [key, old, jwt];
			const said = secrets.map(say).join(' ');
			service.answer((request) => signingIn(request, jwt, () => answer(request, said, code)));
			return { credentials: wallet(key, { sessionToken: foreignSession(old) }), secrets };
		});
	});
});

const messageFor = ({ query }: EchoRequest) => signInMessage(query.get('wallet') ?? '');
/** Answers the request for a message with what is made of the right one. */
const inMessage =
	(change: (message: string, said: string) => string): Answering =>
	(request, said, code) =>
		request.path === '/v2/auth/siwe'
			? success({ siwe: change(messageFor(request), said) })
			: failure(code, said);
const SIGN_INS: Readonly<Record<string, Answering>> = {
	'the request for a message': (_request, said, code) => failure(code, said),
	'the signed message': inMessage((message) => message),
	'a success that is none': (_request, said) => success({ [said]: said }),
	'the text of the message': (_request, said) => success({ siwe: said }),
	'the lines of the message': inMessage((message, said) => {
		const lines = message.split('\n');
		const place = said.length % (lines.length + 1);
		return lines.toSpliced(place, 1, `${lines[place] ?? ''}${said}`).join('\n');
	}),
	'the domain of the message': inMessage((message, said) => {
		const word = said.split(' ').find((each) => /^[A-Za-z0-9._~-]{12,}$/.test(each));
		return message.replaceAll('app.example.com', word ?? 'example.org');
	}),
};

it.each(Object.entries(SIGN_INS))('%s of a sign-in shows no secret', async (_name, answer) => {
	const setUp = ({ key, token: old, say, code }: Drawn) => {
		service.answer((request) => answer(request, `${say(key)} ${say(old)}`, code));
		const sessionToken = foreignSession(old);
		const credentials = wallet(key, { sessionToken, signInDomain: 'other.example.com' });
		return { credentials, secrets: [key, old] };
	};
	await neverShows(15, BALANCE, setUp, true);
});

const rpc = (answer: object, status = 200): EchoAnswer => ({
	status,
	body: { jsonrpc: '2.0', id: 1, ...answer },
});
const SIGNERS: Readonly<Record<string, Answering>> = {
	'a JSON-RPC error': (_request, message) => rpc({ error: { code: -32000, message } }),
	'a JSON-RPC error with a failure status': (_request, message, status) =>
		rpc({ error: { code: 1, message } }, status),
	'a result that is no signature': (_request, result) => rpc({ result }),
	'a page': (_request, body, status) => ({ status, body }),
};

it.each(Object.entries(SIGNERS))('%s of a signer shows no secret', async (_name, answer) => {
	const setUp = ({ token: signerToken, other: old, say, code }: Drawn) => {
		service.answer((request) => signingIn(request, 'jwt', () => failure(500, '')));
		signer.answer((request) => answer(request, `${say(signerToken)} ${say(old)}`, code));
		const credentials = wallet('', {
			signer: 'remoteSigner',
			remoteSignerUrl: signer.url,
			remoteSignerToken: signerToken,
			walletAddress: new Wallet(`0x${'12'.repeat(32)}`).address,
			sessionToken: foreignSession(old),
		});
		return { credentials, secrets: [signerToken, old] };
	};
	await neverShows(15, BALANCE, setUp, true);
});

describe('everywhere else', () => {
	const withToken = (accessToken: string) =>
		new SavedCredentials({ baseUrl: service.url, authentication: 'accessToken', accessToken });

	it('the picker of users and the credential test show nothing of a secret that is repeated', async () => {
		await fc.assert(
			fc.asyncProperty(token, echo, status, async (secret, say, code) => {
				service.answer(() => failure(code === 429 || code === 502 ? 400 : code, say(secret)));
				const credentials = withToken(secret);
				const search = searchUsers(credentials, { teamId: 'te-a1B2c3D4e5F6' }, 'ana');
				const error: unknown = await search.catch((reason: unknown) => reason);
				expect(error).toBeInstanceOf(Error);
				const shown = JSON.stringify({ ...Object(error), error: String(error) });
				const texts = [...textsIn(JSON.parse(shown)), (await testSaved(credentials)).message];
				expect(leakIn(texts, secret)).toBeUndefined();
			}),
			{ numRuns: runs(40) },
		);
	});

	it('the output of a success stays as the service sent it', async () => {
		const secret = 'sk_live_1234567890abcdef';
		const balances = [{ currency: secret, balance_cents: '1' }];
		const data = { platform_account_address: secret, balances };
		service.answer(() => success(data));
		const { output } = await runNode(withToken(secret), BALANCE);
		expect(output.map(({ json }) => json)).toEqual([data]);
	});

	it('an endless message and code are cut', async () => {
		service.answer(() => failure(400, 'no '.repeat(300_000)));
		const { output } = await runNode(withToken('sk_live_1234567890'), BALANCE, CONTINUE);
		expect(String(output[0]?.json.error).length).toBeLessThan(700);
		expect(String(output[0]?.json.error_code).length).toBeLessThan(110);
	});

	const TOO_LONG = 'Sign-in failed. The service’s token has more than 8192 characters [item 0]';
	it.each<[number, string]>([
		[8_192, 'The service refused: Bearer […] […] (Bearer […] […]) [item 0]'],
		...[8_193, 16_340, 17_000].map((length): [number, string] => [length, TOO_LONG]),
	])('a token of %d characters that a sign-in gave isn’t shown: %s', async (length, message) => {
		const key = `0x${String(length).padStart(64, '1')}`;
		const long = 'aB3-'.repeat(length / 4).padEnd(length, 'z');
		service.answer((request) =>
			signingIn(request, long, () => failure(400, `${request.headers.authorization} ${key}`)),
		);
		const { error, stored } = await runNode(wallet(key), BALANCE);
		expect(error?.message).toBe(message);
		for (const secret of [key, long]) expect(leakIn([stored], secret)).toBeUndefined();
	});

	it('secrets that the credentials may not hold are withheld, however long', async () => {
		const key = `0x${'2'.repeat(64)}`;
		const secret = 'aB3-'.repeat(50_000);
		service.answer((request) => failure(400, `${request.path} ${secret} ${key}`));
		for (const field of ['accessToken', 'apiKey', 'remoteSignerToken', 'sessionToken']) {
			const { error, stored } = await runNode(wallet(key, { [field]: secret }), BALANCE);
			expect(error?.message).toMatch(/The service refused: /);
			for (const each of [secret, key]) expect(leakIn([stored], each)).toBeUndefined();
		}
	});
});
