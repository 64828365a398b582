import { execFileSync } from 'node:child_process';
import path from 'node:path';

import type { INodeTypeDescription } from 'n8n-workflow';

import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { CATALOGUE } from '../../nodes/PayrollPayments/actions/catalogue';
import { EVENT_TYPES } from '../../nodes/PayrollPayments/api/schemas/events';

const { description: action } = new PayrollPayments();
const { description: trigger } = new PayrollPaymentsTrigger();

const WORDS: Readonly<Record<string, string>> = {
	'administratorInvite.create': 'Create: Administrator Invite',
	'administratorInvite.createAndExecute': 'Create and Execute: Administrator Invite',
	'administratorInvite.execute': 'Execute: Administrator Invite',
	'authentication.getSignInMessage': 'Get Sign-In Message: Authentication',
	'authentication.verify': 'Verify: Authentication',
	'balance.get': 'Get: Balance',
	'invite.create': 'Create: Invite',
	'invite.getAll': 'Get Many: Invite',
	'nameReview.resolve': 'Resolve: Name Review',
	'payment.createInstant': 'Create Instant: Payment',
	'teamUser.getAll': 'Get Many: Team User',
	'webhook.sendTest': 'Send Test: Webhook',
};

/** The line under a payment whose amount isn't known before it runs. */
const UNKNOWN = 'Create Instant: Payment';

const AMOUNTS: ReadonlyArray<readonly [unknown, string]> = [
	[100, 'Pay $1.00'],
	[12_550, 'Pay $125.50'],
	['12500', 'Pay $125.00'],
	[10_000_000_000, 'Pay $100,000,000.00'],
	[0, UNKNOWN],
	['', UNKNOWN],
	[null, UNKNOWN],
	['={{ $json.amount_cents }}', UNKNOWN],
];

const DOLLARS: ReadonlyArray<readonly [unknown, string]> = [
	['1', 'Pay $1.00'],
	['125.5', 'Pay $125.50'],
	['12500', 'Pay $12,500.00'],
	['100000000.00', 'Pay $100,000,000.00'],
	['125.505', UNKNOWN],
	['1e3', UNKNOWN],
	['0', UNKNOWN],
	['', UNKNOWN],
	[null, UNKNOWN],
	['={{ $json.amount }}', UNKNOWN],
];

/** The trigger's events, and the line under it. */
const EVENTS: ReadonlyArray<readonly [unknown, string]> = [
	[['deposit.received'], 'Deposit: Received'],
	[['onboarding.step_updated.kyc.accepted'], 'Onboarding: KYC Accepted'],
	[[...EVENT_TYPES.slice(0, 7)], '7 events'],
	[['*'], 'Any Event'],
	[['deposit.received', '*'], 'Any Event'],
	[['deposit.refunded'], 'deposit.refunded'],
	['invite.accepted', 'Invite: Accepted'],
	['={{ $json.events }}', 'Events from an expression'],
	[['={{ $json.event }}'], 'Events from an expression'],
	[['deposit.received', '={{ $json.event }}'], '2 events'],
	[[], ''],
];

/** What n8n's editor shows under the node for each of the parameters. */
function shown(
	engine: string,
	cases: readonly object[],
	description: INodeTypeDescription = action,
): unknown {
	const script = path.join(__dirname, 'subtitles.mjs');
	const input = JSON.stringify({ engine, description, cases });
	return JSON.parse(execFileSync(process.execPath, [script], { input, encoding: 'utf8' }));
}

/* The third engine, "vm", needs a native module that `npm ci --ignore-scripts` does not build. */
describe.each(['legacy', 'quickjs'])(
	'the line under the node, with the expression engine %s',
	(engine) => {
		it('names every operation in the words of the menu', () => {
			const cases = CATALOGUE.map(({ resource, operation }) => ({ resource, operation }));
			const subtitles = cases.map(({ resource, operation }) => WORDS[`${resource}.${operation}`]);
			expect(shown(engine, cases)).toEqual({ engine, subtitles });
		});

		it('says what a payment pays, where the amount is known', () => {
			const payment = { resource: 'payment', operation: 'createInstant' };
			const cases = AMOUNTS.map(([amountCents]) => ({ ...payment, amountCents }));
			const subtitles = AMOUNTS.map(([, subtitle]) => subtitle);
			expect(shown(engine, cases)).toEqual({ engine, subtitles });
		});

		it('reads the amount in the unit that was chosen', () => {
			const payment = { resource: 'payment', operation: 'createInstant', amountCents: 99_900 };
			const cases = DOLLARS.map(([amountDollars]) => ({
				...payment,
				amountUnit: 'dollars',
				amountDollars,
			}));
			const subtitles = DOLLARS.map(([, subtitle]) => subtitle);
			expect(shown(engine, cases)).toEqual({ engine, subtitles });
			const inCents = [{ ...payment, amountUnit: 'cents', amountDollars: '5' }];
			expect(shown(engine, inCents)).toEqual({
				engine,
				subtitles: ['Pay $999.00'],
			});
		});

		it('names the event of the trigger, or counts the events', () => {
			const cases = EVENTS.map(([events]) => ({ events }));
			const subtitles = EVENTS.map(([, subtitle]) => subtitle);
			expect(shown(engine, cases, trigger)).toEqual({ engine, subtitles });
		});

		it('shows no dollars elsewhere, though an amount is left over', () => {
			const cases = [{ resource: 'balance', operation: 'get', amountCents: 12_500 }];
			expect(shown(engine, cases)).toEqual({ engine, subtitles: ['Get: Balance'] });
		});
	},
);
