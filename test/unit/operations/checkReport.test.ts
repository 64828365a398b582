import {
	paymentReport,
	runReport,
} from '../../../nodes/PayrollPayments/operations/payment/checkReport';
import type { PaymentRow } from '../../../nodes/PayrollPayments/operations/payment/paymentRow';
import {
	failureTexts,
	paymentName,
} from '../../../nodes/PayrollPayments/operations/payment/rowTexts';
import { refused, type Row } from '../../../nodes/PayrollPayments/run/rows';
import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { payment } from '../idempotency/paymentScene';

const paymentRow = (
	item: number,
	reference?: string,
	known: PaymentRow['known'] = { is: 'sendable', attempt: 1 },
): PaymentRow => ({
	...{ numbers: [item], writes: [], isCompared: true, signedCents: 12_500n, known },
	payment: { ...payment, number: item, reference },
	columns: { amount: '125.00', reference: reference ?? null, team: 'Team A' },
	state: { is: 'checked', records: [] },
});

describe('what failed', () => {
	const closed = new UserError('The account is closed.');

	it('is said once for all its payments, by their references or rows', () => {
		const rows: Row[] = [
			{ ...refused([4], closed), place: { item: 4, row: { number: 9, isOfSheet: true } } },
			{ ...refused([1], closed), columns: { reference: 'ref-1' } },
			refused([3], closed),
			{ ...refused([2], new UserError('no role')), columns: { reference: null } },
		];
		expect(failureTexts(rows, paymentName)).toEqual([
			'ref-1, row 4, row 9 of the sheet: The account is closed',
			'Row 3: no role',
		]);
	});

	it('is said without payments where it is the whole run', () => {
		const rows = [refused([0], closed, 'run'), refused([1], closed, 'run')];
		expect(failureTexts(rows, paymentName)).toEqual(['The account is closed']);
	});
});

it('what a form doesn’t tell is left out', () => {
	const columns = { amount: '125.00', recipient_email: 'ana@example.com', service: 'api.example' };
	const { message } = paymentReport('Pay?', { ...paymentRow(0), columns });
	expect(message).toBe(
		'Pay?\nService: api.example\nWithout a reference. A new authorization would pay again\n$125.00, ana@example.com',
	);
	const nothing = { ...paymentRow(0, 'PAY-1'), columns: { service: 'api.example' } };
	expect(paymentReport('Pay?', nothing).message).toBe('Pay?\nService: api.example\n$0.00');
});

