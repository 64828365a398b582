import { eventOptions } from '../../../nodes/PayrollPayments/trigger/fields';
import { readOptions } from '../../../nodes/PayrollPayments/trigger/settings';
import { settingsWith, sourceOf } from '../../support/receivedEvent';
import { refusalOf } from '../../support/refusals';

/* What an expression that finds nothing means is tested in n8n (test/n8n/closedOptions.test.ts). */

it('uses the documented defaults', () => {
	expect(settingsWith({ events: ['deposit.received'] })).toEqual({
		credentials: undefined,
		filter: { events: ['deposit.received'], depositStatuses: ['complete'] },
		output: 'event',
		acknowledge: 'received',
		allowlist: [],
		invalidPayload: 'reject',
		includeHeaders: false,
		maximumAgeSeconds: Number.POSITIVE_INFINITY,
		history: 5_000,
		recordedHistory: 5_000,
	});
});

it('offers the usual event first, then the others by name', () => {
	const [usual, ...others] = eventOptions;
	expect(usual).toStrictEqual({
		name: 'Deposit Received',
		value: 'deposit.received',
		action: 'On deposit received',
		description: expect.stringMatching(/^Funds have arrived/),
	});
	const names = others.map(({ name }) => name);
	expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
	const bitcoin = {
		name: 'Bitcoin Deposit',
		value: 'deposit.bitcoin',
		action: 'On Bitcoin deposit',
	};
	expect(others.find(({ value }) => value === bitcoin.value)).toStrictEqual(bitcoin);
	expect(others.find(({ value }) => value === '*')?.description).toMatch(/^Includes event types/);
});

it('reads lists from arrays and from text with commas, semicolons or line breaks', () => {
	const filters = {
		entityIds: ' co-a1B2c3D4e5F6, ;te-a1B2c3D4e5F6\n',
		eventVersions: ['2', 2.1, 'v3', '10.20-rc'],
		destinationCurrencies: 'EUR\nus1',
		sourceCurrencies: ['EUR', 'usd'],
		networks: 'base;\narbitrum',
		providers: ['manual'],
		minimumAmountCents: ' 500 ',
	};
	const inAnyCase = { networks: 'Base, ARBITRUM', providers: ['A new bank', 'Manual'] };
	expect(settingsWith({ depositStatuses: 'Complete', filters: inAnyCase }).filter).toMatchObject({
		depositStatuses: ['complete'],
		networks: ['base', 'arbitrum'],
		providers: ['A new bank', 'Manual'],
	});
	const options = { ipAllowlist: '192.0.2.1;\n192.0.2.0/24,2001:db8::/32' };
	const { filter, allowlist } = settingsWith({ events: '*;payroll.run.closed', filters, options });
	expect(filter).toEqual({
		events: ['*', 'payroll.run.closed'],
		depositStatuses: ['complete'],
		entityIds: ['co-a1B2c3D4e5F6', 'te-a1B2c3D4e5F6'],
		eventVersions: ['2', '2.1', 'v3', '10.20-rc'],
		destinationCurrencies: ['EUR', 'us1'],
		sourceCurrencies: ['EUR', 'usd'],
		networks: ['base', 'arbitrum'],
		providers: ['manual'],
		minimumAmountCents: 500,
	});
	expect(allowlist.map(({ prefix }) => prefix)).toEqual([32, 24, 32]);
	const empty = Object.fromEntries(Object.keys(filters).map((name) => [name, ' ']));
	expect(settingsWith({ filters: empty }).filter).toEqual(settingsWith({}).filter);
});

it.each([
	[{ maximumAgeSeconds: 0 }, { maximumAgeSeconds: Number.POSITIVE_INFINITY }],
	[{ maximumAgeSeconds: '60' }, { maximumAgeSeconds: 60 }],
	[{ includeHeaders: 'true' }, { includeHeaders: true }],
	[{ includeHeaders: null }, { includeHeaders: false }],
	[{ invalidPayload: 'emit' }, { invalidPayload: 'emit' }],
	[{ invalidPayload: '' }, { invalidPayload: 'reject' }],
	[{ deduplicate: '' }, { history: 5_000 }],
	[{ deduplicate: 'false' }, { history: undefined }],
	[{ deduplicationHistory: 1 }, { history: 1 }],
	[{ deduplicationHistory: '100000' }, { history: 100_000 }],
	[{ acknowledge: 'finished' }, { acknowledge: 'finished' }],
	[undefined, { acknowledge: 'received' }],
])('reads the options %j', (options, values) => {
	expect(readOptions(sourceOf({ options }))).toMatchObject(values);
});

