import { PaymentJournal } from '../../idempotency/paymentJournal';
import type { RunContext } from '../../run/runContext';

const journals = new WeakMap<RunContext['scope'], PaymentJournal>();

/** The payment journal of a run: its check and its end use the same. */
export function journalOf({ store, scope, signal }: RunContext): PaymentJournal {
	const journal = journals.get(scope) ?? new PaymentJournal(store, scope(), signal);
	journals.set(scope, journal);
	return journal;
}
