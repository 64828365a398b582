import { PaymentJournal } from '../../idempotency/paymentJournal';
import type { RunContext } from '../../run/runContext';

const journals = new WeakMap<RunContext, PaymentJournal>();

/** The payment journal of a run: its check and its end use the same. */
export function journalOf(run: RunContext): PaymentJournal {
	const journal = journals.get(run) ?? new PaymentJournal(run.store, run.scope(), run.signal);
	journals.set(run, journal);
	return journal;
}
