/** A Unix time above this is in milliseconds: in seconds, it would be after the year 5138. */
export const MAX_UNIX_SECONDS = 1e11;

/** A Unix time in seconds or milliseconds, in milliseconds. */
export function toMilliseconds(unixTime: number): number {
	return unixTime > MAX_UNIX_SECONDS ? unixTime : unixTime * 1000;
}
