import { type EventFilter, filterAgainst } from '../../../nodes/PayrollPayments/trigger/filter';
import { deposit, depositEvent, otherEvent, without } from '../../../n8nHost/sampleEvents';
import { received } from '../../support/receivedEvent';

const all: EventFilter = { events: ['*'], depositStatuses: ['complete'] };

/** The filter that leaves an event out. */
const leftBy = (event: Record<string, unknown>, filter: Partial<EventFilter> = {}) =>
	filterAgainst(received(event), { ...all, ...filter });
const wanted = (...given: Parameters<typeof leftBy>) => leftBy(...given) === undefined;
const withDeposit = (changes: Record<string, unknown>) =>
	depositEvent({ deposit: deposit(changes) });

it.each<[type: string, events: string[], isWanted: boolean]>([
	['invite.accepted', ['invite.accepted', 'invite.expired'], true],
	['invite.rejected', ['invite.accepted', 'invite.expired'], false],
	['invite.accepted', [], false],
	['payroll.closed', ['*'], true],
	['__proto__', ['deposit.received'], false],
])('an event %s, where %j are chosen, passes: %j', (event_type, events, isWanted) => {
	expect(leftBy(otherEvent({ event_type }), { events })).toBe(isWanted ? undefined : 'events');
});

describe('deposit statuses', () => {
	type Statuses = EventFilter['depositStatuses'];

	it.each<[status: unknown, passing: Statuses, ...others: Statuses[number][]]>([
		['complete', ['complete'], 'unknown', 'reverted'],
		['Complete', ['complete'], 'unknown'],
		['COMPLETE', ['complete'], 'unknown'],
		['reverted', ['reverted'], 'complete'],
		['pending', ['pending'], 'complete', 'unknown'],
		['COMPLETED', ['unknown'], 'complete'],
		['settled', ['unknown'], 'complete'],
		['unknown', ['unknown'], 'complete'],
		[undefined, ['unknown'], 'complete'],
	])('%j passes as %j, and not as %j', (status, passing, ...others) => {
		const event = JSON.parse(JSON.stringify(withDeposit({ status })));
		expect(wanted(event, { depositStatuses: passing })).toBe(true);
		for (const other of others) {
			expect(leftBy(event, { depositStatuses: [other] })).toBe('depositStatuses');
		}
		expect(wanted(event, { depositStatuses: [] })).toBe(false);
	});

	it('are unknown in an event of a version that isn’t documented', () => {
		const later = depositEvent({ event_version: '3', deposit: { state: 'complete' } });
		expect([wanted(later), wanted(later, { depositStatuses: ['unknown'] })]).toEqual([false, true]);
	});

	it('don’t apply to other events', () => {
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
		expect(leftBy(depositEvent(), { [filter]: [other] })).toBe(filter);
		const sparse = depositEvent({ deposit: without(deposit(), field) });
		expect(wanted(sparse, { [filter]: [other] })).toBe(true);
		expect(wanted(otherEvent(), { [filter]: [other] })).toBe(true);
	});

	/* test/n8n/closedOptions.test.ts has numbers. */
	it('minimumAmountCents reads the amount credited, in text too', () => {
		const inText = depositEvent({ deposit: deposit({ destination_amount_cents: '5' }) });
		const below = (minimumAmountCents: number) => leftBy(inText, { minimumAmountCents });
		expect([below(5), below(6)]).toEqual([undefined, 'minimumAmountCents']);
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
		expect(leftBy(event, { entityIds: ['co-000000000000'] })).toBe('entityIds');
	});

	it('entityIds counts identifiers that are longer than documented', () => {
		expect(of(team, otherEvent({ invite: { invited_to: `${team}G7` } }))).toBe(false);
		expect(of(team, otherEvent({ invite: { invited_to: 'te-qwertyuiopas' } }))).toBe(false);
	});

	it.each([
		{ invite: { team: { entity_nanoid: team } } },
		{ invite: null },
		{ invite: { reason: 'co-operation', kind: 'te-am', count: 7 } },
		{ invite: { invoice_description: 'co-working-space' } },
		{ invite: { note: `${team} and more`, lead: `see ${team}` } },
	])('entityIds lets events without one pass: %j', (content) => {
		expect(of(company, otherEvent(content))).toBe(true);
	});
});

describe('eventVersions', () => {
	it.each<[string, unknown[], unknown[]]>([
		['2', ['2', '2.0', '2.1', 'v2.0.1', 2, null], ['20', '3.2', 3, 'latest']],
		['v2', ['2.9'], []],
		['002', ['2'], []],
		['2.0', ['2.0', '2', 'V2'], ['2.1', '2.0.0', '2.0-RC']],
		['02.00', ['2.0'], []],
		['2.1', [' v2.1 ', '2.001'], ['2', '2.v1']],
		['v2.1', ['2.1'], []],
		['2.10', [], ['2.1']],
		['2.0-beta', ['2.0-BETA'], []],
	])('%s takes %j, but not %j', (entry, taken, left) => {
		for (const eventOf of [depositEvent, otherEvent]) {
			const isTaken = (version: unknown) =>
				wanted(eventOf({ event_version: version }), { eventVersions: ['9', entry] });
			expect([...taken, ...left].filter(isTaken)).toEqual(taken);
		}
	});

	it('are named where they leave an event out, and let events without a version pass', () => {
		expect(leftBy(depositEvent(), { eventVersions: ['9'] })).toBe('eventVersions');
		expect(wanted(without(otherEvent(), 'event_version'), { eventVersions: ['9'] })).toBe(true);
	});
});
