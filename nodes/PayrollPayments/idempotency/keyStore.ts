import { randomUUID } from 'node:crypto';

import { throwIfStopped, UserError } from '../shared/errors';
import { transact, type ListCalls, type NodeList } from './nodeList';

/*
 * THE PROTOCOL
 *
 * n8n keeps one list of entries for each node, oldest first, over restarts (deduplication-helper.ts in
 * n8n 2.41.3). Each call reads the list and writes it back whole, and n8n has no lock: of two calls at
 * once, the later write undoes the earlier one. Nor can n8n only look: to ask for a key records it.
 *
 * Within one process the calls of a node take turns, so exactly one of several claims of a key succeeds.
 * Between processes the steps below see to it. They rest on two things:
 * - Marks. Each claim or look-up records a mark of its own in the same call as its keys. As lists are
 *   written only whole, a list with the mark descends from that call, and keys that the call added are
 *   still its own there.
 * - Quiet. A process that has changed the list leaves it alone for a while. A call of another process
 *   that had read the list before the change has then written it.
 * They fail only where another process holds on for longer to what it has read, or more than a handful
 * write one node's list at once.
 *
 * A claim
 *   1. Record the keys and the mark in one call. n8n answers which of them were there before.
 *   2. The mark is new, and the keys are free: RECORDED. Wait until it is quiet, then 1 again.
 *   3. The mark is new, and the keys are not free, or a key that another call must have recorded wasn't
 *      there: SEEN. Remove what this call added, then 7. Events skip 7: a mark that is written back
 *      only takes room.
 *   4. The mark was there, but not all of the keys: RECORDED, as after 2.
 *   5. All were there: CLAIMED. Nobody can overwrite it any more.
 *   6. A call failed, and may have written: 1 once more, with a new mark. Keys that are there then may
 *      be our own; they count as another's, but it is UNCERTAIN.
 *
 * To undo a claim or a look-up
 *   7. Wait until it is quiet, then record the mark alone. It is new: remove it, and that is all.
 *   8. It was there: remove it and what its call added, then 7. Another process may have written the
 *      list back, and our entries with it.
 *
 * A look-up
 *   9. Record the keys and a mark. Remove in the same turn what this call added, then 7.
 *  10. Look once more for the keys that were there, since another process may have been looking, too.
 *
 * A process that crashes leaves its entries behind. Their keys count as recorded.
 */

export type IsRecorded = (key: string) => boolean;

/** How often a step is repeated before giving up. */
const MAX_REPEATS = 10;

/** Keys of a look-up that one call removes: n8n goes through its whole list for each, while others wait. */
const KEYS_PER_REMOVAL = 250;

/** What a claim or look-up has put into the list. */
interface Trace {
	readonly mark: string;
	/** The entries that were not there before, with the mark. */
	readonly added: Set<string>;
}

const newTrace = (): Trace => ({ mark: randomUUID(), added: new Set() });

export interface PaymentClaimRequest {
	readonly keys: readonly string[];
	/** Recorded by the same calls for good, whatever becomes of the claim. */
	readonly permanentKeys?: readonly string[];
	/** What others must have recorded, and not removed before the claim is settled. */
	readonly requiredKeys?: readonly string[];
	/** Whether the keys are free, given which of them are recorded. */
	mayClaim(isRecorded: IsRecorded): boolean;
	readonly signal?: AbortSignal;
}

interface Claim extends Trace, Omit<PaymentClaimRequest, 'signal'> {
	/** Whether no other process can have the keys: nothing is marked or verified then. */
	readonly isOnlyProcess: boolean;
}

type Verdict = 'claimed' | 'recorded' | 'seen';

type VerdictOn = (claim: Claim) => Verdict;