describe('the check of a run', () => {
	const error = new UserError('no role');
	const expired = { amount: '125.00', team: 'Team A', expires: '1600000000' };
	const again = paymentRow(1, undefined, { is: 'sendable', attempt: 2 });
	const [first, second] = [paymentRow(0, 'PAY-1'), { ...again, columns: expired }];
	const unknown = { is: 'unknown', when: 'earlierRun', error } as const;
	const run = {
		...{ count: 6, toSend: [first, second], toSendTotal: 25_000n, balance: 100_000n },
		unknown: [
			paymentRow(2, 'PAY-3', { ...unknown, code: 'CODE-1' }),
			paymentRow(3, 'P-4', unknown),
		],
		paid: [paymentRow(4, 'PAY-5', { is: 'done', when: 'earlierRun', error })],
		...{ service: 'api.example', refused: [], duplicates: [[first, second]] },
		skips: true,
		sharedWallets: [[first, second]],
	};
	const none = {
		...{ sharedWallets: [], toSend: [], toSendTotal: 0n, balance: undefined },
		...{ unknown: [], paid: [] },
	};

	it('says what it pays, and what to look at', () => {
		expect(runReport(run).message).toBe(
			[
				'Pay $250.00 in 2 payments?',
				'From team: Team A',
				'Service: api.example',
				'Balance: $1,000.00 now, $750.00 afterwards',
				'Without a reference: 1. A new authorization would pay again',
				'If a payment that isn’t known yet was sent for another recipient or amount, ask about that one.',
				'Authorization expired:',
				'• row 2',
				'Sent before, sent again:',
				'• row 2',
				'Look closely, the same recipient and amount:',
				'• PAY-1 and row 2',
				'Look closely, several people with one wallet:',
				'• PAY-1, row 2',
				'Not known yet, and not sent again:',
				'• PAY-3: $125.00 to ana@example.com (CODE-1)',
				'• P-4: $125.00 to ana@example.com',
				'Paid before, and left alone; to pay again, use a new reference:',
				'• PAY-5',
				'$125.00, PAY-1',
				'$125.00, expired on 2020-09-13 12:26 UTC',
			].join('\n'),
		);
	});

	it('says where a payment that was made keeps the others from being paid', () => {
		const { message } = runReport({ ...run, skips: false });
		expect(message).toContain('(others are paid only if the paying node has If Already Paid: Skip');
		const alone = { ...run, ...none, paid: run.paid, skips: false, duplicates: [] };
		expect(runReport(alone).message).toMatch(/use a new reference:\n/);
		const other = { ...second, columns: { ...expired, team: 'Team B' } };
		const toSend = { toSend: [first, other], balance: undefined };
		expect(runReport({ ...run, ...toSend }).message).not.toContain('Balance');
	});

	it('leaves room for what a reference would hide', () => {
		const padded = (padding: string) => paymentRow(0, `PAY-1${padding.repeat(500)}`);
		const toSend = [padded('x'), padded('\u2800'), padded('\u034f'), padded(' @here_2 @hereby')];
		const { message } = runReport({ ...run, ...none, toSend });
		const unseen = `$125.00, PAY-1${'\ufffd'.repeat(94)}…`;
		expect(message.split('\n').slice(-4)).toEqual([
			...[`$125.00, PAY-1${'x'.repeat(94)}…`, unseen, unseen],
			expect.stringMatching(/^\$125\.00, PAY-1 @ here_2 @hereby @ here_2 /),
		]);
		expect(paymentName(paymentRow(6, 'x'.repeat(99)))).toBe('x'.repeat(99));
		expect(paymentName(paymentRow(6, 'x'.repeat(300)))).toMatch(/^row 7 \("?x{99}…"?\)$/);
	});

	it('says that there is nothing to pay', () => {
		const { message } = runReport({ ...run, toSend: [], toSendTotal: 0n, duplicates: [] });
		expect(message).toMatch(/^Nothing to pay\nService: api\.example\n/);
	});

	it.each([
		['2000000000', 'valid until 2033-05-18 03:33 UTC'],
		['1600000000', 'expired on 2020-09-13 12:26 UTC'],
		['1600000000000', 'expired on 2020-09-13 12:26 UTC (1600000000000)'],
		['block 17', 'valid until block 17'],
		['2025-01-01T00:00:00Z', 'expired on 2025-01-01 00:00 UTC'],
		['999999999', 'expired on 999999999'],
		['1600000000000000', 'expired on 2020-09-13 12:26 UTC (1600000000000000)'],
		['2025-01-01 00:00', 'expired on 2025-01-01 00:00 UTC'],
	])('says of an authorization with expires %s that it is %s', (expires, text) => {
		const columns = { amount: '125.00', expires };
		const { message } = paymentReport('Pay?', { ...paymentRow(0), columns });
		expect(message.split('\n').at(-1)).toBe(`$125.00, ${text}`);
	});

	it('says that it can’t be paid, with what would have been', () => {
		const failed = { ...run, ...none, count: 2, duplicates: [], refused: [refused([1], error)] };
		const one = { toSend: [first], toSendTotal: 12_500n };
		expect(runReport({ ...failed, ...one }).message).toBe(
			[
				'Can’t be paid: 1 of 2 payments refused',
				'Not paid either: $125.00 in 1 payment',
				'From team: Team A',
				'Service: api.example',
				'Balance: not known',
				'Refused:',
				'• Row 2: no role',
				'$125.00, PAY-1',
			].join('\n'),
		);
		expect(runReport({ ...failed, count: 1 })).toEqual({
			message:
				'Can’t be paid: 1 of 1 payment refused\nService: api.example\nRefused:\n• Row 2: no role',
			html: '<div style="overflow-wrap:anywhere"><p><b>Can’t be paid: 1 of 1 payment refused</b><br>Service: api.example</p><p><b>Refused</b><br>Row 2: no role</p></div>',
		});
	});
});
