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
/** Month, date, hours and minutes, seconds, and the zone's hours and minutes; as databases and Go write it, too. */
const ISO_TIME =
	/^((?:[+-]\d\d)?\d{4}-\d\d)(?:-(\d\d))?(?:[T ](\d\d:\d\d)(?::(\d\d(?:[.,]\d+)?))?(?: ?(?:Z|UTC|GMT|([+-]\d\d):?(\d\d)?(?: (?:[a-z]+|[+-]\d+))?))?)?$/i;
const BASIC_TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?=\d\d)/i;
/** Begins as one, but its zone, or the day, isn't certain: “02:05 PM”, “EST”, February 30. */
const UNCERTAIN_TIME = /^[+-]?\d{4,6}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d.*)?$/i;
const HTTP_DATE = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/i;

/** In milliseconds: before this, no authorization could end, and no event could happen. */
const ETHEREUM_BEGAN = Date.UTC(2015, 6, 30);
/** In milliseconds: after this, a year has more than four digits. */
const LATEST_DATE = Date.UTC(9999, 11, 31);

/**
 * A Unix time, ISO 8601 (in UTC, unless it names a zone) or HTTP date, in milliseconds; NaN for anything
 * else.
 */
export function timeIn(value: unknown): number {
	if (typeof value !== 'string' && typeof value !== 'number') return NaN;
	const text = String(value).trim();
	if (NUMBER.test(text) || HEX_NUMBER.test(text)) {
		const time = toMilliseconds(Number(text));
		/* A number that large is more likely to mean “never” than a time of finer units long ago. */
		return Number(text) > MAX_UNIX_SECONDS && time < ETHEREUM_BEGAN ? NaN : time;
	}
	return HTTP_DATE.test(text) ? Date.parse(text) : isoTimeIn(text);
}

function isoTimeIn(text: string): number {
	const extended = text.replace(BASIC_TIME, '$1-$2-$3T$4:$5:');
	const [, month, date = '01', minute = '00:00', second = '00', hours, minutes = '00'] =
		ISO_TIME.exec(extended) ?? [];
	const day = `${month}-${date}`;
	/* February 30 would be a day of March. */
	if (new Date(day).getUTCDate() !== Number(date)) return NaN;
	const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
	return Date.parse(`${day}T${minute}:${second.replace(',', '.')}${zone}`);
}

/** {@link timeIn}; in a spelling whose zone or day isn't certain, as JavaScript reads it here. */
export function probableTimeIn(value: unknown): number {
	const time = timeIn(value);
	if (!Number.isNaN(time)) return time;
	const text = String(value).trim();
	return UNCERTAIN_TIME.test(text) ? Date.parse(text) : NaN;
}

/** {@link probableTimeIn} as people read it, with what is there if that may be misread; undefined if it isn't a time. */
export function expiryAsDate(value: string): string | undefined {
	const time = probableTimeIn(value);
	const isTime = time > ETHEREUM_BEGAN && time <= LATEST_DATE;
	const known = unixTimeAsDate(value);
	if (known !== undefined || !isTime) return known;
	const date = dateAndMinute(new Date(time));
	return ISO_TIME.test(value.trim()) && !Number.isNaN(timeIn(value))
		? date
		: `${date} (${value.trim()})`;
}
