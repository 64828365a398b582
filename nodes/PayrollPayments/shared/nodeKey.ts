import type { INode, IWorkflowMetadata } from 'n8n-workflow';

/** Names a node of a workflow in this process's memory. */
export function nodeKeyOf({ id }: Pick<IWorkflowMetadata, 'id'>, node: Pick<INode, 'id'>): string {
	return `${id}:${node.id}`;
}
