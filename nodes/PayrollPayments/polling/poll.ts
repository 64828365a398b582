import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { nodeErrorFor } from '../api/nodeErrors';
import { readsWith, type Reads } from '../api/tokenExchange';
import { NoResponseError, Refusal, ServiceError, wrapError } from '../shared/errors';
import { Redactor } from '../shared/redaction';
import { balanceChanged } from './balanceChanged';
import type {
	Change,
	ChangeKind,
	Observation,
	Observations,
	OutputRecord,
	Source,
} from './changeKind';
import { inviteAdded } from './inviteAdded';
import { inviteEnded } from './inviteEnded';
import { read, write } from './memory';
import { readSettings, type PollEvent, type PollSettings } from './settings';
import { teamUserAdded } from './teamUserAdded';
import { teamUserChanged } from './teamUserChanged';

const KINDS: Readonly<Record<PollEvent, ChangeKind>> = {
	balanceChanged,
	inviteAdded,
	inviteEnded,
	teamUserAdded,
	teamUserChanged,
};

const RETRIES = 3;

/**
 * The activations that have polled. n8n makes one context for each (active-workflow-triggers.js), and
 * with its durable cursors another copy of the static data for each poll.
 */
const polled = new WeakSet<IPollFunctions>();

/** The activations that are polling now. */
const polling = new WeakSet<IPollFunctions>();

/**
 * One poll: what has changed since the last one that succeeded, or null. What is remembered changes
 * only after everything else has succeeded.
 * @throws the error that n8n shows
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const redactor = new Redactor();
	const isManual = context.getMode() === 'manual';
	return await (isManual ? fetchExample : pollAlone)(context, redactor).catch((error: unknown) => {
		throw nodeErrorFor(context.getNode(), explain(error, isManual), undefined, redactor);
	});
}

/** n8n starts a poll even while the one before is under way; both would report the same changes. */
async function pollAlone(
	context: IPollFunctions,
	redactor: Redactor,
): Promise<INodeExecutionData[][] | null> {
	if (polling.has(context)) return null;
	polling.add(context);
	try {
		return await pollOnce(context, redactor);
	} finally {
		polling.delete(context);
	}
}

async function pollOnce(
	context: IPollFunctions,
	redactor: Redactor,
): Promise<INodeExecutionData[][] | null> {
	const data = context.getWorkflowStaticData('node');
	const settings = readSettings(context);
	const reads = await readsWith(context, redactor, RETRIES);
	const source: Source = { call: reads.call, settings };
	const kind = KINDS[settings.event];
	const scope = scopeOf(reads, settings);
	const isActivation = !polled.has(context);
	/* n8n says "activate" for as long as the workflow is on, so only the first poll can mean it. */
	const startsOver = isActivation && context.getActivationMode() === 'activate';

	const now = await kind.observe(source);
	/* Read after the list has arrived, so that the memory for both isn't needed at once. */
	const before = startsOver ? undefined : read(scope, data.remembered);
	const observedAt = new Date();
	const { changes, remembered } =
		before === undefined ? { changes: [], remembered: now } : kind.compare(before, now, settings);
	const items = await itemsOf(kind, changes, source, observedAt);
	const text = write(scope, remembered);

	const isNews = text !== data.remembered;
	if (isNews) data.remembered = text;
	polled.add(context);
	if (items.length > 0) return [items];
	/*
	 * n8n saves static data after an activation and when an execution starts, but not after a silent
	 * poll (trigger-execution-context.factory.js). Without an execution, a restart would forget what
	 * this poll saw, e.g. that a user left.
	 */
	const mustSave = isNews && !isActivation && context.getNode().alwaysOutputData !== true;
	return mustSave ? [[]] : null;
}

/** What the remembered values belong to. The minimum change isn't part of it. */
function scopeOf({ baseUrl }: Reads, { event, entityId, currencies }: PollSettings): string {
	return JSON.stringify([event, baseUrl, entityId, ...currencies]);
}

/** *Fetch Test Event*: one record as it is now. Remembers nothing. */
async function fetchExample(
	context: IPollFunctions,
	redactor: Redactor,
): Promise<INodeExecutionData[][]> {
	const settings = readSettings(context);
	const { call } = await readsWith(context, redactor, RETRIES);
	const source: Source = { call, settings };
	const kind = KINDS[settings.event];
	const now = await kind.observe(source);
	const example = exampleIn(now);
	if (example === undefined) {
		throw new Refusal(`The service lists nothing for ${settings.entityId} yet`, {
			hint: 'Publish the workflow anyway: it starts when something is there and changes.',
		});
	}
	const [id, observation] = example;
	const change = { id, before: observation.compared, now: observation };
	return [await itemsOf(kind, [change], source, new Date())];
}

/** The first record; of balances, the first that isn't 0 if there is one. */
function exampleIn(now: Observations): [string, Observation] | undefined {
	const all = [...now];
	return all.find(([, { compared }]) => compared !== '0') ?? all[0];
}

async function itemsOf(
	kind: ChangeKind,
	changes: readonly Change[],
	source: Source,
	observedAt: Date,
): Promise<INodeExecutionData[]> {
	if (changes.length === 0) return [];
	const { event } = source.settings;
	const records = await kind.describe(changes, source);
	return records.map((record) => ({ json: outputOf(event, record, observedAt) }));
}

function outputOf(event: PollEvent, record: OutputRecord, observedAt: Date): IDataObject {
	/* Assigned twice: first for its place, then over a field of the same name in the record. */
	return Object.assign({ event }, record, { event, observed_at: observedAt.toISOString() });
}

/** The same error with a hint that fits a trigger, which has no options for sending. */
function explain(error: unknown, isManual: boolean): unknown {
	if (!(error instanceof ServiceError) && !(error instanceof NoResponseError)) return error;
	const explained = wrapError(error, error.message, { hint: hintFor(error) });
	return isManual
		? explained
		: explained.addNote('No changes are lost: the next check that succeeds reports them.');
}

function hintFor(error: ServiceError | NoResponseError): string | undefined {
	if (error instanceof ServiceError && error.status === 429) {
		return 'Rate limit reached. Choose longer Poll Times.';
	}
	return error.hint?.includes('under Options') === true
		? 'Check that n8n can reach this address (network, proxy, firewall).'
		: error.hint;
}
