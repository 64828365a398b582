import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { failureRecord, messageFor } from '../api/nodeErrors';
import { messageOf, outcomeOf, UserError, type FailedOutcome } from '../shared/errors';
import { isRecord } from '../shared/json';
import { centsAsDollars } from '../shared/money';
import type { Redactor } from '../shared/redaction';
import { listed } from '../shared/lists';
import type { Operation } from './operation';
import type { CompletedJob, FailedItems, Job, RunResult } from './plan';

/** How many failures or items a message lists before it only counts the rest. */
const MAX_NAMED = 10;

const PAID_AGAIN =
	'Payments without a Payment Reference must be left out of the next run: a new authorization would pay them again.';

const URGENCY = { unknown: 0, refused: 1, not_sent: 2 };

function firstItem({ items }: { readonly items: readonly number[] }): number {
	return items[0] ?? 0;
}

/** What a job put out, each record with its items and the first of them. */
function recordsOf({ items: all, records }: CompletedJob) {
	return records.map((record, index) => {
		const items = records.length === all.length ? all.slice(index, index + 1) : all;
		return { record, items, item: firstItem({ items }) };
	});
}

/** What a run has done, with the sum that was paid, and how many items of all it has not. */
export function totalsOf({ sent, failed }: RunResult) {
	const done = sent.filter(({ kind }) => kind === undefined || kind === 'repeat');
	const size = (some: ReadonlyArray<Pick<Job, 'items'>>) =>
		some.flatMap(({ items }) => items).length;
	const count = (outcome: FailedOutcome) =>
		size(failed.filter(({ error }) => outcomeOf(error) === outcome));
	return {
		done,
		cents: done.reduce((sum, { cents = 0 }) => sum + BigInt(cents), 0n),
		paidBefore: sent.filter(({ kind }) => kind === 'paidBefore').length,
		refused: count('refused'),
		unknown: count('unknown'),
		notSent: count('not_sent'),
		all: size([...sent, ...failed]),
	};
}

