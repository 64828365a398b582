import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';
import type { z } from 'zod';

import { balanceCall } from '../api/balance';
import { openClient, PLACEHOLDER_ID } from '../api/client';
import { openWallet } from '../api/signIn';
import { ExecutionCache } from '../idempotency/executionCache';
import { PaymentLedger, type PaymentRecord } from '../idempotency/paymentLedger';
import { outcomeOf, ServiceError, UserError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import type { Redactor } from '../shared/redaction';
import type { Settings } from './commonOptions';

const paymentsOfRuns = new ExecutionCache<PaymentRecord>();
/** What came of each change: its answer, or an error that leaves it unknown. */
const changesOfRuns = new ExecutionCache<{ readonly answer: unknown } | UserError>();

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
	}));
	const isTool = context.getNode().type.endsWith('Tool');
	let ledger: PaymentLedger | undefined;
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
				return await openWallet(credentials, toSigner, redactor.text, signal);
			}
			throw new UserError('These credentials don’t have a wallet to sign with', {
				hint: 'Use credentials whose Authentication is Wallet Sign-In, or provide the signature.',
			});
		}),
		ledger: () => {
			const { workflowId, nodeId } = scope();
			/*
			 * Each payment uses them, so that a run is remembered however long it takes. Calls of an AI tool
			 * at the same moment can have one run index, and each try has its own.
			 */
			const records = isTool ? new Map<string, PaymentRecord>() : paymentsOfRuns.of(scope());
			const nodeKey = `${workflowId}:${nodeId}`;
			return (ledger ??= new PaymentLedger(context.helpers, nodeKey, records, signal));
		},
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
			/* n8n counts each try of an AI tool as a run of its own. */
			const isTry = isUnrepeatable && isTool;
			const changes = changesOfRuns.of(isTry ? { ...scope(), runIndex: 0 } : scope());
			const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
			const earlier = changes.get(key);
			if (earlier instanceof UserError) {
				throw earlier.with({
					message: `${earlier.message}. The request wasn’t sent again, because the first one may have succeeded`,
					hint: 'Check the result in the service, then run the workflow again for what’s missing.',
				});
			}
			if (earlier !== undefined) return schema.parse(earlier.answer);
			const answer = await send().catch((error: unknown) => {
				if (isUnrepeatable && error instanceof UserError && outcomeOf(error) === 'unknown') {
					changes.set(key, error);
				}
				throw error;
			});
			changes.set(key, { answer });
			return answer;
		},
		/**
		 * Makes one authenticated read before a run changes anything, unless the service took the token a
		 * moment ago: n8n may sign in again and repeat a read, but nothing may repeat a write. A try that
		 * goes on after an earlier one goes without, so that its error tells what that one did.
		 */
		confirmToken: async (teamId = PLACEHOLDER_ID) => {
			if (client.isTokenFresh() || changesOfRuns.of(scope()).size > 0) return;
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
