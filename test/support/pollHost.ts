import {
	ExecutionLifecycleHooks,
	PollContext,
	TriggersAndPollers,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type WorkflowActivateMode,
} from 'n8n-workflow';

import { PayrollPaymentsPollingTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsPollingTrigger.node';
import type { SavedCredentials } from './actionHost';
import { additionalData } from './engine';

/** n8n's keeper of poll functions, without its scheduler. */
const pollers = new TriggersAndPollers();
const trigger: INodeType = new PayrollPaymentsPollingTrigger();

interface Activation {
	readonly workflow: Workflow;
	readonly node: INode;
	readonly context: PollContext;
}

/**
 * The polling trigger in n8n's own poll functions, with n8n 2.41.3's order of saving
 * (trigger-execution-context.factory.js, active-workflow-manager.js): what a node remembers is saved
 * after an activation and when a poll returns anything but null, and only then.
 */
export class PollHost {
	/** The workflow's static data in n8n's database. */
	saved = '{}';
	/** What each execution was started with. */
	readonly executions: IDataObject[][] = [];
	/** The errors of polls, which n8n records as failed executions. */
	readonly failures: Error[] = [];
	/** What n8n's durable poll cursors hold, if they are in use (poll-cursor.service.js). */
	cursor: IDataObject | undefined;
	private active: Activation | undefined;
	private staged: IDataObject | undefined;

	constructor(
		private readonly credentials: SavedCredentials,
		public parameters: INodeParameters,
		public changes: Partial<INode> = {},
	) {}

	/** Switches the workflow on, or publishes it again, or starts n8n: each polls once. */
	async activate(mode: WorkflowActivateMode): Promise<void> {
		const activation = this.prepare(mode);
		await this.poll(activation);
		this.save(activation.workflow);
		this.active = activation;
	}

	/** n8n is killed and started again. */
	async restart(): Promise<void> {
		this.active = undefined;
		await this.activate('init');
	}

	/** A poll at the time that the workflow asks for. An error is recorded, and n8n goes on. */
	async tick(): Promise<void> {
		const { active } = this;
		if (active === undefined) throw new Error('The workflow is not active');
		await this.poll(active).catch((error: unknown) => {
			this.failures.push(error instanceof Error ? error : new Error(String(error)));
		});
	}

	/** *Fetch Test Event* in the editor. */
	async fetchTestEvent(): Promise<{ items?: IDataObject[]; error?: Error; hint?: string | null }> {
		const { workflow, node } = this.prepare('manual');
		const data = additionalData(this.credentials, 'manual');
		Object.assign(data, {
			hooks: new ExecutionLifecycleHooks('manual', 'manual', {
				id: 'workflow',
				name: 'workflow',
				active: false,
				isArchived: false,
				createdAt: new Date(),
				updatedAt: new Date(),
				activeVersionId: null,
				nodes: [node],
				connections: {},
			}),
		});
		const stack = [{ node, data: { main: [[]] }, source: null }];
		const started = createRunExecutionData({ executionData: { nodeExecutionStack: stack } });
		const execute = new WorkflowExecute(data, 'manual', started);
		const { data: ended } = await execute.processRunExecutionData(workflow);
		this.save(workflow);
		const { runData, error: failure } = ended.resultData;
		const error = runData[node.name]?.[0]?.error ?? failure;
		if (error !== undefined) return { error, hint: error.description };
		return { items: (runData[node.name]?.[0]?.data?.main?.[0] ?? []).map(({ json }) => json) };
	}

	/** The items of all executions since the last call. */
	take(): IDataObject[] {
		return this.executions.splice(0).flat();
	}

	private async poll({ workflow, node, context }: Activation): Promise<void> {
		/* Each poll gets a copy, which is kept when the poll has succeeded. */
		const copy = structuredClone(this.cursor);
		this.staged = copy;
		const result = await workflow.expression.withIsolate(
			async () => await pollers.runPollFunction(workflow, node, context),
		);
		this.cursor = copy;
		if (result === null) return;
		this.save(workflow);
		this.executions.push(...result.map((items: INodeExecutionData[]) => jsonOf(items)));
	}

	private save(workflow: Workflow): void {
		if (workflow.staticData.__dataChanged === true)
			this.saved = JSON.stringify(workflow.staticData);
	}

	private prepare(mode: WorkflowActivateMode): Activation {
		const node: INode = {
			id: 'poll',
			name: 'Poll',
			type: 'polling',
			typeVersion: 1,
			position: [0, 0],
			parameters: this.parameters,
			credentials: { payrollPaymentsApi: { id: '1', name: 'saved' } },
			...this.changes,
		};
		const typeOf = () => trigger;
		const workflow = new Workflow({
			id: 'workflow',
			nodes: [node],
			connections: {},
			active: mode !== 'manual',
			staticData: JSON.parse(this.saved),
			nodeTypes: { getByName: typeOf, getByNameAndVersion: typeOf, getKnownTypes: () => ({}) },
			settings: { executionOrder: 'v1' },
		});
		const data = additionalData(this.credentials, 'poll');
		const filled = workflow.getNode(node.name) ?? node;
		const context = new PollContext(
			workflow,
			filled,
			data,
			'trigger',
			mode,
			undefined,
			undefined,
			undefined,
			undefined,
			() => this.staged ?? workflow.getStaticData('node', filled),
		);
		return { workflow, node: filled, context };
	}
}

const jsonOf = (items: INodeExecutionData[]) => items.map(({ json }) => json);
