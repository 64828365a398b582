import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { Refusal } from '../contract';

import { ServiceError } from './serviceError';

function sentence(error: unknown, item: number): { message: string; description?: string } {
	const said = error instanceof Error && error.message !== '' ? error.message : 'The node failed';
	return {
		message: `${said.replace(/\.$/, '')} [item ${item}]`,
		...(error instanceof Refusal && error.hint !== undefined ? { description: error.hint } : {}),
	};
}

/**
 * The error that n8n shows: what happened and to which item as the message, what to do next as the
 * description. Nothing of the request goes with it, since that would hold the token.
 */
export function nodeErrorFor(node: INode, error: unknown, item: number): Error {
	const { message, description } = sentence(error, item);
	const context = { message, description, itemIndex: item };
	if (error instanceof ServiceError) {
		return new NodeApiError(node, {}, { ...context, httpCode: String(error.status) });
	}
	return new NodeOperationError(node, new Error(message), context);
}

/** What *Continue On Fail* puts out for an item that failed. */
export function failureRecord(error: unknown, item: number): IDataObject {
	const { message } = sentence(error, item);
	const details = error instanceof Refusal ? error.details : undefined;
	return {
		error: message,
		...(error instanceof ServiceError && error.errorCode !== undefined
			? { error_code: error.errorCode }
			: {}),
		...(error instanceof ServiceError ? { http_status: error.status } : {}),
		...details,
	};
}
