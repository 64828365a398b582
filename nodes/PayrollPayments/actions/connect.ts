import { createHash } from 'node:crypto';

import {
	sleep,
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
} from 'n8n-workflow';

import { addSecretsOf } from '../api/credentialSecrets';
import { z } from 'zod';
import { readCredentials, type ServiceCredentials } from '../api/credentials';
import { mayHaveActed, Refusal, wrapError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import { ExecutionCache, type RunScope } from '../idempotency/executionCache';
import { PaymentLedger, type PaymentRecord } from '../idempotency/paymentLedger';
import type { Redact, Redactor } from '../shared/redaction';
import type { Wallet } from '../signing';

import { exchangeOver } from '../api/n8nHttp';
import { sendCall, type Call } from '../api/client';
import type { Service } from './service';
import { sessions } from '../api/session';
import { openWallet } from '../api/wallet';

/** The credentials that the action node works with. */
export const CREDENTIALS = 'payrollPaymentsApi';

/** Waits between two attempts. */
export async function pause(milliseconds: number): Promise<void> {
	await sleep(milliseconds);
}

const payments = new ExecutionCache<PaymentRecord>();
const calls = new ExecutionCache<CallOutcome>();

/** What came of a call in this execution: its answer, or why none is known. */
type CallOutcome = { readonly answer: unknown } | { readonly failure: Refusal };

/**
 * Requests with the token of the credentials; n8n signs in again after a 401.
 * @param saved the credentials as n8n gave them. Handed back with every request, they spare n8n
 * reading and decrypting them anew each time.
 * @param redactor is told of every token that n8n gets in the meantime
 */
export function exchangeWithToken(
	context: IAllExecuteFunctions,
	saved: ICredentialDataDecryptedObject,
	redactor: Redactor,
): HttpExchange {
	let latest = saved;
	return async (request) => {
		/* A copy: n8n writes a new token into it, and the others must still know which they sent. */
		const data = { ...latest };
		const { sessionToken } = data;
		const exchange = exchangeOver(
			async (options): Promise<unknown> =>
				await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIALS, options, {
					credentialsDecrypted: { id: '', name: '', type: CREDENTIALS, data },
				}),
		);
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

function exchangeWithoutToken(context: IExecuteFunctions): HttpExchange {
	return exchangeOver(
		async (options): Promise<unknown> =>
			await context.helpers.httpRequest({
				...options,
				abortSignal: context.getExecutionCancelSignal(),
			}),
	);
}

const runOf = z.object({ $runIndex: z.number().int() });

/** This run of the node: in a loop, a later one is other work, whatever looks the same. */
function scopeOf(context: IExecuteFunctions): RunScope {
	return {
		workflowId: context.getWorkflow().id ?? '',
		nodeId: context.getNode().id,
		executionId: context.getExecutionId(),
		runIndex: runOf.parse(context.getWorkflowDataProxy(0)).$runIndex,
	};
}

/** What this run of the node has written so far; opened when something is first to be written. */
function writesOf(context: IExecuteFunctions) {
	const open = () => {
		const scope = scopeOf(context);
		const nodeKey = `${scope.workflowId}:${scope.nodeId}`;
		return {
			payments: new PaymentLedger(context.helpers, nodeKey, payments.of(scope)),
			calls: calls.of(scope),
		};
	};
	let writes: ReturnType<typeof open> | undefined;
	return () => (writes ??= open());
}

/** One wallet for the whole run, opened when something is first to be signed. */
function walletOf(
	credentials: ServiceCredentials,
	exchange: HttpExchange,
	redact: Redact,
): () => Promise<Wallet> {
	let wallet: Promise<Wallet> | undefined;
	return async () => {
		if (credentials.authentication !== 'walletSignIn') {
			throw new Refusal('These credentials have no wallet to sign with', {
				field: 'authentication',
				hint: 'Use credentials with the authentication “Wallet Sign-In”, or provide the signature.',
			});
		}
		wallet ??= openWallet(credentials, exchange, redact);
		return await wallet;
	};
}

function notSentAgain(failure: Refusal): Refusal {
	return wrapError(
		failure,
		`${failure.message.replace(/\.$/, '')}. It was not sent again, since it may have been done`,
		{
			hint: 'Check the service first. Then run the workflow again only for what is missing there.',
		},
	);
}

/** Which items a service is opened for, and how their requests are sent. */
export interface ServiceUse {
	readonly items: readonly number[];
	/** Milliseconds until a request is given up. */
	readonly timeout: number;
	readonly retries: number;
}

/**
 * The service for one run of the action node. Credentials are read once, for all items.
 * @param redactor is told of the secrets in the credentials
 * @throws {Refusal} where a field of the credentials is at fault
 */
export async function connect(
	context: IExecuteFunctions,
	redactor: Redactor,
): Promise<(use: ServiceUse) => Service> {
	const saved = await context.getCredentials(CREDENTIALS);
	addSecretsOf(redactor, saved);
	const credentials = readCredentials(saved, context.getNode().credentials?.[CREDENTIALS]?.name);
	const withoutToken = exchangeWithoutToken(context);
	const withToken = exchangeWithToken(context, saved, redactor);
	const wallet = walletOf(credentials, withoutToken, redactor.text);
	const writes = writesOf(context);
	return ({ items, timeout, retries }) => {
		const call = async <Data>(request: Call<Data>): Promise<Data> =>
			await sendCall(credentials.baseUrl, request, {
				withToken,
				withoutToken,
				timeout,
				retries,
				pause,
				redact: redactor.text,
			});
		return {
			credentials,
			item: items[0] ?? 0,
			call,
			callOnce: async ({ identity, isRepeatable, ...request }) => {
				const outcomes = writes().calls;
				const key = createHash('sha256')
					.update(JSON.stringify([items, request.method, request.path, identity]))
					.digest('hex');
				const earlier = outcomes.get(key);
				if (earlier !== undefined && 'answer' in earlier)
					return request.answer.parse(earlier.answer);
				if (earlier !== undefined) throw notSentAgain(earlier.failure);
				const sent = call({ ...request, body: await request.body() });
				sent.catch((error: unknown) => {
					if (!isRepeatable && mayHaveActed(error)) outcomes.set(key, { failure: error });
				});
				const answer = await sent;
				outcomes.set(key, { answer });
				return answer;
			},
			wallet,
			get payments() {
				return writes().payments;
			},
		};
	};
}