/** Steps 1 to 5 for claims that share a call. */
async function recordTogether(
	{ record, remove, endQuiet }: ListCalls,
	claims: readonly Claim[],
): Promise<VerdictOn> {
	/* Of several claims with the same entry, the first has it. */
	const claimOf = new Map<string, Claim>();
	const removableEntries = ({ keys, requiredKeys = [], mark, isOnlyProcess }: Claim) =>
		isOnlyProcess ? keys : [...keys, ...requiredKeys, mark];
	for (const claim of claims) {
		for (const entry of [...(claim.permanentKeys ?? []), ...removableEntries(claim)]) {
			if (!claimOf.has(entry)) claimOf.set(entry, claim);
		}
	}
	const isOnlyProcess = claims.every((claim) => claim.isOnlyProcess);
	const wasThere = await record([...claimOf.keys()], isOnlyProcess);
	const isThere = (entry: string) => wasThere.has(entry);
	/* A list that has the claim's mark descends from an earlier call for the claim. */
	const markWasThere = ({ mark }: Claim) => isThere(mark);
	const verdictOn = (claim: Claim): Verdict => {
		const { keys, permanentKeys = [], requiredKeys = [] } = claim;
		/* A key that another claim takes in this call counts as recorded. */
		const isRecorded = (key: string) => isThere(key) || claimOf.get(key) !== claim;
		if (!markWasThere(claim) && !claim.mayClaim(isRecorded)) return 'seen'; /* 3 */
		if (!requiredKeys.every(isThere)) return 'seen'; /* 3 */
		const allWereThere = markWasThere(claim) && [...keys, ...permanentKeys].every(isThere);
		return allWereThere || claim.isOnlyProcess ? 'claimed' /* 5 */ : 'recorded'; /* 2, 4 */
	};
	const seen = claims.filter((claim) => verdictOn(claim) === 'seen');
	/* Without the mark, our earlier list was overwritten. What it had of ours, if it's here, is another process's. */
	for (const claim of seen) if (!markWasThere(claim)) claim.added.clear();
	for (const [entry, claim] of claimOf) {
		if (!isThere(entry) && removableEntries(claim).includes(entry)) claim.added.add(entry);
	}
	const leftovers = seen.flatMap(({ added }) => [...added]);
	await remove(leftovers).catch(() => undefined);
	if (claims.every((claim) => !claim.isOnlyProcess && verdictOn(claim) === 'claimed')) endQuiet();
	return verdictOn;
}

interface Batch {
	readonly claims: Claim[];
	readonly verdictOn: Promise<VerdictOn>;
}

/** The claims of events that wait for the next turn of a node, to share a call. */
const nextBatches = new Map<string, Batch>();

function nextBatchOf(list: NodeList): Batch {
	const waiting = nextBatches.get(list.nodeKey);
	if (waiting !== undefined) return waiting;
	const claims: Claim[] = [];
	const verdictOn = transact(list, async (calls) => {
		nextBatches.delete(list.nodeKey);
		return await recordTogether(calls, claims);
	});
	const batch = { claims, verdictOn };
	nextBatches.set(list.nodeKey, batch);
	return batch;
}

/** Repeats steps 1 to 5 until the claim is settled, with step 6 for a call that failed. */
async function settle(first: Claim, ask: (claim: Claim) => Promise<Verdict>) {
	let claim = first;
	let hasFailed = false;
	let verdict: Verdict = 'recorded';
	for (let count = 0; verdict === 'recorded' && count <= MAX_REPEATS; count++) {
		verdict = await ask(claim).catch(async () => {
			hasFailed = true;
			claim = { ...claim, mark: `${claim.mark} again`, added: new Set() };
			return await ask(claim);
		});
	}
	return { verdict, claim, hasFailed };
}

/** Steps 7 and 8. */
async function undo(list: NodeList, traces: readonly Trace[]): Promise<void> {
	const written = traces.filter(({ added }) => added.size > 0);
	const marks = written.map(({ mark }) => mark);
	let isBack = marks.length > 0;
	for (let count = 0; isBack && count < MAX_REPEATS; count++) {
		isBack = await transact(list, async ({ record, remove }) => {
			const back = await record(marks);
			const isNew = (mark: string) => !back.has(mark);
			await remove(marks.filter(isNew));
			for (const { mark, added } of written) if (back.has(mark)) await remove([...added]);
			return back.size > 0;
		});
	}
}

export interface PaymentClaim {
	/** Removes exactly what the claim has recorded. */
	release(): Promise<void>;
}

/**
 * Records the keys of a payment together, unless they aren't free. A claim that comes to nothing leaves
 * no trace.
 * @returns undefined if another claim has the keys, or a failed call of this one may have recorded them
 * @throws {UserError} or n8n's own error where they can't be recorded: they may be in the list or not
 * @throws {UserError} once the execution was stopped: the keys are then removed again
 */
