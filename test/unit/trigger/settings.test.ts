import { eventOptions } from '../../../nodes/PayrollPayments/trigger/fields';
import { readOptions } from '../../../nodes/PayrollPayments/trigger/settings';
import { settingsWith, sourceOf } from '../../support/receivedEvent';

/* What settings are refused, and how lists are read, is tested in n8n (test/n8n/closedOptions.test.ts). */

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
	const bitcoin = others.find(({ value }) => value === 'deposit.bitcoin');
	expect(bitcoin?.action).toBe('On Bitcoin deposit');
	expect(others.find(({ value }) => value === '*')?.description).toMatch(/^Includes event types/);
});

it.each([
	[{ maximumAgeSeconds: '60' }, { maximumAgeSeconds: 60 }],
	[{ includeHeaders: 'true' }, { includeHeaders: true }],
	[{ includeHeaders: null }, { includeHeaders: false }],
	[{ invalidPayload: '' }, { invalidPayload: 'reject' }],
	[{ deduplicate: '' }, { history: 5_000 }],
	[{ deduplicate: 'false' }, { history: undefined }],
	[{ deduplicationHistory: 1 }, { history: 1 }],
	[{ deduplicationHistory: '100000' }, { history: 100_000 }],
	[{ acknowledge: 'finished', deduplicate: false }, { history: undefined }],
	[undefined, { acknowledge: 'received' }],
])('reads the options %j', (options, values) => {
	expect(readOptions(sourceOf({ options }))).toMatchObject(values);
});
