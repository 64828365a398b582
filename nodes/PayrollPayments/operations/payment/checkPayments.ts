import { entityLabel } from '../../api/credentials';
import { requireAllowedPayment } from '../../api/limits';
import { instantPaymentAnswer } from '../../api/schemas/answers';
import { descriptionOf } from '../../signing/payloads';
import type { Known } from '../../idempotency/journal';
import type { PaymentAnswer } from '../../idempotency/paymentJournal';
import { UserError } from '../../shared/errors';
import {
	centsAsDecimal,
	centsAsDollars,
	signedAmountCents,
	signedAmountInDollars,
} from '../../shared/money';
import { asWord } from '../../shared/redaction';
import { signatureOver, type OutputRecord, type Signs } from '../../run/write';
import type { ReadItem } from '../../run/operation';
import { collect, type FailedItems, type Job, type Plan } from '../../run/plan';
import type { RunContext } from '../../run/runContext';

import type { PaymentInput, PaymentOptions } from './fields';
import { recordRun, reportRun } from './report';

type Item = ReadItem<PaymentInput, PaymentOptions>;

const ENDPOINT = { method: 'PUT', path: '/v2/payments/external_entity/instant' } as const;

/** Whole cents, from the field that Amount Unit shows. */
function centsOf({ amountCents, amountDollars }: PaymentInput): number {
	return Number(amountCents ?? amountDollars);
}

/**
 * Checks a payment's authorization against the form, before anyone signs it. A provided signature must
 * also be the signer's, if domain and types say what it covers.
 * @throws {UserError} if they disagree
 */
async function guardAuthorization({ input, options }: Item, signer: string, run: RunContext) {
	const { teamId, recipientEmail, signature, typedData: payload } = input;
	const description = descriptionOf(payload, options, signature !== undefined);
	if (description === undefined) return { signs: null, sign: async () => signature };
	const { instantPaymentTypedData } = await import('../../signing');
	const typedData = instantPaymentTypedData(
		{ ...description, message: payload.message },
		{
			teamId,
			amountCents: centsOf(input),
			recipientEmail,
			typedAmountUnit: options.typedAmountUnit,
			signer,
		},
	);
	return await signatureOver(typedData, run, { signer, signature });
}

/** What is signed, for the person who approves it. */
function authorizationSummary(
	{ input: { typedData, signature }, options }: Item,
	signs: Signs | null,
	signer: string,
): string {
	const { typedAmountUnit: unit } = options;
	const { amount, token, recipient } = typedData.message.data;
	const dollars = signedAmountInDollars(amount, unit);
	const units = unit === 'cents' ? 'cents' : 'token units';
	const { chainId, verifyingContract } = signs?.domain ?? {};
	const isChecked =
		signs === null
			? ' that can’t be checked, since its domain and types aren’t known'
			: ', which was checked';
	return [
		`Authorization: ${dollars === undefined ? `${asWord(amount)} (not compared)` : `${dollars} (${amount} ${units})`}`,
		token.trim() === '' ? '' : ` of token ${asWord(token)}`,
		` to ${asWord(recipient)}`,
		signs === null ? '' : ` on chain ${String(chainId)}, contract ${String(verifyingContract)}`,
		signature === undefined
			? `, signed by ${signer}`
			: `, with a provided signature of ${signer}${isChecked}`,
	].join('');
}

/** What one payment sends, if it passes every check but the ledger's. */
async function guardPayment(item: Item, run: RunContext) {
	const { items, input, options } = item;
	const { teamId, recipientEmail, currency, network, paymentReference: reference } = input;
	const { confirmedNotPaid, typedAmountUnit } = options;
	const { message } = input.typedData;
	const cents = centsOf(input);
	const { amount, recipient, token } = message.data;
	const signedCents = signedAmountCents(amount, typedAmountUnit);
	requireAllowedPayment(run.credentials, { amountCents: cents, recipientEmail, signedCents });
	const signer = input.signer ?? (await run.wallet()).address;
	const { signs, sign } = await guardAuthorization(item, signer, run);
	const team = entityLabel(teamId, run.credentials.entities);
	const summary = `${centsAsDollars(cents)} to ${recipientEmail}`;
	const { baseUrl } = run.credentials;
	const identity = { baseUrl, teamId, signer, typedData: message, reference };
	const goal = { recipient: recipientEmail, cents, summary };
	const payment = { ...identity, ...goal, item: items[0], confirmedNotPaid };
	const body = {
		from: teamId,
		amount_cents: cents,
		signer,
		typed_data: { ...message, data: { ...message.data } },
		external_recipient_email: recipientEmail,
		currency_symbol: currency,
		network,
	};
	const filled = (value: string) => (value.trim() === '' ? null : value);
	const columns = {
		amount: centsAsDecimal(cents),
		currency,
		network,
		team,
		recipient_email: recipientEmail,
		recipient_address: filled(recipient),
		token: filled(token),
		reference: reference ?? null,
		expires: filled(message.expires),
		signer,
	};
	const sentence = `Pay ${summary} from team ${team}. ${authorizationSummary(item, signs, signer)}`;
	return {
		items,
		payment,
		isCompared: signs !== null && signedCents !== undefined,
		write: { summary: sentence, request: { ...ENDPOINT, body }, signs, reference, columns },
		/** The only way to the wire: recorded, signed, sent, and recorded again. */
		pay: async () =>
			await run.payments().perform(payment, async () => {
				const signature = await sign();
				const answer = instantPaymentAnswer;
				return await run.send({ ...ENDPOINT, body: { ...body, signature }, answer });
			}),
	};
}

