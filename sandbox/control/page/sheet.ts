import type { Row, Tab } from '../../sheet';
import { call } from './control';
import { button, byId, element, report, select, setOptions } from './elements';

interface Shown extends Tab {
	readonly tabs: readonly string[];
	readonly tab: string;
}

const ROW_NUMBER = 'row_number';
let shownState = '';

const textOf = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
/** What to type so that the cell has this value. */
const typedAs = (value: unknown): string =>
	typeof value === 'string' && /^'|^-?(0|[1-9]\d*)(\.\d+)?$/.test(value)
		? `'${value}`
		: textOf(value);

const change = (work: () => Promise<string>): void => void report('sheet-said', work).then(refresh);
const refresh = async (): Promise<void> => await refreshSheet();

function cellInput(tab: string, row: Row, column: string): HTMLElement {
	const made = element('input', '');
	const before = typedAs(row[column]);
	made.value = before;
	made.autocomplete = 'off';
	made.setAttribute('aria-label', `${column}, row ${textOf(row[ROW_NUMBER])}`);
	made.addEventListener('change', () =>
		change(async () => {
			const edit = { tab, row_number: row[ROW_NUMBER], cells: { [column]: made.value } };
			await call('POST', 'sheet/rows', edit);
			return `Changed ${column} of row ${textOf(row[ROW_NUMBER])}.`;
		}),
	);
	const cell = element('td', '', made);
	/* So that an email, a transaction and a time can be read. */
	cell.style.setProperty('--characters', String(Math.min(Math.max(before.length, 8), 40)));
	return cell;
}

function rowOf(tab: string, columns: readonly string[], row: Row): HTMLElement {
	const number = textOf(row[ROW_NUMBER]);
	const remove = element('button', 'copy', 'Remove');
	remove.type = 'button';
	remove.setAttribute('aria-label', `Remove row ${number}`);
	remove.addEventListener('click', () =>
		change(async () => {
			await call('POST', 'sheet/rows/remove', { tab, row_number: row[ROW_NUMBER] });
			return `Removed row ${number}.`;
		}),
	);
	const heading = element('th', 'time', number);
	heading.scope = 'row';
	const cells = columns.map((column) => cellInput(tab, row, column));
	return element('tr', '', heading, ...cells, element('td', '', remove));
}

/** Shows the chosen tab, unless a person is typing in it or it hasn't changed. */
export async function refreshSheet(): Promise<void> {
	const chosen = select('tab').value;
	const query = chosen === '' ? '' : `?tab=${encodeURIComponent(chosen)}`;
	const sheet = await call<Shown>('GET', `sheet${query}`);
	// Another tab was chosen meanwhile, which has its own answer.
	if (select('tab').value !== chosen) return;
	const state = JSON.stringify(sheet);
	const isEdited = byId('rows', HTMLElement).contains(document.activeElement);
	if (state === shownState || (isEdited && document.activeElement instanceof HTMLInputElement)) {
		return;
	}
	shownState = state;
	setOptions(
		select('tab'),
		sheet.tabs.map((name) => [name, name] as const),
	);
	select('tab').value = sheet.tab;
	const heading = (text: string): HTMLElement => {
		const made = element('th', '', text);
		made.scope = 'col';
		return made;
	};
	byId('columns', HTMLElement).replaceChildren(
		heading('Row'),
		...sheet.columns.map(heading),
		element('td', ''),
	);
	if (sheet.rows.length === 0) showInstead('No rows yet. A workflow writes them, or you add one.');
	else {
		const rows = sheet.rows.map((row) => rowOf(sheet.tab, sheet.columns, row));
		byId('rows', HTMLElement).replaceChildren(...rows);
	}
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
	shownState = '';
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
