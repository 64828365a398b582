import type { ProcessedStore } from '../../../nodes/PayrollPayments/idempotency/nodeList';
import {
	PaymentJournal,
	type PaymentAnswer,
} from '../../../nodes/PayrollPayments/idempotency/paymentJournal';
import type { Payment } from '../../../nodes/PayrollPayments/idempotency/paymentKeys';
import { ProcessMemory } from '../../../nodes/PayrollPayments/idempotency/processMemory';
import { NoResponseError, ServiceError } from '../../../nodes/PayrollPayments/shared/errors';
import { refusalFrom } from '../../support/refusals';
import { MemoryStore } from './memoryStore';

export const typedData = { from: '0xAB', data: { amount: '60', to: '0xCd' } };

export const payment: Payment = {
	baseUrl: 'https://api.example.com',
	teamId: 'te-123456789012',
	signer: '0xEF',
	typedData,
	recipient: 'ana@example.com',
	cents: 12_500,
	signedCents: 12_500n,
	summary: '$125.00 to ana@example.com',
	number: 0,
	slot: '0',
	confirmedNotPaid: [],
};

export const invoice: Payment = { ...payment, reference: 'INV-1' };

/** The payment of another item. */
export const ofItem = (number: number, other = payment): Payment => ({
	...other,
	number,
	slot: `${number}`,
});

/** A payment with an authorization of its own. */
export const withSalt = (salt: string, reference?: string): Payment => ({
	...payment,
	reference,
	typedData: { ...typedData, salt },
});

export const paid: PaymentAnswer = { transaction: 'tx-123456789012' };
export const broken = new NoResponseError('The connection broke');
export const refused = new ServiceError('The service refused: no', {
	status: 400,
	nothingDone: true,
});

export type Outcome = PaymentAnswer | Error;

/** What a run of the node has, besides n8n's store. */
export interface RunOptions {
	/** Of *Retry On Fail*: with the same, an earlier try is remembered. */
	readonly executionId?: string;
	/** Of the process; a new one for each run unless given. */
	readonly memory?: ProcessMemory;
	readonly signal?: AbortSignal;
	/** Empty if n8n doesn't keep the workflow. */
	readonly workflowId?: string;
	readonly nodeId?: string;
}

let executions = 0;

/** The journal of a new execution, as in a process that was just started. */
export function journalOf(store: ProcessedStore, options: RunOptions = {}): PaymentJournal {
	const { memory = new ProcessMemory(), signal, nodeId = 'node' } = options;
	const { workflowId = 'workflow', executionId = `execution ${(executions += 1)}` } = options;
	const node = { workflowId, nodeId, nodeName: nodeId };
	const scope = { ...node, executionId, runIndex: 0, isTool: false, hasOwnRun: true };
	return new PaymentJournal(store, scope, signal, memory);
}

/** n8n's store, and the payments that were sent. */
export function scene() {
	const store = new MemoryStore();
	/* n8n keeps a list for each node. */
	const stores = new Map([['node', store]]);
	const sent: Payment[] = [];
	const name = `scene ${(executions += 1)}`;
	const open = (options: RunOptions = {}) => {
		const { nodeId = 'node', executionId } = options;
		const own = stores.get(nodeId) ?? new MemoryStore();
		stores.set(nodeId, own);
		const id = executionId === undefined ? undefined : `${name} ${executionId}`;
		return journalOf(own, { ...options, nodeId: `${name} ${nodeId}`, executionId: id });
	};
	/** Looks payments up in a run of their own. */
	const look = async (payments: readonly Payment[], options?: RunOptions) =>
		await open(options).look(payments);
	/** One payment in one run, as the engine makes it. */
	const pay = async (what: Payment, outcome: Outcome = paid, options?: RunOptions) => {
		const journal = open(options);
		const [known] = await journal.look([what]);
		if (known !== undefined && 'answer' in known) return known.answer;
		if (known !== undefined && 'error' in known) throw known.error;
		try {
			return await journal.perform(what, async () => {
				sent.push(what);
				if (outcome instanceof Error) throw outcome;
				return outcome;
			});
		} finally {
			await journal.close();
		}
	};
	const is = async (what: Payment, options?: RunOptions) => (await look([what], options))[0]?.is;
	return { store, sent, open, look, is, pay };
}

/** The code with which the payment may be sent once more. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
	const { message, context } = await refusalFrom(work);
	if (context.outcome === 'unknown' && context.attemptCode !== undefined)
		return context.attemptCode;
	throw new Error(`no code for an unknown outcome: ${message}`);
}
