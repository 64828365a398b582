import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { openClient, type Call, type Client } from '../api/client';
import type { ServiceCredentials } from '../api/credentials';
import { openWallet } from '../api/signIn';
import { ExecutionCache, type RunEntries, type RunScope } from '../idempotency/executionCache';
import { PaymentLedger, type PaymentRecord } from '../idempotency/paymentLedger';
import { outcomeOf, throwIfStopped, UserError } from '../shared/errors';
import type { Redactor } from '../shared/redaction';
import type { Wallet } from '../signing';
import type { Settings } from './commonOptions';

/** What came of a change in this execution: its answer, or an error that leaves it unknown. */
type SentBefore = { readonly answer: unknown } | { readonly failure: UserError };

const paymentsOfRuns = new ExecutionCache<PaymentRecord>();
const changesOfRuns = new ExecutionCache<SentBefore>();

/** A change that is made once in an execution. */
export interface OnceKey {
	/** What identifies it. The body may differ, since two signatures over the same data can. */
	readonly identity: unknown;
	/** Whether sending it again is harmless if the first outcome is unknown. */
	readonly isRepeatable: boolean;
}

/** What a run of the node works with, for some of its items. */
export interface RunContext {
	readonly credentials: ServiceCredentials;
	/** The input items that it is for, at least one. */
	readonly items: readonly number[];
	readonly settings: Settings;
	/** Whether refused items leave the others alone (*On Error: Continue*). */
	readonly continues: boolean;
	/** Aborted once the execution was stopped. */
	readonly signal: AbortSignal | undefined;
	/** Sends a call. Only reads may be repeated. */
	send<Data>(call: Call<Data>): Promise<Data>;
	/** The wallet that signs. @throws {UserError} if the credentials have none */
	wallet(): Promise<Wallet>;
	/** The payments that this node has sent. */
	ledger(): PaymentLedger;
	/**
	 * Makes a change that must not be repeated in one execution. *Retry On Fail* runs every item again;
	 * the second time, this returns the first answer.
	 * @throws {UserError} if the first outcome is unknown and the change isn't repeatable
	 */
	once<Data>(
		key: OnceKey,
		schema: z.ZodType<Data, z.ZodTypeDef, unknown>,
		send: () => Promise<Data>,
	): Promise<Data>;
	/** Keeps what was read for this execution, so that *Retry On Fail* plans the same requests. */
	remember<Data>(
		name: unknown,
		schema: z.ZodType<Data, z.ZodTypeDef, unknown>,
		read: () => Promise<Data>,
	): Promise<Data>;
	/** Whether the service took the token of these credentials a moment ago. */
	isTokenFresh(): boolean;
	/** Adds to the execution's own data, by which n8n's list of executions can be searched. */
	annotate(values: Readonly<Record<string, string>>): void;
	/** The same context for some items and their settings. */
	with(items: readonly number[], settings: Settings): RunContext;
}

/**
 * Opens the service, the wallet and the memory for one run of the node.
 * @param redactor learns the secrets in the credentials
 * @throws {UserError} if a field of the credentials is wrong
 */
export async function openRun(
	context: IExecuteFunctions,
	redactor: Redactor,
	items: readonly number[],
	settings: Settings,
): Promise<RunContext> {
	const signal = context.getExecutionCancelSignal();
	const client = await openClient(context, redactor, signal);
	const scope = onFirstUse(() => scopeOf(context));
	const changes = onFirstUse(() => changesOfRuns.of(scope()));
	const shared = {
		credentials: client.credentials,
		continues: context.continueOnFail(),
		signal,
		wallet: walletOpener(client),
		ledger: onFirstUse(() => {
			const { workflowId, nodeId } = scope();
			const records = paymentsOfRuns.of(scope());
			return new PaymentLedger(context.helpers, `${workflowId}:${nodeId}`, records, signal);
		}),
		isTokenFresh: client.isTokenFresh,
		annotate: (values: Readonly<Record<string, string>>) =>
			context.customData.setAll({ ...values }),
	};
	const bind = (own: readonly number[], ownSettings: Settings): RunContext => ({
		...shared,
		items: own,
		settings: ownSettings,
		send: async (call) => {
			throwIfStopped(signal);
			return await client.send(call, ownSettings);
		},
		once: async ({ identity, isRepeatable }, schema, send) =>
			await once(changes(), keyFor([own, identity]), isRepeatable, schema, send),
		remember: async (name, schema, read) =>
			await once(changes(), keyFor(['read', name]), true, schema, read),
		with: bind,
	});
	return bind(items, settings);
}

function keyFor(parts: unknown): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

async function once<Data>(
	changes: RunEntries<SentBefore>,
	key: string,
	isRepeatable: boolean,
	schema: z.ZodType<Data, z.ZodTypeDef, unknown>,
	send: () => Promise<Data>,
): Promise<Data> {
	const earlier = changes.get(key);
	if (earlier !== undefined && 'answer' in earlier) return schema.parse(earlier.answer);
	if (earlier !== undefined) {
		const { failure } = earlier;
		throw failure.with({
			message: `${failure.message}. The request wasn't sent again, because the first one may have succeeded`,
			hint: "Check the result in the service, then run the workflow again for what's missing.",
		});
	}
	const answer = await send().catch((error: unknown) => {
		if (!isRepeatable && error instanceof UserError && outcomeOf(error) === 'unknown') {
			changes.set(key, { failure: error });
		}
		throw error;
	});
	changes.set(key, { answer });
	return answer;
}

function walletOpener({ credentials, exchange, redactor }: Client): () => Promise<Wallet> {
	if (credentials.authentication === 'walletSignIn') {
		const toSigner = async (request: Parameters<typeof exchange>[0]) =>
			await exchange(request, 'withoutToken');
		return onFirstUse(async () => await openWallet(credentials, toSigner, redactor.text));
	}
	return async () => {
		throw new UserError("These credentials don't have a wallet to sign with", {
			field: 'authentication',
			hint: 'Use credentials whose Authentication is Wallet Sign-In, or provide the signature.',
		});
	};
}

const proxyData = z.object({ $runIndex: z.number().int() });

/** This run of the node. In a loop, each run counts separately. */
function scopeOf(context: IExecuteFunctions): RunScope {
	return {
		workflowId: context.getWorkflow().id ?? '',
		nodeId: context.getNode().id,
		executionId: context.getExecutionId(),
		runIndex: proxyData.parse(context.getWorkflowDataProxy(0)).$runIndex,
	};
}

/** Opens a value when it is first needed, and keeps it. */
function onFirstUse<Value>(open: () => Value): () => Value {
	let opened: { readonly value: Value } | undefined;
	return () => (opened ??= { value: open() }).value;
}
