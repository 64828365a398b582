/** A Unix time above this is in milliseconds: in seconds, it would be after the year 5138. */
export const MAX_UNIX_SECONDS = 1e11;

/** A Unix time in seconds, milliseconds, microseconds or nanoseconds, in milliseconds. */
export function toMilliseconds(unixTime: number): number {
	if (unixTime <= MAX_UNIX_SECONDS) return unixTime * 1000;
	/* Above each limit, its unit is a thousand times finer. */
	return unixTime / 1000 ** [1e14, 1e17].filter((limit) => unixTime > limit).length;
}

/** "2026-11-29 14:05 UTC". */
function dateAndMinute(time: Date): string {
	return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * A Unix time in seconds or milliseconds as people read it; undefined for any other text. What seems to be
 * milliseconds is named, too: read as seconds, it is far away.
 */
function unixTimeAsDate(text: string): string | undefined {
	const [, seconds, thousandths] = /^\s*([1-9]\d{9})(\d{3})?\s*$/.exec(text) ?? [];
	if (seconds === undefined) return undefined;
	const date = dateAndMinute(new Date(Number(seconds) * 1000));
	return thousandths === undefined ? date : `${date} (${seconds}${thousandths})`;
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const HEX_NUMBER = /^0x[0-9a-f]{1,64}$/i;
const ISO_TIME = /^[+-]?\d{4,6}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}.*)?$/i;
const HTTP_DATE = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/i;

/** In milliseconds: before this, no authorization could end, and no event could happen. */
const ETHEREUM_BEGAN = Date.UTC(2015, 6, 30);
/** In milliseconds: after this, a year has more than four digits. */
const LATEST_DATE = Date.UTC(9999, 11, 31);

/** A Unix time, ISO 8601 or HTTP date, in milliseconds; NaN if the text is none of these. */
export function timeIn(value: string): number {
	const text = value.trim();
	if (NUMBER.test(text) || HEX_NUMBER.test(text)) {
		const time = toMilliseconds(Number(text));
		/* A number that large is more likely to mean “never” than a time of finer units long ago. */
		return Number(text) > MAX_UNIX_SECONDS && time < ETHEREUM_BEGAN ? NaN : time;
	}
	return ISO_TIME.test(text) || HTTP_DATE.test(text) ? Date.parse(text) : NaN;
}

/** {@link timeIn} as people read it; undefined if it isn't the time of an authorization. */
export function expiryAsDate(value: string): string | undefined {
	const time = timeIn(value);
	const isTime = time > ETHEREUM_BEGAN && time <= LATEST_DATE;
	return unixTimeAsDate(value) ?? (isTime ? dateAndMinute(new Date(time)) : undefined);
}
