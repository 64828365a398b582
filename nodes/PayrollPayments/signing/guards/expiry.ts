import { toMilliseconds } from '../../shared/time';
import { refuseToSign } from '../refuseToSign';
import { quoted } from '../typedData';

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const HEX_NUMBER = /^0x[0-9a-f]{1,16}$/i;
const ISO_TIME = /^[+-]?\d{4,6}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}.*)?$/i;

/** The time in milliseconds, or undefined if the text isn't a time. */
function readTime(value: string): number | undefined {
	const text = value.trim();
	if (NUMBER.test(text) || HEX_NUMBER.test(text)) return toMilliseconds(Number(text));
	const time = ISO_TIME.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(time) ? undefined : time;
}

/**
 * Refuses an `expires` that reads as a time (seconds, milliseconds or ISO 8601) before `now`
 * (milliseconds). Texts that aren't a time pass.
 */
export function refuseExpired(expires: string, now: number, name: string): void {
	const time = readTime(expires);
	if (time === undefined || time > now) return;
	refuseToSign(`${name} is ${quoted(expires)}, a time in the past`, {
		hint: 'Get new typed data from the service, and check the clock of this machine.',
	});
}
