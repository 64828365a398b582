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
