import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readCredentials } from './credentials';
import { readEnvelope } from './schemas/answers';
import { UserError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import { Redactor } from '../shared/redaction';
import { exchangeOver } from './n8nHttp';
import { urlOf } from './client';
import { errorFor } from './errors';
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
	const answer = await exchange({
		method: 'GET',
		url: urlOf(credentials.baseUrl, '/v2/balance', { nanoid: PLACEHOLDER_ID }),
		headers: authenticationHeader(credentials),
	});
	const isTaken =
		[200, 400, 403, 404].includes(answer.status) && readEnvelope(answer.body) !== undefined;
	if (isTaken) return 'The service took the token';
	throw errorFor(answer, redactor.text, {
		withApiKey: credentials.authentication === 'legacyApiKey',
	});
}

/**
 * Tests the credentials `payrollPaymentsApi`: with a wallet a real sign-in, with a token a call
 * that only the token's holder may make. What is wrong is said in the words of the refusal.
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
