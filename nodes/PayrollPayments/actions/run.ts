import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { requirePermission } from '../api/permissions';
import { Redactor } from '../shared/redaction';
import { refuseAgentWrites } from './agentAccess';
import { operationNamed } from './catalogue';
import { runBounded } from './concurrency';
import { connect } from './connect';
import type { Operation } from './defineOperation';
import { combineFailures, type CompletedJob, type FailedJob } from './failures';
import type { InputItem } from './fields/field';
import { nodeErrorFor } from '../api/nodeErrors';
import { outputItems } from './output';
import type { Job } from './plan';
import type { Connection, Service } from './service';

/**
 * Runs the selected operation for all input items. An item's path: its parameters are read and
 * checked against the operation's schema (`plan`), the credentials must permit the operation
 * (`runJob`), the operation sends its requests (`job.run`), and the records become output.
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
	const { jobs, refusals } = operation.plan(items);
	const failed: FailedJob[] = refusals.map(({ item, error }) => ({ items: [item], error }));
	const runnable = failed.length === 0 || continues ? jobs : [];
	const { results } = await runBounded(
		runnable.map(
			(job) => async () =>
				await runJob(operation, connection, job).catch((error: unknown) => {
					failed.push({ items: job.items, error });
					if (!continues) throw error;
					return undefined;
				}),
		),
		jobs[0]?.sending.concurrency ?? 1,
	);
	const completed = [...results.values()].filter((result) => result !== undefined);

	if (failed.length > 0 && !continues) {
		const { error, item } = combineFailures(failed, completed, operation.effect, redactor);
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

async function runJob(
	operation: Operation,
	connection: Promise<Connection>,
	job: Job,
): Promise<CompletedJob> {
	const { items, sending } = job;
	const service: Service = { ...(await connection), items, sending };
	if (operation.effect === 'write') requirePermission(service.credentials, operation.permission);
	return { items, records: await job.run(service) };
}
