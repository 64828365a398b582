import type { ProcessedStore } from '../../../nodes/PayrollPayments/idempotency/keyStore';
import {
	PaymentLedger,
	type Payment,
	type PaymentAnswer,
	type PaymentRecord,
	type PaymentState,
} from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { MemoryStore } from './memoryStore';

export const typedData = { from: '0xAB', data: { amount: '60', to: '0xCd' } };

export const payment: Payment = {
	teamId: 'te-123456789012',
	signer: '0xEF',
	typedData,
	recipient: 'ana@example.com',
	cents: 12_500,
	summary: '$125.00 to ana@example.com',
	item: 0,
};

export const paid: PaymentAnswer = { transaction: 'tx-123456789012' };

export type Outcome = PaymentAnswer | Error;

/** What memory and process a run of the node has, besides n8n's store. */
export interface RunOptions {
	readonly records?: Map<string, PaymentRecord>;
	readonly signal?: AbortSignal;
	readonly nodeKey?: string;
}

/** A run of the node with a ledger: checks all payments, sends those that may be sent, and closes. */
export class LedgerRun {
	readonly ledger: PaymentLedger;

	constructor(
		store: ProcessedStore,
		{ records = new Map(), signal, nodeKey = 'node' }: RunOptions,
	) {
		this.ledger = new PaymentLedger(store, nodeKey, records, signal);
	}

	async check(...payments: Payment[]): Promise<PaymentState[]> {
		const checked = await this.ledger.check(payments.map((payment) => ({ payment })));
		return checked.map(({ state }) => state);
	}

	/** @throws what the node would say of a payment that it doesn't send, or that fails */
	async pay(what: Payment, send: () => Promise<PaymentAnswer>): Promise<PaymentAnswer> {
		const [state] = await this.check(what);
		if (state !== undefined && 'answer' in state) return state.answer;
		if (state?.status !== 'payable') throw state?.error ?? new Error('not checked');
		return await this.ledger.pay(what, state.attempt, send);
	}

	async close(): Promise<void> {
		await this.ledger.close();
	}
}

/** n8n's store, and the payments that were sent. */
export function scene() {
	const store = new MemoryStore();
	const sent: Payment[] = [];
	const run = (options: RunOptions = {}) => new LedgerRun(store, options);
	/** One payment in one run. */
	const pay = async (what: Payment, outcome: Outcome = paid, options: RunOptions = {}) => {
		const own = run(options);
		try {
			return await own.pay(what, async () => {
				sent.push(what);
				if (outcome instanceof Error) throw outcome;
				return outcome;
			});
		} finally {
			await own.close();
		}
	};
	return { store, sent, run, pay };
}

/** What was thrown. */
export async function failureOf(work: Promise<unknown>): Promise<UserError> {
	const error: unknown = await work.then(
		() => new Error('nothing was thrown'),
		(caught: unknown) => caught,
	);
	if (error instanceof UserError) return error;
	throw error;
}

/** The code with which the payment may be sent once more. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
	const { message, context } = await failureOf(work);
	if (context.outcome === 'unknown' && context.attemptCode !== undefined)
		return context.attemptCode;
	throw new Error(`no code for an unknown outcome: ${message}`);
}
