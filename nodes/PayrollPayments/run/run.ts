import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { requirePermission } from '../api/credentialLimits';
import { nodeErrorFor } from '../api/nodeErrors';
import type { InputItem } from '../forms/field';
import { messageOf, UserError } from '../shared/errors';
import { isRecord } from '../shared/json';
import { quantity } from '../shared/lists';
import { isEmptyRow, placeIn } from './sheetRows';
import { Redactor } from '../shared/redaction';
import { approvalsOf, approve, checkRecords, asListApproves, refuseDeclined } from './approve';
import { refuseCaller } from './callers';
import type { Settings } from './commonOptions';
import { doneInEarlierTries, refuseChanged, rememberTries, withEarlierTries } from './earlierTry';
import { combineFailures, noteOnStopped } from './failure';
import type { Operation } from './operation';
import { outputItems } from './output';
import {
	failedRows,
	refused,
	refuseRest,
	rowOf,
	rowsThatAre,
	inputItemsOf,
	stateAfter,
	type Form,
	type Row,
	type RowThatIs,
	type State,
} from './rows';
import { openRun, scopeOf, type OpenRun, type RunContext } from './runContext';
import type { OutputRecord, Perform } from './write';

/**
 * Runs the selected operation for all input items, in three steps: the form of all items is read, all
 * items are checked, and what passed is sent. The first two change nothing at the service. Unless *On
 * Error* is *Continue*, one refused item means that nothing is signed or sent.
 * @throws the error that n8n shows; with *Continue*, a failed item becomes output instead
 */
export async function runOperation(
	context: IExecuteFunctions,
	catalogue: readonly Operation[],
): Promise<INodeExecutionData[][]> {
	const node = context.getNode();
	const operation = selectedOperation(context, catalogue);
	const redactor = new Redactor();
	const continues = context.continueOnFail();
	try {
		const { rows: own, isCheck } = await carryOut(context, operation, redactor, continues);
		/* Of a secret, nothing is kept for a later try. */
		const isKept = operation.hasSecretOutput !== true;
		const hasTries = node.retryOnFail === true && operation.effect === 'write' && isKept;
		const rows = hasTries ? withEarlierTries(scopeOf(context), own) : own;
		if (hasTries) rememberTries(scopeOf(context), operation, rows);
		const isStopped = context.getExecutionCancelSignal()?.aborted === true;
		if (isStopped && operation.effect === 'write') {
			const note = noteOnStopped(operation, rows);
			const execution = `Execution ${context.getExecutionId()}, node ${node.name}`;
			if (note !== undefined) context.logger.warn(redactor.text(`${execution}: ${note}`));
		}
		const failure = continues ? undefined : combineFailures(operation, rows, redactor);
		if (failure !== undefined) throw failure;
		const columns = isCheck
			? { ofFailed: { check: 'failed', approval: null } }
			: { ofAll: operation.runColumns?.(rows) };
		const output = outputItems(node, operation, rows, redactor, columns);
		if (output.length === 0 && operation.emptyNotice !== undefined) {
			context.addExecutionHints({ message: operation.emptyNotice, location: 'outputPane' });
		}
		return [output];
	} catch (error) {
		throw nodeErrorFor(node, error, redactor, 0);
	}
}

/** Reads, checks and sends. What fails is in the rows. */
async function carryOut(
	context: IExecuteFunctions,
	operation: Operation,
	redactor: Redactor,
	continues: boolean,
): Promise<{ readonly rows: readonly Row[]; readonly isCheck?: boolean }> {
	const items = inputItems(context);
	const [first] = items;
	/* n8n runs no node without items. */
	if (first === undefined) return { rows: [] };
	const { rows: all, emptyRows } = read(operation, items);
	if (emptyRows > 0) {
		context.addExecutionHints({ message: emptyRowsNotice(emptyRows), location: 'outputPane' });
	}
	let settings: Settings;
	try {
		refuseCaller(context, operation);
		settings = operation.readSettings(first);
	} catch (error) {
		return { rows: refuseRestWithColumns(operation, all, error) };
	}
	const { checkOnly: isCheck = false, checkOutput } = settings;
	const describeRun = isCheck && checkOutput === 'run' ? operation.describeRun : undefined;
	/* Before anything is sent, any failed row ends the run. While rows are sent, `endsRun` decides. */
	const isOver = (rows: readonly Row[]) =>
		!continues && describeRun === undefined && failedRows(rows).length > 0;
	if (isOver(all)) return { rows: all, isCheck };
	let opened: OpenRun;
	try {
		opened = await openRun(context, redactor, operation, settings);
	} catch (error) {
		return { rows: refuseRestWithColumns(operation, all, error), isCheck };
	}
	const { run, perform } = opened;
	const checking: RunStep = async (rows) => await check(operation, rows, run);
	if (isCheck) {
		const describing: RunStep = async (rows) => await describe(rows, run, describeRun);
		return { rows: await inSteps(operation, all, [checking, describing], isOver), isCheck };
	}
	const approved = approvedChecks(all);
	const before = doneInEarlierTries(scopeOf(context));
	const steps: readonly RunStep[] = [
		checking,
		(rows) => refuseDeclined(rows, items, approved),
		(rows) => approve(operation, rows, run, approved),
		(rows) => refuseChanged(rows, before),
		async (rows) => await confirmToken(operation, rows, opened),
	];
	const rows = await inSteps(operation, all, steps, isOver);
	const ends = (state: State) => endsRun(state, operation, continues);
	/* An unknown outcome of an earlier try also ends the run if its row can't be read any more. */
	const earlier = operation.stopsAtUnknown === true ? before : [];
	const isEnded = [...rows, ...earlier].some(({ state }) => ends(state));
	const sent = await send(rows, perform, settings, { ends, isEnded });
	/* What was sent must be told, whatever becomes of the notes about it. */
	await operation.finish?.(sent, run).catch((error: unknown) => {
		context.logger.warn(redactor.text(messageOf(error)));
	});
	return { rows: sent };
}

