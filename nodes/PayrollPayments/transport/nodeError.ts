import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { Refusal } from '../contract';

import { ServiceError } from './serviceError';

function messageOf(error: unknown, item: number): string {
	const said = error instanceof Error && error.message !== '' ? error.message : 'The node failed';
	return `${said.replace(/\.$/, '')} [item ${item}]`;
}

function descriptionOf(error: unknown): string | undefined {
	if (!(error instanceof Refusal)) return undefined;
	const done =
		error.details === undefined ? '' : `Already done: ${JSON.stringify(error.details)}`;
	return [error.hint, done].filter(Boolean).join(' ') || undefined;
}

/**
 * The error that n8n shows: what happened and to which item as the message, what to do next as the
 * description. Nothing of the request goes with it, since that would hold the token.
 */
export function nodeErrorFor(node: INode, error: unknown, item: number): Error {
	const shown = {
		message: messageOf(error, item),
		description: descriptionOf(error),
		itemIndex: item,
	};
	if (error instanceof ServiceError) {
		return new NodeApiError(node, {}, { ...shown, httpCode: String(error.status) });
	}
	return new NodeOperationError(node, new Error(shown.message), shown);
}

/** What *Continue On Fail* puts out for an item that failed. */
export function failureRecord(error: unknown, item: number): IDataObject {
	const details = error instanceof Refusal ? error.details : undefined;
	return {
		error: messageOf(error, item),
		...(error instanceof ServiceError && error.errorCode !== undefined
			? { error_code: error.errorCode }
			: {}),
		...(error instanceof ServiceError ? { http_status: error.status } : {}),
		...details,
	};
}
