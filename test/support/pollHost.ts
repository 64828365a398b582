import { setTimeout } from 'node:timers/promises';

import { PollContext, TriggersAndPollers, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type Workflow,
	type WorkflowActivateMode,
} from 'n8n-workflow';

import { PayrollPaymentsPollingTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsPollingTrigger.node';
import type { SavedCredentials } from './actionHost';
import {
	additionalData,
	engineNode,
	engineWorkflow,
	executionHooks,
	NodeTypes,
} from '../../n8nHost/engine';

/** n8n's keeper of poll functions, without its scheduler. */
const pollers = new TriggersAndPollers();
const nodeTypes = new NodeTypes({ polling: new PayrollPaymentsPollingTrigger() });

interface Activation {
	readonly workflow: Workflow;
	readonly node: INode;
	readonly context: PollContext;
}

let processes = 0;

/** A workflow in n8n's database, and the triggers of it that are switched on. */
export class SavedWorkflow {
	/** Its static data. */
	saved = '{}';
	/** What the nodes remember in memory goes by the identifier, so another one is another process. */
	id = 'workflow 0';
	readonly triggers: PollHost[] = [];
}

/**
 * The polling trigger in n8n's own poll functions, with n8n 2.41.3's order of saving
 * (trigger-execution-context.factory.js, workflow-trigger-activator.js): each published trigger has its
 * own copy of the workflow's static data, made when it was published. The whole copy is saved after an
 * activation and when a poll returns anything but null, and only then. A poll whose trigger was
 * published again meanwhile counts for nothing (poll-trigger-executor.js).
 */
export class PollHost {
	readonly executions: IDataObject[][] = [];
	/** The errors of polls, which n8n records as failed executions. */
	readonly failures: Error[] = [];
	/** Whether n8n's scheduler polls: each poll gets a new context (poll-trigger-task-handler.js). */
	isScheduled = false;
	/** How many results n8n is to throw away while the trigger stays as it is. */
	drops = 0;
	private active: Activation | undefined;

	constructor(
		private readonly credentials: SavedCredentials,
		public parameters: INodeParameters,
		public changes: Partial<INode> = {},
		readonly workflow = new SavedWorkflow(),
	) {
		processes += 1;
		if (workflow.triggers.length === 0) workflow.id = `workflow ${processes}`;
		workflow.triggers.push(this);
	}

	get saved(): string {
		return this.workflow.saved;
	}

	/** Switches the workflow on, or publishes this trigger again: it polls once. */
	async activate(mode: WorkflowActivateMode): Promise<void> {
		const activation = this.prepare(mode);
		this.active = activation;
		await this.poll(activation).finally(() => this.save(activation.workflow));
	}

	/** n8n is killed and started again: each trigger polls once, unless n8n's scheduler polls. */
	async restart(): Promise<void> {
		processes += 1;
		this.workflow.id = `workflow ${processes}`;
		for (const trigger of this.workflow.triggers) {
			trigger.active = undefined;
			if (!trigger.isScheduled) await trigger.activate('init');
		}
	}

	/** A poll at the time that the workflow asks for. An error is recorded, and n8n goes on. */
	async tick(): Promise<void> {
		if (this.isScheduled) this.active = this.prepare('update');
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
		Object.assign(data, { hooks: executionHooks('manual', 'manual', [node]) });
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

	private async poll(activation: Activation): Promise<void> {
		const { workflow, node, context } = activation;
		const result = await workflow.expression.withIsolate(
			async () => await pollers.runPollFunction(workflow, node, context),
		);
		/* The scheduler writes to the database before it hands a result over. */
		if (this.isScheduled) await setTimeout(5);
		if (result === null || (!this.isScheduled && this.active !== activation)) return;
		if (this.drops > 0) this.drops -= 1;
		else context.__emit(result);
	}

	private save(workflow: Workflow): void {
		if (workflow.staticData.__dataChanged !== true) return;
		this.workflow.saved = JSON.stringify(workflow.staticData);
		workflow.staticData.__dataChanged = false;
	}

	private prepare(mode: WorkflowActivateMode): Activation {
		const node = engineNode({
			name: 'Poll',
			type: 'polling',
			parameters: this.parameters,
			credentials: { payrollPaymentsApi: { id: '1', name: 'saved' } },
			...this.changes,
		});
		const workflow = engineWorkflow([node], nodeTypes, {
			id: this.workflow.id,
			active: mode !== 'manual',
			staticData: JSON.parse(this.saved),
			settings: { executionOrder: 'v1' },
		});
		const data = additionalData(this.credentials, 'poll');
		const filled = workflow.getNode(node.name) ?? node;
		const emit = (result: INodeExecutionData[][]) => {
			this.save(workflow);
			this.executions.push(...result.map(jsonOf));
		};
		const fail = (error: Error) => void this.failures.push(error);
		const context = new PollContext(workflow, filled, data, 'trigger', mode, emit, fail);
		return { workflow, node: filled, context };
	}
}

const jsonOf = (items: INodeExecutionData[]) => items.map(({ json }) => json);
