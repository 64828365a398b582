import { makePerson } from './people';
import type { Organisation } from './organisation';
import { Randomness } from './randomness';

type Cell = string | number | boolean | null;
/** A row as a workflow reads it; `row_number` is its place in the sheet, from 2. */
export type Row = Readonly<Record<string, unknown>>;

/** A tab with the columns of its header. */
export interface Tab {
	readonly columns: readonly string[];
	readonly rows: readonly Row[];
}

/** What a workflow does with a tab, in the words of the Google Sheets node. */
export interface SheetRequest {
	readonly operation: 'read' | 'append' | 'update' | 'appendOrUpdate';
	readonly tab: string;
	readonly row: Row;
	/** The columns by which a row is found. */
	readonly matching: readonly string[];
	/** Which rows are read: these columns have these values. */
	readonly filter: Row;
}

const ROW_NUMBER = 'row_number';
const FIRST_ROW = 2;

/** A sheet that workflows read and write, with the rows that the examples need. */
export class Sheet {
	private readonly tabs = new Map<string, { columns: string[]; rows: Row[] }>();

	constructor(tabs: Readonly<Record<string, Tab>> = {}) {
		for (const [name, tab] of Object.entries(tabs)) this.replace(name, tab);
	}

	/** The names of the tabs. */
	names(): string[] {
		return [...this.tabs.keys()];
	}

	/** A tab with numbered rows; undefined if there is none. */
	tab(name: string): Tab | undefined {
		const tab = this.tabs.get(name);
		return tab && { columns: tab.columns, rows: tab.rows.map(numbered) };
	}

	/** Puts these rows in place of a tab, or adds one. */
	replace(name: string, { columns, rows }: Tab): void {
		const tab = { columns: [...columns], rows: [] };
		this.tabs.set(name, tab);
		for (const row of rows) this.append(name, row);
	}

	/**
	 * Reads rows, or writes one and answers with its columns. `update` leaves a row alone that it can't
	 * find, and writes to no column that the tab hasn't.
	 */
	perform({ operation, tab: name, row, matching, filter }: SheetRequest): Row | readonly Row[] {
		const found = (wanted: Row, columns: readonly string[]): Row[] =>
			(this.tab(name)?.rows ?? []).filter((each) =>
				columns.every((column) => String(each[column] ?? '') === String(wanted[column] ?? '')),
			);
		if (operation === 'read') return found(filter, Object.keys(filter));
		const isNew = operation === 'append' || matching.length === 0;
		const [same] = isNew ? [] : found(row, matching);
		const { columns = [] } = this.tab(name) ?? {};
		const known = Object.entries(row).filter(([column]) => columns.includes(column));
		const cells = operation === 'update' ? Object.fromEntries(known) : row;
		if (same) this.change(name, Number(same[ROW_NUMBER]), cells);
		else if (operation !== 'update') this.append(name, row);
		return row;
	}

	append(name: string, row: Row): void {
		const cells = withoutNumber(row);
		const tab = this.tabs.get(name) ?? { columns: [], rows: [] };
		this.tabs.set(name, tab);
		addColumns(tab.columns, cells);
		tab.rows.push(cells);
	}

	/** Changes some cells of a row; false if there is no such row. */
	change(name: string, number: number, changes: Row): boolean {
		const cells = withoutNumber(changes);
		const tab = this.tabs.get(name);
		const row = tab?.rows[number - FIRST_ROW];
		if (!tab || !row) return false;
		addColumns(tab.columns, cells);
		tab.rows[number - FIRST_ROW] = { ...row, ...cells };
		return true;
	}

	/** Removes a row; those below it move up. False if there is no such row. */
	remove(name: string, number: number): boolean {
		const rows = this.tabs.get(name)?.rows;
		return rows !== undefined && rows.splice(number - FIRST_ROW, 1).length > 0;
	}
}

/** A cell as a sheet takes what is typed: digits are a number, unless an apostrophe is in front. */
export function typedCell(text: string): Cell {
	if (text.startsWith("'")) return text.slice(1);
	return /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) ? Number(text) : text;
}

function withoutNumber(row: Row): Row {
	return Object.fromEntries(Object.entries(row).filter(([column]) => column !== ROW_NUMBER));
}

function numbered(row: Row, index: number): Row {
	return { [ROW_NUMBER]: index + FIRST_ROW, ...row };
}

function addColumns(columns: string[], row: Row): void {
	columns.push(...Object.keys(row).filter((column) => !columns.includes(column)));
}

/** The tabs of the examples, as Google Sheets gives them: an amount is a number. */
export function practiceTabs(organisation: Organisation): Record<string, Tab> {
	const randomness = new Randomness('sheet');
	const [team] = organisation.teams;
	const tab = (header: string, rows: readonly (readonly unknown[])[]): Tab => {
		const columns = header.split(' ');
		const named = rows.map((cells) => columns.map((column, at) => [column, cells[at] ?? '']));
		return { columns, rows: named.map((cells): Row => Object.fromEntries(cells)) };
	};
	/* The statement of this month then has what a payroll run paid today, too. */
	const month = new Date().toISOString().slice(0, 7);
	const people = [1, 2, 3].map((number) => makePerson(randomness, number));
	const reviews = [...(team?.nameReviews ?? [])].slice(0, 3);
	return {
		Payments: tab(
			'reference recipient_email amount outcome transaction paid_at approved_by approved_at fingerprint status status_at',
			[
				['PAY-001', 'contractor.1@example.com', 4200],
				['PAY-002', 'contractor.2@example.com', 3850.5],
				['PAY-003', 'contractor.3@example.com', 5125],
			],
		),
		People: tab(
			'email first_name last_name outcome',
			people.map(({ email, firstName, lastName }) => [email, firstName, lastName]),
		),
		Deposits: tab(
			'deposit_id status account amount currency reference received_at updated_at reverted_at',
			[
				['dp-Lq7ZtR2mKw0s-b81Hc4Yx', 'complete', 5310.25, 'INV-20268120'],
				['dp-Xw81LkPq0aZt-r28Uxq7b', 'reverted', 1200, 'INV-20265904'],
				['dp-p9VbN3cYt7Qs-Mz40dkV2', 'complete', 20000, ''],
			].map(([id, status, amount, reference], index) => {
				const at = `${month}-01T0${7 + index}:30:00.000Z`;
				const reverted = status === 'reverted' ? at : '';
				return [id, status, 'Engineering', amount, 'USD', reference, at, at, reverted];
			}),
		),
		'Deposit events': tab(
			'deposit_id created_at entity_id destination_currency destination_amount_cents',
			[],
		),
		'Name reviews': tab(
			'team_id user_id review_version decision outcome',
			reviews.map(([user, { reviewVersion }]) => [team?.nanoid, user, reviewVersion, 'approve']),
		),
	};
}
