import { type EventFilter, filterAgainst } from '../../../nodes/PayrollPayments/trigger/filter';
import { deposit, depositEvent, otherEvent, without } from '../../../n8nHost/sampleEvents';
import { received } from '../../support/receivedEvent';

const all: EventFilter = { events: ['*'], depositStatuses: ['complete'] };

const left = (event: Record<string, unknown>, filter: Partial<EventFilter> = {}) =>
	filterAgainst(received(event), { ...all, ...filter });
const wanted = (...given: Parameters<typeof left>) => left(...given) === undefined;
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
	it.each(['pending', 'failed', 'rejected', 'reverted', 'settled', 'unknown', 'COMPLETED'])(
		'%s is not final',
		(status) => {
			expect(wanted(withDeposit({ status }))).toBe(false);
		},
	);

	it('passes the chosen ones, in any case', () => {
		for (const status of ['complete', 'Complete', 'COMPLETE']) {
			expect(wanted(withDeposit({ status }))).toBe(true);
		}
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

	const [company, team] = ['co-a1B2c3D4e5F6', 'te-a1B2c3D4e5F6'];
	const of = (entityIds: string, event: Record<string, unknown>) =>
		wanted(event, { entityIds: [entityIds] });

	it.each<[string, Record<string, unknown>]>([
		['a deposit’s', depositEvent()],
		['at the top', otherEvent({ invite: null, organization: company })],
		['one level down, whatever its name', otherEvent({ invite: { invited_to: company } })],
		['in a list', otherEvent({ invite: null, teams: ['te-000000000000', company] })],
		['next to another one', otherEvent({ invite: { invited_to: company, from: team } })],
	])('entityIds reads each identifier of a team or company: %s', (_where, event) => {
		expect(of(company, event)).toBe(true);
		expect(of('co-000000000000', event)).toBe(false);
	});

	it('entityIds counts identifiers that are longer than documented', () => {
		expect(of(team, otherEvent({ invite: { invited_to: `${team}G7` } }))).toBe(false);
	});

	it.each([
		{ invite: { team: { entity_nanoid: team } } },
		{ invite: null },
		{
			invite: {
				reason: 'co-operation',
				kind: 'te-am',
				note: `${team} and more`,
				lead: `see ${team}`,
				count: 7,
			},
		},
	])('entityIds lets events without one pass: %j', (content) => {
		expect(of(company, otherEvent(content))).toBe(true);
	});

	it.each<[keyof EventFilter, Partial<EventFilter>]>([
		['events', { events: ['invite.accepted'] }],
		['depositStatuses', { depositStatuses: ['failed'] }],
		['entityIds', { entityIds: [team] }],
		['eventVersions', { eventVersions: ['9'] }],
		['minimumAmountCents', { minimumAmountCents: 1e9 }],
		['sourceCurrencies', { sourceCurrencies: ['GBP'] }],
		['destinationCurrencies', { destinationCurrencies: ['GBP'] }],
		['networks', { networks: ['base'] }],
		['providers', { providers: ['another bank'] }],
	])('%s is named where it leaves a deposit out', (name, filter) => {
		expect(left(depositEvent(), filter)).toBe(name);
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
		['2.1', '2.001', true],
		['2.0', '2.0-RC', false],
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
