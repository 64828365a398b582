import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { isStop, ServiceError, SignInFailed, throwIfStopped, UserError } from '../shared/errors';
import { Redactor } from '../shared/redaction';
import { unlessStopped } from '../shared/waiting';
import { readCredentials, type ServiceCredentials } from './credentials';
import { deadlineOf, exchangeOver } from './n8nHttp';
import { allowedRequest, isPlainGet, toOwnOrigin } from './outboundRequests';
import { mayNotBeRetried, stateOf } from './requestState';
import { addSecretsOf } from './secrets';
import { sessions } from './session';
import { signIn } from './signIn';
import { packSession, sessionBinding, tokenIn } from './storedSession';

/** What n8n takes for a 401: it then signs in, and authenticates the request again before it is sent. */
function needsSignIn(): Error {
	const error = new UserError('n8n gave these credentials no token to send', {
		hint: 'Run it again. If it happens again, save the credentials again.',
	});
	return Object.assign(error, { response: { status: 401 } });
}

/** The header that proves who calls (docs/api.md, Authentication). */
export function authorizationHeaders(
	credentials: ServiceCredentials,
	token: string | undefined,
): Record<string, string> {
	if (credentials.authentication === 'legacyApiKey') return { 'x-auth-token': credentials.apiKey };
	const bearer = 'accessToken' in credentials ? credentials.accessToken : token;
	if (bearer === undefined) throw needsSignIn();
	return { authorization: `Bearer ${bearer}` };
}

/**
 * Signs in; n8n calls this when `sessionToken` is empty, and before it repeats a request.
 * @returns no token if the credentials don't sign in, or if n8n would use it to repeat a request that
 *   another node may send only once
 * @throws if n8n would use it to repeat one of ours
 */
export async function obtainSession(
	context: IHttpRequestHelper,
	saved: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const state = stateOf(saved);
	const { own, passage } = state;
	/* Not an error of the credentials, which would mean that nothing was sent. */
	if (own !== undefined && mayNotBeRetried(state)) {
		throw new Error('Our requests are never repeated by n8n');
	}
	if (passage === 'refused') return {};
	const credentials = own?.credentials ?? readCredentials(saved);
	if (credentials.authentication !== 'walletSignIn') return {};
	const boundTo = sessionBinding(credentials);
	if (passage === 'sentOnce') {
		sessions.markDoubted(boundTo, tokenIn(saved.sessionToken, boundTo));
		return {};
	}
	const obtain = async (isWanted: () => boolean) => {
		const redactor = addSecretsOf(own?.redactor ?? new Redactor(), saved);
		const exchange = exchangeOver(context.helpers.httpRequest);
		return await signIn(credentials, exchange, redactor, { isWanted }).catch((error: unknown) => {
			throw isStop(error) ? error : signInFailed(error, redactor);
		});
	};
	const held = own?.replaces ?? tokenIn(saved.sessionToken, boundTo);
	const isSuspicion = own === undefined;
	const stopped = own?.stopped;
	const renewal = sessions.renew(boundTo, held, obtain, { isSuspicion, stopped });
	/* If no new token can be had, another node's change is sent with the old one, which may still work. */
	const mayGoOn = () =>
		isSuspicion && passage === undefined && sessions.usable(boundTo, held) === held;
	const renewed = await unlessStopped(renewal, stopped).catch((error: unknown) => {
		const isVerdict = !(error instanceof SignInFailed) || error.context.isRefusal === true;
		if (isVerdict || !mayGoOn()) throw error;
		return undefined;
	});
	state.wasRenewed = true;
	const token = renewed ?? (mayGoOn() ? held : undefined);
	return token === undefined ? {} : { sessionToken: packSession(boundTo, token) };
}

/** A failed sign-in in words that n8n may show. */
function signInFailed(error: unknown, redactor: Redactor): SignInFailed {
	if (!(error instanceof UserError)) return new SignInFailed('The sign-in failed');
	const { message, hint, context } = error;
	const { wasAsked, cause } = context;
	const isRefusal = cause instanceof ServiceError && cause.nothingDone;
	return new SignInFailed(redactor.text(message), { hint, wasAsked, isRefusal });
}

/** Adds the proof of who calls to a request. Those of other nodes must be allowed to them. */
export async function authenticateRequest(
	saved: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const state = stateOf(saved);
	const { own } = state;
	throwIfStopped(own?.stopped);
	if (mayNotBeRetried(state)) {
		throw new UserError('The service refused the request, which isn’t sent again', {
			hint: 'It may change something. With Wallet Sign-In, run it again if the token had run out: after five minutes at most, the next request signs in first.',
		});
	}
	const credentials = own?.credentials ?? readCredentials(saved);
	/* If anything below throws, this stays, and `obtainSession` keeps n8n from sending or repeating the request. */
	state.passage = 'refused';
	const request =
		own === undefined ? allowedRequest(credentials, options) : toOwnOrigin(credentials, options);
	const boundTo = sessionBinding(credentials);
	const token = sessions.usable(boundTo, tokenIn(saved.sessionToken, boundTo));
	const isRepeatable = own === undefined && isPlainGet({ ...options }, request);
	/* For our own changes, client.ts makes sure of the token before. */
	const isRisky = own === undefined && !isRepeatable && state.wasRenewed !== true;
	const needsToken =
		credentials.authentication === 'walletSignIn' &&
		(token === undefined || (isRisky && sessions.mayHaveEnded(boundTo, token)));
	/*
	 * `authorizationHeaders` then throws a made-up 401, upon which n8n calls `obtainSession`, and this
	 * function again.
	 */
	if (needsToken) state.passage = undefined;
	else state.passage = isRepeatable ? 'repeatable' : 'sentOnce';
	/* n8n hands the same object to `preAuthentication`, which must know what was sent, or wasn't. */
	if (token !== undefined) saved.sessionToken = packSession(boundTo, token);
	const proof = authorizationHeaders(credentials, needsToken ? undefined : token);
	const headers = { ...request.headers, ...proof };
	return own === undefined
		? { ...request, headers }
		: { ...request, headers, abortSignal: deadlineOf({ timeout: own.timeout, signal: own.stop }) };
}