export async function claimForPayment(
	list: NodeList,
	{ signal, ...request }: PaymentClaimRequest,
): Promise<PaymentClaim | undefined> {
	const first = { ...request, ...newTrace(), isOnlyProcess: false };
	const { verdict, claim } = await settle(first, async (asked) => {
		const ask = async () => {
			const claimAlone = async (calls: ListCalls) => await recordTogether(calls, [asked]);
			const verdictOn = await transact(list, claimAlone, signal);
			throwIfStopped(signal);
			return verdictOn(asked);
		};
		return await ask().catch(async (error: unknown) => {
			if (signal?.aborted === true) await undo(list, [asked]).catch(() => undefined);
			throw error;
		});
	});
	const release = async () => await undo(list, [claim]);
	if (verdict === 'claimed') return { release };
	if (verdict === 'recorded') {
		throw new UserError('n8n did not keep the record that guards against doing this twice', {
			hint: 'Several n8n processes may be writing it at the same time. Try again in a moment.',
		});
	}
	/* A mark that stays takes room, and no more. */
	await release().catch(() => undefined);
	return undefined;
}

interface EventClaimRequest {
	readonly key: string;
	/** Another claim with the same owner succeeds again. */
	readonly owner: string;
	/** Whether no other process can have the event: nothing is marked or verified then. */
	readonly isOnlyProcess: boolean;
}

/**
 * Records the key of an event, in one call with others that wait.
 * @returns `uncertain` if the key may be our own, of a call that failed
 * @throws {UserError} or n8n's own error where it can't be recorded: it may be in the list or not
 */
export async function claimForEvent(
	list: NodeList,
	{ key, owner, isOnlyProcess }: EventClaimRequest,
): Promise<'claimed' | 'seen' | 'uncertain'> {
	const first: Claim = {
		keys: [key],
		mark: `${key} ${owner}`,
		added: new Set(),
		isOnlyProcess,
		mayClaim: (isRecorded) => !isRecorded(key),
	};
	const { verdict, hasFailed } = await settle(first, async (claim) => {
		const batch = nextBatchOf(list);
		batch.claims.push(claim);
		return (await batch.verdictOn)(claim);
	});
	if (verdict === 'seen') return hasFailed ? 'uncertain' : 'seen';
	/* An event that nobody else has is better run than not, however crowded the list is. */
	return 'claimed';
}

/** Step 9. */
async function lookUpOnce({ record, remove }: ListCalls, groups: ReadonlyArray<readonly string[]>) {
	const looks = packed(groups).map((keys) => ({ ...newTrace(), keys }));
	const entries = new Set(looks.flatMap(({ keys, mark }) => [...keys, mark]));
	const found = await record([...entries]);
	for (const { keys, mark, added } of looks) {
		for (const entry of [...keys, mark]) {
			/* Only one call may remove an entry: once it is gone, another process may record it. */
			if (!found.has(entry) && entries.delete(entry)) added.add(entry);
		}
		await remove([...added]).catch(() => undefined);
	}
	return { found, traces: looks };
}

/** Puts groups together into as few lists as may be removed by one call each. */
function packed(groups: ReadonlyArray<readonly string[]>): string[][] {
	const packs: string[][] = [];
	for (const group of groups) {
		const last = packs.at(-1);
		if (last === undefined || last.length + group.length > KEYS_PER_REMOVAL) packs.push([...group]);
		else last.push(...group);
	}
	return packs;
}

/**
 * Looks for keys, thousands at once if need be, and leaves no trace of it. If the process is killed
 * meanwhile, a group of keys is left behind as a whole or not at all.
 * @throws {UserError} once the execution was stopped
 */
export async function lookUp(
	list: NodeList,
	groups: ReadonlyArray<readonly string[]>,
	signal?: AbortSignal,
): Promise<IsRecorded> {
	let found: ReadonlySet<string> = new Set(groups.flat());
	/* The second time is step 10. */
	for (let count = 0; count < 2 && found.size > 0; count++) {
		const sought = groups.map((group) => group.filter((key) => found.has(key)));
		const answer = await transact(list, async (calls) => await lookUpOnce(calls, sought), signal);
		await undo(list, answer.traces);
		throwIfStopped(signal);
		({ found } = answer);
	}
	return (key) => found.has(key);
}

/**
 * Records keys for good, no matter who else has recorded them.
 * @throws {UserError} or n8n's own error where they can't be recorded
 */
export async function recordForGood(
	list: NodeList,
	permanentKeys: readonly string[],
): Promise<void> {
	await claimForPayment(list, { keys: [], permanentKeys, mayClaim: () => true });
}

/** Removes keys, no matter who has recorded them. Another process may write them back. */
export async function forget(list: NodeList, keys: readonly string[]): Promise<void> {
	await transact(list, async ({ remove }) => await remove(keys));
}
