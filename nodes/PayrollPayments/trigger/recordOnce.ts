import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { claimForEvent } from '../idempotency/keyStore';
import type { ProcessedStore } from '../idempotency/nodeList';
import { messageOf, UserError } from '../shared/errors';
import { nodeKeyOf } from '../shared/nodeKey';
import { claimsOf, eventKey } from './claims';
import { errorInItems } from './editorError';
import { readOptions } from './settings';

/**
 * The first step of the execution that a delivery started: records the event in n8n's store, and
 * ends the execution if another one has recorded it.
 */
export async function recordOnce(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const node = context.getNode();
	const shown = errorInItems(node, items);
	if (shown !== undefined) {
		/* n8n would run the rest of the workflow with an item that a stranger caused. */
		if (context.continueOnFail()) return [[]];
		throw shown;
	}
	const { idempotency_key: idempotencyKey } = items[0]?.json ?? {};
	const hasKey = typeof idempotencyKey === 'string' || typeof idempotencyKey === 'number';
	/* A retry would find the record of its own first attempt, and a manual run must leave none. */
	if (context.getMode() !== 'webhook' || !hasKey) return [items];
	/* Of this execution's version of the workflow; the trigger may have been changed since. */
	const options = () => context.getNodeParameter('options', 0, {});
	const { recordedHistory: history } = readOptions({ read: options, readSaved: options });
	if (history === undefined) return [items];
	const owner = context.getExecutionId();
	const mayComeAgain = node.retryOnFail === true;
	try {
		const recording = { history, owner, mayComeAgain };
		const key = eventKey(String(idempotencyKey));
		const nodeKey = nodeKeyOf(context.getWorkflow(), node);
		const outcome = await recordEvent(context.helpers, nodeKey, key, recording);
		if (outcome === 'first') return [items];
		context.logger.info(
			`Payroll Payments Trigger ended execution ${owner}: another execution has already recorded this event`,
		);
		return [[]];
	} catch (error) {
		throw new NodeOperationError(
			node,
			'The event could not be recorded in n8n’s database, so the workflow was not run',
			{
				description:
					'Retry this execution from the executions list; a retry always processes its event. ' +
					messageOf(error),
			},
		);
	}
}

/** The key and the mark of the execution that recorded it. */
const ENTRIES_PER_EVENT = 2;

interface Recording {
	/** How many events to remember for the node; the oldest are dropped first. */
	readonly history: number;
	/** The execution that records. */
	readonly owner: string;
	/** Whether it may record its event twice, as with Retry On Fail; it then gets `first` again. */
	readonly mayComeAgain: boolean;
}

/**
 * Records an event in n8n's store. Only in n8n's regular mode does an execution run in the process that
 * received its event. A claim in this process's memory therefore means that one entry will do: nothing
 * has to be proved to other processes.
 * @throws if n8n's store can't be written
 */
export async function recordEvent(
	store: ProcessedStore,
	nodeKey: string,
	key: string,
	{ history, owner, mayComeAgain }: Recording,
): Promise<'first' | 'seen'> {
	const claims = claimsOf(nodeKey);
	const isOnlyProcess = claims.has(key) && !mayComeAgain;
	/* Events that this process has forgotten may take two entries, the key and a mark. */
	const unmarked = isOnlyProcess ? Math.min(history, claims.size) : 0;
	const maxEntries = ENTRIES_PER_EVENT * history - unmarked;
	const list = { store, nodeKey, maxEntries };
	const claim = await claimForEvent(list, { key, owner, isOnlyProcess });
	if (claim !== 'uncertain') return claim === 'claimed' ? 'first' : 'seen';
	throw new UserError('n8n’s database failed, so it isn’t known whether this event ran before');
}