/** Refuses every row that would still have been sent, and keeps the columns that its form tells. */
function refuseRestWithColumns(operation: Operation, rows: readonly Row[], error: unknown): Row[] {
	const read = rowsThatAre(rows, 'read');
	const ofForms = operation.columnsOfForms?.(read.map(({ state }) => state.form)) ?? [];
	const columns = new Map<Row, OutputRecord | undefined>(
		read.map((row, index) => [row, ofForms[index]]),
	);
	const withColumns = rows.map((row) => ({ ...row, columns: columns.get(row) ?? row.columns }));
	return refuseRest(withColumns, error);
}

/** Takes all rows of a run and gives them back; a `Step` (write.ts) is of a single row. */
type RunStep = (rows: readonly Row[]) => Promise<readonly Row[]> | readonly Row[];

/** Takes the steps in order until the run is over. One that throws refuses the rows that would still have been sent. */
async function inSteps(
	operation: Operation,
	given: readonly Row[],
	steps: readonly RunStep[],
	isOver: (rows: readonly Row[]) => boolean,
): Promise<readonly Row[]> {
	let rows = given;
	for (const step of steps) {
		if (isOver(rows)) break;
		try {
			rows = await step(rows);
		} catch (error) {
			rows = refuseRestWithColumns(operation, rows, error);
		}
	}
	return rows;
}

function selectedOperation(context: IExecuteFunctions, catalogue: readonly Operation[]): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = catalogue.find((each) => each.resource === resource && each.operation === name);
	if (operation !== undefined) return operation;
	throw new NodeOperationError(
		context.getNode(),
		`The resource ${String(resource)} has no operation ${String(name)}`,
		{ description: 'Select the resource and operation again.' },
	);
}

function inputItems(context: IExecuteFunctions): InputItem[] {
	const saved = context.getNode().parameters;
	return context.getInputData().map(({ json }, index) => {
		/* Read each only once: an expression is slow, and can give another value the second time. */
		const values = new Map<string, unknown>();
		const read = (name: string): unknown => {
			if (!values.has(name)) values.set(name, context.getNodeParameter(name, index, undefined));
			return values.get(name);
		};
		const readSaved = (name: string): unknown => saved[name];
		const evaluate = (text: string): unknown => context.evaluateExpression(text, index);
		return { index, json, read, readSaved, evaluate };
	});
}

/**
 * The forms of an item: its own or, if it has a list of rows, one for each; undefined for a row without
 * any value.
 * @param first the number of the first
 */
function formsOf(
	{ sheet, read: readForm }: Operation,
	item: InputItem,
	first: number,
): ReadonlyArray<Form | undefined> {
	const isRow = sheet !== undefined && item.read(sheet.source) === 'items';
	if (isRow && isEmptyRow(item.json)) return [undefined];
	const form = readForm(item);
	const list: unknown = sheet?.list && isRecord(form.input) ? form.input[sheet.list] : undefined;
	const rows: unknown = isRow ? [item.json] : list;
	if (!Array.isArray(rows)) return [{ ...form, numbers: [first], place: { item: item.index } }];
	return rows.map((json: unknown, index) => {
		const number = first + index;
		const place = { item: item.index, ...(!isRow && { index }), row: placeIn(json, number + 1) };
		return isRecord(json) && !isEmptyRow(json)
			? { ...form, json, numbers: [number], place }
			: undefined;
	});
}

