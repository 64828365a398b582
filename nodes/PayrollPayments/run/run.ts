import {
	NodeOperationError,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { requirePermission } from '../api/limits';
import { nodeErrorFor } from '../api/nodeErrors';
import type { InputItem } from '../forms/field';
import { outcomeOf, UserError } from '../shared/errors';
import { isRecord } from '../shared/json';
import { Redactor } from '../shared/redaction';
import { checkRecords, keepApproved } from './approval';
import type { Operation } from './operation';
import { combineFailures, outputItems } from './output';
import type { CompletedJob, FailedItems, Form, Job, Plan, RunResult } from './plan';
import { openRun, type RunContext } from './runContext';

/**
 * Runs the selected operation for all input items, in three phases: the form of all items is read,
 * all items are checked, and what passed is sent. The first two only read. Unless *On Error* is
 * *Continue*, one refused item means that nothing is signed or sent.
 * @throws the error that n8n shows; with *Continue*, a failed item becomes output instead
 */
export async function run(
	context: IExecuteFunctions,
	catalogue: readonly Operation[],
): Promise<INodeExecutionData[][]> {
	const node = context.getNode();
	const operation = selectedOperation(context, catalogue);
	const items = inputItems(context);
	const redactor = new Redactor();
	const continues = context.continueOnFail();
	try {
		refuseAgentWrites(node, operation);
		const form = await operation.read(items);
		const open = async () => await openRun(context, redactor, operation, form.settings);
		const plan = await checkAll(operation, form, items.length, open, continues);
		const result = await sendAll(operation, form, plan, continues);
		const failure = continues ? undefined : combineFailures(operation, result, redactor);
		if (failure !== undefined) throw failure;
		const output = outputItems(node, operation, result, redactor);
		if (output.length === 0 && operation.emptyNotice !== undefined) {
			context.addExecutionHints({ message: operation.emptyNotice, location: 'outputPane' });
		}
		return [output];
	} catch (error) {
		throw nodeErrorFor(node, error, redactor, 0);
	}
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

/**
 * Stops an AI agent from running an operation or setting an option that is reserved for people. The
 * parameters count as saved, since an agent could fill in an expression.
 * @throws {UserError} that says how a person can allow it
 */
function refuseAgentWrites({ type, parameters }: INode, operation: Operation): void {
	if (!type.endsWith('Tool')) return;
	const saved: unknown = parameters.options;
	const options = isRecord(saved) ? saved : {};
	const refuse = (what: string, next: string) => {
		throw new UserError(`“${what}” was refused because an AI agent called it. ${next}`, {
			hint: 'Nothing was sent.',
		});
	};
	const { action, effect, isForPeople } = operation;
	if (isForPeople === true) refuse(action, 'Sign in outside the AI agent');
	if (effect === 'write' && options.checkOnly !== true && parameters.allowToolWrites !== true) {
		const isText = typeof parameters.allowToolWrites === 'string';
		const byHand = 'Allow Writes by AI can’t be an expression: set it by hand';
		refuse(action, isText ? byHand : 'To allow it, turn on Allow Writes by AI in the node');
	}
	if ((options.confirmedNotPaid ?? '') !== '') {
		refuse('Confirmed Not Paid', 'Clear it, and use it in a node outside the AI agent');
	}
}

function inputItems(context: IExecuteFunctions): InputItem[] {
	const saved = context.getNode().parameters;
	return context.getInputData().map(({ json }, index) => ({
		index,
		json,
		/* Read each only once: an expression is slow, and can give another value the second time. */
		read: (name: string): unknown => context.getNodeParameter(name, index, undefined),
		readSaved: (name: string): unknown => saved[name],
		evaluate: (expression: string): unknown => context.evaluateExpression(expression, index),
	}));
}

/**
 * Phase two: every item against the credentials, the operation's own checks, and the approval. With
 * *Check Only*, the jobs put out what was checked.
 */
async function checkAll(
	operation: Operation,
	form: Form,
	count: number,
	open: () => Promise<RunContext>,
	continues: boolean,
): Promise<Plan> {
	const othersThan = (known: ReadonlyArray<Pick<Job, 'items'>>) => {
		const items = new Set(known.flatMap((each) => each.items));
		return Array.from({ length: count }, (_, item) => item).filter((item) => !items.has(item));
	};
	let plan: Plan = { jobs: [], refusals: form.refusals };
	const isOver = () => plan.refusals.length > 0 && !continues;
	if (isOver()) return plan;
	try {
		const run = await open();
		requirePermission(run.credentials, operation.permission);
		const checked = await form.check(run);
		plan = { ...checked, refusals: [...plan.refusals, ...checked.refusals] };
		if (isOver()) return plan;
		if (form.settings.checkOnly) {
			const report = (job: Job): Job => {
				const send = async () => checkRecords(run.approvable, job.writes);
				return job.writes.length === 0 ? job : { ...job, kind: 'report', send };
			};
			return { jobs: plan.jobs.map(report), refusals: plan.refusals };
		}
		plan = keepApproved(run.approvable, plan, run.credentials, form.approved);
		const sending = plan.jobs.find(({ kind }) => kind === undefined);
		/* Signing in, which needs no permission, is how people get a token. */
		if (!isOver() && sending !== undefined && operation.permission !== 'none') {
			const team = sending.writes[0]?.request?.body.from;
			await run.confirmToken(typeof team === 'string' ? team : undefined);
		}
		return plan;
	} catch (error) {
		const refusesRun = error instanceof UserError && error.context.refusesRun === true;
		const isTold = (refusal: FailedItems) => !refusesRun || outcomeOf(refusal.error) === 'unknown';
		const refusals = plan.refusals.filter(isTold);
		/* What an earlier try or an earlier run did is still told. */
		const jobs = plan.jobs.filter(({ kind }) => kind !== undefined);
		const items = othersThan([...refusals, ...jobs]);
		return { ...plan, jobs, refusals: [...refusals, { items, error }] };
	}
}

/**
 * Phase three: sends what passed, in order, as many at a time as *Concurrency* allows. A failure ends
 * the run; with *Continue* only one after which it isn't known whether money moved. What was begun is
 * awaited, so that every outcome is known.
 */
async function sendAll(
	operation: Operation,
	{ settings }: Form,
	plan: Plan,
	continues: boolean,
): Promise<RunResult> {
	const sent: CompletedJob[] = [];
	/* What a check refused was not sent, whatever happened to the reads of the check. */
	const failed: FailedItems[] = plan.refusals.map(({ error, ...refusal }) => ({
		...refusal,
		error:
			error instanceof UserError && error.context.outcome === undefined
				? error.with({ outcome: 'refused' })
				: error,
	}));
	let isEnded = failed.some(({ endsRun }) => endsRun === true || !continues);
	const queue = plan.jobs.values();
	const worker = async () => {
		for (const job of queue) {
			if (isEnded && job.kind === undefined) {
				const error = new UserError('This was not sent, because the run ended before it', {
					outcome: 'not_sent',
					hint: 'Look at the failure before it, then run the node again.',
				});
				failed.push({ ...job, error });
				continue;
			}
			try {
				sent.push({ ...job, records: await job.send() });
			} catch (error) {
				failed.push({ ...job, error });
				isEnded ||= !continues || (operation.movesMoney === true && outcomeOf(error) !== 'refused');
			}
		}
	};
	const workers = Math.min(settings.concurrency, plan.jobs.length);
	await Promise.all(Array.from({ length: workers }, worker));
	const result = { sent, failed };
	await plan.end?.(result);
	return result;
}
