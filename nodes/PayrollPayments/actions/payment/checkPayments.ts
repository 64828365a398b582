import { balanceAnswer, instantPaymentAnswer } from '../../api/schemas/answers';
import { descriptionOf } from '../../signing/payloads';
import { entityLabel } from '../../api/credentials';
import { requireAllowedPayment } from '../../api/limits';
import type { Payment, PaymentState } from '../../idempotency/paymentLedger';
import { messageOf, throwIfStopped, UserError } from '../../shared/errors';
import {
	centsAsDecimal,
	centsAsDollars,
	signedAmountCents,
	signedAmountInDollars,
} from '../../shared/money';
import { approvalOf } from '../approval';
import type { CheckedWrite, OutputRecord, Signs } from '../checkedWrite';
import type { ReadItem } from '../defineOperation';
import { collect, type FailedItems, type Job, type Plan } from '../plan';
import type { RunContext } from '../runContext';

import { recordRun } from './executionData';
import type { PaymentInput, PaymentOptions } from './fields';
import type { PaymentColumns } from './outputs';

type Item = ReadItem<PaymentInput, PaymentOptions>;

const ENDPOINT = { method: 'PUT', path: '/v2/payments/external_entity/instant' } as const;

/** A payment that passed every check but the ledger's. */
interface GuardedPayment {
	readonly items: readonly [number];
	readonly context: RunContext;
	readonly cents: number;
	readonly columns: PaymentColumns;
	readonly payment: Payment;
	readonly write: Omit<CheckedWrite, 'send'>;
	/** Signs with the wallet, or gives the provided signature. */
	sign(): Promise<string>;
}

/** Whole cents, from the field that Amount Unit shows. */
function centsOf({ amountCents, amountDollars }: PaymentInput): number {
	const cents = amountCents ?? amountDollars;
	if (cents !== undefined) return cents;
	throw new UserError('The amount is missing', { field: 'amountUnit', hint: 'Nothing was sent.' });
}

interface Guarded {
	readonly signs: Signs | null;
	readonly sign: () => Promise<string>;
}

/**
 * Checks a payment's authorization against the form, before anyone signs it. A provided signature must
 * also be the signer's, if domain and types say what it covers.
 * @throws {UserError} if they disagree
 */
async function guard(
	input: PaymentInput,
	options: PaymentOptions,
	form: {
		readonly teamId: string;
		readonly amountCents: number;
		readonly recipientEmail: string;
		readonly typedAmountUnit: NonNullable<PaymentOptions['typedAmountUnit']>;
	},
	signer: string,
	context: RunContext,
): Promise<Guarded> {
	const { signature, typedData: payload } = input;
	const description = descriptionOf(payload, options, signature !== undefined);
	if (description === undefined) return { signs: null, sign: async () => signature ?? '' };
	const { instantPaymentTypedData, checkSigner } = await import('../../signing');
	const typedData = instantPaymentTypedData(
		{ ...description, typedData: payload.message },
		{
			...form,
			walletAddress: signer,
			signatureSource: signature === undefined ? 'wallet' : 'provided',
		},
	);
	const { domain, primaryType, message } = typedData;
	const signs = { domain, primaryType, message };
	if (signature !== undefined) {
		await checkSigner(typedData, { signer, signature });
		return { signs, sign: async () => signature };
	}
	return { signs, sign: async () => await (await context.wallet()).signTypedData(typedData) };
}

function filled(text: string): string | null {
	return text.trim() === '' ? null : text;
}

