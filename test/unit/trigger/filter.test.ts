import { type EventFilter, isWanted } from '../../../nodes/PayrollPayments/trigger/filter';
import { deposit, depositEvent, otherEvent, without } from '../../support/sampleEvents';
import { received } from '../../support/receivedEvent';

const all: EventFilter = { events: ['*'], depositStatuses: ['complete'] };

const wanted = (event: Record<string, unknown>, filter: Partial<EventFilter> = {}) =>
	isWanted(received(event), { ...all, ...filter });
const withDeposit = (changes: Record<string, unknown>) =>
	depositEvent({ deposit: deposit(changes) });

describe('events', () => {
	it('passes the chosen types and no others', () => {
		const filter = { events: ['invite.accepted', 'invite.expired'] };
		expect(wanted(otherEvent(), filter)).toBe(true);
		expect(wanted(otherEvent({ event_type: 'invite.rejected' }), filter)).toBe(false);
		expect(wanted(otherEvent(), { events: [] })).toBe(false);
	});

	it('passes unknown types if any event is wanted', () => {
		expect(wanted(otherEvent({ event_type: 'payroll.closed' }))).toBe(true);
		const filter = { events: ['deposit.received'] };
		expect(wanted(otherEvent({ event_type: '__proto__' }), filter)).toBe(false);
	});
});

describe('deposit statuses', () => {
	it.each(['pending', 'failed', 'rejected', 'reverted', 'settled', 'unknown', 'COMPLETE'])(
		'%s is not final',
		(status) => {
			expect(wanted(withDeposit({ status }))).toBe(false);
		},
	);

	it('passes the chosen ones', () => {
		expect(wanted(withDeposit({ status: 'complete' }))).toBe(true);
		const reverted: Partial<EventFilter> = { depositStatuses: ['reverted'] };
		expect(wanted(withDeposit({ status: 'reverted' }), reverted)).toBe(true);
		expect(wanted(depositEvent(), { depositStatuses: [] })).toBe(false);
	});

	it('passes an undocumented or missing one only as unknown', () => {
		const unknown: Partial<EventFilter> = { depositStatuses: ['unknown'] };
		expect(wanted(withDeposit({ status: 'settled' }), unknown)).toBe(true);
		const later = depositEvent({ event_version: '3', deposit: { state: 'complete' } });
		expect([wanted(later), wanted(later, unknown)]).toEqual([false, true]);
		expect(wanted(withDeposit({ status: 'complete' }), unknown)).toBe(false);
		const missing = depositEvent({ deposit: without(deposit(), 'status') });
		expect(wanted(missing)).toBe(false);
		expect(wanted(missing, unknown)).toBe(true);
	});

	it('doesn’t apply to other events', () => {
		expect(wanted(otherEvent({ status: 'failed', deposit: { status: 'failed' } }))).toBe(true);
	});
});

describe('filters', () => {
	it.each([
		['sourceCurrencies', 'source_currency', 'EUR', 'GBP'],
		['destinationCurrencies', 'destination_currency', 'USD', 'EUR'],
		['networks', 'network', 'arbitrum', 'base'],
		['providers', 'provider_name', 'wirepartner', 'manual'],
	] as const)('%s reads %s', (filter, field, matching, other) => {
		expect(wanted(depositEvent(), { [filter]: [other, matching] })).toBe(true);
		expect(wanted(depositEvent(), { [filter]: [matching.toUpperCase()] })).toBe(true);
		expect(wanted(depositEvent(), { [filter]: [other] })).toBe(false);
		const sparse = depositEvent({ deposit: without(deposit(), field) });
		expect(wanted(sparse, { [filter]: [other] })).toBe(true);
		expect(wanted(otherEvent(), { [filter]: [other] })).toBe(true);
	});

	it('minimumAmountCents reads the amount credited', () => {
		const atLeast = (minimumAmountCents: number) => wanted(depositEvent(), { minimumAmountCents });
		expect(atLeast(1_084_205)).toBe(true);
		expect(atLeast(1_084_206)).toBe(false);
		expect(wanted(otherEvent(), { minimumAmountCents: 1 })).toBe(true);
	});

	it('entityIds reads entity_nanoid at the top or one level down', () => {
		const company = { entityIds: ['co-a1B2c3D4e5F6'] };
		const team = { entityIds: ['te-a1B2c3D4e5F6'] };
		expect(wanted(depositEvent(), company)).toBe(true);
		expect(wanted(depositEvent(), team)).toBe(false);
		expect(wanted(otherEvent(), team)).toBe(true);
		expect(wanted(otherEvent({ entity_nanoid: 'co-a1B2c3D4e5F6' }), company)).toBe(true);
	});

	it('entityIds lets events without one pass', () => {
		const deep = otherEvent({ invite: { team: { entity_nanoid: 'te-a1B2c3D4e5F6' } } });
		expect(wanted(deep, { entityIds: ['co-a1B2c3D4e5F6'] })).toBe(true);
		expect(wanted(otherEvent({ invite: null }), { entityIds: ['co-a1B2c3D4e5F6'] })).toBe(true);
	});
});

describe('eventVersions', () => {
	it.each([
		['2', '2', true],
		['2', '2.0', true],
		['2', '2.1', true],
		['2', 'v2.0.1', true],
		['2', '20', false],
		['2', '3.2', false],
		['v2', '2.9', true],
		['002', '2', true],
		['02.00', '2.0', true],
		['2.10', '2.1', false],
		['2.0', '2.0', true],
		['2.0', '2', true],
		['2.0', 'V2', true],
		['2.0', '2.1', false],
		['2.0', '2.0.0', false],
		['2.1', ' v2.1 ', true],
		['2.1', '2.v1', false],
		['2.1', '2', false],
		['v2.1', '2.1', true],
		['2.0-beta', '2.0-BETA', true],
		['2', 'latest', false],
		['2', 2, true],
		['2', 3, false],
		['2', null, true],
	])('%s takes %j: %s', (entry, version, isTaken) => {
		for (const eventOf of [depositEvent, otherEvent]) {
			const event = eventOf({ event_version: version });
			expect(wanted(event, { eventVersions: ['9', entry] })).toBe(isTaken);
		}
	});

	it('let events without a version pass', () => {
		expect(wanted(without(otherEvent(), 'event_version'), { eventVersions: ['9'] })).toBe(true);
	});
});