/** A payment, and what the ledger knows of it. */
type PaymentRow = Awaited<ReturnType<typeof guardPayment>> & {
	readonly state: Known<PaymentAnswer>;
};

/** The job of a payment, or why it isn't sent. */
function jobFor({ state, ...row }: PaymentRow, skips: boolean): Job | FailedItems {
	const { items, payment, write } = row;
	const columns = skips ? { transaction: null, ...write.columns } : undefined;
	const job = { items, cents: payment.cents, columns };
	const output = (outcome: string, made: OutputRecord) => [
		skips ? { outcome, ...columns, ...made } : made,
	];
	if (state.is === 'sendable') {
		const { attempt } = state;
		const summary = attempt > 1 ? `${write.summary}, as attempt ${attempt}` : write.summary;
		const send = async () => output('paid', await row.pay());
		return { ...job, writes: [{ ...write, summary }], send };
	}
	const summary = `Already paid, so not sent again: ${write.summary}`;
	const made = { ...job, writes: [{ ...write, summary }] };
	if ('answer' in state) {
		const { answer } = state;
		return { ...made, kind: 'repeat', send: async () => output('paid', answer) };
	}
	if (state.is === 'done' && skips) {
		return { ...made, kind: 'paidBefore', send: async () => output('already_paid', {}) };
	}
	const writes = state.is === 'refused' ? undefined : [write];
	/* Whatever broke in the last try would break the other payments, too. */
	const endsRun = state.is === 'unknown' && state.when === 'earlierTry';
	return { items, columns, writes, endsRun, error: state.error };
}

/** @throws {UserError} if the run isn't as large as the person said, whatever *On Error* says */
function checkTotals(items: readonly Item[], unread: readonly FailedItems[], cents: bigint): void {
	const count = items.length + unread.length;
	const refuse = (what: string) => {
		const rest = unread.length === 0 ? '' : `, and ${unread.length} of its rows can’t be read`;
		throw new UserError(`${what}${rest}`, {
			hint: 'Check the rows, or correct the number under Options. Nothing was signed or sent.',
			refusesRun: true,
			outcome: 'refused',
		});
	};
	for (const { options } of items) {
		const { expectedPayments = count, expectedTotal } = options;
		if (expectedPayments !== count) {
			refuse(`Expected Payments is ${expectedPayments}, but this run has ${count}`);
		}
		if (expectedTotal !== undefined && (BigInt(expectedTotal) !== cents || unread.length > 0)) {
			const [expected, found] = [expectedTotal, cents].map(centsAsDollars);
			refuse(`Expected Total is ${expected}, but this run has ${found}`);
		}
	}
}

/** Checks all payments of a run: each by itself, the run's totals, and what was paid before. */
export async function checkPayments(
	items: readonly Item[],
	run: RunContext,
	unread: readonly FailedItems[],
): Promise<Plan> {
	const total = items.reduce((sum, { input }) => sum + BigInt(centsOf(input)), 0n);
	checkTotals(items, unread, total);
	const guarded = await collect(items, async (item) => await guardPayment(item, run));
	const journal = run.payments();
	const known = await journal.look(guarded.results.map(({ payment }) => payment));
	const rows = guarded.results.flatMap((row, index): PaymentRow[] => {
		const state = known[index];
		return state === undefined ? [] : [{ ...row, state }];
	});
	if (run.settings.isRunCheck) {
		const refusals = [...unread, ...guarded.refusals];
		const report = await reportRun(run, rows, refusals, total);
		const all = [...rows, ...refusals].flatMap((row) => [...row.items]).sort((a, b) => a - b);
		return { jobs: [{ items: all, writes: [], send: async () => [report] }], refusals: [] };
	}
	const skips = items.some(({ options }) => options.ifAlreadyPaid === 'skip');
	const outcomes = rows.map((row) => jobFor(row, skips));
	const jobs = outcomes.flatMap((each) => ('error' in each ? [] : [each]));
	const refused = outcomes.flatMap((each) => ('error' in each ? [each] : []));
	return {
		jobs,
		refusals: [...guarded.refusals, ...refused],
		end: async (result) => {
			await journal.close();
			recordRun(run, jobs, result);
		},
	};
}