/** What is signed, for the person who approves it. */
function authorizationSummary(
	{ typedData: { message }, signature }: PaymentInput,
	unit: NonNullable<PaymentOptions['typedAmountUnit']>,
	signs: Signs | null,
	signer: string,
): string {
	const { amount, token, recipient } = message.data;
	const dollars = signedAmountInDollars(amount, unit);
	const units = unit === 'cents' ? 'cents' : 'token units';
	const what =
		dollars === undefined ? `${amount} (not compared)` : `${dollars} (${amount} ${units})`;
	const of = token.trim() === '' ? '' : ` of token ${token}`;
	const where =
		signs === null
			? ''
			: ` on chain ${String(signs.domain.chainId)}, contract ${String(signs.domain.verifyingContract)}`;
	const by =
		signature === undefined
			? `signed by ${signer}`
			: signs === null
				? `with a provided signature of ${signer} that can’t be checked, since its domain and types aren’t known`
				: `with a provided signature of ${signer}, which was checked`;
	return `Authorization: ${what}${of} to ${recipient}${where}, ${by}`;
}

async function guardPayment(
	{ items, input, options, settings }: Item,
	run: RunContext,
): Promise<GuardedPayment> {
	const context = run.with(items, settings);
	const { recipientEmail, currency, network, paymentReference: reference } = input;
	const { typedAmountUnit = 'tokenSixDecimals', confirmedNotPaid } = options;
	const { message } = input.typedData;
	const cents = centsOf(input);
	requireAllowedPayment(run.credentials, {
		amountCents: cents,
		recipientEmail,
		signedCents: signedAmountCents(message.data.amount, typedAmountUnit),
	});
	const signer = input.signer ?? (await context.wallet()).address;
	const form = { teamId: input.teamId, amountCents: cents, recipientEmail, typedAmountUnit };
	const { signs, sign } = await guard(input, options, form, signer, context);
	const team = entityLabel(input.teamId, run.credentials.entities);
	const summary = `${centsAsDollars(cents)} to ${recipientEmail}`;
	const body = {
		from: input.teamId,
		amount_cents: cents,
		signer,
		typed_data: { ...message, data: { ...message.data } },
		external_recipient_email: recipientEmail,
		currency_symbol: currency,
		network,
	};
	const columns = {
		amount: centsAsDecimal(cents),
		currency,
		network,
		team,
		recipient_email: recipientEmail,
		recipient_address: filled(message.data.recipient),
		token: filled(message.data.token),
		reference: reference ?? null,
		expires: filled(message.expires),
		signer,
	};
	return {
		items,
		context,
		cents,
		columns,
		payment: {
			teamId: input.teamId,
			signer,
			typedData: message,
			reference,
			summary,
			item: items[0],
			confirmedNotPaid,
		},
		write: {
			summary: `Pay ${summary} from team ${team}. ${authorizationSummary(input, typedAmountUnit, signs, signer)}`,
			request: { ...ENDPOINT, body },
			signs,
			reference,
			columns,
		},
		sign,
	};
}

/** The only way of a payment to the wire: recorded, signed, sent, and recorded again. */
async function pay({ context, payment, write, sign }: GuardedPayment, attempt: number) {
	return await context.ledger().pay(payment, attempt, async () => {
		const signature = await sign().catch((error: unknown) => {
			throw error instanceof UserError ? error.with({ outcome: 'refused' }) : error;
		});
		throwIfStopped(context.signal);
		const body = { ...write.request?.body, signature };
		return await context.send({ ...ENDPOINT, body, answer: instantPaymentAnswer });
	});
}

/**
 * The job of a payment that may go on.
 * @throws {UserError} for one that may not
 */
function jobFor(guarded: GuardedPayment, state: PaymentState, skips: boolean): Job {
	const { items, cents, columns, write } = guarded;
	const outcome = (found: string, answer: OutputRecord): OutputRecord =>
		skips ? { outcome: found, transaction: null, ...columns, ...answer } : answer;
	const failed = skips ? { transaction: null, ...columns } : undefined;
	const job = (send: Job['send'], kind: Pick<Job, 'isReport' | 'isRepeat'> = {}): Job => {
		const again =
			state.status === 'payable' && state.attempt > 1 ? `, as attempt ${state.attempt}` : '';
		const checked = { ...write, summary: `${write.summary}${again}` };
		const writes = [{ ...checked, send: async () => (await send())[0] ?? {} }];
		return { items, cents, writes, send, ...kind, columns: failed };
	};
	switch (state.status) {
		case 'payable':
			return job(async () => [outcome('paid', await pay(guarded, state.attempt))]);
		case 'paid': {
			const { answer } = state;
			if (answer !== undefined) {
				return job(async () => [outcome('paid', answer)], { isRepeat: true });
			}
			if (!skips) throw state.error;
			return job(async () => [outcome('already_paid', {})], { isReport: true });
		}
		case 'refused':
		case 'unknown':
			throw state.error;
	}
}

