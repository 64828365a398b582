import type { IExecuteFunctions } from 'n8n-workflow';

import type { SendRead, WriteCall } from '../api/call';
import type { Client } from '../api/client';
import { withoutSecretFields, type PublicCredentials } from '../api/credentials';
import { openClient } from '../api/n8nTransport';
import { openWallet } from '../api/signIn';
import { ExecutionJournal } from '../idempotency/executionJournal';
import type { RunScope } from '../idempotency/executionMemory';
import type { JournalEntry } from '../idempotency/journal';
import type { ProcessedStore } from '../idempotency/nodeList';
import { throwIfStopped, UserError } from '../shared/errors';
import type { Redactor } from '../shared/redaction';
import type { Wallet } from '../signing';
import type { Settings } from './commonOptions';
import type { Approvable, Perform, Write } from './write';

/** After a signature that took longer, in milliseconds, the token is made sure of again. */
const LONG_SIGNATURE_MS = 60_000;

/** A change as an operation describes it. */
interface Change<Data>
	extends Omit<WriteCall<Data>, 'body'>,
		Pick<Write<Data>, 'summary' | 'sign' | 'isUnrepeatable' | 'isOncePerExecution'>,
		Partial<Pick<Write<Data>, 'signs' | 'signsSummary' | 'reference' | 'columns' | 'entityId'>> {
	readonly body: Write<Data>['call']['body'];
}

/** What an operation works with while it checks. Nothing here sends a change. */
export interface RunContext<Own = unknown> {
	readonly approvable: Approvable;
	readonly credentials: PublicCredentials;
	readonly settings: Settings & Own;
	/** Whether refused items leave the others alone (*On Error: Continue*). */
	readonly continues: boolean;
	/** Whether n8n may run all items again in this execution (*Retry On Fail*). */
	readonly mayRunAgain: boolean;
	/** Aborted once the execution was stopped. */
	readonly signal: AbortSignal | undefined;
	readonly read: SendRead;
	/** The wallet that signs. @throws {UserError} if the credentials have none */
	wallet(): Promise<Wallet>;
	/** A change that is made once in an execution; with an entry, once as its journal says. */
	write<Data, Recorded>(
		numbers: readonly number[],
		change: Change<Data>,
		entry?: JournalEntry<Recorded, Data>,
	): Write<Data, Recorded>;
	/**
	 * The journal of the run's changes; payments have another. Look-ups by which changes are planned go through
	 * it, too, so that *Retry On Fail* plans the same requests again.
	 */
	executionJournal(): ExecutionJournal;
	/** n8n's store of keys, and which node of which workflow runs, for a journal that lasts. */
	readonly store: ProcessedStore;
	scope(): RunScope;
	/** Adds the values that are text to the execution's own data, by which n8n's list of executions can be searched. */
	annotate(values: Readonly<Record<string, unknown>>): void;
	/** Shows a sentence above the output. */
	hint(message: string): void;
}

/** Signs and sends a change, if its journal lets it. */
function performWith(
	client: Client,
	executionJournal: () => ExecutionJournal,
	signal: AbortSignal | undefined,
): Perform {
	return async ({ numbers, call, entityId, sign, isUnrepeatable, isOncePerExecution, entry }) => {
		throwIfStopped(signal);
		const ensureToken = async () => await client.ensureToken(entityId);
		const send = async () => {
			throwIfStopped(signal);
			const begun = performance.now();
			const signature = await sign?.();
			if (performance.now() - begun > LONG_SIGNATURE_MS) {
				await ensureToken().catch((error: unknown) => {
					throw error instanceof UserError ? error.with({ mayBeSigned: true }) : error;
				});
			}
			throwIfStopped(signal);
			return await client.sendWrite({ ...call, body: { ...call.body, ...signature } });
		};
		/* Signing in changes nothing, and its token isn't kept in a journal. */
		if (call.withoutToken === true) return await send();
		if (entry !== undefined) {
			/* Before anything is claimed. */
			await ensureToken();
			return await entry.journal.perform(entry.change, send);
		}
		const { method, path, body, answer } = call;
		/* A loop may lead an item back that had another number. */
		const identity = [isOncePerExecution === true ? [] : numbers, method, path, body];
		const change = { identity, isUnrepeatable, isOncePerExecution, answer };
		return await executionJournal().perform(change, async () => {
			await ensureToken();
			return await send();
		});
	};
}

/** Which run of which node this is. */
export function scopeOf(context: IExecuteFunctions): RunScope {
	const { id, name, type, rewireOutputLogTo } = context.getNode();
	const isTool = type.endsWith('Tool');
	return {
		workflowId: context.getWorkflow().id ?? '',
		nodeId: id,
		nodeName: name,
		executionId: context.getExecutionId(),
		/* In a loop, each run of the node counts separately. */
		runIndex: Number(context.getWorkflowDataProxy(0).$runIndex),
		isTool,
		/* n8n's engine marks a tool so that it runs for an agent. */
		hasOwnRun: !isTool || (rewireOutputLogTo !== undefined && !context.isToolExecution()),
	};
}

/**
 * What one run of the node works with. The wallet and the journal are opened when they are first used.
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
	const { credentials } = client;
	const scope = onFirstUse(() => scopeOf(context));
	const executionJournal = onFirstUse(() => new ExecutionJournal(scope()));
	const run: RunContext = {
		approvable: { operation: `${resource}.${operation}`, baseUrl: credentials.baseUrl },
		credentials: withoutSecretFields(credentials),
		settings,
		continues: context.continueOnFail(),
		mayRunAgain: context.getNode().retryOnFail === true,
		signal,
		read: client.sendRead,
		wallet: onFirstUse(async () => {
			if (credentials.authentication === 'walletSignIn') {
				return await openWallet(credentials, client.withoutToken, redactor.text, signal);
			}
			throw new UserError('These credentials don’t have a wallet to sign with', {
				hint: 'Use credentials whose Authentication is Wallet Sign-In. If the form has Signature From, you can set it to Provided instead; if it has Wallet Address, fill it in.',
			});
		}),
		write: (numbers, change, entry) => {
			const { summary, signs = null, signsSummary, reference, columns, entityId, ...rest } = change;
			const { sign, isUnrepeatable, isOncePerExecution, ...call } = rest;
			const request = { method: call.method, path: call.path, body: call.body };
			const shown = { summary, request, signs, signsSummary, reference, columns, entityId };
			return { ...shown, numbers, call, sign, isUnrepeatable, isOncePerExecution, entry };
		},
		executionJournal,
		store: context.helpers,
		scope,
		hint: (message) => context.addExecutionHints({ message, location: 'outputPane' }),
		annotate: (values) => {
			for (const [name, value] of Object.entries(values)) {
				/* In a loop, what an earlier run has set must not stay with what this one sets. */
				const isSet = context.customData.get(name) !== undefined;
				if (typeof value === 'string') context.customData.set(name, value);
				else if (isSet) context.customData.set(name, '');
			}
		},
	};
	return {
		run,
		perform: performWith(client, executionJournal, signal),
		/** Makes sure of the token before anything is claimed or signed. */
		ensureToken: client.ensureToken,
	};
}

export type OpenRun = Awaited<ReturnType<typeof openRun>>;

function onFirstUse<Value>(open: () => Value): () => Value {
	let opened: { readonly value: Value } | undefined;
	return () => (opened ??= { value: open() }).value;
}
