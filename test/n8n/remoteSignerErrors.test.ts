import { z } from 'zod';

import { runNode, testSaved } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { startEchoService, type EchoService } from '../support/echoService';
import { SIGNER_ANSWERS, type SignerAnswer } from '../support/signerAnswers';

const sandbox = useActionSandbox();
const call = z.object({ id: z.number() });
let signer: EchoService;

beforeAll(async () => {
	signer = await startEchoService();
});

afterAll(async () => {
	await signer.close();
});

const TOKEN = 'signer-token-4711';
let logins = 0;

/** Each time with another token, because a sign-in that failed isn't repeated at once. */
const credentials = ({ dialect = 'wallet' }: SignerAnswer) =>
	sandbox.credentials({
		signer: 'remoteSigner',
		privateKey: '',
		remoteSignerUrl: signer.url,
		remoteSignerToken: `${TOKEN}-${(logins += 1)}`,
		remoteSignerDialect: dialect,
		walletAddress: sandbox.wallet().address,
	});

it.each(SIGNER_ANSWERS)(
	'the answer of $from is shown with what to do, in a workflow and in the credential test',
	async (each) => {
		signer.answer(({ body }) => ({ status: each.status, body: each.body(call.parse(body).id) }));
		const { error, stored } = await runNode(credentials(each), {
			resource: 'balance',
			operation: 'get',
			entityId: sandbox.team,
		});
		expect(error?.message).toBe(`${each.message.replace(/\.$/, '')} [item 0]`);
		expect(error?.description).toContain(each.hint);
		expect(stored).not.toContain(TOKEN);
		// Nothing is asked twice, and nothing but the request for the message reaches the service.
		expect(signer.requests).toHaveLength(1);
		expect(sandbox.wire().map(({ path }) => path)).toEqual(['/v2/auth/siwe']);

		const { status, message } = await testSaved(credentials(each));
		expect(status).toBe('Error');
		expect(message).toContain(each.message);
		expect(message).toContain(each.hint);
		expect(message).not.toContain(TOKEN);
	},
);
