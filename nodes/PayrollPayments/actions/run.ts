import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { requirePermission } from '../api/permissions';
import { typedByPerson } from './fields/field';
import { operationNamed } from './catalogue';
import type { InputItem, Job, Operation } from './defineOperation';
import { Redactor } from '../shared/redaction';
import { runBounded } from './concurrency';
import { connect } from './connect';
import { failureRecord, nodeErrorFor } from './nodeErrors';

import { combineFailures, type CompletedJob, type FailedJob } from './failures';

function inputItems(context: IExecuteFunctions): InputItem[] {
	const saved = context.getNode().parameters;
	return context.getInputData().map(({ json }, index) => {
		const known = new Map<string, unknown>();
		return {
			index,
			json,
			read: (name: string): unknown => {
				/* Once an item: n8n's expressions cost milliseconds, and might answer differently. */
				if (!known.has(name)) known.set(name, context.getNodeParameter(name, index, undefined));
				return known.get(name);
			},
			readSaved: (name: string): unknown => saved[name],
		};
	});
}

function operationOf(context: IExecuteFunctions): Operation {
	const [resource, name] = ['resource', 'operation'].map((each) =>
		context.getNodeParameter(each, 0),
	);
	const operation = operationNamed(resource, name);
	if (operation !== undefined) return operation;
	throw new NodeOperationError(
		context.getNode(),
		`The resource ${String(resource)} has no operation ${String(name)}`,
		{ description: 'Select the resource and the operation again.' },
	);
}

/** Keeps an AI agent from what only a person may decide. */
function refuseToolWrites(
	context: IExecuteFunctions,
	{ asTool, action, options }: Operation,
): void {
	const node = context.getNode();
	if (!node.type.endsWith('Tool')) return;
	const refuse = (what: string, next: string): never => {
		throw new NodeOperationError(
			node,
			`${what} was refused: an AI agent called it. ${next} [item 0]`,
			{
				description: 'Nothing was sent.',
				itemIndex: 0,
			},
		);
	};
	/* The saved parameters: an agent could fill in an expression. */
	const { allowToolWrites, options: saved } = node.parameters;
	const isAllowed = asTool === 'free' || (asTool === 'withPermission' && allowToolWrites === true);
	if (!isAllowed) {
		refuse(
			`“${action}”`,
			asTool === 'never'
				? 'Sign-in is never left to an agent'
				: 'To allow it, turn on “Allow Writes by AI” in the node',
		);
	}
	for (const [name, field] of Object.entries(options)) {
		const value: unknown =
			typeof saved === 'object' && saved !== null ? Reflect.get(saved, name) : '';
		if (field.refusedInTool === true && (typedByPerson(value) ?? '') !== '') {
			refuse(`“${field.form.displayName}”`, 'Clear it, and use it in a node that no agent calls');
		}
	}
}

/** What stands in the output for items that failed while the others go on. */
function failedItems(
	context: IExecuteFunctions,
	items: readonly number[],
	error: unknown,
	redactor: Redactor,
): INodeExecutionData[] {
	const goesToErrorOutput = context.getNode().onError === 'continueErrorOutput';
	return items.map((item) => {
		const json = failureRecord(error, item, redactor);
		const pairedItem = { item };
		if (!goesToErrorOutput) return { json, pairedItem };
		const nodeError = new NodeOperationError(context.getNode(), String(json.error), {
			itemIndex: item,
		});
		return { json, error: nodeError, pairedItem };
	});
}

function outputOf({ items, records }: CompletedJob): INodeExecutionData[] {
	const [first, ...others] = items.map((item) => ({ item }));
	const pairedItem =
		first !== undefined && others.length === 0 ? first : items.map((item) => ({ item }));
	return records.map((json) => ({ json: { ...json }, pairedItem }));
}

/**
 * Runs the operation that the node is set to, for all input items: everything is read and checked
 * before anything is sent, then the jobs run side by side, as many as *Concurrency* allows.
 * @throws what n8n shows; under *Continue On Fail* an item that fails becomes output instead
 */
export async function run(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const operation = operationOf(context);
	refuseToolWrites(context, operation);
	const items = inputItems(context);
	if (items.length === 0) return [[]];

	const redactor = new Redactor();
	const connection = connect(context, redactor);
	/* An error is told only once it is known what must not be told with it. */
	const secretsKnown = connection.then(
		() => undefined,
		() => undefined,
	);
	const { jobs, refusals } = operation.plan(items);
	const continues = context.continueOnFail();
	const refused: FailedJob[] = refusals.map(({ item, error }) => ({ items: [item], error }));
	await secretsKnown;
	if (refused.length > 0 && !continues) throw asNodeError(refused, []);

	const perform = async (job: Job): Promise<CompletedJob> => {
		const service = (await connection)({ items: job.items, ...job.sending });
		if (operation.effect === 'write') requirePermission(service.credentials, operation.permission);
		return { items: job.items, records: await job.run(service) };
	};
	const failed: FailedJob[] = [...refused];
	const { results } = await runBounded(
		jobs.map((job) => async () => {
			try {
				return await perform(job);
			} catch (error) {
				failed.push({ items: job.items, error });
				if (!continues) throw error;
				return undefined;
			}
		}),
		jobs[0]?.sending.concurrency ?? 1,
	);
	const completed = [...results.values()].filter((result) => result !== undefined);
	if (failed.length > 0 && !continues) throw asNodeError(failed, completed);

	function asNodeError(failures: readonly FailedJob[], done: readonly CompletedJob[]): Error {
		const { error, item } = combineFailures(failures, done, operation.effect, redactor);
		return nodeErrorFor(context.getNode(), error, item, redactor);
	}

	const outputs = [
		...completed.map((job) => ({ item: job.items[0] ?? 0, output: outputOf(job) })),
		...failed.map(({ items: affected, error }) => ({
			item: affected[0] ?? 0,
			output: failedItems(context, affected, error, redactor),
		})),
	];
	return [outputs.sort((a, b) => a.item - b.item).flatMap(({ output }) => output)];
}
