import type { ICredentialTestFunction, ICredentialTestFunctions } from 'n8n-workflow';

import { z } from 'zod';
import { ServiceError, UserError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import { Redactor } from '../shared/redaction';
import { authorizationHeaders } from './authentication';
import { balanceCall } from './balanceCall';
import { Client, PLACEHOLDER_ID, transportOver } from './client';
import { readCredentials } from './credentials';
import { exchangeOver } from './n8nHttp';
import { addSecretsOf } from './secrets';
import { signIn } from './signIn';

/** n8n gives a credential test only its older request function. */
function exchangeOfTest({ helpers }: ICredentialTestFunctions): HttpExchange {
	return exchangeOver(async ({ url, method, headers, body, timeout }): Promise<unknown> => {
		return await helpers.request({
			url,
			method,
			headers,
			body,
			timeout,
			json: false,
			simple: false,
			useStream: true,
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
		const headers = authorizationHeaders(credentials, undefined);
		const withToken: HttpExchange = async (request) => await exchange({ ...request, headers });
		const call = { ...balanceCall(PLACEHOLDER_ID), answer: z.unknown() };
		await new Client(credentials, transportOver(withToken), redactor, { retries: 0 })
			.sendRead(call)
			.catch((error: unknown) => {
				const isService = error instanceof ServiceError && error.inEnvelope && error.nothingDone;
				if (!isService || error.status === 401) throw error;
			});
		return { status: 'OK', message: 'The service took the token' };
	} catch (error) {
		if (!(error instanceof UserError)) return { status: 'Error', message: 'The test failed' };
		const said = `${error.message.replace(/\.$/, '')}. ${error.hint ?? ''}`;
		return { status: 'Error', message: redactor.text(said.trim()) };
	}
};
