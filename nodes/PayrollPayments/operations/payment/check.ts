import { entityLabel } from '../../api/credentials';
import {
	requireAllowedAmount,
	requireAllowedRecipient,
	requireAllowedRun,
} from '../../api/credentialLimits';
import { ENDPOINTS } from '../../contract/endpoints';
import { instantPaymentAnswer } from '../../api/schemas/answers';
import type { Known } from '../../idempotency/journal';
import type { PaymentAnswer, PaymentJournal } from '../../idempotency/paymentJournal';
import type { Payment } from '../../idempotency/paymentKeys';
import { doneInEarlierTries } from '../../run/earlierTry';
import { refused, refuseRest, slotsOf, type Form, type Row, type State } from '../../run/rows';
import { placeName, type SheetPlace } from '../../shared/sheetPlace';
import type { OutputRecord } from '../../run/write';
import { UserError } from '../../shared/errors';
import { centsAsDollars } from '../../shared/money';
import { signedAmountCents } from '../../signing/typedAmount';
import { labelOf } from '../../forms/field';
import {
	accountsOf,
	authorizationSummary,
	guardAuthorization,
	type AccountOf,
} from './authorization';
import { columnsOf } from './paymentColumns';
import {
	options as paymentOptions,
	type PaymentForm,
	type PaymentOptions,
	type PaymentRun,
	type PaymentSettings,
	type PaymentsInput,
} from './paymentFields';
import { journalOf } from './journalOfRun';
import { sumOf, type GuardedPayment, type PaymentRow } from './paymentRow';
import { HEADINGS, paymentReport } from './checkReport';
import { readPayments } from './sheet';

/** What only the node says of a payment. An `error` would also make n8n run a paid item again. */
const OWN_COLUMNS = ['error', 'hint', 'attempt_code', 'already_sent', 'run_message'];

const paymentAnswer = instantPaymentAnswer.transform((answer) => {
	const others = { ...answer };
	for (const name of OWN_COLUMNS) Reflect.deleteProperty(others, name);
	return others;
});

/** The output of a paid row: its own columns, which win, and then what else the service answered. */
function paidRecord(
	columns: OutputRecord,
	{ transaction, ...others }: PaymentAnswer,
): OutputRecord {
	const own = { outcome: 'paid', transaction, ...columns };
	return { ...own, ...others, ...own };
}

/** Where its payment stands in the run; it has one place. */
function slotOf(form: PaymentForm): string {
	return slotsOf(form)[0] ?? '';
}

/** A payment as the journal knows it. */
function paymentOf(form: PaymentForm, run: PaymentRun, signer: string): Payment {
	const { numbers, place, input } = form;
	const { teamId, recipientEmail, paymentReference: reference, cents } = input;
	const { message } = input.typedData;
	return {
		baseUrl: run.credentials.baseUrl,
		teamId,
		signer,
		reference,
		typedData: message,
		confirmedNotPaid: run.settings.confirmedNotPaid ?? [],
		recipient: recipientEmail,
		cents,
		signedCents: signedAmountCents(message.data.amount, run.settings.typedAmountUnit),
		number: numbers[0],
		slot: slotOf(form),
		listIndex: place?.index,
		summary: `${centsAsDollars(cents)} to ${recipientEmail}`,
		row: place?.row && placeName(place.row),
	};
}