/** @throws {UserError} if the run isn't as large as the person said, whatever *On Error* says */
function checkTotals(items: readonly Item[], unread: readonly FailedItems[]): void {
	const count = items.length + unread.length;
	const cents = items.reduce((sum, { input }) => sum + BigInt(centsOf(input)), 0n);
	const refuse = (label: string, field: string, expected: string, found: string) => {
		const without = unread.length === 0 ? '' : `, and ${unread.length} rows can’t be read`;
		throw new UserError(`${label} is ${expected}, but this run has ${found}${without}`, {
			field,
			hint: 'Check the rows, or correct the number under Options. Nothing was signed or sent.',
			refusesRun: true,
			outcome: 'refused',
		});
	};
	for (const { options } of items) {
		const { expectedPayments, expectedTotal } = options;
		if (expectedPayments !== undefined && expectedPayments !== count) {
			refuse('Expected Payments', 'expectedPayments', `${expectedPayments}`, `${count}`);
		}
		if (expectedTotal !== undefined && (BigInt(expectedTotal) !== cents || unread.length > 0)) {
			refuse(
				'Expected Total',
				'expectedTotal',
				centsAsDollars(expectedTotal),
				centsAsDollars(cents),
			);
		}
	}
}

/** Checks all payments of a run: each by itself, the run's totals, and what was paid before. */
export async function checkPayments(
	items: readonly Item[],
	run: RunContext,
	unread: readonly FailedItems[],
): Promise<Plan> {
	checkTotals(items, unread);
	const guarded = await collect(items, async (item) => await guardPayment(item, run));
	const ledger = run.ledger();
	const states = await ledger.check(guarded.results.map(({ payment }) => payment));
	const rows = guarded.results.flatMap((payment, index) => {
		const state = states[index];
		return state === undefined ? [] : [{ items: payment.items, payment, state }];
	});
	const [first] = items;
	const skips = first?.options.ifAlreadyPaid === 'skip';
	const isRunCheck = run.settings.isCheckOnly && first?.options.checkOutput === 'run';
	if (isRunCheck || (first === undefined && unread.length > 0)) {
		const report = await reportRun(run, rows, [...unread, ...guarded.refusals]);
		const all = [...rows, ...unread, ...guarded.refusals].flatMap((row) => [...row.items]);
		const job = { items: all.sort((a, b) => a - b), writes: [], send: async () => [report] };
		return { jobs: [job], refusals: [] };
	}
	const jobs = await collect(rows, ({ payment, state }) => jobFor(payment, state, skips));
	const rowOf = new Map(rows.map((row) => [row.items[0], row]));
	const withColumns = (refusal: FailedItems): FailedItems => {
		const row = rowOf.get(refusal.items[0] ?? -1);
		const columns = skips ? { transaction: null, ...row?.payment.columns } : undefined;
		const isKnown = row?.state.status === 'unknown' || row?.state.status === 'paid';
		return { ...refusal, columns, writes: isKnown ? [unsent(row.payment)] : undefined };
	};
	return {
		jobs: jobs.results,
		refusals: [...guarded.refusals, ...jobs.refusals].map(withColumns),
		end: async (result) => {
			await ledger.close();
			recordRun(run, jobs.results, result);
		},
	};
}

/** A payment as a run's approval covers it. */
function unsent({ write }: GuardedPayment): CheckedWrite {
	return { ...write, send: async () => ({}) };
}

interface Row {
	readonly items: readonly [number];
	readonly payment: GuardedPayment;
	readonly state: PaymentState;
}

