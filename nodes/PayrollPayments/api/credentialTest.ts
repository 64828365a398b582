import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { z } from 'zod';
import { ServiceError, UserError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import { Redactor } from '../shared/redaction';
import { send, type Transport } from './client';
import { readCredentials } from './credentials';
import { DEFAULT_TIMEOUT, exchangeOver } from './n8nHttp';
import { addSecretsOf, authenticationHeader } from './session';
import { signIn } from './signIn';

/** An identifier of the right form that names nobody. */
export const PLACEHOLDER_ID = 'co-000000000000';

/**
 * The one way to the network that n8n gives a credential test; it takes the options of an older
 * request function.
 */
function exchangeOfTest({ helpers }: ICredentialTestFunctions): HttpExchange {
	return exchangeOver(async (options: IHttpRequestOptions): Promise<unknown> => {
		const { url, method, headers, body, timeout } = options;
		return await helpers.request({
			...{ url, method, headers, body, timeout },
			json: false,
			simple: false,
			followRedirect: false,
			followAllRedirects: false,
			resolveWithFullResponse: true,
		});
	});
}

async function test(
	data: Readonly<Record<string, unknown>>,
	exchange: HttpExchange,
	redactor: Redactor,
) {
	const credentials = readCredentials(data);
	if (credentials.authentication === 'walletSignIn') {
		await signIn(credentials, exchange, redactor);
		return 'Signed in with the wallet';
	}
	const headers = authenticationHeader(credentials);
	const transport: Transport = {
		credentials,
		exchange: async (request) => await exchange({ ...request, headers }),
		redactor,
	};
	const call = { method: 'GET', path: '/v2/balance', query: { nanoid: PLACEHOLDER_ID } } as const;
	const patience = { timeout: DEFAULT_TIMEOUT, retries: 0 };
	await send(transport, { ...call, answer: z.unknown() }, patience).catch((error: unknown) => {
		const isTaken = error instanceof ServiceError && error.nothingDone && error.status !== 401;
		if (!isTaken) throw error;
	});
	return 'The service took the token';
}

/**
 * Tests the credentials `payrollPaymentsApi`: with a wallet a real sign-in, with a token a call
 * that only the token's holder may make. A failed test shows the text of the refusal.
 */
export async function testCredentials(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const saved = credential.data ?? {};
	const redactor = addSecretsOf(new Redactor(), saved);
	try {
		return { status: 'OK', message: await test(saved, exchangeOfTest(this), redactor) };
	} catch (error) {
		if (!(error instanceof UserError)) return { status: 'Error', message: 'The test failed' };
		const said = `${error.message.replace(/\.$/, '')}. ${error.hint ?? ''}`;
		return { status: 'Error', message: redactor.text(said.trim()) };
	}
}
