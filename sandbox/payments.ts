import { paymentGroupRecord, paymentRecord } from './eventRecords';
import { ServiceFailure } from './failure';
import { plainly, type InstantPayment, type PaymentTypedData } from './instantPayments';
import type { Organisation, Team } from './organisation';
import type { Settings } from './settings';

export const PAYMENT_OUTCOMES = ['sent', 'failed', 'canceled'] as const;
/** How a payment ends. */
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];

/** A payment that was authorized, and what became of it. */
export interface Payment {
	readonly team: string;
	readonly amount_cents: number;
	readonly email: string;
	/** The number of an invoice or payout, if the authorization was asked for with one. */
	readonly reference: string;
	/** ISO time of the authorization. */
	readonly created_at: string;
	/** `authorized` until the payment has arrived. */
	status: 'authorized' | 'processing' | PaymentOutcome;
	updated_at: string;
	/** Missing until the payment has arrived. */
	readonly transaction?: string;
}

interface Processing {
	readonly payment: Payment;
	readonly team: Team;
	readonly requestId: string;
	/** The payment's object in events. */
	readonly record: ReturnType<typeof paymentRecord>;
}

/** What payments need from the service around them. */
interface Surroundings {
	readonly organisation: Organisation;
	readonly settings: Settings;
	announce(eventType: string, content: object, requestId: string): void;
}

/** All payments: authorized, made, and ended. Each signed salt pays once. */
export class Payments {
	/** By the number that was signed: `57164`, `057164` and `0xdf4c` are one salt. */
	private readonly bySalt = new Map<
		bigint,
		{ payment: Payment; readonly issued: PaymentTypedData }
	>();
	/** Payments that haven't ended, by transaction. */
	private readonly processing = new Map<string, Processing>();
	private readonly timers = new Set<NodeJS.Timeout>();

	/** Notes an authorization, since only what was issued is paid. */
	authorize(
		issued: PaymentTypedData,
		order: Pick<Payment, 'team' | 'amount_cents' | 'email' | 'reference'>,
	): void {
		const now = new Date().toISOString();
		const payment = { ...order, created_at: now, status: 'authorized', updated_at: now } as const;
		this.bySalt.set(BigInt(issued.salt), { payment, issued });
	}

	/**
	 * Takes the money off the balance, and returns the transaction. Throws {@link ServiceFailure} 400
	 * for a salt that has paid, what wasn't authorized like this, and a balance that is too low.
	 */
	make(order: InstantPayment, team: Team, requestId: string, around: Surroundings): string {
		const { salt, data } = order.typed_data;
		const authorized = this.bySalt.get(BigInt(salt));
		if (authorized?.payment.transaction !== undefined) {
			throw new ServiceFailure(400, 'The payment was already made', 'PAYMENT_REPLAYED');
		}
		if (!authorized || plainly(authorized.issued) !== plainly(order.typed_data)) {
			throw new ServiceFailure(400, 'No such payment was authorized', 'PAYMENT_NOT_AUTHORIZED');
		}
		const balance = team.balances.get(order.currency_symbol) ?? 0n;
		if (balance < BigInt(order.amount_cents)) {
			throw new ServiceFailure(400, 'The balance is too low', 'INSUFFICIENT_BALANCE');
		}
		team.balances.set(order.currency_symbol, balance - BigInt(order.amount_cents));

		const { organisation, settings } = around;
		const transaction = organisation.randomness.identifier('tx');
		const now = new Date().toISOString();
		const payment: Payment = {
			team: team.nanoid,
			amount_cents: order.amount_cents,
			email: order.external_recipient_email,
			reference: authorized.payment.reference,
			created_at: authorized.payment.created_at,
			status: 'processing',
			updated_at: now,
			transaction,
		};
		const record = paymentRecord(organisation, {
			transaction,
			email: payment.email,
			amountCents: payment.amount_cents,
			onchainId: data.id,
			groupOnchainId: data.groupID,
		});
		authorized.payment = payment;
		this.processing.set(transaction, { payment, team, requestId, record });
		const group = paymentGroupRecord(organisation, record);
		if (settings.automaticEvents) around.announce('payment.group.created', group, requestId);
		const { paymentOutcome } = settings;
		if (paymentOutcome === 'open') return transaction;
		const timer = setTimeout(() => {
			this.timers.delete(timer);
			this.end(transaction, paymentOutcome, around);
		}, settings.paymentDelay);
		this.timers.add(timer.unref());
		return transaction;
	}

	/** Ends a payment that is processing, and may announce it; undefined if there is none. */
	end(transaction: string, outcome: PaymentOutcome, around: Surroundings): Payment | undefined {
		const found = this.processing.get(transaction);
		if (!found) return undefined;
		this.processing.delete(transaction);
		const { payment, team, requestId, record } = found;
		payment.status = outcome;
		payment.updated_at = new Date().toISOString();
		if (outcome !== 'sent') {
			team.balances.set('USD', (team.balances.get('USD') ?? 0n) + BigInt(payment.amount_cents));
		}
		const { automaticEvents, processTransaction } = around.settings;
		const carriedOutBy = {
			same: transaction,
			another: around.organisation.randomness.identifier('tx'),
			null: null,
		}[processTransaction];
		const process_transaction = outcome === 'sent' ? carriedOutBy : null;
		const content = { ...record, process_transaction, updated_at: payment.updated_at };
		if (automaticEvents) around.announce(`payment.${outcome}`, content, requestId);
		return payment;
	}

	/** All payments and unused authorizations, oldest first. */
	list(): Payment[] {
		return [...this.bySalt.values()].map(({ payment }) => payment);
	}

	/** Leaves payments that are processing as they are. */
	stop(): void {
		for (const timer of this.timers) clearTimeout(timer);
		this.timers.clear();
	}
}
