import { entityLabel } from '../../api/credentials';
import { isBlank, labelOf, refusalOf, type Schema } from '../../forms/field';
import {
	checkColumnNames,
	fieldsOfRow,
	columnsUnlike,
	requireKnownColumn,
	faultInAddress,
	rowError,
	sheetOf,
	spellingsOf,
	teamColumns,
	textOfCell,
	withoutStyle,
	type FieldsOfRow,
	type SheetRow,
} from '../../run/sheetRows';
import { refused, type Form, type Row } from '../../run/rows';
import type { RunContext } from '../../run/runContext';
import type { OutputRecord } from '../../run/write';
import type { UserError } from '../../shared/errors';
import { asWord, shorten, visible } from '../../shared/redaction';
import { columnsOfRefused } from './paymentColumns';
import {
	COLUMNS,
	enteredCents,
	fields,
	type Column,
	type PaymentForm,
	type PaymentOptions,
	type PaymentsInput,
} from './paymentFields';

type GivenForm = Form<PaymentsInput, PaymentOptions>;

const RECOGNITION = {
	recognized: new Map<string, Column>([
		...COLUMNS.map((column) => [withoutStyle(column), column] as const),
		['email', 'recipient_email'],
		/* As the form calls them. */
		['paymentreference', 'reference'],
		['paymentauthorization', 'authorization'],
	]),
	/* Another column may hold another amount or recipient. */
	exclusive: COLUMNS,
} as const;

const NOT_IN_INPUT = {
	where: 'The input',
	advice:
		'If it is the answer of an approval or a message, set Payments From to JSON and take the rows from an earlier node.',
};

const NOT_IN_LIST = {
	where: labelOf(fields.paymentsJson),
	advice:
		"Take the json of an earlier node’s items, e.g. {{ $('Read the sheet').all().map((row) => row.json) }}.",
};

/** Which of the two columns for the amount counts, and whether both are filled in. */
function amountIn({ valueOf, isNamed }: FieldsOfRow<Column>) {
	/*
	 * If Column Names names only one of the two columns, the other isn't read, even if its header is
	 * recognized: it may hold another amount.
	 */
	const onlyDollars = isNamed('amount') && !isNamed('amount_cents');
	const onlyCents = isNamed('amount_cents') && !isNamed('amount');
	const hasDollars = !onlyCents && !isBlank(valueOf('amount'));
	const hasCents = !onlyDollars && !isBlank(valueOf('amount_cents'));
	return {
		isInCents: onlyCents || (hasCents && !hasDollars),
		isInBoth: hasDollars && hasCents,
	};
}

/** The cells of a row as the form's own fields read them, with the first fault. */
function readCells(row: SheetRow<Column>, currency: string) {
	const columns = fieldsOfRow(row, RECOGNITION);
	const { valueOf, headerOf, hasColumn } = columns;
	const faults: UserError[] = [];
	const refuse = (fault: string, advice?: string): undefined => {
		faults.push(rowError(row, fault, advice));
	};
	const read = <Value>(column: Column, schema: Schema<Value>): Value | undefined => {
		const value = valueOf(column);
		const isMissing = isBlank(value);
		const { data, error } = schema.safeParse(isMissing ? undefined : value);
		if (error === undefined) return data;
		const header = headerOf(column);
		if (isMissing && !hasColumn(column)) {
			const advice = 'if it is in another column, enter its header in Column Names under Options';
			return refuse(`${header} is missing in all rows; ${advice}`);
		}
		const wrong = column === 'recipient_email' ? faultInAddress(value) : undefined;
		return refuse(wrong ?? refusalOf(header, error).message);
	};

	const recipientEmail = read('recipient_email', fields.recipientEmail.schema);

	const { isInCents, isInBoth } = amountIn(columns);
	const amountCents = isInCents
		? read('amount_cents', fields.amountCents.schema)
		: read('amount', fields.amountDollars.schema);
	if (isInBoth) {
		const both = `${headerOf('amount')} and ${headerOf('amount_cents')}`;
		refuse(`${both} are both filled in; leave one of the two empty`);
	}

	const codes = [currency, '$', 'US$', '840'];
	const [otherCurrency] = columnsUnlike(
		[row],
		spellingsOf({ currency: codes, currencycode: codes, currencysymbol: codes }),
	);
	if (otherCurrency !== undefined) {
		const other = shorten(visible(textOfCell(row.cells[otherCurrency])), 100);
		const advice = 'If the column means something else, rename it.';
		refuse(`${otherCurrency} is ${other}, and the form’s Currency is ${currency}`, advice);
	}

	const hasReference = !isBlank(valueOf('reference'));
	const paymentReference = hasReference
		? read('reference', fields.paymentReference.schema)
		: undefined;
	if (!hasReference && hasColumn('reference')) {
		const advice =
			'Enter your invoice or payout number: without it, a later run of the sheet could pay the row again.';
		refuse(`${headerOf('reference')} is empty`, advice);
	}

	const typedData = read('authorization', fields.typedData.schema);
	return { recipientEmail, amountCents, paymentReference, typedData, fault: faults[0] };
}

