import { NoResponseError, ServiceError, throwIfStopped, UserError } from '../shared/errors';
import { emailKey } from '../contract/formats';
import type { JsonValue } from '../shared/json';
import { groupsOf } from '../shared/lists';
import { nodeKeyOf } from '../shared/nodeKey';
import { ExecutionMemory, type RunScope } from './executionMemory';
import type { Journal, Known } from './journal';
import {
	claimForPayment,
	forget,
	lookUp,
	recordForGood,
	type IsRecorded,
	type PaymentClaim,
} from './keyStore';
import type { NodeList, ProcessedStore } from './nodeList';
import {
	beingLookedUp,
	beingSent,
	changedSince,
	notLookedUp,
	notMade,
	notRecorded,
	outcomeUnknown,
	refusedBy,
	sameAsRow,
	unresolvedBy,
} from './paymentErrors';
import {
	allowedBy,
	claimedKeys,
	codeOf,
	decide,
	identityOf,
	isOtherReference,
	paymentKeysOf,
	secondCodeOf,
	type Payment,
} from './paymentKeys';
import { sentByProcess, type MemoryClaim } from './processMemory';

/**
 * How many payments a node remembers at least; n8n forgets the oldest beyond that. Each call of n8n's store
 * rewrites the whole list. `MAX_KEYS` in processMemory.ts goes with it.
 */
const PAYMENT_HISTORY = 10_000;

/** The keys that a payment leaves behind, at most five, and the marks of who recorded them. */
const ENTRIES_PER_PAYMENT = 7;

/** Payments that are looked up together. */
const PAYMENTS_PER_LOOKUP = 1_000;

/** At most, in `lookedUp` of paymentKeysOf. */
const KEYS_PER_LOOKUP = 12;

/** Room for look-ups under way, so that they make no payment forgotten. */
const MAX_ENTRIES = ENTRIES_PER_PAYMENT * PAYMENT_HISTORY + KEYS_PER_LOOKUP * PAYMENTS_PER_LOOKUP;

/** The service's answer to a payment. */
export interface PaymentAnswer {
	readonly [name: string]: JsonValue;
	readonly transaction: string;
}

/** What came of an item's payment in this run of the node. */
type Try =
	| { readonly payment: Payment; readonly answer: PaymentAnswer }
	| { readonly payment: Payment; readonly code: string; readonly error: UserError }
	| { readonly refusal: UserError };

const triesOfRuns = new ExecutionMemory<Try>();

/** A payment, as the attempt that its codes allow. */
type Attempt = ReturnType<typeof attemptOf>;

function attemptOf(payment: Payment) {
	const identity = identityOf(payment);
	const allowed = allowedBy(payment.confirmedNotPaid, identity);
	const keys = paymentKeysOf(identity, allowed.attempt);
	return { payment, identity, allowed, keys, code: codeOf(identity, allowed.attempt) };
}

/** The error for the second of two payments of a run that are the same, or have the same authorization. */
function repeatedError(
	{ payment, identity }: Attempt,
	first: Attempt,
	what: 'reference' | 'authorization',
): UserError {
	const { number, row = `row ${number + 1}`, listIndex } = first.payment;
	const isListed =
		listIndex !== undefined &&
		listIndex === payment.listIndex &&
		first.identity.termsHash === identity.termsHash &&
		first.identity.authorizationHash === identity.authorizationHash;
	return sameAsRow(payment, row, what, isListed);
}

/** An attempt's claims in this process's memory and in n8n's store. */
interface AttemptClaims {
	readonly inProcess: MemoryClaim;
	readonly inStore: PaymentClaim;
}

/** The key in the memory of the process, which knows the payments of several services. */
function inMemory({ baseUrl }: Payment, key: string): string {
	return `${baseUrl} ${key}`;
}

/**
 * Whether the payment was certainly not made: the service refused it in words that leave no doubt, or it was
 * never sent. `outcomeOf`, which serves other changes, is content with any refusal, and with a connection
 * that seems to have failed before anything left.
 */
function wasNotMade(error: unknown): error is UserError {
	if (!(error instanceof UserError)) return false;
	const { outcome } = error.context;
	if (outcome !== undefined) return outcome !== 'unknown';
	if (error instanceof ServiceError) return error.nothingDone && !error.mayHaveSucceeded;
	/* That a connection failed says too little about what had left before. */
	return !(error instanceof NoResponseError);
}

