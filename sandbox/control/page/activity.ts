import type { DeliveryAttempt } from '../../deliveries';
import type { WireLogEntry } from '../../wireLog';
import { byId, element, timeOf } from './elements';
import { eventName } from './eventName';

/** What happened to an attempt, in a few words. */
export function resultOf({ status, outcome, answer, retryIn }: DeliveryAttempt): string {
	const words =
		outcome === 'no answer' && answer !== undefined ? `${outcome} (${answer})` : outcome;
	const again = retryIn === undefined ? '' : `, again in ${Math.round(retryIn / 1000)} s`;
	return `${status === undefined ? '' : `${status} `}${words}${again}`;
}

const colorOf = (status: number | undefined): string =>
	status === undefined || status >= 500 ? 'odd' : status < 300 ? 'good' : 'bad';

const pill = (text: string, color: string): HTMLElement => element('span', `pill ${color}`, text);

function details(summary: Node | string, shown: unknown): HTMLElement {
	return element(
		'details',
		'',
		element('summary', '', summary),
		element('pre', '', JSON.stringify(shown, null, 2)),
	);
}

/** A cell; on a narrow screen, the label is in front of it. */
function cell(className: string, label: string, ...children: (Node | string)[]): HTMLElement {
	const made = element('td', className, ...children);
	if (label !== '') made.dataset.label = label;
	return made;
}

function deliveryRow(attempt: DeliveryAttempt): HTMLElement {
	const { at, event_type: type, status, outcome, answer, duration, retryIn, body } = attempt;
	const next = retryIn === undefined ? '' : timeOf(Date.parse(at) + (duration ?? 0) + retryIn);
	return element(
		'tr',
		'',
		cell('time', '', timeOf(at)),
		cell(
			'',
			'',
			details(type === undefined ? 'Raw body' : eventName(type), {
				...attempt,
				body: jsonOf(body),
			}),
		),
		cell('', 'Attempt', String(attempt.attempt)),
		cell('', '', pill(status === undefined ? outcome : `${status} ${outcome}`, colorOf(status))),
		cell('answer', '', element('code', '', answer ?? '')),
		cell('number', 'Duration', duration === undefined ? '' : `${duration} ms`),
		cell('time', 'Next attempt', next === '' ? '–' : `at ${next}`),
	);
}

function requestRow(entry: WireLogEntry): HTMLElement {
	const { at, method, path, status, outcome, valid, problems } = entry;
	const query = new URLSearchParams(
		Object.entries(entry.query).flatMap(([name, values]) =>
			[values].flat().map((value) => [name, value]),
		),
	).toString();
	const words = outcome.replace('fault:', 'made to fail: ');
	return element(
		'tr',
		'',
		cell('time', '', timeOf(at)),
		cell(
			'',
			'',
			details(element('code', '', `${method} ${path}${query === '' ? '' : `?${query}`}`), entry),
		),
		cell('', '', pill(status === undefined ? 'no answer' : String(status), colorOf(status))),
		cell('', '', valid ? words : `${words}; not as documented: ${problems.join('; ')}`),
	);
}

function jsonOf(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}

/** A table body that keeps the rows that didn't change, so that opened ones stay open. */
function liveTable<Entry>(
	id: string,
	rowOf: (entry: Entry) => HTMLElement,
	whenEmpty: string,
): (newestLast: readonly Entry[]) => void {
	let rows = new Map<string, HTMLElement>();
	let shown: string | undefined;
	return (newestLast) => {
		const state = JSON.stringify(newestLast);
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
			const empty = element('td', 'empty', whenEmpty);
			empty.colSpan = 7;
			body.replaceChildren(element('tr', '', empty));
		}
	};
}

export const showDeliveries = liveTable(
	'deliveries',
	deliveryRow,
	'Nothing sent yet. Choose an event above and send it.',
);
export const showRequests = liveTable(
	'requests',
	requestRow,
	'No requests yet. Run a node in n8n with the Base URL above.',
);
