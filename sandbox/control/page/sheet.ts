import type { Tab } from '../../sheet';
import { call } from './control';
import { button, byId, element, report, select, setIfChanged } from './elements';

interface Answer extends Tab {
	readonly tabs: readonly string[];
	readonly tab: string;
}

const ROW_NUMBER = 'row_number';

const textOf = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
/** What to type so that the cell has this value. */
const typedAs = (value: unknown): string =>
	typeof value === 'string' && /^'|^-?(0|[1-9]\d*)(\.\d+)?$/.test(value)
		? `'${value}`
		: textOf(value);

const change = (work: () => Promise<string>): void => void report('sheet-said', work).then(refresh);
const refresh = async (): Promise<void> => await refreshSheet();

/** A row of the table, and what shows a value in each of its cells. */
interface ShownRow {
	readonly element: HTMLTableRowElement;
	readonly cells: Map<string, (value: unknown) => void>;
}
interface ShownTab {
	tab: string;
	columns: readonly string[];
	rows: ShownRow[];
}
const shown: ShownTab = { tab: '', columns: [], rows: [] };

/** Adds a cell to a row, and returns what shows a value in it. */
function addCell(to: HTMLElement, tab: string, number: number, column: string) {
	const made = element('input', '');
	let before = '';
	made.autocomplete = 'off';
	made.setAttribute('aria-label', `${column}, row ${number}`);
	made.addEventListener('change', () =>
		change(async () => {
			before = made.value;
			const edit = { tab, row_number: number, cells: { [column]: made.value } };
			await call('POST', 'sheet/rows', edit);
			return `Changed ${column} of row ${number}.`;
		}),
	);
	const cell = element('td', '', made);
	to.lastElementChild?.before(cell);
	return (value: unknown): void => {
		// What a person is typing stays.
		if (document.activeElement === made && made.value !== before) return;
		before = typedAs(value);
		if (made.value !== before) made.value = before;
		/* So that an email, a transaction and a time can be read. */
		cell.style.setProperty('--characters', String(Math.min(Math.max(before.length, 8), 40)));
	};
}

function addRow(tab: string, number: number): ShownRow {
	const remove = element('button', 'copy', 'Remove');
	remove.type = 'button';
	remove.setAttribute('aria-label', `Remove row ${number}`);
	remove.addEventListener('click', () =>
		change(async () => {
			await call('POST', 'sheet/rows/remove', { tab, row_number: number });
			return `Removed row ${number}.`;
		}),
	);
	const heading = element('th', 'time', String(number));
	heading.scope = 'row';
	const made = element('tr', '', heading, element('td', '', remove));
	byId('rows', HTMLElement).append(made);
	return { element: made, cells: new Map() };
}

/** Shows the chosen tab. Cells stay where they are, so a person can go on typing in one. */
export async function refreshSheet(): Promise<void> {
	const chosen = select('tab').value;
	const query = chosen === '' ? '' : `?tab=${encodeURIComponent(chosen)}`;
	const { tabs, tab, columns, rows } = await call<Answer>('GET', `sheet${query}`);
	// Another tab was chosen meanwhile, which has its own answer.
	if (select('tab').value !== chosen) return;
	setIfChanged(
		select('tab'),
		tabs.map((name) => [name, name] as const),
	);
	select('tab').value = tab;
	const isSame = tab === shown.tab && shown.columns.every((each, at) => each === columns[at]);
	if (!isSame || columns.length !== shown.columns.length) showColumns(columns);
	if (!isSame || shown.rows.length === 0) {
		shown.rows = [];
		byId('rows', HTMLElement).replaceChildren();
	}
	Object.assign(shown, { tab, columns });
	for (const [index, row] of rows.entries()) {
		const number = Number(row[ROW_NUMBER]);
		const { element: line, cells } = (shown.rows[index] ??= addRow(tab, number));
		for (const column of columns) {
			const show = cells.get(column) ?? addCell(line, tab, number, column);
			cells.set(column, show);
			show(row[column]);
		}
	}
	for (const { element: line } of shown.rows.splice(rows.length)) line.remove();
	if (rows.length === 0) showInstead('No rows yet. A workflow writes them, or you add one.');
}

function showColumns(columns: readonly string[]): void {
	const heading = (text: string): HTMLElement => {
		const made = element('th', '', text);
		made.scope = 'col';
		return made;
	};
	byId('columns', HTMLElement).replaceChildren(
		heading('Row'),
		...columns.map(heading),
		element('td', ''),
	);
}

/** Shows a sentence in place of the rows. */
function showInstead(text: string): void {
	const only = element('td', 'empty', text);
	only.colSpan = byId('columns', HTMLTableRowElement).cells.length;
	byId('rows', HTMLElement).replaceChildren(element('tr', '', only));
}

/** Shows nothing of the tab before, however long the chosen one takes. */
function chooseTab(): void {
	byId('sheet-said', HTMLElement).textContent = '';
	shown.rows = [];
	byId('rows', HTMLElement).closest('.sheet')?.scrollTo(0, 0);
	showInstead('Loading…');
	void refreshSheet();
}

/** Sets up the menu of tabs and the button that adds a row. */
export function setUpSheet(): void {
	select('tab').addEventListener('change', chooseTab);
	button('add-row').addEventListener('click', () =>
		change(async () => {
			await call('POST', 'sheet/rows', { tab: select('tab').value });
			return 'Added a row.';
		}),
	);
}
