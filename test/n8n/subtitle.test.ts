import { execFileSync } from 'node:child_process';
import path from 'node:path';

import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { CATALOGUE } from '../../nodes/PayrollPayments/actions/catalogue';

const { description } = new PayrollPayments();

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

const AMOUNTS: ReadonlyArray<readonly [unknown, string]> = [
	[100, '$1.00 '],
	[12_550, '$125.50 '],
	['12500', '$125.00 '],
	[10_000_000_000, '$100,000,000.00 '],
	[0, ''],
	['', ''],
	[null, ''],
	['={{ $json.amount_cents }}', ''],
];

const DOLLARS: ReadonlyArray<readonly [unknown, string]> = [
	['1', '$1.00 '],
	['125.5', '$125.50 '],
	['100000000.00', '$100,000,000.00 '],
	['125.505', ''],
	['1e3', ''],
	['0', ''],
	['', ''],
	[null, ''],
	['={{ $json.amount }}', ''],
];

/** What n8n's editor shows under the node for each of the parameters. */
function shown(engine: string, cases: readonly object[]): unknown {
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

		it('begins with the dollars of a payment, where they are known', () => {
			const payment = { resource: 'payment', operation: 'createInstant' };
			const cases = AMOUNTS.map(([amountCents]) => ({ ...payment, amountCents }));
			const subtitles = AMOUNTS.map(([, dollars]) => `${dollars}Create Instant: Payment`);
			expect(shown(engine, cases)).toEqual({ engine, subtitles });
		});

		it('begins with the amount in the unit that was chosen', () => {
			const payment = { resource: 'payment', operation: 'createInstant', amountCents: 99_900 };
			const cases = DOLLARS.map(([amountDollars]) => ({
				...payment,
				amountUnit: 'dollars',
				amountDollars,
			}));
			const subtitles = DOLLARS.map(([, dollars]) => `${dollars}Create Instant: Payment`);
			expect(shown(engine, cases)).toEqual({ engine, subtitles });
			const inCents = [{ ...payment, amountUnit: 'cents', amountDollars: '5' }];
			expect(shown(engine, inCents)).toEqual({
				engine,
				subtitles: ['$999.00 Create Instant: Payment'],
			});
		});

		it('shows no dollars elsewhere, though an amount is left over', () => {
			const cases = [{ resource: 'balance', operation: 'get', amountCents: 12_500 }];
			expect(shown(engine, cases)).toEqual({ engine, subtitles: ['Get: Balance'] });
		});
	},
);
