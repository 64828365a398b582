import { randomUUID } from 'node:crypto';

/** A node of a workflow, as n8n saves it. */
export interface WorkflowNode {
	/** Random where it is left out. */
	readonly id?: string;
	readonly name: string;
	readonly type: string;
	readonly typeVersion: number;
	readonly position: readonly number[];
	readonly parameters: Record<string, unknown>;
	readonly webhookId?: string;
	readonly executeOnce?: boolean;
	readonly retryOnFail?: boolean;
	readonly onError?: 'continueRegularOutput' | 'continueErrorOutput' | 'stopWorkflow';
	readonly credentials?: Record<string, { id: string | null; name: string }>;
}

export interface Workflow {
	readonly name: string;
	readonly nodes: readonly WorkflowNode[];
	readonly connections: Record<string, unknown>;
	readonly settings?: Record<string, unknown>;
	/** Items that a node outputs instead of running, when a person runs the workflow. */
	readonly pinData?: Readonly<Record<string, readonly { readonly json: object }[]>>;
}

export function node(
	name: string,
	type: string,
	parameters: Record<string, unknown> = {},
	more: Partial<WorkflowNode> = {},
): WorkflowNode {
	return { name, type, typeVersion: 1, position: [0, 0], parameters, ...more };
}

/** The trigger of a workflow that a test starts. */
export const START = node('Start', 'n8n-nodes-base.manualTrigger');

/** The action node, with credentials that are filled in when the workflow is saved. */
export function action(
	name: string,
	parameters: Record<string, unknown>,
	more: Partial<WorkflowNode> = {},
): WorkflowNode {
	return node(name, 'n8n-nodes-payroll-payments.payrollPayments', parameters, {
		credentials: { payrollPaymentsApi: { id: null, name: '' } },
		...more,
	});
}

/** The parameters of a payment of $125.00 to Ana, with these changes. */
export function paymentForm<Changes extends object>(changes: Changes) {
	return {
		resource: 'payment',
		operation: 'create',
		amountUnit: 'cents',
		amountCents: 12_500,
		recipientEmail: 'ana@example.com',
		signatureSource: 'wallet',
		currency: 'USD',
		network: 'arbitrum',
		...changes,
	};
}

/** n8n's Wait node. */
export function wait(name: string, amount: number, unit: 'seconds' | 'hours'): WorkflowNode {
	const more = { typeVersion: 1.1, webhookId: randomUUID() };
	return node(name, 'n8n-nodes-base.wait', { amount, unit }, more);
}

/** n8n's Webhook node, at a path of the same name. */
export function webhook(
	name: string,
	path: string,
	parameters: Record<string, unknown> = {},
): WorkflowNode {
	return node(
		name,
		'n8n-nodes-base.webhook',
		{ path, httpMethod: 'POST', responseMode: 'lastNode', options: {}, ...parameters },
		{ typeVersion: 2, webhookId: path },
	);
}

/** n8n's Code node. */
export function code(name: string, jsCode: string): WorkflowNode {
	return node(name, 'n8n-nodes-base.code', { jsCode }, { typeVersion: 2 });
}

/** A workflow of nodes connected one after the other. */
export function chain(name: string, nodes: readonly WorkflowNode[]): Workflow {
	const connections = Object.fromEntries(
		nodes
			.slice(1)
			.map((next, index) => [
				nodes[index]?.name,
				{ main: [[{ node: next.name, type: 'main', index: 0 }]] },
			]),
	);
	return { name, nodes, connections };
}
