import { z } from 'zod';

const UTC_DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?Z$/;

function isOnTheCalendar(year: number, month: number, day: number): boolean {
	const date = new Date(Date.UTC(2000, month - 1, day));
	date.setUTCFullYear(year, month - 1, day);
	return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function faultIn(value: string): string | undefined {
	const parts = UTC_DATE_TIME.exec(value);
	if (parts === null) {
		return 'must be an ISO 8601 date and time in UTC that ends in Z, e.g. 2026-03-31T09:30:00Z';
	}
	const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
		.slice(1)
		.map((part) => Number(part ?? 0));
	if (!isOnTheCalendar(year, month, day)) return 'names a day that is not on the calendar';
	if (hour > 23 || minute > 59 || second > 59) return 'names a time that is not on the clock';
	return undefined;
}

/**
 * An ISO 8601 UTC date-time ending in Z; seconds optional, fractions allowed, valid on the calendar
 * (docs/api.md, Common formats). Kept byte for byte: the service may compare it as text.
 */
export const utcTimestamp = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.superRefine((value, context) => {
		const fault = faultIn(value);
		if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
	});
