import { createHash, randomUUID } from 'node:crypto';

import {
	sleep,
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
} from 'n8n-workflow';

import { readCredentials, Refusal, type HttpExchange, type ServiceCredentials } from '../contract';
import type { Wallet } from '../wallet';

import { ExecutionMemory, type ExecutionScope } from './executionMemory';
import { exchangeOver } from './n8nExchange';
import { PaymentGuard, type PaymentAttempt } from './paymentGuard';
import { forgetKey, recordKey } from './processedKeys';
import { mayHaveActed, sendCall, type Call, type Service } from './service';
import { reworded } from './serviceError';
import { openWallet } from './walletAccess';

/** The credentials that the action node works with. */
export const CREDENTIALS = 'payrollPaymentsApi';

/** Payments remembered a node; n8n forgets the oldest beyond that. */
const PAYMENT_HISTORY = { history: 10_000 };

/** Waits between two attempts. */
export async function pause(milliseconds: number): Promise<void> {
	await sleep(milliseconds);
}

const payments = new ExecutionMemory<PaymentAttempt>();
const calls = new ExecutionMemory<CallOutcome>();

/** What came of a call in this execution: its answer, or why none is known. */
type CallOutcome = { readonly answer: unknown } | { readonly failure: Refusal };

/**
 * Requests with the token of the credentials; n8n signs in again after a 401.
 * @param saved the credentials as n8n gave them. Handed back with every request, they spare n8n
 * reading and decrypting them anew each time.
 */
export function exchangeWithToken(
	context: IAllExecuteFunctions,
	saved: ICredentialDataDecryptedObject,
): HttpExchange {
	let latest = saved;
	return exchangeOver(async (options): Promise<unknown> => {
		/* A copy: n8n writes a new token into it, and the others must still know which they sent. */
		const data = { ...latest };
		const { sessionToken } = data;
		try {
			return await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIALS,
				options,
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIALS, data } },
			);
		} finally {
			if (data.sessionToken !== sessionToken) latest = data;
		}
	});
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

function scopeOf(context: IExecuteFunctions): ExecutionScope {
	return {
		workflowId: context.getWorkflow().id ?? '',
		nodeId: context.getNode().id,
		executionId: context.getExecutionId(),
	};
}

function paymentGuard({ helpers }: IExecuteFunctions, scope: ExecutionScope): PaymentGuard {
	const nodeKey = `${scope.workflowId}:${scope.nodeId}`;
	return new PaymentGuard(
		{
			/* An owner of its own each time: no attempt may take an earlier one's record for its own. */
			record: async (key) =>
				await recordKey(helpers, nodeKey, key, { ...PAYMENT_HISTORY, owner: randomUUID() }),
			forget: async (key) => await forgetKey(helpers, nodeKey, key, PAYMENT_HISTORY),
		},
		payments.of(scope),
	);
}

/** One wallet for the whole run, opened when something is first to be signed. */
function walletOf(credentials: ServiceCredentials, exchange: HttpExchange): () => Promise<Wallet> {
	let wallet: Promise<Wallet> | undefined;
	return async () => {
		if (credentials.authentication !== 'walletSignIn') {
			throw new Refusal('These credentials have no wallet to sign with', {
				field: 'authentication',
				hint: 'Use credentials with the authentication “Wallet Sign-In”, or provide the signature.',
			});
		}
		wallet ??= openWallet(credentials, exchange);
		return await wallet;
	};
}

function notSentAgain(failure: Refusal): Refusal {
	return reworded(
		failure,
		`${failure.message.replace(/\.$/, '')}. It was not sent again, since it may have been done`,
		'Look at the service. Run the workflow anew only for what it does not show.',
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
 * @throws {Refusal} where a field of the credentials is at fault
 */
export async function connect(context: IExecuteFunctions): Promise<(use: ServiceUse) => Service> {
	const saved = await context.getCredentials(CREDENTIALS);
	const credentials = readCredentials(saved, context.getNode().credentials?.[CREDENTIALS]?.name);
	const withoutToken = exchangeWithoutToken(context);
	const withToken = exchangeWithToken(context, saved);
	const wallet = walletOf(credentials, withoutToken);
	const scope = scopeOf(context);
	const guard = paymentGuard(context, scope);
	const outcomes = calls.of(scope);
	return ({ items, timeout, retries }) => {
		const call = async <Data>(request: Call<Data>): Promise<Data> =>
			await sendCall(credentials.baseUrl, request, {
				withToken,
				withoutToken,
				timeout,
				retries,
				pause,
			});
		return {
			credentials,
			item: items[0] ?? 0,
			call,
			callOnce: async ({ identity, isRepeatable, ...request }) => {
				const key = createHash('sha256')
					.update(JSON.stringify([items, request.method, request.path, identity]))
					.digest('hex');
				const earlier = outcomes.get(key);
				if (earlier !== undefined && 'answer' in earlier) return request.answer.parse(earlier.answer);
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
			payments: guard,
		};
	};
}
