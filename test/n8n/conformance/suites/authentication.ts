import { processedKeys, runNode, SavedCredentials } from '../../../support/actionHost';
import { formOf, FORMS, OPERATION_IDS } from '../../../support/operationForms';
import { useEchoService } from '../../../support/echoService';
import { startRemoteSigner, type SignerDialect } from '../../../../sandbox/remoteSigner';
import { operation } from '../openapi';
import type { World } from '../world';
import { answerOf } from './answers';

const TOKEN = 'the.access.token';
const DIALECTS: readonly SignerDialect[] = ['wallet', 'web3signer', 'clef'];

/** Which headers prove who asks, and who signs. */
export function authenticationSuite(world: World): void {
	const echo = useEchoService();

	it.each([
		['an access token', 'Authorization', { authentication: 'accessToken', accessToken: TOKEN }],
		['an API key', 'X-Auth-Token', { authentication: 'legacyApiKey', apiKey: TOKEN }],
	])('%s goes in %s alone', async (_what, header, method) => {
		const saved = new SavedCredentials({ baseUrl: echo.url, access: 'everything', ...method });
		const proof = header === 'Authorization' ? `Bearer ${TOKEN}` : TOKEN;
		for (const id of OPERATION_IDS) {
			const { needsToken } = operation(id);
			echo.answer(() => ({ body: { success: true, data: answerOf(id) } }));
			processedKeys.clear();
			const { error } = await runNode(saved, FORMS[id]);
			expect(error?.message).toBeUndefined();
			const proofs = echo.requests.map((request) =>
				Object.fromEntries(
					Object.entries(request.headers).filter(([name]) =>
						/auth|cookie|token|key|proxy/.test(name),
					),
				),
			);
			expect([id, proofs]).toEqual([id, [needsToken ? { [header.toLowerCase()]: proof } : {}]]);
		}
	});

	it.each(DIALECTS)('a remote signer (%s) signs in, executes and pays', async (dialect) => {
		const signer = await startRemoteSigner({ dialects: [dialect], token: 'token-of-the-signer' });
		try {
			world.refresh();
			const credentials = world.remoteSigner({
				remoteSignerUrl: signer.url,
				remoteSignerToken: 'token-of-the-signer',
				remoteSignerDialect: dialect,
				privateKey: '',
			});
			const invites = world.administratorInvites('ana@example.com');
			const executed = await runNode(credentials, invites);
			expect(executed.error?.message).toBeUndefined();
			const paid = await runNode(credentials, await world.payment());
			expect(paid.error?.message).toBeUndefined();
			expect(signer.log.map(({ outcome, authorized }) => [outcome, authorized])).toEqual([
				['signed', true],
				['signed', true],
				['signed', true],
			]);
			/* The third confirms the token. */
			expect(world.wire().map(({ status }) => status)).toEqual(Array(6).fill(200));
		} finally {
			await signer.close();
		}
	});

	/* docs/errors.md has that of a team. */
	it('the role that the invites of a company need is named', async () => {
		const form = formOf('invite.getAll', { entityId: world.company, returnAll: true });
		const { error } = await runNode(world.credentials({}, 'viewer'), form);
		expect(error?.description).toContain('the role Company: Admin (org_admin)');
	});
}