/** A payment that passes every check but the journal's. */
async function guardPayment(
	form: PaymentForm,
	run: PaymentRun,
	{
		journal,
		accountOf,
		row,
	}: { readonly journal: PaymentJournal; readonly accountOf: AccountOf; readonly row?: SheetPlace },
): Promise<GuardedPayment> {
	const { numbers, place, input } = form;
	const { teamId, recipientEmail, currency, network, cents } = input;
	const { message } = input.typedData;
	requireAllowedAmount(run.credentials, cents);
	requireAllowedRecipient(run.credentials, recipientEmail, row);
	const signer = input.signer ?? (await run.wallet()).address;
	const payment = paymentOf(form, run, signer);
	const { summary, reference, signedCents } = payment;
	const { signs, sign } = await guardAuthorization(form, signer, run, accountOf);
	/* After the guard, which says better what is wrong with a signed amount. */
	requireAllowedAmount(run.credentials, signedCents);
	const columns = { ...columnsOf(form, run), signer };
	const write = run.write(
		numbers,
		{
			...ENDPOINTS.createInstantPayment,
			summary: `Pay ${summary} from team ${entityLabel(teamId, run.credentials.entities)}`,
			signsSummary: authorizationSummary(input, run.settings.typedAmountUnit, signs, signer),
			body: {
				from: teamId,
				amount_cents: cents,
				signer,
				typed_data: { ...message, data: { ...message.data } },
				external_recipient_email: recipientEmail,
				currency_symbol: currency,
				network,
			},
			entityId: teamId,
			signs,
			reference,
			columns,
			sign: async () => ({ signature: await sign() }),
			answer: paymentAnswer,
		},
		{ journal, change: payment },
	);
	return {
		numbers,
		place,
		payment,
		columns,
		writes: [write],
		isCompared: signs !== null && signedCents !== undefined,
		state: { is: 'ready', act: async (perform) => [paidRecord(columns, await perform(write))] },
	};
}

/** The row with what the journal knows of its payment. */
function withKnown(
	row: GuardedPayment,
	known: Known<PaymentAnswer>,
	ifAlreadyPaid: PaymentSettings['ifAlreadyPaid'],
): PaymentRow {
	const { columns, payment } = row;
	switch (known.is) {
		case 'sendable': {
			const attempt = known.attempt > 1 ? `, as attempt ${known.attempt}` : '';
			const heading = HEADINGS.pay(`${payment.summary}${attempt}`);
			return { ...row, known, writes: withReport(row, heading, (said) => `${said}${attempt}`) };
		}
		case 'done': {
			if (known.when === 'earlierRun' && ifAlreadyPaid === 'fail') {
				return { ...row, known, state: { is: 'refused', error: known.error } };
			}
			const record =
				known.when === 'earlierTry'
					? paidRecord(columns, known.answer)
					: { outcome: 'already_paid', transaction: null, ...columns };
			const heading = HEADINGS.paidBefore;
			const writes = withReport(row, heading, (said) => `${heading}: ${said}`);
			return { ...row, known, writes, state: { is: 'done', records: [record], when: known.when } };
		}
		case 'unknown':
			return { ...row, known, state: { is: 'unknown', error: known.error, when: known.when } };
		case 'refused': {
			const wasSent = known.when === 'earlierTry';
			const why = wasSent ? 'sent' : undefined;
			const state: State = { is: 'refused', error: known.error, why };
			return { ...row, known, state, writes: wasSent ? row.writes : [] };
		}
	}
}

/** The writes of a row as its check shows them: with a heading, and another summary. */
function withReport(row: GuardedPayment, heading: string, summaryOf: (summary: string) => string) {
	const shown = { ...row.columns, ...paymentReport(heading, row) };
	return row.writes.map((write) => ({
		...write,
		summary: summaryOf(write.summary),
		columns: shown,
	}));
}

/**
 * The row of a payment whose check failed this time, if an earlier try of this run has decided what
 * became of it. The service may not answer any more, for instance.
 * @param error why its check failed
 */
async function triedBefore(
	form: PaymentForm,
	run: PaymentRun,
	journal: PaymentJournal,
	error: unknown,
): Promise<PaymentRow | undefined> {
	const { numbers, place, input } = form;
	const { recipientEmail: recipient, paymentReference: reference, cents } = input;
	const change = { slot: slotOf(form), recipient, cents, reference };
	const known = journal.ofEarlierTry(change);
	if (known === undefined) return undefined;
	/* Whether the wallet can still be opened doesn't matter. */
	const signer = input.signer ?? (await run.wallet().catch(() => undefined))?.address;
	const payment = paymentOf(form, run, signer ?? '');
	/* As it was sent, so that an approval that covers it still fits. */
	const earlier = doneInEarlierTries(run.scope()).find((row) => slotsOf(row).includes(change.slot));
	const row: GuardedPayment = {
		numbers,
		place,
		payment,
		writes: earlier?.writes ?? [],
		state: { is: 'refused', error },
		columns: { ...columnsOf(form, run), signer: signer ?? null },
		isCompared: false,
	};
	return withKnown(row, known, run.settings.ifAlreadyPaid);
}

