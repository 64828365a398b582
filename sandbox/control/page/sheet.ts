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
	cell.dataset.label = column;
	/* On a wide screen, so that an email can be read. */
	cell.style.setProperty('--width', `${Math.min(Math.max(before.length, 8), 32) + 2}ch`);
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
	heading.dataset.label = 'Row';
	const cells = columns.map((column) => cellInput(tab, row, column));
	return element('tr', '', heading, ...cells, element('td', '', remove));
}

/** Shows the chosen tab, unless a person is typing in it or it hasn't changed. */
export async function refreshSheet(): Promise<void> {
	const chosen = select('tab').value;
	const query = chosen === '' ? '' : `?tab=${encodeURIComponent(chosen)}`;
	const sheet = await call<Shown>('GET', `sheet${query}`);
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
	const empty = element('td', 'empty', 'No rows yet. A workflow writes them, or you add one.');
	empty.colSpan = sheet.columns.length + 2;
	byId('rows', HTMLElement).replaceChildren(
		...(sheet.rows.length === 0
			? [element('tr', '', empty)]
			: sheet.rows.map((row) => rowOf(sheet.tab, sheet.columns, row))),
	);
}

/** Sets up the menu of tabs and the button that adds a row. */
export function setUpSheet(): void {
	select('tab').addEventListener('change', () => void refreshSheet());
	button('add-row').addEventListener('click', () =>
		change(async () => {
			await call('POST', 'sheet/rows', { tab: select('tab').value });
			return 'Added a row.';
		}),
	);
}
