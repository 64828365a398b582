import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { addSecretsOf } from './credentialSecrets';
import { readCredentials, Refusal, SignInFailed, z } from '../contract';
import { Redactor } from '../shared/redaction';
import { exchangeOver } from '../transport/n8nExchange';
import {
	authenticationHeader,
	packSession,
	sessionBinding,
	SharedSignIn,
	storedToken,
} from '../transport/session';
import { signInWithWallet } from '../transport/walletAccess';

const signIns = new SharedSignIn();

/** Where a request goes; n8n's HTTP Request node calls its URL `uri`. */
const destination = z
	.object({ url: z.string().optional(), uri: z.string().optional(), baseURL: z.string().optional() })
	.transform(({ url, uri, baseURL }) => new URL(url ?? uri ?? '', baseURL).origin);

/** In the words of both request functions of n8n. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

/**
 * Signs in when there is no usable token (service-api.md, Authentication 1); n8n calls this when
 * `sessionToken` is empty and after a 401. Parallel callers share one sign-in.
 */
export async function obtainSession(
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
	const token = await signIns
		.token(
			boundTo,
			storedToken(saved.sessionToken),
			async () => await signInWithWallet(credentials, exchange, redact),
		)
		.catch((error: unknown) => {
			const isPlain = error instanceof Refusal;
			throw new SignInFailed(isPlain ? redact(error.message) : 'The sign-in failed', {
				hint: isPlain ? error.hint : undefined,
			});
		});
	return { sessionToken: packSession(boundTo, token) };
}

/**
 * Adds the proof of who calls, for the service's own origin only: a token that goes elsewhere is
 * a token lost.
 */
export function authenticateRequest(
	saved: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): IHttpRequestOptions {
	const credentials = readCredentials(saved);
	const origin = destination.parse(options);
	const own = new URL(credentials.baseUrl).origin;
	if (origin !== own) {
		throw new Refusal(`The token of these credentials goes to ${own} only, not to ${origin}`, {
			hint: 'Correct the URL of the request, or the Base URL in the credentials.',
		});
	}
	const proof = authenticationHeader(credentials, saved.sessionToken, Date.now());
	return { ...options, headers: { ...options.headers, ...proof }, ...NO_REDIRECTS };
}
