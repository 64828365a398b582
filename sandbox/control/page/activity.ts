import type { DeliveryAttempt } from '../../deliveries';
import type { WireLogEntry } from '../../wireLog';
import { element, linkTo, timeOf } from './elements';
import { eventName } from './eventName';
import { cell, colorOf, liveTable, pill } from './liveTable';
import { verdictOf } from './verdict';

function details(summary: Node | string, shown: unknown): HTMLElement {
	return element(
		'details',
		'',
		element('summary', '', summary),
		element('pre', '', JSON.stringify(shown, null, 2)),
	);
}

/** The workflow that an event went to, if its endpoint was registered with a name. */
function workflowOf({ name, link }: DeliveryAttempt): Node[] {
	if (name === undefined) return [];
	return [element('span', 'to', 'to ', link === undefined ? name : linkTo(link, name))];
}

function deliveryRow(attempt: DeliveryAttempt): HTMLElement {
	const { at, event_type: type, status, answer, duration, retryIn, body } = attempt;
	const { word, meaning } = verdictOf(attempt);
	const color = word === 'ignored' ? 'odd' : colorOf(status);
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
			...workflowOf(attempt),
		),
		cell('', 'Attempt', String(attempt.attempt)),
		cell('', '', pill(status === undefined ? word : `${status} ${word}`, color)),
		cell('answer', '', meaning ?? element('code', '', answer ?? '')),
		cell('number', 'Duration', duration === undefined ? '' : `${duration} ms`),
		cell('time', 'Next attempt', ...(next === '' ? [] : [`at ${next}`])),
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
