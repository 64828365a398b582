import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { requirePermission } from '../api/permissions';
import { Redactor } from '../shared/redaction';
import { refuseAgentWrites } from './agentAccess';
import { operationNamed } from './catalogue';
import { runBounded } from './concurrency';
import { connect } from './connect';
import type { Operation } from './defineOperation';
import { combineFailures, type CompletedJob } from './failures';
import type { InputItem } from './fields/field';
import { nodeErrorFor } from '../api/nodeErrors';
import { outputItems } from './output';
import type { FailedItems, Job, Plan, Unit } from './plan';
import type { Connection, Service } from './service';

/**
 * Runs the selected operation for all input items. An item's path: its parameters are read and
 * checked against the operation's schema (`plan`), the credentials must permit the operation
 * (`openService`), the operation sends its requests (`job.run`), and the records become output.
 * Nothing is sent before every item has been checked.
 * @throws the error that n8n shows; with *Continue On Fail*, a failed item becomes output instead
 */
export async function run(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const operation = selectedOperation(context);
	refuseAgentWrites(context.getNode(), operation);
	const items = inputItems(context);
	if (items.length === 0) return [[]];

	const redactor = new Redactor();
	const connection = connect(context, redactor);
	/* Errors can be shown safely only after the redactor has learned the secrets. */
	await Promise.allSettled([connection]);

	const continues = context.continueOnFail();
	const open = async (unit: Unit) => await openService(operation, connection, unit);
	const { jobs, refusals } = await completePlan(operation.plan(items), continues, open);
	const failed: FailedItems[] = [...refusals];
	const runnable = failed.length === 0 || continues ? jobs : [];
	const { results } = await runBounded(
		runnable.map(
			(job) => async () =>
				await runJob(open, job).catch((error: unknown) => {
					failed.push({ items: job.items, error });
					if (!continues) throw error;
					return undefined;
				}),
		),
		jobs[0]?.sending.concurrency ?? 1,
	);
	const completed = [...results.values()].filter((result) => result !== undefined);

	if (failed.length > 0 && !continues) {
		const isChange = operation.effect === 'write' && !jobs.some(({ sending }) => sending.checkOnly);
		const { error, item } = combineFailures(failed, isChange ? completed : [], redactor);
		throw nodeErrorFor(context.getNode(), error, item, redactor);
	}
	return [outputItems(context.getNode(), completed, failed, redactor)];
}

function selectedOperation(context: IExecuteFunctions): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = operationNamed(resource, name);
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
		const values = new Map<string, unknown>();
		return {
			index,
			json,
			read: (name: string): unknown => {
				/* An expression is slow to resolve and can give another value the second time. */
				if (!values.has(name)) values.set(name, context.getNodeParameter(name, index, undefined));
				return values.get(name);
			},
			readSaved: (name: string): unknown => saved[name],
		};
	});
}

/** The plan with the jobs that depend on what the service holds, unless nothing will run anyway. */
async function completePlan(plan: Plan, continues: boolean, open: OpenService): Promise<Plan> {
	if (plan.lookUp === undefined || (plan.refusals.length > 0 && !continues)) return plan;
	const { jobs, refusals } = await plan.lookUp(open);
	return { jobs: [...plan.jobs, ...jobs], refusals: [...plan.refusals, ...refusals] };
}

type OpenService = (unit: Unit) => Promise<Service>;

/** @throws {Refusal} if the credentials can't be read, or don't permit the operation */
async function openService(
	operation: Operation,
	connection: Promise<Connection>,
	{ items, sending }: Unit,
): Promise<Service> {
	const service: Service = { ...(await connection), items, sending };
	if (operation.effect === 'write') requirePermission(service.credentials, operation.permission);
	return service;
}

async function runJob(open: OpenService, job: Job): Promise<CompletedJob> {
	return { ...job, records: await job.run(await open(job)) };
}
