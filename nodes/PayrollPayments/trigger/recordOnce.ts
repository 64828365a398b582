import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { claimKeys, type ProcessedStore } from '../idempotency/keyStore';
import { Redactor, shorten, WITHHELD } from '../shared/redaction';
import { readAcknowledge } from './acknowledge';
import { keyOf, nodeKeyOf } from './claims';
import { reasonOf } from './parameters';
import { readHistory, WEBHOOK_CREDENTIALS } from './settings';

/**
 * The first step of the execution that a delivery started: records the event in n8n's store, and
 * ends the execution if another one has recorded it. An event that is acknowledged only when its
 * workflow has finished isn't recorded.
 */
export async function recordOnce(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	/* Only `diagnose.ts` makes items with an error; a sender can't. */
	const refusal = items[0]?.error;
	if (refusal !== undefined) {
		throw new NodeOperationError(context.getNode(), refusal.message, {
			description: refusal.description ?? undefined,
		});
	}
	const options = context.getNodeParameter('options', 0, {});
	const history = readHistory(options);
	const idempotencyKey = items[0]?.json.idempotency_key;
	/*
	 * A retry would find the record of its own first attempt, and a manual run must leave none. Nor
	 * must an event that is acknowledged at the end: if its workflow fails, the next delivery runs.
	 */
	if (
		context.getMode() !== 'webhook' ||
		history === undefined ||
		readAcknowledge(options) === 'finished' ||
		typeof idempotencyKey !== 'string'
	) {
		return [items];
	}
	try {
		const key = keyOf(idempotencyKey);
		/* The same execution comes here again with Retry On Fail or when another worker takes it over. */
		const owner = context.getExecutionId();
		const outcome = await recordEvent(context.helpers, nodeKeyOf(context), key, { history, owner });
		if (outcome === 'first') return [items];
		context.logger.info(
			`Payroll Payments Trigger ended execution ${owner}: another execution has already recorded this event (idempotency_key ` +
				`${JSON.stringify(shorten(await withoutOwnSecrets(context, idempotencyKey), 100))})`,
		);
		return [[]];
	} catch (error) {
		throw new NodeOperationError(
			context.getNode(),
			'The event could not be recorded in n8n’s database, so the workflow was not run',
			{
				description:
					'Retry this execution from the executions list; a retry always processes its event. ' +
					reasonOf(error),
			},
		);
	}
}

/** Text from the sender, fit for the log. Withheld entirely if the secrets can't be read. */
async function withoutOwnSecrets(context: IExecuteFunctions, text: string): Promise<string> {
	if (context.getNodeParameter('authentication', 0, 'webhookCredentials') === 'none') return text;
	try {
		const { secret, previousSecret } = await context.getCredentials(WEBHOOK_CREDENTIALS);
		return new Redactor().add(secret, previousSecret).text(text);
	} catch {
		return WITHHELD;
	}
}

/** The key and the mark of the execution that recorded it. */
const ENTRIES_PER_EVENT = 2;

/**
 * Records an event in n8n's store.
 *
 * @param options `history`: how many events to remember for the node, at least 1; the oldest are
 * dropped first. `owner`: the execution that records; the same owner gets `first` again.
 * @returns whether this is the first time
 * @throws if n8n's store can't be written
 */
export async function recordEvent(
	store: ProcessedStore,
	nodeKey: string,
	key: string,
	{ history, owner }: { readonly history: number; readonly owner: string },
): Promise<'first' | 'seen'> {
	const { status } = await claimKeys(store, nodeKey, {
		keys: [key],
		owner,
		mayClaim: (isRecorded) => !isRecorded(key),
		maxEntries: ENTRIES_PER_EVENT * history,
		isStrict: false,
	});
	return status === 'claimed' ? 'first' : 'seen';
}
