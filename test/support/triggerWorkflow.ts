import { randomUUID } from 'node:crypto';

import { N8N_VERSIONS } from '../../tooling/n8nVersions.mjs';
import { sendEvent, type Answer, type Sending } from './deliveries';
import { outputOf } from '../../n8nHost/executions';
import type { N8nRest } from '../../n8nHost/n8nRest';
import { timestampedSignature } from '../../n8nHost/sandboxCredentials';
import type { N8nEnvironment } from '../../n8nHost/testEnvironment';
import { waitFor, waitUntil } from '../../n8nHost/waiting';
import { chain, node, type WorkflowNode } from '../../n8nHost/workflows';

export const SECRET = 'whsec_end to end';

export interface TriggerSetup {
	/** Of the trigger; by default it takes any event. */
	readonly parameters?: Record<string, unknown>;
	/** Between the trigger and the last node. */
	readonly between?: readonly WorkflowNode[];
	/** The last node; its name must be After. */
	readonly after?: WorkflowNode;
}

/** Saves a workflow of the trigger and the nodes after it, by default one. */
export async function saveTriggerWorkflow(
	n8n: N8nRest,
	{
		parameters = {},
		between = [],
		after = node('After', 'n8n-nodes-base.noOp'),
	}: TriggerSetup = {},
): Promise<{ workflowId: string; url: string }> {
	const name = randomUUID();
	const saved = await n8n.saveCredentials('payrollPaymentsWebhookApi', name, {
		...timestampedSignature,
		secret: SECRET,
		previousSecret: '',
	});
	const trigger = node(
		'Trigger',
		'n8n-nodes-payroll-payments.payrollPaymentsTrigger',
		{ events: ['*'], ...parameters },
		{ webhookId: name, credentials: { payrollPaymentsWebhookApi: { id: null, name: '' } } },
	);
	const { id } = await n8n.saveWorkflow(chain(name, [trigger, ...between, after]), [saved]);
	return { workflowId: id, url: `${n8n.url}/webhook/${name}/webhook` };
}

/** Activates a workflow that can't be, and returns n8n's reason. */
export async function activationError(
	{ n8n, n8nProcess, database }: N8nEnvironment,
	workflowId: string,
): Promise<string> {
	const activation = n8n.activate(workflowId);
	if (!N8N_VERSIONS[n8nProcess.installation.version].activatesInBackground) {
		return await activation.then(() => 'none', String);
	}
	/* It activates a moment later, and shows the error of each trigger in the editor. */
	await activation;
	return await waitFor(
		'n8n reports an error',
		async () => {
			const [row] = await database.query(
				`select "errorMessage" from workflow_publication_trigger_status
				where "workflowId" = '${workflowId}' and status = 'failed'`,
			);
			return row === undefined ? undefined : String(row.errorMessage);
		},
		{ milliseconds: 180_000, interval: 250 },
	);
}

/** An active workflow of the trigger and one node after it. */
export class TriggerWorkflow {
	private constructor(
		private readonly environment: N8nEnvironment,
		readonly workflowId: string,
		readonly url: string,
	) {}

	/** Resolves when n8n accepts deliveries for it. */
	static async start(environment: N8nEnvironment, setup?: TriggerSetup): Promise<TriggerWorkflow> {
		const { workflowId, url } = await saveTriggerWorkflow(environment.n8n, setup);
		await environment.n8n.activate(workflowId);
		const workflow = new TriggerWorkflow(environment, workflowId, url);
		await workflow.ready();
		return workflow;
	}

	/** Waits until n8n has registered the webhook, which it does after an activation and a start. */
	async ready(): Promise<void> {
		await this.environment.n8n.waitForWebhook(this.url, 180_000);
	}

	async send(event: object | string, how: Sending = {}): Promise<Answer> {
		return await sendEvent(this.url, event, { secret: SECRET, ...how });
	}

	async counts(): Promise<Record<string, number>> {
		const counts: Record<string, number> = {};
		for (const { status } of await this.environment.database.executions(this.workflowId)) {
			counts[status] = (counts[status] ?? 0) + 1;
		}
		return counts;
	}

	async idle(): Promise<void> {
		let counts: Record<string, number> = {};
		await waitUntil(
			() => `Executions still under way after three minutes: ${JSON.stringify(counts)}`,
			async () => {
				counts = await this.counts();
				return (counts.running ?? 0) + (counts.new ?? 0) === 0;
			},
			{ milliseconds: 180_000, interval: 250 },
		);
	}

	/** The items that the node after the trigger output in each execution so far, once all have ended. */
	async outputs(): Promise<Record<string, unknown>[][]> {
		const { database, n8n } = this.environment;
		const listed = await database.executions(this.workflowId);
		const ended = await Promise.all(listed.map(({ id }) => n8n.waitForExecution(id)));
		return ended.map((execution) => outputOf(execution, 'After'));
	}
}