/** The balance of the paying team in US cents; undefined if it can't be read, or there are several teams. */
async function balanceOf(run: RunContext, rows: readonly Row[]): Promise<bigint | undefined> {
	const teams = [...new Set(rows.map(({ payment }) => payment.payment.teamId))];
	if (teams.length !== 1) return undefined;
	try {
		const { balances } = await run.send({
			method: 'GET',
			path: '/v2/balance',
			query: { nanoid: teams[0] },
			answer: balanceAnswer,
		});
		const cents = balances.find(({ currency }) => currency === 'USD')?.balance_cents ?? '';
		return /^-?\d+$/.test(cents) ? BigInt(cents) : undefined;
	} catch {
		return undefined;
	}
}

function totalOf(rows: readonly Row[]): bigint {
	return rows.reduce((sum, { payment }) => sum + BigInt(payment.cents), 0n);
}

/** The rows with the same recipient and amount, by their numbers. */
function duplicatesIn(rows: readonly Row[]): number[][] {
	const groups = new Map<string, number[]>();
	for (const { items, payment } of rows) {
		const key = `${payment.payment.summary.toLowerCase()}`;
		groups.set(key, [...(groups.get(key) ?? []), items[0] + 1]);
	}
	return [...groups.values()].filter((group) => group.length > 1);
}

function counted(count: number, what: string): string[] {
	return count === 0 ? [] : [`${count} ${what}`];
}

/** The check of the whole run. */
async function reportRun(
	run: RunContext,
	rows: readonly Row[],
	refusals: readonly FailedItems[],
): Promise<OutputRecord> {
	const refused = [
		...refusals.flatMap(({ items, error }) =>
			items.map((item) => ({ row: item + 1, summary: messageOf(error), error: messageOf(error) })),
		),
		...rows.flatMap(({ items, payment, state }) =>
			state.status === 'refused'
				? [{ row: items[0] + 1, summary: payment.payment.summary, error: state.error.message }]
				: [],
		),
	].sort((a, b) => a.row - b.row);
	const already = rows.filter(({ state }) => state.status === 'paid');
	const unknown = rows.flatMap(({ items, payment, state }) =>
		state.status === 'unknown'
			? [
					{
						row: items[0] + 1,
						summary: payment.payment.summary,
						attempt_code: state.code,
						error: state.error.message,
					},
				]
			: [],
	);
	const sendable = rows.filter(({ state }) => state.status === 'payable');
	const [total, toSend] = [totalOf(rows), totalOf(sendable)];
	const balance = await balanceOf(run, rows);
	const duplicates = duplicatesIn(rows);
	const count = rows.length + refusals.flatMap(({ items }) => items).length;
	const approvable = { operation: 'payment.create', baseUrl: run.credentials.baseUrl };
	const writes = rows.map(({ payment }) => unsent(payment));
	const notes = [
		...counted(already.length, 'already paid'),
		...counted(unknown.length, 'not known'),
		...counted(refused.length, 'refused'),
		...counted(duplicates.flat().length, 'with the same recipient and amount as another'),
	];
	return {
		check: refused.length > 0 ? 'failed' : 'passed',
		summary: `Pay ${sendable.length} of ${count} rows, ${centsAsDollars(toSend)} of ${centsAsDollars(total)}${notes.length === 0 ? '' : `; ${notes.join(', ')}`}`,
		approval: refused.length > 0 ? null : approvalOf(approvable, writes),
		count,
		total: centsAsDecimal(total),
		to_send_count: sendable.length,
		to_send_total: centsAsDecimal(toSend),
		currency: 'USD',
		balance: balance === undefined ? null : centsAsDecimal(balance),
		balance_after: balance === undefined ? null : centsAsDecimal(balance - toSend),
		payments: rows.map(({ payment }) => ({ ...payment.columns })),
		already_paid: already.map(({ items, payment }) => ({
			row: items[0] + 1,
			summary: payment.payment.summary,
		})),
		unknown,
		refused,
		duplicates,
	};
}
