import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { readCredentials, type ServiceCredentials, type WalletCredentials } from './credentials';
import { Refusal, SignInFailed } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import { Redactor, type Redact } from '../shared/redaction';
import { attemptWith, rememberRefusal } from './attempt';
import { exchangeOver } from './n8nHttp';
import {
	authenticationHeader,
	boundToken,
	packSession,
	sessionBinding,
	sessions,
	storedToken,
} from './session';
import { signInWithWallet } from './signIn';

import { addSecretsOf } from './credentialSecrets';
import { allowedRequest } from './requestPolicy';

async function obtainToken(
	credentials: WalletCredentials,
	exchange: HttpExchange,
	redact: Redact,
): Promise<string> {
	return await signInWithWallet(credentials, exchange, redact).catch((error: unknown) => {
		const isPlain = error instanceof Refusal;
		throw new SignInFailed(isPlain ? redact(error.message) : 'The sign-in failed', {
			hint: isPlain ? error.hint : undefined,
		});
	});
}

/**
 * The headers that prove who calls. Must come last in {@link allowAndProve}: other calls may
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

async function renewSession(
	context: IHttpRequestHelper,
	saved: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const credentials = readCredentials(saved);
	if (credentials.authentication !== 'walletSignIn') return {};
	const boundTo = sessionBinding(credentials);
	const { text: redact } = addSecretsOf(new Redactor(), saved);
	const exchange = exchangeOver(
		async (options): Promise<unknown> => await context.helpers.httpRequest(options),
	);
	const token = await sessions.renew(
		boundTo,
		storedToken(attemptWith(saved).refusedSession ?? saved.sessionToken),
		async () => await obtainToken(credentials, exchange, redact),
	);
	return { sessionToken: packSession(boundTo, token) };
}

/**
 * Signs in when there is no usable token (docs/api.md, Authentication); n8n calls this when
 * `sessionToken` is empty and after a 401. Parallel callers share one sign-in.
 */
export async function obtainSession(
	context: IHttpRequestHelper,
	saved: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	return await rememberRefusal(saved, renewSession(context, saved));
}

async function allowAndProve(
	saved: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const credentials = readCredentials(saved);
	const request = allowedRequest(credentials, options);
	const proof = await proofHeaders(credentials, saved);
	return Object.assign(request, { headers: { ...request.headers, ...proof } });
}

/**
 * Adds the proof of who calls to a request that the credentials allow: its origin, its connection,
 * and what it changes.
 */
export async function authenticateRequest(
	saved: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	return await rememberRefusal(saved, allowAndProve(saved, options));
}
