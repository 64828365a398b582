import { claimKeys, type ProcessedStore } from '../idempotency/keyStore';

/** The key and the mark of who recorded it. */
const ENTRIES_PER_EVENT = 2;

/**
 * Records an event in n8n's store.
 *
 * @param options `history`: how many events are remembered for the node, at least 1; the oldest are
 * forgotten first. `owner`: who records; the same owner gets `first` again.
 * @returns whether it is recorded for the first time
 * @throws where n8n's store can't be written
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