/** Step `read`: the form of each item or row, or why it was refused. */
function read(operation: Operation, items: readonly InputItem[]) {
	const rows: Row[] = [];
	let count = 0;
	let emptyRows = 0;
	for (const item of items) {
		try {
			for (const form of formsOf(operation, item, count)) {
				count++;
				if (form === undefined) emptyRows++;
				else rows.push(rowOf(form.numbers, { is: 'read', form }, form.place));
			}
		} catch (error) {
			const columns = operation.columnsOfUnread?.(item);
			const place = { item: item.index };
			rows.push({ ...refused([count++], error, 'unread'), place, columns });
		}
	}
	if (rows.length > 0) return { rows, emptyRows };
	const error = new UserError('All rows are empty', {
		hint: 'Check the node that reads the sheet.',
	});
	return { rows: [refused([0], error)], emptyRows };
}

function emptyRowsNotice(count: number): string {
	return `${quantity(count, 'row without any value was', 'rows without any value were')} left out`;
}

/** What items or rows name as approved, as it was entered, by number. */
function approvedChecks(rows: readonly Row[]): ReadonlyMap<number, string> {
	const forms = rowsThatAre(rows, 'read').map(({ state }) => state.form);
	return new Map(
		forms.flatMap(({ numbers: [number], approvedCheck }) =>
			approvedCheck === undefined ? [] : [[number, approvedCheck] as const],
		),
	);
}

/** Step `check`: every form against the credentials and the operation's own checks. */
async function check(
	operation: Operation,
	rows: readonly Row[],
	run: RunContext,
): Promise<readonly Row[]> {
	requirePermission(run.credentials, operation.permission);
	const unread = failedRows(rows);
	const forms = rowsThatAre(rows, 'read').map(({ state }) => state.form);
	return [...unread, ...(await operation.check(forms, run, unread))];
}

/** What *Check Only* puts out: an item for each request, or one for the whole run. */
async function describe(
	rows: readonly Row[],
	run: RunContext,
	describeRun: Operation['describeRun'],
): Promise<readonly Row[]> {
	if (describeRun !== undefined) {
		const records = [await describeRun(rows, run)];
		const items = rows.flatMap(inputItemsOf).sort((a, b) => a - b);
		return [rowOf(items, { is: 'checked', records })];
	}
	const approvals = approvalsOf(run.approvable, rows, asListApproves);
	return rows.map((row) => {
		if (row.state.is !== 'ready' && row.state.is !== 'done') return row;
		const records = checkRecords(run.approvable, row.writes, approvals.get(row));
		return { ...row, state: { is: 'checked', records } };
	});
}

/**
 * Makes sure of the token before anything is claimed or signed. Left out where the run's journal has an
 * answer, so that an error here hides nothing of what an earlier try did.
 */
async function confirmToken(
	{ permission }: Operation,
	rows: readonly Row[],
	{ run, ensureToken }: OpenRun,
): Promise<readonly Row[]> {
	const writes = rowsThatAre(rows, 'ready').flatMap((row) => row.writes);
	/* Signing in, which needs no permission, is how people get a token. */
	if (writes.length === 0 || permission === 'none') return rows;
	if (run.executionJournal().hasAnswers) return rows;
	const [entityId] = writes.map((write) => write.entityId);
	await ensureToken(entityId);
	return rows;
}

/**
 * Whether nothing more is sent after a row in this state. With *Continue*, only an unknown outcome of this run
 * ends it, also that of an earlier try: what broke that would break the other rows, too.
 */
function endsRun(state: State, { stopsAtUnknown }: Operation, continues: boolean): boolean {
	if (state.is === 'refused') return !continues;
	if (state.is !== 'unknown') return false;
	return !continues || (stopsAtUnknown === true && state.when !== 'earlierRun');
}

function endedBefore(): State {
	const error = new UserError('This was not sent, because the run ended before it', {
		hint: 'Look at the failure before it, then run the node again.',
	});
	return { is: 'notSent', error };
}

/**
 * Step `send`: carries out what passed, in order, as many rows at a time as *Concurrency* allows. What
 * was begun is awaited, so that every outcome is known.
 */
async function send(
	rows: readonly Row[],
	perform: Perform,
	{ concurrency }: Settings,
	{ ends, isEnded: wasEnded }: { ends(state: State): boolean; readonly isEnded: boolean },
): Promise<readonly Row[]> {
	let isEnded = wasEnded;
	const carriedOut = new Map<Row, State>();
	const queue = rowsThatAre(rows, 'ready').values();
	const worker = async () => {
		for (const row of queue) {
			const state = isEnded ? endedBefore() : await sendRow(row, perform);
			carriedOut.set(row, state);
			isEnded ||= ends(state);
		}
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
	return rows.map((row) => ({ ...row, state: carriedOut.get(row) ?? row.state }));
}

/** Carries out one row; what fails becomes its state. */
async function sendRow({ state }: RowThatIs<'ready'>, perform: Perform): Promise<State> {
	try {
		return { is: 'done', records: await state.act(perform) };
	} catch (error) {
		return stateAfter(error);
	}
}
