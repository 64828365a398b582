import {
	failuresIn,
	paymentName,
	paymentReport,
} from '../../../nodes/PayrollPayments/operations/payment/checkReport';
import { refused, type Row } from '../../../nodes/PayrollPayments/run/rows';
import { UserError } from '../../../nodes/PayrollPayments/shared/errors';

describe('what failed', () => {
	const closed = new UserError('The account is closed.');
	const fifth = { item: 4, row: { number: 9, isOfSheet: true } };

	it('is said once for all its payments, by their references or rows', () => {
		const rows: Row[] = [
			{ ...refused([4], closed), place: fifth },
			{ ...refused([1], closed), columns: { reference: 'ref-1' } },
			refused([3], closed),
			{ ...refused([2], new UserError('no role')), columns: { reference: null } },
		];
		expect(failuresIn(rows, paymentName)).toEqual([
			'ref-1, row 4, row 9 of the sheet: The account is closed',
			'Row 3: no role',
		]);
	});

	it('is said without payments where it is the whole run', () => {
		const rows = [refused([0], closed, 'run'), refused([1], closed, 'run')];
		expect(failuresIn(rows, paymentName)).toEqual(['The account is closed']);
	});
});

it('what a form doesn’t tell is left out', () => {
	const columns = { amount: '125.00', recipient_email: 'ana@example.com', service: 'api.example' };
	expect(paymentReport('Pay?', columns).message).toBe(
		'Pay?\nService: api.example\n$125.00, ana@example.com',
	);
	expect(paymentReport('Pay?', { service: 'api.example' }).message).toBe(
		'Pay?\nService: api.example\n$0.00',
	);
});
