import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { Refusal } from '../contract';

import { ServiceError } from './serviceError';

function messageOf(error: unknown, item: number): string {
	const said = error instanceof Error && error.message !== '' ? error.message : 'The node failed';
	return `${said.replace(/\.$/, '')} [item ${item}]`;
}

function descriptionOf(error: unknown): string | undefined {
	if (!(error instanceof Refusal)) return undefined;
	const members = Object.keys(error.details ?? {}).map((name) => `\`${name}\``);
	const where =
		members.length === 0
			? ''
			: `Error details, below, hold ${members.join(' and ')} as Error data.`;
	return [error.done, where, error.hint].filter(Boolean).join(' ') || undefined;
}

/**
 * The error that n8n shows: what happened and to which item as the message, what was done and what
 * to do next as the description, and what was done as data in `context.data`, which n8n shows under
 * “Error details”. Nothing of the request goes with it, since that would hold the token.
 */
export function nodeErrorFor(node: INode, error: unknown, item: number): Error {
	const message = messageOf(error, item);
	const shown = { message, description: descriptionOf(error), itemIndex: item };
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...shown, httpCode: String(error.status) })
			: new NodeOperationError(node, new Error(message), shown);
	/* n8n takes “EPERM” in a name such as “jeeperman” for a system error and words it anew. */
	nodeError.message = message;
	if (error instanceof Refusal && error.details !== undefined) {
		nodeError.context.data = error.details;
	}
	return nodeError;
}

/** What *Continue On Fail* puts out for an item that failed. */
export function failureRecord(error: unknown, item: number): IDataObject {
	const { details, done } = error instanceof Refusal ? error : {};
	return {
		error: [messageOf(error, item), done].filter(Boolean).join('. '),
		...(error instanceof ServiceError && error.errorCode !== undefined
			? { error_code: error.errorCode }
			: {}),
		...(error instanceof ServiceError ? { http_status: error.status } : {}),
		...details,
	};
}