/**
 * Sends each payment once. It is looked up, claimed in this process's memory and in n8n's store, sent,
 * and recorded as paid. A claim is released only where the payment was certainly not made; if that isn't
 * known, it stays for good. A person who knows from the service that the payment was not made enters its
 * code, which allows the next attempt.
 *
 * | moment       | this process's memory        | n8n's store              | the run's tries     |
 * |--------------|------------------------------|--------------------------|---------------------|
 * | claimed      | the attempt, in flight       | the attempt              |                     |
 * | paid         | the attempt; that it is paid | paid: with the next      | payment and answer  |
 * |              |                              | claim or by `close`      |                     |
 * | not known    | the attempt                  | the attempt              | its code, the error |
 * | refused      | cleared                      | cleared, if it can be    | the refusal         |
 *
 * | a crash                            | leaves in n8n's store               | for the next run it is |
 * |------------------------------------|-------------------------------------|------------------------|
 * | while it is looked up              | all keys looked up, or nothing      | unknown, or as before  |
 * | while it is claimed                | the attempt, or nothing             | unknown, or as before  |
 * | from then on, sent or not          | the attempt                         | unknown                |
 * | while a refused one is released    | the attempt, or nothing             | unknown, or as before  |
 * | after the answer                   | the attempt                         | unknown                |
 * | after the next claim or the end of | the attempt, and that it was paid   | paid                   |
 * |   the run, which record the answer |                                     |                        |
 */
export class PaymentJournal implements Journal<Payment, PaymentAnswer> {
	private readonly list: NodeList;
	/** What n8n's store said when this run looked. */
	private readonly stored = new WeakMap<Payment, IsRecorded>();
	/** Keys of payments that were made, and are not recorded as paid yet: the next claim takes them along. */
	private readonly justPaid = new Set<string>();
	/** For `hasMoved`: the payments of this try by the hash of their authorization. Empty in a first try. */
	private byAuthorization: ReadonlyMap<string, readonly Payment[]> = new Map();
	/** Used instead of `triesOfRuns` if the run's tries can't be told from other calls (`hasOwnRun`). */
	private readonly ownTries = new Map<string, Try>();

	/**
	 * @param signal ends what waits once the execution was stopped
	 * @param memory what the nodes of this process have sent
	 */
	constructor(
		store: ProcessedStore,
		private readonly scope: RunScope,
		private readonly signal?: AbortSignal,
		private readonly memory = sentByProcess,
	) {
		const nodeKey = nodeKeyOf({ id: scope.workflowId }, { id: scope.nodeId });
		this.list = { store, nodeKey, maxEntries: MAX_ENTRIES };
	}

	/** Of two payments that are the same, or have the same authorization, the second is refused. */
	async look(payments: readonly Payment[]): Promise<Array<Known<PaymentAnswer>>> {
		const known: Array<Known<PaymentAnswer>> = [];
		const firstRows = new Map<string, Attempt>();
		/* A first try has nothing to compare with, and hashing takes time. */
		const compared = this.tries.size > 0 ? payments : [];
		this.byAuthorization = groupsOf(compared, (payment) => identityOf(payment).authorizationHash);
		for (let left = payments; left.length > 0; left = left.slice(PAYMENTS_PER_LOOKUP)) {
			const attempts = left.slice(0, PAYMENTS_PER_LOOKUP).map(attemptOf);
			const failure = await this.askStore(attempts);
			for (const attempt of attempts) {
				const { paymentHash, authorizationHash } = attempt.identity;
				const sameAuthorization = firstRows.get(authorizationHash);
				const first = sameAuthorization ?? firstRows.get(paymentHash);
				if (first === undefined) {
					firstRows.set(paymentHash, attempt).set(authorizationHash, attempt);
					known.push(this.known(attempt, failure));
					continue;
				}
				const what = sameAuthorization === undefined ? 'reference' : 'authorization';
				known.push({ is: 'refused', error: repeatedError(attempt, first, what) });
			}
		}
		return known;
	}

	/**
	 * What an earlier try of this run has done with a payment; undefined if that doesn't decide. It may have
	 * paid the item with another amount, to another recipient, or for another reference.
	 */
	ofEarlierTry({
		slot,
		recipient,
		cents,
		reference,
	}: Pick<Payment, 'slot' | 'recipient' | 'cents' | 'reference'>):
		| Known<PaymentAnswer>
		| undefined {
		const own = this.tries.get(slot);
		if (own === undefined) return undefined;
		if ('error' in own) {
			const { code, error } = own;
			return { is: 'unknown', when: 'earlierTry', code, error };
		}
		if ('refusal' in own) {
			/* Once any payment of the run has an unknown outcome, no later try sends a refused one again. */
			const isEnded = [...this.tries.values()].some((each) => 'error' in each);
			return isEnded ? { is: 'refused', when: 'earlierTry', error: own.refusal } : undefined;
		}
		/* An expression may have given the item another authorization since. */
		const { payment, answer } = own;
		if (emailKey(payment.recipient) !== emailKey(recipient) || payment.cents !== cents) {
			return undefined;
		}
		if (isOtherReference(payment.reference, reference)) return undefined;
		return { is: 'done', when: 'earlierTry', answer: { ...answer, already_sent: true } };
	}

