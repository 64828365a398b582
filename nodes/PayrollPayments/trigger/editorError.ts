import { NodeOperationError, type INode, type INodeExecutionData } from 'n8n-workflow';

/*
 * While n8n's editor listens for a test event, it shows only what an execution throws: an error of
 * `webhook` resets the sender's connection. So `webhook` hands it to `execute` in an item.
 */

/** An item that makes `execute` fail with this error. */
export function itemWithError(node: INode, message: string, hint?: string): INodeExecutionData {
	return { json: {}, error: new NodeOperationError(node, message, { description: hint }) };
}

/** The error from {@link itemWithError}, as n8n passes it on. A sender can't make such an item. */
export function errorInItems(
	node: INode,
	[item]: readonly INodeExecutionData[],
): NodeOperationError | undefined {
	if (item?.error === undefined) return undefined;
	const { message, description } = item.error;
	return new NodeOperationError(node, message, { description: description ?? undefined });
}