const NO_HISTORY = 'Deduplication History must be a whole number, from 1 to 100000';
const NO_NUMBER = 'must be a whole number, 0 or more';
const NO_AGE = `Maximum Age (Seconds) ${NO_NUMBER}`;
const NO_EVENT = 'must be an event type such as deposit.received, or * for any';
const NO_ACKNOWLEDGE =
	/^Acknowledge must be When Finished or When Received \(finished, received\)$/;

/** A value of an option, and why it's refused. */
const option =
	(name: string, message: string | RegExp) =>
	(value: unknown): [object, string | RegExp] => [{ options: { [name]: value } }, message];

it.each<[object, string | RegExp]>([
	[{ events: ' , ' }, 'Trigger On is empty'],
	[{ events: ['*', null] }, 'Trigger On, entry 2 must be text'],
	[{ events: 7 }, 'Trigger On must be a list, or text separated by commas'],
	[{ events: 'on deposit.received' }, `Trigger On, entry 1 ${NO_EVENT}`],
	[{ events: '*,deposit.received!' }, `Trigger On, entry 2 ${NO_EVENT}`],
	[{ depositStatuses: 'complete,paid' }, /^Deposit Statuses, entry 2 must be Complete, /],
	[{ output: 'rows' }, 'Output must be Event or Simplified (event, simplified)'],
	[{ filters: 'x' }, 'Filters can’t be an expression or a text'],
	[{ filters: { entityIds: 'te-1' } }, /entry 1 must have 15 characters, but has 4$/],
	[{ filters: { entityIds: 'us-a1B2c3D4e5F6' } }, /entry 1 must start with te- or co-/],
	...['two', 'x2', '2x', '2.', '-2', '2.x'].map((eventVersions): [object, RegExp] => [
		{ filters: { eventVersions } },
		/entry 1 must be a version such as 2 or 2\.1$/,
	]),
	[{ filters: { sourceCurrencies: 'dollars' } }, /3 to 5 letters or digits, e\.g\. USD$/],
	[{ filters: { eventVersions: [true] } }, 'Event Versions, entry 1 must be text'],
	[{ filters: { networks: 'solana' } }, /^Networks, entry 1 must be Arbitrum, /],
	[{ filters: { providers: [' '] } }, 'Providers, entry 1 is missing'],
	/* With a pattern that tries every way to divide it, n8n would stand still for years. */
	[{ filters: { eventVersions: [`2${'.00'.repeat(80)}!`] } }, /^Event Versions, entry 1 /],
	[{ filters: { minimumAmountCents: 'much' } }, `Minimum Amount (Cents) ${NO_NUMBER}`],
	[{ options: null }, 'Options can’t be an expression or a text'],
	[{ options: { ipAllowlist: '' } }, 'IP Allowlist is empty'],
	[{ options: { ipAllowlist: '::1 x' } }, /^IP Allowlist, entry 1 is wrong: “::1 x”/],
	...[0, -1, 1.5, 'many', null, '', 1e9, 100_001].map(option('deduplicationHistory', NO_HISTORY)),
	...['', -1, 0.5, true, null].map(option('maximumAgeSeconds', NO_AGE)),
	[{ options: { includeHeaders: 'yes' } }, 'Include Headers must be true or false'],
	[{ options: { deduplicate: 'yes' } }, 'Deduplicate must be true or false'],
	[{ options: { invalidPayload: 'no' } }, 'Invalid Payload must be Emit or Reject (emit, reject)'],
	...['Finished', true, 1, ['finished']].map(option('acknowledge', NO_ACKNOWLEDGE)),
	...[null, '', '={{ "finished" }}', '{{ "finished" }}'].map(
		option('acknowledge', /^Acknowledge (is missing\. Select|must be|can’t be)/),
	),
])('refuses %j', (parameters, message) => {
	expect(refusalOf(() => settingsWith(parameters))).toMatchObject({
		message: typeof message === 'string' ? message : expect.stringMatching(message),
		hint: expect.stringMatching(/\.$/),
	});
});
