import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

import { runNode, testSaved } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { SIGNER_ANSWERS, type SignerAnswer } from '../support/signerAnswers';

const sandbox = useActionSandbox();
const call = z.object({ id: z.number(), method: z.string() });

let answer: SignerAnswer;
let methods: string[] = [];
let server: Server;
let url = '';

beforeAll(async () => {
	server = createServer((request, response) => {
		void text(request).then((body) => {
			const { id, method } = call.parse(JSON.parse(body));
			methods.push(method);
			const reply = answer.body(id);
			response.writeHead(answer.status ?? 200);
			response.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
		});
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	const address = server.address();
	url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});

afterAll(async () => {
	server.closeAllConnections();
	await new Promise((closed) => server.close(closed));
});

beforeEach(() => {
	methods = [];
});

const TOKEN = 'signer-token-4711';
let logins = 0;

/** Each time with another token, because a sign-in that failed isn't repeated at once. */
const credentials = ({ dialect = 'wallet' }: SignerAnswer) =>
	sandbox.credentials({
		signer: 'remoteSigner',
		privateKey: '',
		remoteSignerUrl: url,
		remoteSignerToken: `${TOKEN}-${(logins += 1)}`,
		remoteSignerDialect: dialect,
		walletAddress: sandbox.wallet().address,
	});

describe.each(SIGNER_ANSWERS)('the answer of $from', (each) => {
	beforeEach(() => {
		answer = each;
	});

	it('is shown in a workflow with what to do', async () => {
		const { error, stored } = await runNode(credentials(each), {
			resource: 'balance',
			operation: 'get',
			entityId: sandbox.team,
		});
		expect(error?.message).toBe(`${each.message.replace(/\.$/, '')} [item 0]`);
		expect(error?.description).toContain(each.hint);
		expect(stored).not.toContain(TOKEN);
		// Nothing is asked twice, and nothing but the request for the message reaches the service.
		expect(methods).toHaveLength(1);
		expect(sandbox.wire().map(({ path }) => path)).toEqual(['/v2/auth/siwe']);
	});

	it('is shown in the credential test', async () => {
		const { status, message } = await testSaved(credentials(each));
		expect(status).toBe('Error');
		expect(message).toContain(each.message);
		expect(message).toContain(each.hint);
		expect(message).not.toContain(TOKEN);
	});
});
