import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { nodeErrorFor } from '../api/nodeErrors';
import { openClient } from '../api/n8nTransport';
import { NoResponseError, ServiceError, SignInFailed, UserError } from '../shared/errors';
import type { JsonObject } from '../shared/json';
import { Redactor } from '../shared/redaction';
import { read, WorkflowMemory, write } from './memory';
import { EVENTS, readSettings, type PollEvent } from './changes';
import { compare, type Change, type Source } from './snapshots';

/** The activations that have polled: n8n makes one context for each (active-workflow-triggers.js). */
const polled = new WeakSet<IPollFunctions>();

const polling = new WeakSet<IPollFunctions>();

/**
 * One poll: what has changed since the last one that succeeded, or null. What is remembered changes
 * only after everything else has succeeded.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const redactor = new Redactor();
	const isManual = context.getMode() === 'manual';
	/* n8n starts a poll even while the one before is under way; both would report the same changes. */
	if (polling.has(context)) return null;
	polling.add(context);
	try {
		return await (isManual ? fetchExample : pollOnce)(context, redactor);
	} catch (error) {
		const note = 'No changes are lost: the next check that succeeds reports them.';
		/* A workflow that can't be published starts over the next time. */
		const isKept = polled.has(context) || context.getActivationMode() !== 'activate';
		const isNoted = !isManual && isKept && isPassing(error);
		const shown = nodeErrorFor(context.getNode(), isNoted ? error.with({ note }) : error, redactor);
		if (isManual || !isAfterRestart(context)) throw shown;
		/* n8n would give up a trigger whose first poll fails for a quarter of a minute, for good. */
		polled.add(context);
		context.__emitError(shown);
		return null;
	} finally {
		polling.delete(context);
	}
}

/** Whether this is the first poll of a workflow that was published before n8n started. */
function isAfterRestart(context: IPollFunctions): boolean {
	return !polled.has(context) && ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** Whether the service or the way to it failed, rather than the settings. */
function isPassing(error: unknown): error is UserError {
	return [ServiceError, NoResponseError, SignInFailed].some((kind) => error instanceof kind);
}

async function pollOnce(
	context: IPollFunctions,
	redactor: Redactor,
): Promise<INodeExecutionData[][] | null> {
	const node = context.getNode();
	const memory = new WorkflowMemory(
		context.getWorkflow().id ?? '',
		context.getWorkflowStaticData('global'),
	);
	const { event, watch } = readSettings(context);
	const { sendRead: call, credentials } = await openClient(context, redactor);
	const source: Source = { call, watch };
	const kind = EVENTS[event];
	/* The minimum change isn't part of it. */
	const { entityId, currencies = [] } = watch;
	const scope = JSON.stringify([event, credentials.baseUrl, entityId, ...currencies]);
	const isFirst = !polled.has(context);
	const mode = context.getActivationMode();
	/* n8n says "activate" for as long as the workflow is on, so only the first poll can mean it. */
	const startsOver = isFirst && mode === 'activate';
	/* If this poll fails, n8n calls the next one an update, which would tell all that has been since. */
	if (startsOver) memory.remember(node.id, '');
	const revision = memory.revisionOf(node.id);

	const now = await kind.observe(source);
	/* Read after the list has arrived, so that the memory for both isn't needed at once. */
	const before = read(scope, memory.textOf(node.id));
	const observedAt = new Date();
	const { changes, remembered } =
		before === undefined ? { changes: [], remembered: now } : compare(kind, before, now, watch);
	const items = await itemsOf(event, changes, source, observedAt);
	const text = write(scope, remembered);

	/* Another poll has told what changed since this one began. */
	if (memory.revisionOf(node.id) !== revision) return null;
	polled.add(context);
	if (text === memory.textOf(node.id)) return null;
	/* n8n saves after an activation. Its poll scheduler says "update" at every poll. */
	const isSavedAfter = isFirst && mode !== 'update';
	if (items.length === 0 && isSavedAfter) {
		memory.remember(node.id, text);
		return null;
	}
	whenEmitted(context, () => {
		const isTold = memory.revisionOf(node.id) !== revision;
		if (!isTold) memory.remember(node.id, text);
		return !isTold;
	});
	/*
	 * After a silent poll n8n saves nothing (trigger-execution-context.factory.js). Without an
	 * execution, a restart would forget what this poll saw, e.g. that a user left.
	 */
	return [items];
}

/**
 * Remembers when n8n hands the result over. It drops, without a word, the result of a poll whose
 * trigger was published again meanwhile (poll-trigger-executor.js), and its scheduler, which lets polls
 * overlap, does much between a poll and its handing over (poll-trigger-task-handler.js).
 * @param remember gives false if another poll has told the same meanwhile
 */
function whenEmitted(context: IPollFunctions, remember: () => boolean): void {
	const emit = context.__emit.bind(context);
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
	const { event, watch } = readSettings(context);
	const { sendRead: call } = await openClient(context, redactor);
	const source: Source = { call, watch };
	const now = [...(await EVENTS[event].observe(source))];
	/* Of balances, the first that isn't 0 if there is one. */
	const [id, observation] = now.find(([, { compared }]) => compared !== '0') ?? now[0] ?? [];
	if (id === undefined || observation === undefined) {
		throw new UserError(`The service lists nothing for ${watch.entityId} yet`, {
			hint: 'Publish the workflow anyway: it starts when something is there and changes.',
		});
	}
	const change = { id, before: observation.compared, now: observation };
	return [await itemsOf(event, [change], source, new Date())];
}

async function itemsOf(
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
