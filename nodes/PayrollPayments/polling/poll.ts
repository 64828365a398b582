import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { systemClock } from '../api/clock';
import { nodeErrorFor } from '../api/nodeErrors';
import { openClient } from '../api/n8nTransport';
import { NoResponseError, ServiceError, SignInFailed, UserError } from '../shared/errors';
import type { JsonObject } from '../shared/json';
import { Redactor } from '../shared/redaction';
import { endedOrAborted } from '../shared/waiting';
import { compare, type Change, type Source } from './compare';
import { EVENTS, readParameters, type PollEvent } from './eventKinds';
import { decodeMemory, encodeMemory, isMemoryOf, TriggerMemory } from './memory';

/** Of an activation, for which n8n makes one context (active-workflow-triggers.js). */
interface Activation {
	hasPolled?: boolean;
	/** When the poll that is under way began. */
	pollingSince?: number;
	/** n8n's own `__emit`; {@link beforeEmitting} replaces it until a result is emitted. */
	emit?: IPollFunctions['__emit'];
}

/**
 * On n8n's context: once the package is updated in the editor, n8n loads this module again, and keeps the
 * context (directory-loader.js, triggers-and-pollers.js).
 */
const ACTIVATION = Symbol.for('n8n-nodes-payroll-payments.activation');

interface PollContext extends IPollFunctions {
	[ACTIVATION]?: Activation;
}

function activationOf(context: PollContext): Activation {
	return (context[ACTIVATION] ??= {});
}

/** A poll that hangs for longer than this doesn't keep others from starting. */
const MAX_POLL_MS = 10 * 60_000;

/**
 * How long n8n is kept waiting for the first poll after a restart or an edit. After 84 seconds it would list
 * the trigger as failed, and leave it out at each later start (workflow-publication-outbox-consumer.js).
 */
const MAX_FIRST_POLL_MS = 60_000;

/** Failures after which the next poll that succeeds reports everything. */
const reportedLater = new WeakSet<UserError>();

/**
 * One poll: what has changed since the last one that succeeded, or null. What is remembered changes
 * only after everything else has succeeded.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const redactor = new Redactor();
	const isManual = context.getMode() === 'manual';
	const activation = activationOf(context);
	const now = systemClock.elapsed();
	/* n8n starts a poll while the one before is under way. It would ask the service for the same. */
	if (now - (activation.pollingSince ?? -Infinity) < MAX_POLL_MS) return null;
	activation.pollingSince = now;
	const deadline =
		!isManual && isResumed(context) ? AbortSignal.timeout(MAX_FIRST_POLL_MS) : undefined;
	try {
		const work = (isManual ? fetchExample : pollOnce)(context, redactor, deadline);
		await endedOrAborted(work, deadline);
		if (deadline?.aborted === true) throw tooSlow();
		return await work;
	} catch (error) {
		const shown = nodeErrorFor(context.getNode(), error, redactor);
		if (deadline === undefined) throw shown;
		const losesNothing = deadline.aborted || isReportedLater(error);
		/* The edit may be the cause: n8n shows an error that is thrown here, and leaves the trigger off. */
		if (context.getActivationMode() === 'update' && !losesNothing) throw shown;
		/* n8n gives up a trigger for good if its first poll fails within fifteen seconds. */
		activation.hasPolled = true;
		context.__emitError(shown);
		return null;
	} finally {
		delete activation.pollingSince;
	}
}

function tooSlow(): UserError {
	return new UserError('The check took too long', {
		hint: 'Checking continues. Make sure that the service answers. If a person confirms sign-ins, ask them to confirm.',
	});
}

/**
 * Whether this is the first poll of a trigger that was on before, after a restart or an edit. n8n's poll
 * scheduler makes a context for each poll, with the mode "update", so that every poll counts as one.
 */
function isResumed(context: IPollFunctions): boolean {
	const mode = context.getActivationMode();
	return !activationOf(context).hasPolled && ['init', 'leadershipChange', 'update'].includes(mode);
}

function isReportedLater(error: unknown): boolean {
	return error instanceof UserError && reportedLater.has(error);
}

/** Whether the service or the way to it failed, rather than the settings. */
function isTransient(error: unknown): error is UserError {
	return [ServiceError, NoResponseError, SignInFailed].some((kind) => error instanceof kind);
}

