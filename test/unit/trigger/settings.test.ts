import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { readOptions, readSettings } from '../../../nodes/PayrollPayments/trigger/settings';
import { sourceOf } from '../../support/receivedEvent';

const saved = {
	events: ['deposit.received'],
	depositStatuses: ['complete'],
	filters: {},
	output: 'event',
	options: {},
};

const read = (changes: object) => readSettings(sourceOf({ ...saved, ...changes }), undefined);

it('uses the documented defaults', () => {
	expect(read({})).toEqual({
		credentials: undefined,
		filter: { events: ['deposit.received'], depositStatuses: ['complete'] },
		output: 'event',
		acknowledge: 'received',
		allowlist: [],
		invalidPayload: 'reject',
		includeHeaders: false,
		maximumAgeSeconds: Number.POSITIVE_INFINITY,
		history: 5_000,
	});
});

it('reads lists from arrays and from text with commas, semicolons or line breaks', () => {
	const filters = {
		entityIds: ' co-a1B2c3D4e5F6, ;te-a1B2c3D4e5F6\n',
		eventVersions: ['2', 2.1, 'v3', null],
		sourceCurrencies: ['EUR', 'usd', ' '],
		networks: 'base;\narbitrum',
		providers: ['manual'],
		minimumAmountCents: ' 500 ',
	};
	const options = { ipAllowlist: '192.0.2.1;\n192.0.2.0/24,2001:db8::/32' };
	const { filter, allowlist } = read({ events: '*;payroll.closed', filters, options });
	expect(filter).toEqual({
		events: ['*', 'payroll.closed'],
		depositStatuses: ['complete'],
		entityIds: ['co-a1B2c3D4e5F6', 'te-a1B2c3D4e5F6'],
		eventVersions: ['2', '2.1', 'v3'],
		sourceCurrencies: ['EUR', 'usd'],
		networks: ['base', 'arbitrum'],
		providers: ['manual'],
		minimumAmountCents: 500,
	});
	expect(allowlist.map(({ prefix }) => prefix)).toEqual([32, 24, 32]);
});

it.each([
	[{ maximumAgeSeconds: 0 }, { maximumAgeSeconds: Number.POSITIVE_INFINITY }],
	[{ maximumAgeSeconds: '60' }, { maximumAgeSeconds: 60 }],
	[{ includeHeaders: 'true' }, { includeHeaders: true }],
	[{ includeHeaders: null }, { includeHeaders: false }],
	[{ invalidPayload: 'emit' }, { invalidPayload: 'emit' }],
	[
		{ deduplicate: '', invalidPayload: '' },
		{ history: 5_000, invalidPayload: 'reject' },
	],
	[{ deduplicate: 'false' }, { history: undefined }],
	[{ deduplicationHistory: 1 }, { history: 1 }],
	[{ deduplicationHistory: '100000' }, { history: 100_000 }],
	[{ acknowledge: 'finished' }, { acknowledge: 'finished' }],
	[undefined, { acknowledge: 'received' }],
])('reads the options %j', (options, values) => {
	expect(readOptions(sourceOf({ options }))).toMatchObject(values);
});

/** What is wrong with parameters, and under which field. */
function refusalOf(parameters: object, inWorkflow: object = parameters): readonly unknown[] {
	try {
		readSettings(sourceOf({ ...saved, ...parameters }, { ...saved, ...inWorkflow }), undefined);
	} catch (error) {
		if (!(error instanceof UserError)) throw error;
		expect(error.hint).toMatch(/\.$/);
		return [error.field, error.message];
	}
	return ['nothing was refused'];
}

const NO_HISTORY = 'Deduplication History must be a whole number, from 1 to 100000';
const NO_AGE = 'Maximum Age (Seconds) must be a whole number, 0 or more';
const NO_EVENT = 'must be an event type such as deposit.received, or * for any';