/**
 * @param unread forms that can't be read
 * @throws {UserError} if the run isn't as large as the person said, whatever *On Error* says
 */
function checkTotals(
	{ payments: forms, unreadable, isSheet }: ReturnType<typeof readPayments>,
	unread: readonly Row[],
): void {
	const failed = unread.length + unreadable.length;
	const count = forms.length + failed;
	const cents = sumOf(forms.map(({ input }) => BigInt(input.cents)));
	const refuse = (what: string) => {
		const rest = failed === 0 ? '' : `, and ${failed} of its rows can’t be read`;
		throw new UserError(`${what}${rest}`, {
			hint: 'Check the rows, or correct the number under Options.',
		});
	};
	/* Of a list that can't be read, nobody knows how many rows it has. */
	const isCounted = !isSheet || unread.length === 0;
	for (const { options } of forms) {
		const { expectedPayments, expectedTotal } = options;
		if (expectedPayments !== undefined && !(isCounted && expectedPayments === count)) {
			refuse(
				`${labelOf(paymentOptions.expectedPayments)} is ${expectedPayments}, but this run has ${count}`,
			);
		}
		if (expectedTotal !== undefined && (BigInt(expectedTotal) !== cents || failed > 0)) {
			const [expected, found] = [expectedTotal, cents].map(centsAsDollars);
			refuse(`${labelOf(paymentOptions.expectedTotal)} is ${expected}, but this run has ${found}`);
		}
	}
}

/** @throws {UserError} if the run would move more than the credentials allow */
function checkLimit(
	rows: readonly PaymentRow[],
	{ credentials }: PaymentRun,
	journal: PaymentJournal,
): void {
	const moving = rows.flatMap(({ state, payment }) => (state.is === 'ready' ? payment : []));
	/* What an earlier try of this run has paid counts, too, also where its row can't be read any more. */
	const payments = [...moving, ...journal.paymentsOfEarlierTries()];
	const signed = payments.map(({ signedCents }) => signedCents);
	requireAllowedRun(
		credentials,
		sumOf(payments.map(({ cents }) => BigInt(cents))),
		signed.every((cents) => cents !== undefined) ? sumOf(signed) : undefined,
	);
}

/** Checks all payments of a run: each by itself, the run's totals, and what was paid before. */
export async function checkPayments(
	given: ReadonlyArray<Form<PaymentsInput, PaymentOptions>>,
	run: PaymentRun,
	unread: readonly Row[],
): Promise<Row[]> {
	const read = readPayments(given, run);
	const { payments: forms, unreadable } = read;
	const refusedForm = (form: PaymentForm, error: unknown, why?: 'run'): Row => ({
		...refused(form.numbers, error, why),
		place: form.place,
		columns: columnsOf(form, run),
	});
	try {
		checkTotals(read, unread);
	} catch (error) {
		return [...unreadable, ...forms.map((form) => refusedForm(form, error, 'run'))];
	}
	const journal = journalOf(run);
	const accountOf = accountsOf(run);
	const rows: Row[] = [...unreadable];
	const guarded: GuardedPayment[] = [];
	const tried: PaymentRow[] = [];
	const hasSeveral = forms.length + unread.length > 1;
	for (const form of forms) {
		const row = form.place?.row ?? (hasSeveral ? { number: form.numbers[0] + 1 } : undefined);
		try {
			guarded.push(await guardPayment(form, run, { journal, accountOf, row }));
		} catch (error) {
			const earlier = await triedBefore(form, run, journal, error);
			if (earlier === undefined) rows.push(refusedForm(form, error));
			else tried.push(earlier);
		}
	}
	const known = await journal.look(guarded.map(({ payment }) => payment));
	const { ifAlreadyPaid } = run.settings;
	const looked = guarded.flatMap((row, index) => {
		const knownOfRow = known[index];
		return knownOfRow === undefined ? [] : withKnown(row, knownOfRow, ifAlreadyPaid);
	});
	looked.push(...tried);
	try {
		checkLimit(looked, run, journal);
	} catch (error) {
		return refuseRest([...rows, ...looked], error);
	}
	return [...rows, ...looked];
}
