import type { IAllExecuteFunctions, ICredentialDataDecryptedObject } from 'n8n-workflow';

import { NoResponseError } from '../shared/errors';
import type { Redactor } from '../shared/redaction';
import { unlessStopped } from '../shared/waiting';
import { Client, type RequestLimits, type Transport } from './client';
import { readCredentials, type ServiceCredentials } from './credentials';
import { answerFrom, exchangeOver, optionsFor } from './n8nHttp';
import { announceRequest, stateOf } from './requestState';
import { addSecretsOf } from './secrets';
import { sessions } from './session';
import { sessionBinding, tokenIn } from './storedSession';

export const CREDENTIALS = 'payrollPaymentsApi';

/**
 * The context without its cancel signal, with which n8n would break off any request under way. Nobody
 * would know what became of a payment in it; authentication.ts gives the others a signal.
 */
function uninterrupted(context: IAllExecuteFunctions): IAllExecuteFunctions {
	return new Proxy(context, {
		has: (target, name) => name !== 'getExecutionCancelSignal' && Reflect.has(target, name),
	});
}

/**
 * Requests over n8n with the saved credentials (requestState.ts). They go along with every request, so
 * that n8n doesn't read and decrypt them each time.
 */
function n8nTransport(
	context: IAllExecuteFunctions,
	credentials: ServiceCredentials,
	given: ICredentialDataDecryptedObject,
	redactor: Redactor,
): Transport {
	const { helpers } = context;
	const caller = uninterrupted(context);
	const canSignIn = credentials.authentication === 'walletSignIn';
	const boundTo = sessionBinding(credentials);
	const withoutToken = exchangeOver(helpers.httpRequest);
	let saved = given;
	const held = () => tokenIn(saved.sessionToken, boundTo);
	const token = () => (canSignIn ? sessions.usable(boundTo, held()) : '');
	return {
		token,
		send: async (request, { kind, replaces }) => {
			if (kind === 'withoutToken') return { answer: await withoutToken(request), token: '' };
			/* n8n writes a new token into this object, so each request gets its own copy. */
			const data = { ...saved };
			if (replaces !== undefined || token() === undefined) data.sessionToken = '';
			const { timeout, signal } = request;
			const stop = kind === 'read' ? signal : undefined;
			announceRequest(data, {
				credentials,
				redactor,
				timeout,
				stop,
				stopped: signal,
				replaces: replaces ?? held(),
			});
			const response = helpers.httpRequestWithAuthentication.call(
				caller,
				CREDENTIALS,
				optionsFor(request),
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIALS, data } },
			);
			const received = answerFrom(response, { ...request, signal: stop }).catch(
				(error: unknown) => {
					/* n8n failed between the sign-in and the request, e.g. to save the token. */
					const { passage, wasRenewed = false } = stateOf(data);
					const isOnlySignedIn = wasRenewed && passage === undefined;
					if (!isOnlySignedIn || !(error instanceof NoResponseError)) throw error;
					throw error.with({
						message: 'n8n could not make the request ready, so it was not sent',
						hint: 'Check that n8n can write to its database: it saves the token of a sign-in there.',
						outcome: 'refused',
						wasSent: false,
					});
				},
			);
			const work = received.finally(() => {
				if (tokenIn(data.sessionToken, boundTo) === '') return;
				saved = data;
				addSecretsOf(redactor, data);
			});
			/* n8n may be waiting for a person to confirm a sign-in. */
			const answer = await unlessStopped(work, stop);
			return { answer, token: tokenIn(data.sessionToken, boundTo) };
		},
	};
}

/**
 * Opens the service with the node's credentials.
 * @param redactor learns the secrets in the credentials, and every token that n8n obtains
 */
export async function openClient(
	context: IAllExecuteFunctions,
	redactor: Redactor,
	limits?: RequestLimits,
): Promise<Client> {
	const saved: ICredentialDataDecryptedObject = await context.getCredentials(CREDENTIALS);
	addSecretsOf(redactor, saved);
	const credentials = readCredentials(saved, context.getNode().credentials?.[CREDENTIALS]?.name);
	const transport = n8nTransport(context, credentials, saved, redactor);
	return new Client(credentials, transport, redactor, limits);
}