	/** The payments that earlier tries of this run have made, or may have made. */
	paymentsOfEarlierTries(): Payment[] {
		return [...this.tries.values()].flatMap((own) => ('refusal' in own ? [] : own.payment));
	}

	/**
	 * @throws {UserError} where the payment was or may have been sent before, or can't be recorded: then
	 *   nothing is sent
	 * @throws what `send` threw, with what is known about the money
	 */
	async perform(payment: Payment, send: () => Promise<PaymentAnswer>): Promise<PaymentAnswer> {
		throwIfStopped(this.signal);
		const attempt = attemptOf(payment);
		const failure = this.stored.has(payment) ? undefined : await this.askStore([attempt]);
		const known = this.known(attempt, failure);
		if ('answer' in known) return known.answer;
		if ('error' in known) throw known.error;
		/*
		 * Nothing may be awaited between `known` and the claim in memory, with which `claimEverywhere` begins:
		 * then only one of two nodes goes on.
		 */
		const claims = await this.claimEverywhere(attempt);
		try {
			throwIfStopped(this.signal);
			const answer = await send();
			this.keepAsPaid(attempt, claims, answer);
			return answer;
		} catch (error) {
			throw wasNotMade(error)
				? await this.clearAsRefused(attempt, claims, error)
				: this.keepAsUnknown(attempt, claims, error);
		}
	}

	/** Records as paid what was paid since the last claim. Call it when the last payment has ended. */
	async close(): Promise<void> {
		const keys = [...this.justPaid];
		this.justPaid.clear();
		/* If it fails, these payments stay recorded as sent, and are not sent again. */
		if (keys.length > 0) await recordForGood(this.list, keys).catch(() => undefined);
	}

	private get tries(): Map<string, Try> {
		return this.scope.hasOwnRun ? triesOfRuns.of(this.scope) : this.ownTries;
	}

	/** @returns why the store could not be asked */
	private async askStore(attempts: readonly Attempt[]): Promise<unknown> {
		for (const { payment } of attempts) this.stored.delete(payment);
		if (this.scope.workflowId === '') {
			/* n8n's store holds nothing for a workflow that n8n doesn't keep, and a claim in it would fail. */
			for (const { payment } of attempts) this.stored.set(payment, () => false);
			return undefined;
		}
		try {
			const groups = attempts.map(({ keys }) => keys.lookedUp);
			const isRecorded = await lookUp(this.list, groups, this.signal);
			for (const { payment } of attempts) this.stored.set(payment, isRecorded);
			return undefined;
		} catch (failure) {
			throwIfStopped(this.signal);
			return failure;
		}
	}

	/** What this run, this process and n8n's store know. */
	private known(attempt: Attempt, failure?: unknown): Known<PaymentAnswer> {
		const { payment } = attempt;
		const own = this.tries.get(payment.slot);
		const earlier = this.hasMoved(payment.slot, own) ? undefined : this.ofEarlierTry(payment);
		if (earlier !== undefined) return earlier;
		const known = this.knownFromRecords(attempt, failure);
		if (known.is !== 'sendable' || own === undefined || !('answer' in own)) return known;
		/* It was paid as something else: an expression gives it another reference, amount or recipient now. */
		const error = changedSince(payment, own.payment.summary, own.answer.transaction);
		return { is: 'refused', when: 'earlierTry', error };
	}

	/** Whether the payment that an earlier try made for a slot is in another slot now, e.g. after sorting. */
	private hasMoved(slot: string, own?: Try): boolean {
		if (own === undefined || !('answer' in own)) return false;
		const now = this.byAuthorization.get(identityOf(own.payment).authorizationHash);
		return now !== undefined && now.every((payment) => payment.slot !== slot);
	}

	/** A payment that wasn't looked up counts as not stored; `knownFromRecords` then refuses to send it. */
	private isStored(payment: Payment): IsRecorded {
		return (key) => this.stored.get(payment)?.(key) === true;
	}

	private isInMemory(payment: Payment): IsRecorded {
		return (key) => this.memory.has(inMemory(payment, key));
	}

