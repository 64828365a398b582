import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';

import { eventKey } from '../../../nodes/PayrollPayments/trigger/claims';
import { parseEvent } from '../../../nodes/PayrollPayments/trigger/parseEvent';
import type { DeliverySettings } from '../../../nodes/PayrollPayments/trigger/settings';
import { outcomeOf, settingsWith } from '../receivedEvent';
import { rejectionOf } from '../refusals';

const SETTINGS = settingsWith({
	depositStatuses: ['complete', 'unknown'],
	filters: {
		entityIds: ['te-a1B2c3D4e5F6'],
		destinationCurrencies: ['USD'],
		networks: ['arbitrum', 'base'],
		minimumAmountCents: 100,
	},
	output: 'simplified',
	options: { includeHeaders: true },
});

const OBJECT_FROM_BIRTH = Reflect.ownKeys(Object.prototype).length;

/** The body's JSON without a byte order mark; undefined if it isn't JSON in UTF-8 that JSON can hold. */
function readIndependently(body: Buffer): unknown {
	if (!isUtf8(body)) return undefined;
	try {
		return JSON.parse(body.toString().replace(/^\ufeff/, ''), (_name, value: unknown) => {
			if (value === Infinity || value === -Infinity) throw new Error('too large for JSON');
			return value;
		});
	} catch {
		return undefined;
	}
}

function depthOf(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0;
	return Math.max(0, ...Object.values(value).map((each) => 1 + depthOf(each)));
}

/** Whether a JSON value is an event by the documented rules. */
function isEvent(value: unknown): boolean {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	const members = new Map(Object.entries(value));
	const isText = (name: string) =>
		typeof members.get(name) === 'string' && members.get(name) !== '';
	return (
		members.get('object') === 'event' &&
		isText('event_type') &&
		isText('idempotency_key') &&
		depthOf(value) <= 100
	);
}

/** The first byte chooses the settings, the rest is the body. */
export const eventParser = {
	check(input: Buffer): void {
		const choice = input[0] ?? 0;
		const body = input.subarray(1);
		const settings: DeliverySettings = {
			...SETTINGS,
			filter:
				(choice & 1) === 0
					? SETTINGS.filter
					: { ...SETTINGS.filter, entityIds: undefined, events: ['deposit.received'] },
			output: (choice & 2) === 0 ? 'event' : 'simplified',
			invalidPayload: (choice & 4) === 0 ? 'emit' : 'reject',
		};
		const headers = { 'content-type': 'application/json' };
		const outcome = outcomeOf({ ip: '192.0.2.1', headers, rawBody: body }, settings);
		JSON.stringify(outcome);

		const value = readIndependently(body);
		const refusal = rejectionOf(() => parseEvent(body, headers['content-type']));
		/* A number may be in a member that comes again; JSON.parse doesn't show the first. */
		const mayBeRounded = /[\d.]{16}|\de[+-]?\d/i.test(body.toString());
		const isRefused = refusal !== undefined;
		if (isEvent(value) ? isRefused && !mayBeRounded : !isRefused)
			throw new Error('is wrong about what an event is');
		if (!isRefused) {
			const parsed = parseEvent(body, headers['content-type']);
			if (!isDeepStrictEqual(parsed.event, value)) throw new Error('changes the event');
			if (eventKey(parsed.idempotencyKey).length !== 44)
				throw new Error('makes a key of another length');
		} else if (!('status' in outcome) || outcome.status !== 400) {
			throw new Error('takes what is no event');
		}
		if (Reflect.ownKeys(Object.prototype).length !== OBJECT_FROM_BIRTH)
			throw new Error('pollutes Object.prototype');
	},
};