/** The form with what its row of a sheet says. */
function filledIn(form: GivenForm, row: SheetRow<Column>) {
	const { fault, ...cells } = readCells(row, form.input.currency);
	const place = form.place && {
		...form.place,
		row: { ...row.place, reference: cells.paymentReference },
	};
	return { form: { ...form, place, input: { ...form.input, ...cells } }, fault };
}

/** The form, if it has all of a payment: its own fields, or those of a row that were read into it. */
function completeForm(form: GivenForm): PaymentForm | undefined {
	const { recipientEmail, typedData } = form.input;
	const cents = enteredCents(form.input);
	if (recipientEmail === undefined || typedData === undefined || cents === undefined) {
		return undefined;
	}
	return { ...form, input: { ...form.input, recipientEmail, typedData, cents } };
}

/**
 * Names the columns for a team or a network that say something else than the form, unless that says something
 * else for each row: then an expression may have read them.
 */
function hintAtUnused(
	rows: ReadonlyMap<GivenForm, SheetRow<Column>>,
	{ credentials, hint }: RunContext,
): void {
	const inputs = [...rows.keys()].map(({ input }) => input);
	const [{ teamId, network } = { teamId: '', network: '' }] = inputs;
	if (inputs.some((each) => each.teamId !== teamId || each.network !== network)) return;
	const ofForm = spellingsOf({
		...teamColumns([teamId], credentials.entities),
		network: [network],
	});
	for (const header of columnsUnlike([...rows.values()], ofForm)) {
		hint(`Column ${asWord(header)} isn’t used: the node’s own field decides`);
	}
}

/** The rows of sheets: the forms that don't have all of a payment themselves. */
function sheetRowsOf(forms: readonly GivenForm[]): ReadonlyMap<GivenForm, SheetRow<Column>> {
	return sheetOf<Column, GivenForm>(forms.filter((form) => completeForm(form) === undefined));
}

/** What forms and rows tell of their payments, as far as they can be read. */
export function columnsOfForms(forms: readonly GivenForm[]): OutputRecord[] {
	const rows = sheetRowsOf(forms);
	return forms.map((form) => {
		const row = rows.get(form);
		try {
			return columnsOfRefused(row === undefined ? form.input : filledIn(form, row).form.input);
		} catch {
			/* Two columns hold one field. */
			return columnsOfRefused(form.input);
		}
	});
}

/**
 * The payments of a run, in order: those of forms, and those in rows of sheets. A row that can't be read is
 * refused, with the columns that could be.
 * @throws {UserError} if Column Names names a column that no row has, or no column is known
 */
export function readPayments(forms: readonly GivenForm[], run: RunContext) {
	const rows = sheetRowsOf(forms);
	checkColumnNames([...rows.values()]);
	const isList = [...rows.keys()].some(({ place }) => place?.index !== undefined);
	requireKnownColumn([...rows.values()], RECOGNITION, isList ? NOT_IN_LIST : NOT_IN_INPUT);
	hintAtUnused(rows, run);
	const payments: PaymentForm[] = [];
	const unreadable: Row[] = [];
	for (const given of forms) {
		const row = rows.get(given);
		const { form, fault } =
			row === undefined ? { form: given, fault: undefined } : filledIn(given, row);
		const payment = fault === undefined ? completeForm(form) : undefined;
		if (payment !== undefined) {
			payments.push(payment);
			continue;
		}
		const { numbers, place, input } = form;
		const team = entityLabel(input.teamId, run.credentials.entities);
		const columns = columnsOfRefused(input, team);
		unreadable.push({ ...refused(numbers, fault, 'unread'), place, columns });
	}
	return { payments, unreadable, isSheet: rows.size > 0 };
}