/** "1 refused", "2 not known", without what there is none of. */
export function counted(counts: Readonly<Record<string, number>>): string[] {
	return Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}`));
}

export function outputItems(
	node: INode,
	operation: Operation,
	{ sent, failed }: RunResult,
	redactor: Redactor,
): INodeExecutionData[] {
	const isChange = operation.effect === 'write';
	const { options } = node.parameters;
	const always = operation.failureColumns?.(isRecord(options) ? options : {});
	const completed = sent.flatMap(recordsOf).map(({ record, item, items }) => {
		const pairedItem = items.length === 1 ? { item } : items.map((each) => ({ item: each }));
		return { item, output: { json: { ...record }, pairedItem } };
	});
	const wereOthersSent = isChange && totalsOf({ sent, failed }).done.length > 0;
	const refused = failed.flatMap(({ items, error, columns }) =>
		items.map((item) => {
			const record = failureRecord(error, item, redactor, isChange);
			const json = { ...always, ...columns, ...(wereOthersSent ? ofOneItem(record) : record) };
			const pairedItem = { item };
			if (node.onError !== 'continueErrorOutput') return { item, output: { json, pairedItem } };
			/* n8n sends an item to the error output by these two members, and adds the input's own. */
			const { error: message, ...details } = json;
			const isBare = Object.keys(details).length === 0;
			const routed = isBare ? { error: message } : { error: message, details };
			return { item, output: { json: routed, pairedItem } };
		}),
	);
	return [...completed, ...refused].sort((a, b) => a.item - b.item).map(({ output }) => output);
}

/** The record of an item in a run that sent others: its hint speaks of this item only. */
function ofOneItem(record: IDataObject): IDataObject {
	const { hint } = record;
	if (typeof hint !== 'string' || !hint.includes('Nothing was ')) return record;
	const said = hint.replace('Nothing was ', 'This was not ');
	return { ...record, hint: `${said} Other items were sent: leave them out of the next run.` };
}

/** Where something happened: the first item, and all of them if there are several. */
function placeOf(items: readonly number[]) {
	return { item: firstItem({ items }), ...(items.length > 1 ? { items } : {}) };
}

/** The items of a request that failed; the first for what concerns the run as a whole. */
function itemsOf(failed: FailedItems): readonly number[] {
	return failed.writes === undefined ? [firstItem(failed)] : failed.items;
}

/** " (the same in rows 5, 9)"; nothing if there are no others than the first. */
function alsoIn(group: readonly FailedItems[]): string {
	const rows = group.flatMap(({ error }) =>
		error instanceof UserError ? (error.context.row ?? []) : [],
	);
	const isSheet = rows.length === group.length;
	const [, ...places] = (isSheet ? rows : group.flatMap(itemsOf)).map(String);
	if (places.length === 0) return '';
	const kind = `${isSheet ? 'row' : 'item'}${places.length === 1 ? '' : 's'}`;
	return ` (the same in ${kind} ${listed(places, MAX_NAMED)})`;
}

/** "19 of 50 paid ($23,400.00), 1 not known, 30 not sent." */
function tally(result: RunResult): string {
	const { done, cents, all, paidBefore, refused, unknown, notSent } = totalsOf(result);
	const paid = `${done.length} of ${all} paid (${centsAsDollars(cents)})`;
	const rest = counted({
		'paid before': paidBefore,
		refused,
		'not known': unknown,
		'not sent': notSent,
	});
	return `${[paid, ...rest].join(', ')}.`;
}

/**
 * Combines all failures of a run into one error: an unknown outcome first, since money or invites may
 * have gone out. `completed` lists what was done, so that nobody does it again; `failures` has each
 * failure with its code.
 */
export function combineFailures(
	operation: Operation,
	result: RunResult,
	redactor: Redactor,
): UserError | undefined {
	const isChange = operation.effect === 'write';
	const urgency = ({ error }: FailedItems) => URGENCY[outcomeOf(error)];
	const [first, ...others] = [...result.failed].sort(
		(a, b) => urgency(a) - urgency(b) || firstItem(a) - firstItem(b),
	);
	if (first === undefined) return undefined;
	const own =
		first.error instanceof UserError ? first.error : new UserError(messageOf(first.error));
	const told = [first, ...others.filter(({ error }) => outcomeOf(error) !== 'not_sent')];
	/* Those that say the same are named together. */
	const groups = new Map<string, FailedItems[]>();
	for (const each of told) {
		const group = groups.get(messageOf(each.error)) ?? [];
		group.push(each);
		groups.set(messageOf(each.error), group);
	}
	const [same = [], ...different] = groups.values();
	const isTold = told.length > 1 || own.context.attemptCode !== undefined;
	const failures = told.map((each) => ({
		...placeOf(itemsOf(each)),
		...failureRecord(each.error, firstItem(each), redactor, isChange),
	}));
	const done = isChange ? totalsOf(result).done : [];
	const records = done.flatMap(recordsOf).sort((a, b) => a.item - b.item);
	const before = own.context.details?.completed;
	const completed = [
		...records.map(({ record, items }) => ({ ...placeOf(items), ...record })),
		...(Array.isArray(before) ? before : []),
	];

	const names = records.flatMap(({ record: { transaction }, items }) =>
		items.map((item) =>
			typeof transaction === 'string' ? `item ${item} (${transaction})` : `item ${item}`,
		),
	);
	const notSent = others
		.filter((each) => !told.includes(each))
		.flatMap(({ items }) => items.map((item) => `item ${item}`));
	const also = different.map(
		([each = first, ...rest]) =>
			`${messageFor(each.error, firstItem(each), redactor)}${alsoIn([each, ...rest])}`,
	);
	const isPaidAgain = done.some(({ writes }) =>
		writes.some((each) => each.reference === undefined),
	);
	const isRun = operation.movesMoney === true && result.sent.length + result.failed.length > 1;
	const notes = [
		...(isRun ? [tally(result)] : []),
		...(names.length > 0 ? [`Already done before this error: ${listed(names, MAX_NAMED)}.`] : []),
		...(isRun && isPaidAgain ? [PAID_AGAIN] : []),
		...(names.length > 0 && !isRun && notSent.length > 0
			? [`Not sent: ${listed(notSent, MAX_NAMED)}.`]
			: []),
		...(also.length > 0 ? [`Also failed: ${listed(also, MAX_NAMED, '; ')}.`] : []),
	];
	return own
		.withDone(
			{ ...(isTold ? { failures } : {}), ...(records.length > 0 ? { completed } : {}) },
			notes.join(' '),
		)
		.with({ item: firstItem(first), message: `${own.message.replace(/\.$/, '')}${alsoIn(same)}` });
}
