import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { requirePermission } from './api/permissions';
import { testCredentials } from './credentialTest';
import { searchTeamUsers } from './listSearch/searchTeamUsers';
import { operationNamed } from './operations/catalogue';
import type { InputItem, Job, Operation } from './operations/definition';
import { actionForm, actionSubtitle } from './operations/form';
import { runBounded } from './transport/concurrency';
import { connect } from './transport/n8nService';
import { failureRecord, nodeErrorFor } from './transport/nodeError';

/** The items that came of one job, and the first item that it stands for. */
interface Outcome {
	readonly item: number;
	readonly output: INodeExecutionData[];
}

function inputItems(context: IExecuteFunctions): InputItem[] {
	const saved = context.getNode().parameters;
	return context.getInputData().map(({ json }, index) => {
		const known = new Map<string, unknown>();
		return {
			index,
			json,
			read: (name: string): unknown => {
				/* Once an item: n8n's expressions cost milliseconds, and might answer otherwise. */
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
		`There is no operation ${String(name)} of the resource ${String(resource)}`,
		{ description: 'Choose the resource and the operation anew.' },
	);
}

/** Keeps an AI agent from what only a person may decide (interface.md, As an AI tool). */
function refuseToolWrites(context: IExecuteFunctions, { asTool, action }: Operation): void {
	const node = context.getNode();
	if (!node.type.endsWith('Tool') || asTool === 'free') return;
	/* The raw parameter: an expression, which an agent could fill in, is no leave. */
	if (asTool === 'withLeave' && node.parameters.allowToolWrites === true) return;
	const next =
		asTool === 'never'
			? 'Sign-in is never left to an agent'
			: 'A person who wants this turns on “Allow Writes by AI” in the node';
	throw new NodeOperationError(
		node,
		`“${action}” was refused: an AI agent called it. ${next} [item 0]`,
		{ description: 'Nothing was sent.', itemIndex: 0 },
	);
}

/** What stands in the output for items that failed while the others go on. */
function failedItems(
	context: IExecuteFunctions,
	items: readonly number[],
	error: unknown,
): INodeExecutionData[] {
	const goesToErrorOutput = context.getNode().onError === 'continueErrorOutput';
	return items.map((item) => {
		const json = failureRecord(error, item);
		const pairedItem = { item };
		if (!goesToErrorOutput) return { json, pairedItem };
		const nodeError = new NodeOperationError(context.getNode(), String(json.error), {
			itemIndex: item,
		});
		return { json, error: nodeError, pairedItem };
	});
}

export class PayrollPayments implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Payroll Payments',
		name: 'payrollPayments',
		icon: {
			light: 'file:../../icons/payrollPayments.svg',
			dark: 'file:../../icons/payrollPayments.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: actionSubtitle(),
		description: 'Run payroll, payments and compliance with a wallet sign-in',
		defaults: { name: 'Payroll Payments' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'payrollPaymentsApi', required: true, testedBy: 'testPayrollPaymentsApi' },
		],
		properties: actionForm(),
	};

	methods = {
		credentialTest: { testPayrollPaymentsApi: testCredentials },
		listSearch: { searchTeamUsers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const operation = operationOf(this);
		refuseToolWrites(this, operation);
		const items = inputItems(this);
		if (items.length === 0) return [[]];

		const fail = (affected: readonly number[], error: unknown): Outcome => {
			const item = affected[0] ?? 0;
			if (!this.continueOnFail()) throw nodeErrorFor(this.getNode(), error, item);
			return { item, output: failedItems(this, affected, error) };
		};
		const { jobs, refusals } = operation.plan(items);
		const refused = [...refusals]
			.sort((a, b) => a.item - b.item)
			.map(({ item, error }) => fail([item], error));

		const connection = connect(this);
		connection.catch(() => undefined);
		const perform = async (job: Job): Promise<Outcome> => {
			const service = (await connection)({ items: job.items, ...job.sending });
			if (operation.effect === 'write') {
				requirePermission(service.credentials, operation.permission);
			}
			const records = await job.run(service);
			const pairedItem = job.items.map((item) => ({ item }));
			return {
				item: job.items[0] ?? 0,
				output: records.map((json) => ({
					json: { ...json },
					pairedItem: pairedItem.length === 1 ? pairedItem[0] : pairedItem,
				})),
			};
		};
		const done = await runBounded(
			jobs.map((job) => async () => {
				return await perform(job).catch((error: unknown) => fail(job.items, error));
			}),
			jobs[0]?.sending.concurrency ?? 1,
		);
		const outcomes = [...refused, ...done].sort((a, b) => a.item - b.item);
		return [outcomes.flatMap(({ output }) => output)];
	}
}
