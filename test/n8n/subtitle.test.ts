import { execFileSync } from 'node:child_process';
import path from 'node:path';

import type { INodeTypeDescription } from 'n8n-workflow';
import { z } from 'zod';

import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { EVENT_TYPES } from '../../nodes/PayrollPayments/contract/events';

const { description: action } = new PayrollPayments();
const { description: trigger } = new PayrollPaymentsTrigger();

/** The name of a menu's entry in the form. */
function nameOf(menu: string, value: string, resource = value): string {
	const fields = action.properties.filter(
		({ name, displayOptions }) =>
			name === menu && (displayOptions?.show?.resource?.includes(resource) ?? true),
	);
	const entries = fields.flatMap(({ options = [] }) => options);
	return entries.find((entry) => 'value' in entry && entry.value === value)?.name ?? '';
}

/** The line under a payment whose amount isn't known before it runs. */
const UNKNOWN = 'Create Instant: Payment';

/** The amount, in the unit that is chosen; that in the other unit is left over. */
const AMOUNTS: ReadonlyArray<readonly [unit: 'cents' | 'dollars', amount: unknown, string]> = [
	['cents', 100, 'Pay $1.00'],
	['cents', '12550', 'Pay $125.50'],
	['cents', 10_000_000_000, 'Pay $100,000,000.00'],
	['cents', 0, UNKNOWN],
	['cents', '', UNKNOWN],
	['cents', '={{ $json.amount_cents }}', UNKNOWN],
	['dollars', '125.5', 'Pay $125.50'],
	['dollars', '100000000.00', 'Pay $100,000,000.00'],
	['dollars', '125.505', UNKNOWN],
	['dollars', null, UNKNOWN],
	['dollars', '={{ $json.amount }}', UNKNOWN],
];

/** The trigger's events, and the line under it. */
const EVENTS: ReadonlyArray<readonly [unknown, string]> = [
	[['deposit.received'], 'Deposit Received'],
	[['onboarding.step_updated.kyc.accepted'], 'Onboarding KYC Accepted'],
	[[...EVENT_TYPES.slice(0, 7)], '7 events'],
	[['*'], 'Any Event'],
	[['deposit.received', '*'], 'Any Event'],
	[['deposit.refunded'], 'Deposit Refunded'],
	['invite.accepted', 'Invite Accepted'],
	['={{ $json.events }}', 'Events from an expression'],
	[['={{ $json.event }}'], 'Events from an expression'],
	[['deposit.received', '={{ $json.event }}'], '2 events'],
	[[], ''],
];

type Case = readonly [parameters: object, subtitle: string | undefined];

const PAYMENT = { resource: 'payment', operation: 'create' };

/** What each test is about, with the parameters of a node and what n8n's editor shows under it. */
const GROUPS: Readonly<Record<string, readonly [INodeTypeDescription, readonly Case[]]>> = {
	'names every operation in the words of the menu': [
		action,
		CATALOGUE.map(({ resource, operation }) => [
			{ resource, operation },
			`${nameOf('operation', operation, resource)}: ${nameOf('resource', resource)}`,
		]),
	],
	'says what a payment pays, where the amount is known': [
		action,
		AMOUNTS.map(([amountUnit, amount, subtitle]) => [
			{
				...PAYMENT,
				...{ amountUnit, amountCents: 99_900, amountDollars: '5' },
				[amountUnit === 'cents' ? 'amountCents' : 'amountDollars']: amount,
			},
			subtitle,
		]),
	],
	'names the event of the trigger, or counts the events': [
		trigger,
		EVENTS.map(([events, subtitle]) => [{ events }, subtitle]),
	],
};

const answer = z.object({ engine: z.string(), subtitles: z.record(z.array(z.unknown())) });

/* The third engine, "vm", needs a native module that `npm ci --ignore-scripts` does not build. */
describe.each(['legacy', 'quickjs'])(
	'the line under the node, with the expression engine %s',
	(engine) => {
		let shown: z.infer<typeof answer>;

		beforeAll(() => {
			const groups = Object.entries(GROUPS).map(([name, [description, cases]]) => ({
				name,
				description,
				cases: cases.map(([parameters]) => parameters),
			}));
			const script = path.join(__dirname, 'subtitles.mjs');
			const input = JSON.stringify({ engine, groups });
			const printed = execFileSync(process.execPath, [script], { input, encoding: 'utf8' });
			shown = answer.parse(JSON.parse(printed));
		});

		it('is worked out by that engine', () => {
			expect(shown.engine).toBe(engine);
		});

		it.each(Object.entries(GROUPS))('%s', (name, [, cases]) => {
			expect(shown.subtitles[name]).toEqual(cases.map(([, subtitle]) => subtitle));
		});
	},
);
