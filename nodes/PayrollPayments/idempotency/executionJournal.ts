import { createHash } from 'node:crypto';

import type { z } from 'zod';

import { outcomeOf, UserError } from '../shared/errors';
import { ExecutionMemory, type RunScope } from './executionMemory';
import type { Journal, Known } from './journal';

/**
 * A change, or a look-up by which changes are planned. Once it has succeeded, its run of the node doesn't send
 * it again; any other one does.
 */
interface ExecutionChange<Answer> {
	/** Tells it from the run's other changes, as JSON. */
	readonly identity: unknown;
	/** Whether it must not be sent again in this execution where its outcome isn't known. */
	readonly isUnrepeatable?: boolean;
	/** Whether a later run of the node in this execution, as in a loop, gets its first answer. */
	readonly isOncePerExecution?: boolean;
	/** Whether it only reads, so that no failure leaves a change behind. */
	readonly isRead?: boolean;
	/** Reads the answer of an earlier try once more, so it must accept its own output. */
	readonly answer: z.ZodType<Answer, z.ZodTypeDef, unknown>;
}

type Outcome = { readonly answer: unknown } | { readonly error: UserError };

const changesOfRuns = new ExecutionMemory<Outcome>();

/** Failures after which a change may have been made, and may be sent again. */
const doubtsOfRuns = new ExecutionMemory<UserError>();

/** A refusal such as "already executed" may be about what an earlier try did, so the outcome stays unknown. */
function stillUnknown(error: UserError, earlier: UserError | undefined): UserError {
	if (earlier === undefined) return error;
	return error.with({
		message: `${earlier.message}. An earlier try may have made this change. The last try: ${error.message}`,
		hint: 'Check the result in the service before you run this again.',
		outcome: 'unknown',
	});
}

/** Changes under way, by the outcomes of their run: an agent can call a tool twice at the same moment. */
const underWay = new WeakMap<Map<string, Outcome>, Map<string, Promise<unknown>>>();

/**
 * Remembers in this process what one run of a node changed: *Retry On Fail* runs every item again, and
 * then gets the first answer. Some changes are remembered for all runs of the node in an execution.
 */
export class ExecutionJournal implements Journal<ExecutionChange<unknown>, unknown> {
	constructor(private readonly scope: RunScope) {}

	/** Whether it remembers a change or a look-up of this run. Payments have a separate journal. */
	get hasAnswers(): boolean {
		return changesOfRuns.of(this.scope).size > 0;
	}

	async look<Answer>(changes: ReadonlyArray<ExecutionChange<Answer>>) {
		return changes.map((change) => this.known(change));
	}

	async perform<Answer>(
		change: ExecutionChange<Answer>,
		send: () => Promise<Answer>,
	): Promise<Answer> {
		const { outcomes, key } = this.placeOf(change);
		const sending = underWay.get(outcomes) ?? new Map<string, Promise<unknown>>();
		underWay.set(outcomes, sending);
		while (sending.has(key)) await sending.get(key);
		const known = this.known(change);
		if ('answer' in known) return known.answer;
		if ('error' in known) throw known.error;
		const work = this.sendOnce(change, send);
		sending.set(
			key,
			work.catch(() => undefined).finally(() => sending.delete(key)),
		);
		return await work;
	}

	private async sendOnce<Answer>(
		change: ExecutionChange<Answer>,
		send: () => Promise<Answer>,
	): Promise<Answer> {
		const { outcomes, doubts, key } = this.placeOf(change);
		const answer = await send().catch((error: unknown) => {
			if (!(error instanceof UserError) || change.isRead === true) throw error;
			if (outcomeOf(error) !== 'unknown') throw stillUnknown(error, doubts.get(key));
			if (change.isUnrepeatable === true) outcomes.set(key, { error });
			else doubts.set(key, error);
			throw error;
		});
		outcomes.set(key, { answer });
		return answer;
	}

	private known<Answer>(change: ExecutionChange<Answer>): Known<Answer> {
		const { outcomes, key } = this.placeOf(change);
		const outcome = outcomes.get(key);
		if (outcome === undefined) return { is: 'sendable', attempt: 1 };
		if ('answer' in outcome) {
			return { is: 'done', when: 'earlierTry', answer: change.answer.parse(outcome.answer) };
		}
		const error = outcome.error.with({
			message: `${outcome.error.message}. The request wasn’t sent again, because the first one may have succeeded`,
			hint: 'Check the result in the service, then run the workflow again for what’s missing.',
		});
		return { is: 'unknown', when: 'earlierTry', error };
	}

	/**
	 * Where a change is remembered: with its run. All runs of the node count as one for a change that is made once
	 * in an execution and, where an agent calls the node, for one that must not be sent again.
	 */
	private placeOf({
		identity,
		isUnrepeatable = false,
		isOncePerExecution = false,
	}: ExecutionChange<unknown>) {
		const isAnyRun = isOncePerExecution || (isUnrepeatable && this.scope.isTool);
		const scope = isAnyRun ? { ...this.scope, runIndex: 0 } : this.scope;
		const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
		return { outcomes: changesOfRuns.of(scope), doubts: doubtsOfRuns.of(scope), key };
	}
}