it.each<[object, string, string | RegExp]>([
	[{ events: ' , ' }, 'events', 'Trigger On is empty'],
	[{ events: [null, ''] }, 'events', 'Trigger On is empty'],
	[{ events: 7 }, 'events', 'Trigger On must be a list, or text separated by commas'],
	[{ events: [true] }, 'events', 'Trigger On, entry 1 must be text'],
	[{ events: 'deposit' }, 'events', `Trigger On, entry 1 ${NO_EVENT}`],
	[{ events: '*,Deposit received' }, 'events', `Trigger On, entry 2 ${NO_EVENT}`],
	[{ depositStatuses: [] }, 'depositStatuses', 'Deposit Statuses is empty'],
	[
		{ depositStatuses: 'complete,paid' },
		'depositStatuses',
		/^Deposit Statuses, entry 2 must be Complete, /,
	],
	[{ output: 'rows' }, 'output', 'Output must be Event or Simplified (event, simplified)'],
	[{ filters: { entityIds: 'te-1' } }, 'entityIds', /entry 1 must have 15 characters, but has 4$/],
	[
		{ filters: { entityIds: 'us-a1B2c3D4e5F6' } },
		'entityIds',
		/entry 1 must start with te- or co-/,
	],
	[
		{ filters: { eventVersions: 'two' } },
		'eventVersions',
		/entry 1 must be a version such as 2 or 2\.1$/,
	],
	[
		{ filters: { sourceCurrencies: 'US dollars' } },
		'sourceCurrencies',
		/3 to 5 letters or digits, e\.g\. USD$/,
	],
	[
		{ filters: { destinationCurrencies: '$' } },
		'destinationCurrencies',
		/3 to 5 letters or digits/,
	],
	[{ filters: { networks: 'solana' } }, 'networks', /^Networks, entry 1 must be Arbitrum, /],
	[{ filters: { providers: ['bank'] } }, 'providers', /^Providers, entry 1 must be Bitcoin, /],
	[
		{ filters: { minimumAmountCents: 'much' } },
		'minimumAmountCents',
		'Minimum Amount (Cents) must be a whole number, 0 or more',
	],
	[{ filters: 'x' }, 'filters', "Filters isn't a list of fields"],
	[{ options: null }, 'options', "Options isn't a list of fields"],
	[{ options: { ipAllowlist: '' } }, 'ipAllowlist', 'IP Allowlist is empty'],
	[
		{ options: { ipAllowlist: '192.0.2.1 here' } },
		'ipAllowlist',
		/^IP Allowlist, entry 1 is wrong: “192\.0\.2\.1 here” isn't a valid/,
	],
	...[0, -1, 1.5, 'many', null, '', 1e9, 100_001].map(
		(deduplicationHistory): [object, string, string] => [
			{ options: { deduplicationHistory } },
			'deduplicationHistory',
			NO_HISTORY,
		],
	),
	...['', -1, 0.5, true, null].map((maximumAgeSeconds): [object, string, string] => [
		{ options: { maximumAgeSeconds } },
		'maximumAgeSeconds',
		NO_AGE,
	]),
	[
		{ options: { includeHeaders: 'yes' } },
		'includeHeaders',
		'Include Headers must be true or false',
	],
	[{ options: { deduplicate: 'yes' } }, 'deduplicate', 'Deduplicate must be true or false'],
	[
		{ options: { invalidPayload: 'keep' } },
		'invalidPayload',
		'Invalid Payload must be Emit or Reject (emit, reject)',
	],
	...['Finished', true, 1, ['finished']].map((acknowledge): [object, string, RegExp] => [
		{ options: { acknowledge } },
		'acknowledge',
		/^Acknowledge must be When Finished or When Received \(finished, received\)$/,
	]),
	...[null, '', '={{ "finished" }}', '{{ "finished" }}'].map(
		(acknowledge): [object, string, RegExp] => [
			{ options: { acknowledge } },
			'acknowledge',
			/^Acknowledge (is missing\. Choose|must be|can't be)/,
		],
	),
])('refuses %j', (parameters, field, message) => {
	expect(refusalOf(parameters)).toEqual([
		field,
		typeof message === 'string' ? message : expect.stringMatching(message),
	]);
});

const FILTERS = {
	entityIds: 'Team or Company IDs',
	eventVersions: 'Event Versions',
	sourceCurrencies: 'Source Currencies',
	destinationCurrencies: 'Destination Currencies',
	networks: 'Networks',
	providers: 'Providers',
	minimumAmountCents: 'Minimum Amount (Cents)',
};

const NOTHING = '={{ $json.nothing }}';

describe.each(Object.entries(FILTERS))('the filter %s', (name, label) => {
	const foundNothing: ReadonlyArray<readonly [value: unknown, inWorkflow: unknown]> = [
		['', NOTHING],
		[undefined, NOTHING],
		...(name === 'minimumAmountCents' ? [] : [[[], ['base', NOTHING]] as const]),
	];

	it.each(foundNothing)(
		'lets nothing through where %j is what an expression found',
		(value, inWorkflow) => {
			const inFilter = (member: unknown) => ({ filters: { [name]: member } });
			expect(refusalOf(inFilter(value), inFilter(inWorkflow))).toEqual([
				name,
				`${label} is an expression that resolved to nothing`,
			]);
		},
	);

	it('lets everything through where it was left empty', () => {
		expect(read({ filters: { [name]: ' ' } }).filter).toEqual(read({}).filter);
	});
});

it('ignores the statuses where no deposits are asked for', () => {
	const parameters = { events: ['payment.sent'], depositStatuses: ['paid'] };
	expect(read(parameters).filter.depositStatuses).toEqual([]);
});
