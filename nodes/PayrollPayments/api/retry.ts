import type { HttpAnswer } from '../shared/http';
import { NoResponseError } from '../shared/errors';

const PASSING_STATUSES: readonly number[] = [429, 502, 503, 504];
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 60_000;

/**
 * How long the service asks to wait, in milliseconds: `Retry-After` as seconds or as an HTTP date.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
	if (header === undefined) return undefined;
	if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function pauseBefore(attempt: number, asked: number | undefined): number {
	const grown = FIRST_PAUSE * 2 ** (attempt - 1);
	const spread = grown * (0.5 + Math.random() / 2);
	return Math.min(LONGEST_PAUSE, Math.max(asked ?? 0, spread));
}

/**
 * Repeats a read that met a passing fault (429, 502, 503, 504, no connection), with growing pauses
 * in milliseconds and `Retry-After`. Only for reads: a write may have been done although no answer came.
 * A service that asks for more than a minute is not waited for.
 */
export async function retryRead(
	attempt: () => Promise<HttpAnswer>,
	options: { retries: number; pause: (milliseconds: number) => Promise<void>; now?: () => number },
): Promise<HttpAnswer> {
	const { retries, pause, now = Date.now } = options;
	for (let count = 1; ; count++) {
		const isLast = count > retries;
		const answer = await attempt().catch((error: unknown) => {
			if (isLast || !(error instanceof NoResponseError)) throw error;
			return undefined;
		});
		const asked = retryAfter(answer?.headers['retry-after'], now());
		const isFinal =
			isLast || !PASSING_STATUSES.includes(answer?.status ?? 503) || (asked ?? 0) > LONGEST_PAUSE;
		if (answer !== undefined && isFinal) return answer;
		await pause(pauseBefore(count, asked));
	}
}
