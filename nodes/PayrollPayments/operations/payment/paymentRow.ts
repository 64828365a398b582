import type { Known } from '../../idempotency/journal';
import type { PaymentAnswer } from '../../idempotency/paymentJournal';
import type { Payment } from '../../idempotency/paymentKeys';
import type { Row } from '../../run/rows';
import type { OutputRecord } from '../../run/write';
import { dollarsAsCents } from '../../shared/money';

/** A payment that was read: it passed every check but the journal's, or an earlier try has decided on it. */
export interface GuardedPayment extends Row {
	readonly numbers: readonly [number];
	readonly payment: Payment;
	readonly columns: OutputRecord;
	/** Whether the signed amount was compared with the form's. */
	readonly isCompared: boolean;
}

/** The same, with what the journal knows of it. */
export interface PaymentRow extends GuardedPayment {
	readonly known: Known<PaymentAnswer>;
}

export function isPayment<Some extends Row>(row: Some): row is Some & PaymentRow {
	return 'payment' in row;
}

/** Whether a row is a payment that passed every check, and would be sent now. */
export function isToSend(row: Row): row is PaymentRow {
	return isPayment(row) && row.state.is === 'ready';
}

/** Whether a person confirmed that an earlier attempt wasn’t made, so that another one is sent. */
export function isSentAgain({ known }: PaymentRow): boolean {
	return known.is === 'sendable' && known.attempt > 1;
}

/** The amount in the columns of a row, in cents; 0 if they have none. */
export function centsOf({ columns: { amount } = {} }: Pick<Row, 'columns'>): bigint {
	return BigInt(typeof amount === 'string' ? (dollarsAsCents(amount) ?? 0) : 0);
}

/** Of the entered amounts, not the signed ones. */
export function totalCents(rows: readonly PaymentRow[]): bigint {
	return sumOf(rows.map(({ payment }) => BigInt(payment.cents)));
}

export function sumOf(cents: readonly bigint[]): bigint {
	return cents.reduce((sum, each) => sum + each, 0n);
}
