import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunction,
	ICredentialTestFunctions,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { z } from 'zod';
import { ServiceError, SignInFailed, UserError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import { Redactor } from '../shared/redaction';
import { balanceCall } from './balanceCall';
import { Client, PLACEHOLDER_ID } from './client';
import { readCredentials, type ServiceCredentials } from './credentials';
import { exchangeOver } from './n8nHttp';
import {
	allowedRequest,
	isPlainGet,
	ownRequests,
	toOwnOrigin,
	unrepeatable,
} from './outboundRequests';
import {
	addSecretsOf,
	authenticationHeader,
	packSession,
	readSession,
	sessionBinding,
	sessions,
} from './session';
import { signIn } from './signIn';

/** Must come last in {@link authenticateRequest}: others may wait for the answer to this request. */
async function proofHeaders(
	credentials: ServiceCredentials,
	saved: ICredentialDataDecryptedObject,
): Promise<Record<string, string>> {
	if (credentials.authentication !== 'walletSignIn') return authenticationHeader(credentials);
	const boundTo = sessionBinding(credentials);
	const { boundTo: obtainedWith, token: stored } = readSession(saved.sessionToken);
	if (stored === undefined || obtainedWith !== boundTo) return {};
	const token = await sessions.tokenFor(boundTo, stored);
	// n8n hands the same object to `preAuthentication` after a 401, which must know what was sent.
	if (token !== stored) saved.sessionToken = packSession(boundTo, token);
	return authenticationHeader(credentials, token);
}

/**
 * Signs in; n8n calls this when `sessionToken` is empty and before it repeats a request.
 * @throws where that would send a write of ours a second time
 */
export async function obtainSession(
	context: IHttpRequestHelper,
	saved: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const own = ownRequests.get(saved);
	if (unrepeatable.has(saved)) {
		if (own !== undefined) throw new Error('A write is never repeated');
		/* Other calls may wait to hear what came of the token, and nobody else reports it. */
		sessions.reportStatus(saved.sessionToken, undefined);
		failedWrites.add(saved);
		return {};
	}
	const credentials = own ?? readCredentials(saved);
	if (credentials.authentication !== 'walletSignIn') return {};
	const boundTo = sessionBinding(credentials);
	const { token: held } = readSession(saved.sessionToken);
	const obtain = async () => {
		const redactor = addSecretsOf(new Redactor(), saved);
		const exchange = exchangeOver(context.helpers.httpRequest);
		return await signIn(credentials, exchange, redactor).catch((error: unknown) => {
			if (!(error instanceof UserError)) throw new SignInFailed('The sign-in failed');
			throw new SignInFailed(redactor.text(error.message), { hint: error.hint });
		});
	};
	const token = await sessions.renew(boundTo, held, obtain, own !== undefined);
	return { sessionToken: packSession(boundTo, token) };
}

/** Failed writes of other nodes, by the credentials object that n8n passes for each request. */
const failedWrites = new WeakSet<ICredentialDataDecryptedObject>();

/** Adds the proof of who calls to a request. Those of other nodes must be allowed to them. */
export async function authenticateRequest(
	saved: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	/* httpRequestWithAuthentication repeats a request even without a new token. */
	if (failedWrites.has(saved)) {
		throw new UserError('The service refused the request, which isn’t sent again', {
			hint: 'It may change something. With Wallet Sign-In, put a Balance: Get with these credentials in front of it, which signs in if the token has run out.',
		});
	}
	const own = ownRequests.get(saved);
	const credentials = own ?? readCredentials(saved);
	/* A request that is refused gets no new token either. */
	unrepeatable.add(saved);
	const request =
		own === undefined ? allowedRequest(credentials, options) : toOwnOrigin(credentials, options);
	if (isPlainGet({ ...options }, request)) unrepeatable.delete(saved);
	const proof = await proofHeaders(credentials, saved);
	return { ...request, headers: { ...request.headers, ...proof } };
}

/** n8n gives a credential test only its older request function. */
function exchangeOfTest({ helpers }: ICredentialTestFunctions): HttpExchange {
	return exchangeOver(async ({ url, method, headers, body, timeout }): Promise<unknown> => {
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

/** With a wallet a real sign-in, with a token a call that only the token's holder may make. */
export const testCredentials: ICredentialTestFunction = async function ({ data: saved = {} }) {
	const redactor = addSecretsOf(new Redactor(), saved);
	try {
		const credentials = readCredentials(saved);
		const exchange = exchangeOfTest(this);
		if (credentials.authentication === 'walletSignIn') {
			await signIn(credentials, exchange, redactor);
			return { status: 'OK', message: 'Signed in with the wallet' };
		}
		const headers = authenticationHeader(credentials);
		const withToken: HttpExchange = async (request) => await exchange({ ...request, headers });
		const call = { ...balanceCall(PLACEHOLDER_ID), answer: z.unknown() };
		await new Client(credentials, withToken, redactor)
			.send(call, { retries: 0 })
			.catch((error: unknown) => {
				const isTaken = error instanceof ServiceError && error.nothingDone && error.status !== 401;
				if (!isTaken) throw error;
			});
		return { status: 'OK', message: 'The service took the token' };
	} catch (error) {
		if (!(error instanceof UserError)) return { status: 'Error', message: 'The test failed' };
		const said = `${error.message.replace(/\.$/, '')}. ${error.hint ?? ''}`;
		return { status: 'Error', message: redactor.text(said.trim()) };
	}
};
