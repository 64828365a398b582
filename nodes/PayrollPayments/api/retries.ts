import { NoResponseError } from '../shared/errors';
import type { HttpAnswer } from '../shared/http';

export const DEFAULT_RETRIES = 3;

export const TRANSIENT_STATUSES: readonly number[] = [429, 502, 503, 504];
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** How long a Retry-After header asks to wait, in milliseconds. The header has seconds or an HTTP date. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
	if (header === undefined) return undefined;
	if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Milliseconds until a read that met a transient fault is repeated; undefined if it isn't. */
export function pauseAfter(
	answer: Pick<HttpAnswer, 'status' | 'headers'> | NoResponseError,
	attempt: number,
	longest = LONGEST_PAUSE_MS,
): number | undefined {
	const grown = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
	if (answer instanceof NoResponseError) return Math.min(longest, grown);
	const asked = retryAfter(answer.headers['retry-after'], Date.now()) ?? 0;
	const isRepeated = TRANSIENT_STATUSES.includes(answer.status) && asked <= longest;
	return isRepeated ? Math.min(longest, Math.max(asked, grown)) : undefined;
}
