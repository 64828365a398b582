/** A Unix time above this is in milliseconds: in seconds, it would be after the year 5138. */
export const MAX_UNIX_SECONDS = 1e11;

/** A Unix time in seconds, milliseconds, microseconds or nanoseconds, in milliseconds. */
export function toMilliseconds(unixTime: number): number {
	if (unixTime <= MAX_UNIX_SECONDS) return unixTime * 1000;
	/* Above each limit, its unit is a thousand times finer. */
	return unixTime / 1000 ** [1e14, 1e17].filter((limit) => unixTime > limit).length;
}

/**
 * A Unix time in seconds or milliseconds as people read it; undefined for any other text. What seems to be
 * milliseconds is named, too: read as seconds, it is far away.
 */
export function unixTimeAsDate(text: string): string | undefined {
	const [, seconds, thousandths] = /^\s*([1-9]\d{9})(\d{3})?\s*$/.exec(text) ?? [];
	if (seconds === undefined) return undefined;
	const time = new Date(Number(seconds) * 1000).toISOString();
	const date = `${time.slice(0, 16).replace('T', ' ')} UTC`;
	return thousandths === undefined ? date : `${date} (${seconds}${thousandths})`;
}
