import {
	sleep,
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
} from 'n8n-workflow';

import { z } from 'zod';
import type { HttpExchange } from '../shared/http';
import type { Redactor } from '../shared/redaction';
import { attemptWith } from './attempt';
import { sendCall, type SendRead } from './client';
import { readCredentials } from './credentials';
import { addSecretsOf } from './credentialSecrets';
import { DEFAULT_TIMEOUT, exchangeOver } from './n8nHttp';
import { sessions } from './session';

/** The credential type that calls the service. */
export const CREDENTIALS = 'payrollPaymentsApi';

/** Waits before a retry. */
export async function pause(milliseconds: number): Promise<void> {
	await sleep(milliseconds);
}

/**
 * Makes n8n return responses as they are, since n8n 1.x loses them in the errors that it throws
 * (n8n-workflow, execution-base.error.ts). A 401 has to be thrown, or n8n doesn't sign in again.
 */
const THROW_ONLY_401: IHttpRequestOptions['ignoreHttpStatusErrors'] = {
	ignore: true,
	except: [401],
};

const unauthorized = z.object({ statusCode: z.literal(401) });

/**
 * Sends requests over n8n's request function for credentials.
 * @param data the credentials; n8n writes a new token into this object
 */
function sendWith(
	context: IAllExecuteFunctions,
	data: ICredentialDataDecryptedObject,
): (options: IHttpRequestOptions) => Promise<unknown> {
	const attempt = attemptWith(data);
	const send = async (options: IHttpRequestOptions): Promise<unknown> =>
		await context.helpers.httpRequestWithAuthentication
			.call(
				context,
				CREDENTIALS,
				{ ...options, ignoreHttpStatusErrors: THROW_ONLY_401 },
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIALS, data } },
			)
			.catch((error: unknown) => {
				throw attempt.refusal ?? error;
			});
	return async (options) => {
		const response = await send(options);
		const isRefused = unauthorized.safeParse(response).success;
		if (!isRefused || data.sessionToken === '') return response;
		/* n8n 1.x ignores the exception for 401 (n8n-core, request-helper-functions.ts). Without a
		session it signs in before it sends the request: what n8n 2.x has done by now. */
		attempt.refusedSession = data.sessionToken;
		data.sessionToken = '';
		return await send(options);
	};
}

/**
 * Sends requests with the token of the credentials; n8n signs in again after a 401.
 * @param saved the credentials as n8n returned them. They go along with every request, so that n8n
 * doesn't read and decrypt them each time.
 * @param redactor learns every token that n8n obtains
 */
export function exchangeWithToken(
	context: IAllExecuteFunctions,
	saved: ICredentialDataDecryptedObject,
	redactor: Redactor,
): HttpExchange {
	let latest = saved;
	return async (request) => {
		/* n8n writes a new token into this object, so each request gets its own copy. */
		const data = { ...latest };
		const { sessionToken } = data;
		const exchange = exchangeOver(sendWith(context, data));
		let status: number | undefined;
		try {
			const answer = await exchange(request);
			({ status } = answer);
			return answer;
		} finally {
			sessions.reportStatus(data.sessionToken, status);
			if (data.sessionToken !== sessionToken) {
				latest = data;
				addSecretsOf(redactor, data);
			}
		}
	};
}

/** The service for a caller that only reads, without an execution. */
export interface Reads {
	readonly baseUrl: string;
	readonly call: SendRead;
}

/**
 * Reads with the node's credentials where n8n runs no execution: in a list search or a poll.
 * @param redactor learns the secrets in the credentials
 * @param retries how often a read is repeated after a temporary failure
 * @throws {Refusal} if a field of the credentials is wrong
 */
export async function readsWith(
	context: IAllExecuteFunctions,
	redactor: Redactor,
	retries: number,
): Promise<Reads> {
	const saved = await context.getCredentials(CREDENTIALS);
	addSecretsOf(redactor, saved);
	const { authentication, baseUrl } = readCredentials(saved);
	const exchange = exchangeWithToken(context, saved, redactor);
	const sending = {
		withToken: exchange,
		withoutToken: exchange,
		timeout: DEFAULT_TIMEOUT,
		retries,
		pause,
		redact: redactor.text,
		withApiKey: authentication === 'legacyApiKey',
	};
	const call: SendRead = async (request) => await sendCall(baseUrl, request, sending);
	return { baseUrl, call };
}
