import type { IWebhookFunctions } from 'n8n-workflow';

/** Names a node of a workflow in this process's memory. */
export function nodeKeyOf(context: Pick<IWebhookFunctions, 'getWorkflow' | 'getNode'>): string {
	return `${context.getWorkflow().id}:${context.getNode().id}`;
}