	private knownFromRecords(
		{ payment, identity, allowed, keys }: Attempt,
		failure: unknown,
	): Known<PaymentAnswer> {
		const isStored = this.isStored(payment);
		const isInMemory = this.isInMemory(payment);
		const isRecorded = (key: string) => isStored(key) || isInMemory(key);
		const decision = decide(keys, allowed, isRecorded, isInMemory);
		const { attempt: number } = allowed;
		/* A claim in flight decides these soon, so no code is offered for them yet. */
		const isUndecided = ['sendable', 'unknown', 'otherAuthorization'].includes(decision);
		const isInFlight = [...keys.sent, ...keys.previous].some((key) =>
			this.memory.isInFlight(inMemory(payment, key)),
		);
		if (isUndecided && isInFlight) return { is: 'refused', error: beingSent(payment) };
		if (decision === 'sendable') {
			/* What this process has not sent, another one may have. */
			if (!this.stored.has(payment)) return { is: 'refused', error: notLookedUp(failure) };
			return { is: 'sendable', attempt: number };
		}
		if (decision === 'unknown' || decision === 'otherAuthorization') {
			const latest = number + Math.max(0, keys.sent.findLastIndex(isRecorded));
			const code =
				decision === 'unknown' ? codeOf(identity, latest) : secondCodeOf(identity, number - 1);
			const error = unresolvedBy(decision, payment, { code, isFirst: number === 1 });
			return { is: 'unknown', when: 'earlierRun', code, error };
		}
		const error = refusedBy(decision, payment);
		return decision === 'paid'
			? { is: 'done', when: 'earlierRun', error }
			: { is: 'refused', error };
	}

	/**
	 * Claims an attempt in this process's memory, then in n8n's store.
	 * @throws {UserError} where another has claimed or made the payment, or it can't be recorded
	 */
	private async claimEverywhere(attempt: Attempt): Promise<AttemptClaims> {
		const { payment, keys } = attempt;
		const claimed = claimedKeys(keys, this.isInMemory(payment));
		const inProcess = this.memory.claim(claimed.map((key) => inMemory(payment, key)));
		const inStore = await this.claimInStore(attempt).catch((error: unknown) => {
			inProcess.release();
			throw error;
		});
		/* Another node of this process may have paid it while this one waited for n8n's store. */
		const isPaid = [keys.paid, keys.paidSame].some(this.isInMemory(payment));
		if (inStore !== undefined && !isPaid) return { inProcess, inStore };
		await inStore?.release().catch(() => undefined);
		inProcess.release();
		throw await this.notClaimedError(attempt);
	}

	/** n8n's store learns of it with the next claim, or from {@link close}. */
	private keepAsPaid(
		{ payment, keys }: Attempt,
		{ inProcess }: AttemptClaims,
		answer: PaymentAnswer,
	): void {
		const paid = [keys.paid, keys.paidSame];
		this.memory.record(paid.map((key) => inMemory(payment, key)));
		inProcess.keep();
		for (const key of paid) this.justPaid.add(key);
		this.tries.set(payment.slot, { payment, answer });
	}

	/** Both claims stay for good. Only a code allows another attempt. */
	private keepAsUnknown(
		{ payment, code }: Attempt,
		{ inProcess }: AttemptClaims,
		failure: unknown,
	): UserError {
		inProcess.keep();
		const error = outcomeUnknown(payment, code, failure);
		this.tries.set(payment.slot, { payment, code, error });
		return error;
	}

	private async clearAsRefused(
		attempt: Attempt,
		{ inProcess, inStore }: AttemptClaims,
		error: UserError,
	): Promise<UserError> {
		let isCleared = true;
		await inStore.release().catch(() => (isCleared = false));
		inProcess.release();
		const refusal = notMade(attempt, error, isCleared);
		this.tries.set(attempt.payment.slot, { refusal });
		return refusal;
	}

	/** @returns undefined if the keys are recorded by now, by another process or by a call of ours that failed */
	private async claimInStore({ payment, keys }: Attempt): Promise<PaymentClaim | undefined> {
		const isStored = this.isStored(payment);
		const claimed = claimedKeys(keys, isStored);
		const permanentKeys = [...this.justPaid];
		const claim = await claimForPayment(this.list, {
			keys: claimed,
			permanentKeys,
			/* The attempt before may have been seen only because another process looked for it. */
			requiredKeys: keys.previous.filter(isStored),
			/* Nothing of it may have been recorded since the look-up. */
			mayClaim: (isRecorded) => claimed.every((key) => isStored(key) || !isRecorded(key)),
			signal: this.signal,
		}).catch((failure: unknown) => {
			throwIfStopped(this.signal);
			throw notRecorded(payment, failure);
		});
		if (claim === undefined) return undefined;
		for (const key of permanentKeys) this.justPaid.delete(key);
		if (keys.lookUps.some(isStored)) {
			/* What a killed look-up left must not put this attempt in doubt. */
			const doubtful = [keys.paid, keys.paidSame, ...keys.lookUps];
			await forget(this.list, doubtful).catch(() => undefined);
		}
		return claim;
	}

	/** Why a payment couldn't be claimed: another has made, sent or looked it up since the look-up. */
	private async notClaimedError(attempt: Attempt): Promise<UserError> {
		const failure = await this.askStore([attempt]);
		const known = this.known(attempt, failure);
		return 'error' in known ? known.error : beingLookedUp(attempt.payment);
	}
}
