import { Refusal } from '../../../nodes/PayrollPayments/shared/errors';
import { readHistory, readSettings } from '../../../nodes/PayrollPayments/trigger/settings';

const saved = {
	events: ['deposit.received'],
	depositStatuses: ['complete'],
	filters: {},
	output: 'event',
	options: {},
};

it('uses the documented defaults', () => {
	expect(readSettings(saved, undefined)).toEqual({
		credentials: undefined,
		allowlist: [],
		filter: {
			events: ['deposit.received'],
			depositStatuses: ['complete'],
			entityIds: [],
			eventVersions: [],
			sourceCurrencies: [],
			destinationCurrencies: [],
			networks: [],
			providers: [],
			minimumAmountCents: Number.NEGATIVE_INFINITY,
		},
		output: 'event',
		invalidPayload: 'reject',
		includeHeaders: false,
		maximumAgeSeconds: Number.POSITIVE_INFINITY,
		history: 5_000,
	});
});

it('reads lists from arrays and from text with commas or line breaks', () => {
	const filters = {
		entityIds: ' co-1, ,te-2\n',
		sourceCurrencies: ['EUR', ' USD '],
		networks: 'base',
		minimumAmountCents: '500',
	};
	const { filter } = readSettings({ ...saved, events: '*', filters }, undefined);
	expect(filter).toMatchObject({
		events: ['*'],
		entityIds: ['co-1', 'te-2'],
		sourceCurrencies: ['EUR', 'USD'],
		networks: ['base'],
		minimumAmountCents: 500,
	});
});

it('names what is wrong in the allowlist', () => {
	const options = { ipAllowlist: '203.0.113.0/24, here' };
	expect(() => readSettings({ ...saved, options }, undefined)).toThrow(
		"“here” isn't a valid IP address",
	);
});

it('remembers 5,000 events, another number, or none', () => {
	expect(readHistory({})).toBe(5_000);
	expect(readHistory({ deduplicationHistory: 1 })).toBe(1);
	expect(readHistory({ deduplicationHistory: '20' })).toBe(20);
	expect(readHistory({ deduplicate: false })).toBeUndefined();
});

it.each([0, -1, 1.5, 'many', null, 1e9])('ignores %j as a history', (deduplicationHistory) => {
	expect(readHistory({ deduplicationHistory })).toBe(5_000);
});

it('takes the largest history there is, and no larger one', () => {
	expect(readHistory({ deduplicationHistory: 100_000 })).toBe(100_000);
	expect(readHistory({ deduplicationHistory: 100_001 })).toBe(5_000);
});

/** What is wrong with parameters, in the words and under the field that the user sees. */
function refusalOf(parameters: object, inWorkflow: object = parameters): readonly unknown[] {
	try {
		readSettings({ ...saved, ...parameters }, undefined, { ...saved, ...inWorkflow });
	} catch (error) {
		if (error instanceof Refusal) return [error.field, error.message, error.hint];
		throw error;
	}
	throw new Error('nothing was refused');
}

const LIST_HINT =
	'Enter values separated by commas, or use an expression that gives an array of texts.';
const MENU_HINT = 'Choose from the menu, or fix the expression.';
const AGE_HINT = 'Enter a number of seconds, e.g. 86400 for one day, or 0 for no limit.';

it.each<[object, string, string, string]>([
	[
		{ events: ' , ' },
		'events',
		'Trigger On is empty or resolves to nothing',
		'Choose at least one event, or fix the expression.',
	],
	[{ events: 7 }, 'events', "Trigger On isn't a list", LIST_HINT],
	[{ events: [true] }, 'events', "Trigger On contains a value that isn't text", LIST_HINT],
	[
		{ depositStatuses: [] },
		'depositStatuses',
		'Deposit Statuses is empty or resolves to nothing',
		'Choose at least one status, or fix the expression.',
	],
	[
		{ events: ['*'], depositStatuses: ['complete', 'p'.repeat(70)] },
		'depositStatuses',
		`Deposit Statuses contains "${'p'.repeat(60)}", which isn't a deposit status`,
		'Use complete, failed, pending, rejected, reverted, unknown.',
	],
	[
		{ options: { ipAllowlist: '' } },
		'ipAllowlist',
		'IP Allowlist is empty or resolves to nothing',
		'Add at least one address, fix the expression, or remove the option to accept deliveries from any address.',
	],
	[
		{ filters: { minimumAmountCents: 'much' } },
		'minimumAmountCents',
		"Minimum Amount (Cents) isn't a number",
		'Enter the amount in cents, e.g. 12500 for $125.00.',
	],
	[
		{ options: { maximumAgeSeconds: '' } },
		'maximumAgeSeconds',
		'Maximum Age (Seconds) is empty or resolves to nothing',
		AGE_HINT,
	],
	[
		{ options: { maximumAgeSeconds: -1 } },
		'maximumAgeSeconds',
		"Maximum Age (Seconds) isn't a number of seconds",
		AGE_HINT,
	],
	[
		{ options: { maximumAgeSeconds: true } },
		'maximumAgeSeconds',
		"Maximum Age (Seconds) isn't a number of seconds",
		AGE_HINT,
	],
	[
		{ options: { includeHeaders: 'yes' } },
		'includeHeaders',
		"Include Headers isn't true or false",
		'Turn the option on or off, or fix its expression.',
	],
	[
		{ options: { deduplicate: 'yes' } },
		'deduplicate',
		"Deduplicate isn't true or false",
		'Turn the option on or off, or fix its expression.',
	],
	[
		{ output: 'rows' },
		'output',
		'Output must be Event or Simplified (event, simplified)',
		MENU_HINT,
	],
	[
		{ options: { invalidPayload: 'keep' } },
		'invalidPayload',
		'Invalid Payload must be Emit or Reject (emit, reject)',
		MENU_HINT,
	],
])('refuses %j', (parameters, ...refusal) => {
	expect(refusalOf(parameters)).toEqual(refusal);
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
				`${label} resolves to nothing`,
				'Fix the expression, or remove the filter to let everything through.',
			]);
		},
	);

	it('lets everything through where it was left empty', () => {
		const { filter } = readSettings({ ...saved, filters: { [name]: ' ' } }, undefined);
		expect(filter).toEqual(readSettings(saved, undefined).filter);
	});
});

it.each([
	[0, Number.POSITIVE_INFINITY],
	['0', Number.POSITIVE_INFINITY],
	['60', 60],
	[0.5, 0.5],
])('reads %j as a maximum age of %d seconds', (maximumAgeSeconds, seconds) => {
	const options = { maximumAgeSeconds };
	expect(readSettings({ ...saved, options }, undefined).maximumAgeSeconds).toBe(seconds);
});

it.each([
	[true, true],
	['true', true],
	[false, false],
	['false', false],
	['', false],
	[null, false],
])('reads %j as a switch that is %j', (includeHeaders, isOn) => {
	const options = { includeHeaders };
	expect(readSettings({ ...saved, options }, undefined).includeHeaders).toBe(isOn);
});

it('takes the strict value where a choice finds nothing', () => {
	const options = { invalidPayload: '', deduplicate: '' };
	expect(readSettings({ ...saved, options }, undefined)).toMatchObject({
		invalidPayload: 'reject',
		history: 5_000,
	});
});

it('ignores the statuses where no deposits are asked for', () => {
	const parameters = { ...saved, events: ['payment.sent'], depositStatuses: ['paid'] };
	expect(readSettings(parameters, undefined).filter.depositStatuses).toEqual([]);
});
