import { byId, element } from './elements';

export const colorOf = (status: number | undefined): string =>
	status === undefined || status >= 500 ? 'odd' : status < 300 ? 'good' : 'bad';

export const pill = (text: string, color: string): HTMLElement =>
	element('span', `pill ${color}`, text);

/** A cell; on a narrow screen, the label is in front of it. */
export function cell(
	className: string,
	label: string,
	...children: (Node | string)[]
): HTMLElement {
	const made = element('td', className, ...children);
	if (label !== '') made.dataset.label = label;
	return made;
}

/** A table body that keeps the rows that didn't change, so that opened ones stay open. */
export function liveTable<Entry>(
	id: string,
	rowOf: (entry: Entry) => HTMLElement,
	whenEmpty: string,
): (newestLast: readonly Entry[], insteadOfRows?: string) => void {
	let rows = new Map<string, HTMLElement>();
	let shown: string | undefined;
	return (newestLast, insteadOfRows = whenEmpty) => {
		const state = JSON.stringify([insteadOfRows, newestLast]);
		if (state === shown) return;
		shown = state;
		const counts = new Map<string, number>();
		const current = newestLast.toReversed().map((entry) => {
			const text = JSON.stringify(entry);
			const count = (counts.get(text) ?? 0) + 1;
			counts.set(text, count);
			const key = `${count} ${text}`;
			return [key, rows.get(key) ?? rowOf(entry)] as const;
		});
		rows = new Map(current);
		const body = byId(id, HTMLTableSectionElement);
		if (rows.size > 0) body.replaceChildren(...rows.values());
		else {
			const empty = element('td', 'empty', insteadOfRows);
			empty.colSpan = 7;
			body.replaceChildren(element('tr', '', empty));
		}
	};
}
