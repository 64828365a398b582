import { ExecutionCache } from './executionCache';
import type { ProcessedStore } from './keyStore';
import {
	PaymentLedger,
	type Payment,
	type PaymentAnswer,
	type PaymentRecord,
} from './paymentLedger';
import type { UserError } from '../shared/errors';
import type { ExecutionScope } from './executionJournal';

const paymentsOfRuns = new ExecutionCache<PaymentRecord>();

export type KnownPayment =
	| { readonly is: 'payable'; readonly attempt: number }
	| {
			readonly is: 'done';
			readonly when: 'earlierTry' | 'earlierRun';
			readonly answer?: PaymentAnswer;
			readonly error?: UserError;
	  }
	| {
			readonly is: 'unknown';
			readonly when: 'earlierTry' | 'earlierRun';
			readonly code: string;
			readonly error: UserError;
	  }
	| { readonly is: 'refused'; readonly error: UserError };

/** Interim: the ledger with the journal's interface. */
export class PaymentJournal {
	private readonly ledger: PaymentLedger;
	private readonly attempts = new Map<Payment, number>();
	constructor(store: ProcessedStore, scope: ExecutionScope, isTool: boolean, signal?: AbortSignal) {
		const records = isTool ? new Map<string, PaymentRecord>() : paymentsOfRuns.of(scope);
		this.ledger = new PaymentLedger(store, `${scope.workflowId}:${scope.nodeId}`, records, signal);
	}
	async look(payments: readonly Payment[]): Promise<KnownPayment[]> {
		const rows = await this.ledger.check(payments.map((payment) => ({ payment })));
		return rows.map(({ payment, state }): KnownPayment => {
			if (state.status === 'payable') {
				this.attempts.set(payment, state.attempt);
				return { is: 'payable', attempt: state.attempt };
			}
			if ('answer' in state) return { is: 'done', when: 'earlierTry', answer: state.answer };
			if (state.status === 'paid') return { is: 'done', when: 'earlierRun', error: state.error };
			if (state.status === 'refused') return { is: 'refused', error: state.error };
			const when = state.isOfThisRun ? 'earlierTry' : 'earlierRun';
			return { is: 'unknown', when, code: state.code, error: state.error };
		});
	}
	async perform(payment: Payment, send: () => Promise<PaymentAnswer>): Promise<PaymentAnswer> {
		return await this.ledger.pay(payment, this.attempts.get(payment) ?? 1, send);
	}
	async close(): Promise<void> {
		await this.ledger.close();
	}
}