async function pollOnce(
	context: IPollFunctions,
	redactor: Redactor,
	signal?: AbortSignal,
): Promise<INodeExecutionData[][] | null> {
	const memory = new TriggerMemory(context);
	const activation = activationOf(context);
	const isFirst = !activation.hasPolled;
	const mode = context.getActivationMode();
	/*
	 * n8n says "activate" for as long as the workflow is on, so only the first poll can mean it. Whatever
	 * fails from here on, n8n reports the next as "update", and it would report every change since.
	 */
	if (isFirst && mode === 'activate') memory.remember('');
	const { event, watch } = readParameters(context);
	const { sendRead: read, credentials } = await openClient(context, redactor, { signal });
	const source: Source = { read, watch };
	/* Another minimum change goes on with the same memory. */
	const { entityId, currencies = [] } = watch;
	const scope = JSON.stringify([event, credentials.baseUrl, entityId, ...currencies]);
	const { revision } = memory;
	/* Where nothing is remembered for it, the next check begins, and reports nothing. */
	const isKept = isMemoryOf(scope, memory.text);
	const rethrow = (error: unknown): never => {
		if (!isKept || !isTransient(error)) throw error;
		const note = 'No changes are lost: the next check that succeeds reports them.';
		const withNote = error.with({ note });
		reportedLater.add(withNote);
		throw withNote;
	};

	const now = await EVENTS[event].observe(source).catch(rethrow);
	/* Read after the list has arrived, so that the memory for both isn't needed at once. */
	const before = decodeMemory(scope, memory.text);
	const observedAt = new Date();
	const { changes, remembered } =
		before === undefined
			? { changes: [], remembered: now }
			: compare(EVENTS[event], before, now, watch);
	const items = await changeItems(event, changes, source, observedAt).catch(rethrow);
	const text = encodeMemory(scope, remembered);

	/* n8n no longer waits for this poll, and shows its error. */
	if (signal?.aborted === true) return null;
	/* A poll that overlaps with this one has reported its changes. */
	if (memory.revision !== revision) return null;
	activation.hasPolled = true;
	if (text === memory.text) return null;
	/* n8n saves after an activation. Its poll scheduler says "update" at every poll. */
	if (items.length === 0 && isFirst && mode !== 'update') {
		memory.remember(text);
		return null;
	}
	beforeEmitting(context, () => {
		if (memory.revision !== revision) return false;
		memory.remember(text);
		return true;
	});
	/*
	 * n8n saves nothing after a poll that returns null (trigger-execution-context.factory.js). Without an
	 * execution, a restart would forget what this poll saw, e.g. that a user left.
	 */
	return [items];
}

/**
 * n8n drops the result of a poll, without a word, if its trigger was published again meanwhile
 * (poll-trigger-executor.js), and its scheduler lets polls overlap (poll-trigger-task-handler.js). So a
 * poll remembers only when n8n emits its result.
 * @param remember gives false if another poll has reported the same meanwhile
 */
function beforeEmitting(context: IPollFunctions, remember: () => boolean): void {
	const emit = (activationOf(context).emit ??= context.__emit.bind(context));
	context.__emit = (...result) => {
		context.__emit = emit;
		if (remember()) emit(...result);
	};
}

/** *Fetch Test Event*: one record as it is now. Remembers nothing. */
async function fetchExample(
	context: IPollFunctions,
	redactor: Redactor,
): Promise<INodeExecutionData[][]> {
	const { event, watch } = readParameters(context);
	const { sendRead: read } = await openClient(context, redactor);
	const source: Source = { read, watch };
	const now = [...(await EVENTS[event].observe(source))];
	/* Of balances, the first that isn't 0 if there is one. */
	const [id, observation] = now.find(([, { compared }]) => compared !== '0') ?? now[0] ?? [];
	if (id === undefined || observation === undefined) {
		throw new UserError(`The service lists nothing for ${watch.entityId} yet`, {
			hint: 'Publish the workflow anyway: it starts at the next change.',
		});
	}
	const change = { id, before: observation.compared, now: observation };
	return [await changeItems(event, [change], source, new Date())];
}

async function changeItems(
	event: PollEvent,
	changes: readonly Change[],
	source: Source,
	observedAt: Date,
): Promise<INodeExecutionData[]> {
	if (changes.length === 0) return [];
	const records = await EVENTS[event].describe(changes, source);
	const always: JsonObject = { event, observed_at: observedAt.toISOString() };
	/* The event twice: first for its place, then over a field of the same name in the record. */
	return records.map((record) => ({ json: { event, ...record, ...always } }));
}
