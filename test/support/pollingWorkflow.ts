import { outputOf, type Execution } from '../../n8nHost/executions';
import type { TestEnvironment } from '../../n8nHost/testEnvironment';
import { waitUntil } from '../../n8nHost/waiting';
import { chain, node, type WorkflowNode } from '../../n8nHost/workflows';

/** n8n refuses an interval below a minute, but takes one time of each minute for every second. */
export const EVERY_SECOND = Array.from({ length: 60 }, (_, second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));

export function pollingTrigger(
	parameters: Record<string, unknown>,
	{ name = 'Poll', ...more }: Partial<WorkflowNode> = {},
): WorkflowNode {
	return node(
		name,
		'n8n-nodes-payroll-payments.payrollPaymentsPollingTrigger',
		{ pollTimes: { item: EVERY_SECOND }, ...parameters },
		{ credentials: { payrollPaymentsApi: { id: null, name: '' } }, ...more },
	);
}

/** An active workflow of the polling trigger and one node after it. */
export class PollingWorkflow {
	private readonly ended = new Map<string, Execution>();

	private constructor(
		private readonly environment: TestEnvironment,
		readonly id: string,
		/** The operation that each poll begins with. */
		private readonly operation: string,
		private readonly nodes: readonly [trigger: WorkflowNode, ...others: WorkflowNode[]],
		private readonly name: string,
	) {}

	/** Resolves when it has polled. */
	static async start(
		environment: TestEnvironment,
		name: string,
		operation: string,
		parameters: Record<string, unknown>,
	): Promise<PollingWorkflow> {
		const { n8n, api } = environment;
		const trigger = pollingTrigger(parameters, { id: 'poll' });
		const nodes = [trigger, node('After', 'n8n-nodes-base.noOp', {}, { id: 'after' })] as const;
		const { id } = await n8n.saveWorkflow(chain(name, nodes), [api]);
		const workflow = new PollingWorkflow(environment, id, operation, nodes, name);
		await workflow.polledAfter(async () => await n8n.activate(id));
		return workflow;
	}

	/** Publishes the workflow again, with its last node moved, or with other parameters of the trigger. */
	async publishEdit(parameters?: Record<string, unknown>): Promise<void> {
		const { n8n, api } = this.environment;
		const [trigger, ...others] = this.nodes;
		const moved = others.map((each) => ({ ...each, position: [300, 0] }));
		const edited = { ...trigger, parameters: { ...trigger.parameters, ...parameters } };
		await n8n.saveWorkflow(chain(this.name, [edited, ...moved]), [api]);
		await n8n.activate(this.id);
	}

	/** Resolves when a poll has begun and ended after the changes. */
	async polledAfter(change: () => Promise<unknown>): Promise<void> {
		await change();
		/* The first may have begun before the changes; the third begins when the second has ended. */
		await this.environment.sandbox.asked(this.operation, 3);
	}

	async items(): Promise<Record<string, unknown>[]> {
		return (await this.executions()).flatMap((execution) => outputOf(execution, 'After'));
	}

	async reaches(count: number): Promise<void> {
		let items: unknown[] = [];
		await waitUntil(
			() => `${this.name} put out ${items.length} of ${count} items.`,
			async () => {
				items = await this.items();
				return items.length >= count;
			},
		);
	}

	async failures(): Promise<Execution[]> {
		return (await this.executions()).filter(({ status }) => status === 'error');
	}

	async executions(): Promise<Execution[]> {
		const { database, n8n } = this.environment;
		for (const { id } of await database.executions(this.id)) {
			if (!this.ended.has(id)) this.ended.set(id, await n8n.waitForExecution(id));
		}
		return [...this.ended.values()];
	}

	async stop(): Promise<void> {
		await this.environment.n8n.deactivate(this.id);
	}
}
