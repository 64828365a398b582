import type { IExecuteFunctions } from 'n8n-workflow';
import type { z } from 'zod';

import { balanceCall } from '../api/balance';
import { openClient, PLACEHOLDER_ID } from '../api/client';
import { openWallet } from '../api/signIn';
import { ExecutionJournal } from '../idempotency/executionJournal';
import { PaymentJournal } from '../idempotency/paymentJournal';
import { ServiceError, UserError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import type { Redactor } from '../shared/redaction';
import type { Settings } from './commonOptions';

export type RunContext = Awaited<ReturnType<typeof openRun>> & {
	/** The items whose changes are told from those of others. */
	readonly items?: readonly number[];
};

/**
 * Opens the service, the wallet and the memory for one run of the node.
 * @param redactor learns the secrets in the credentials
 * @throws {UserError} if a field of the credentials is wrong
 */
export async function openRun(
	context: IExecuteFunctions,
	redactor: Redactor,
	{ resource, operation }: { readonly resource: string; readonly operation: string },
	settings: Settings,
) {
	const signal = context.getExecutionCancelSignal();
	const client = await openClient(context, redactor, { ...settings, signal });
	const { credentials, exchange } = client;
	const scope = onFirstUse(() => ({
		workflowId: context.getWorkflow().id ?? '',
		nodeId: context.getNode().id,
		executionId: context.getExecutionId(),
		/* In a loop, each run of the node counts separately. */
		runIndex: Number(context.getWorkflowDataProxy(0).$runIndex),
		isTool: context.getNode().type.endsWith('Tool'),
	}));
	return {
		credentials,
		settings,
		signal,
		approvable: { operation: `${resource}.${operation}`, baseUrl: credentials.baseUrl },
		/** Whether refused items leave the others alone (*On Error: Continue*). */
		continues: context.continueOnFail(),
		send: client.send,
		/** The wallet that signs. @throws {UserError} if the credentials have none */
		wallet: onFirstUse(async () => {
			const toSigner: HttpExchange = async (request) => await exchange(request, 'withoutToken');
			if (credentials.authentication === 'walletSignIn') {
				return await openWallet(credentials, toSigner, redactor.text);
			}
			throw new UserError('These credentials don’t have a wallet to sign with', {
				hint: 'Use credentials whose Authentication is Wallet Sign-In, or provide the signature.',
			});
		}),
		payments: onFirstUse(() => new PaymentJournal(context.helpers, scope(), signal)),
		/**
		 * Does what must not be done twice in one execution. *Retry On Fail* runs every item again; the
		 * second time, this returns the first answer.
		 * @param isUnrepeatable whether it must not be sent again where its first outcome is unknown
		 * @throws {UserError} if the first outcome is unknown and it isn't repeatable
		 */
		once: async <Data>(
			{ identity, isUnrepeatable = false }: { identity: unknown; isUnrepeatable?: boolean },
			schema: z.ZodType<Data, z.ZodTypeDef, unknown>,
			send: () => Promise<Data>,
		): Promise<Data> => {
			const change = { identity, isUnrepeatable, answer: schema };
			return await new ExecutionJournal(scope()).perform(change, send);
		},
		/**
		 * Makes one authenticated read before a run changes anything, unless the service took the token a
		 * moment ago: n8n may sign in again and repeat a read, but nothing may repeat a write. A try that
		 * goes on after an earlier one goes without, so that its error tells what that one did.
		 */
		confirmToken: async (teamId = PLACEHOLDER_ID) => {
			if (client.isTokenFresh() || new ExecutionJournal(scope()).isLaterTry) return;
			/* Someone waits to pay: a service that hangs is asked once more at most. */
			const { timeout, retries = 1 } = settings;
			const patience = { timeout, retries: Math.min(retries, 1) };
			await client.send(balanceCall(teamId), patience).catch((error: unknown) => {
				if (error instanceof ServiceError && error.status !== 401) return;
				throw error instanceof UserError
					? error.with({ note: 'Nothing was signed or sent now.', outcome: 'refused' })
					: error;
			});
		},
		/** Adds the values that are text to the execution's own data, by which n8n's list of executions can be searched. */
		annotate: (values: Readonly<Record<string, unknown>>): void => {
			for (const [name, value] of Object.entries(values)) {
				if (typeof value === 'string') context.customData.set(name, value);
			}
		},
	};
}

function onFirstUse<Value>(open: () => Value): () => Value {
	let opened: { readonly value: Value } | undefined;
	return () => (opened ??= { value: open() }).value;
}
