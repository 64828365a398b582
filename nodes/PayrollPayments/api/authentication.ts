import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { SignInFailed, UserError } from '../shared/errors';
import { Redactor } from '../shared/redaction';
import { readCredentials, type ServiceCredentials } from './credentials';
import { exchangeOver } from './n8nHttp';
import { allowedRequest, ownRequests, toOwnOrigin } from './outboundRequests';
import {
	addSecretsOf,
	authenticationHeader,
	boundToken,
	packSession,
	sessionBinding,
	sessions,
	storedToken,
} from './session';
import { signIn } from './signIn';

/**
 * The headers that prove who calls. Must come last in {@link authenticateRequest}: other calls may
 * wait for the answer to the request that gets its token here.
 */
async function proofHeaders(
	credentials: ServiceCredentials,
	saved: ICredentialDataDecryptedObject,
): Promise<Record<string, string>> {
	if (credentials.authentication !== 'walletSignIn') return authenticationHeader(credentials);
	const boundTo = sessionBinding(credentials);
	const stored = boundToken(saved.sessionToken, boundTo);
	if (stored === undefined) return {};
	const token = await sessions.tokenFor(boundTo, stored);
	// n8n hands the same object to `preAuthentication` after a 401, which must know what was sent.
	if (token !== stored) saved.sessionToken = packSession(boundTo, token);
	return authenticationHeader(credentials, token);
}

/**
 * Signs in when there is no usable token (docs/api.md, Authentication); n8n calls this when
 * `sessionToken` is empty and after a 401. Parallel callers share one sign-in.
 */
export async function obtainSession(
	context: IHttpRequestHelper,
	saved: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const credentials = ownRequests.get(saved) ?? readCredentials(saved);
	if (credentials.authentication !== 'walletSignIn') return {};
	const boundTo = sessionBinding(credentials);
	const token = await sessions.renew(boundTo, storedToken(saved.sessionToken), async () => {
		const redactor = addSecretsOf(new Redactor(), saved);
		const exchange = exchangeOver(
			async (options): Promise<unknown> => await context.helpers.httpRequest(options),
		);
		return await signIn(credentials, exchange, redactor).catch((error: unknown) => {
			if (!(error instanceof UserError)) throw new SignInFailed('The sign-in failed');
			throw new SignInFailed(redactor.text(error.message), { hint: error.hint });
		});
	});
	return { sessionToken: packSession(boundTo, token) };
}

/**
 * Adds the proof of who calls to a request. Those of other nodes must be ones that the credentials
 * leave to them.
 */
export async function authenticateRequest(
	saved: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const own = ownRequests.get(saved);
	const credentials = own ?? readCredentials(saved);
	const request =
		own === undefined ? allowedRequest(credentials, options) : toOwnOrigin(credentials, options);
	const proof = await proofHeaders(credentials, saved);
	return { ...request, headers: { ...request.headers, ...proof } };
}
