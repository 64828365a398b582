import type { DeliveryAttempt } from '../../deliveries';

/** Why the trigger started nothing although it answered with 200, by its word for that. */
const REASONS: Readonly<Record<string, string>> = {
	filter: 'this workflow doesn’t take such an event',
	duplicate: 'a duplicate',
};
/** What the trigger answers as the workflow starts, and what n8n does once it has finished. */
const STARTED: readonly string[] = ['{"received":true}', ''];

/** A word for what became of an attempt, and a sentence in place of the answer if its meaning is known. */
export function verdictOf({ outcome, answer = '', link }: DeliveryAttempt): {
	readonly word: string;
	readonly meaning?: string;
} {
	if (outcome !== 'accepted') return { word: outcome };
	const [, reason = ''] = /^\{"received":true,"ignored":"(\w+)"\}$/.exec(answer) ?? [];
	if (reason !== '') return { word: 'ignored', meaning: REASONS[reason] ?? reason };
	// Only a workflow of this n8n has a link to what it did.
	const isStart = link !== undefined && STARTED.includes(answer);
	return { word: outcome, ...(isStart && { meaning: 'started the workflow' }) };
}

/** What happened to an attempt, in a few words. */
export function resultOf(attempt: DeliveryAttempt): string {
	const { status, answer, retryIn } = attempt;
	const { word, meaning } = verdictOf(attempt);
	const again = retryIn === undefined ? '' : `, again in ${Math.round(retryIn / 1000)} s`;
	if (word === 'no answer') return `${word}${answer === undefined ? '' : ` (${answer})`}${again}`;
	if (meaning === undefined) return `${status ?? ''} ${word}${again}`.trim();
	return `${status}, ${word === 'ignored' ? 'but ignored: ' : ''}${meaning}`;
}
