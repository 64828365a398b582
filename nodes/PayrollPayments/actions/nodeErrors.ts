import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { Refusal, ServiceError } from '../shared/errors';
import { shorten, type Redactor } from '../shared/redaction';

/** Characters of an error's message that are shown. */
const LONGEST_MESSAGE = 2_000;

/** Characters of its description; it may name several other errors. */
const LONGEST_DESCRIPTION = 30_000;

function messageOf(error: unknown, item: number, redactor: Redactor): string {
	const said = error instanceof Error && error.message !== '' ? error.message : 'The node failed';
	const shown = redactor.text(shorten(said, LONGEST_MESSAGE));
	return `${shown.replace(/\.$/, '')} [item ${item}]`;
}

function descriptionOf(error: unknown, redactor: Redactor): string | undefined {
	if (!(error instanceof Refusal)) return undefined;
	const members = Object.keys(error.details ?? {}).map((name) => `\`${name}\``);
	const where =
		members.length === 0
			? ''
			: `Error details, below, hold ${members.join(' and ')} as Error data.`;
	const said = [error.note, where, error.hint].filter(Boolean).join(' ');
	return said === '' ? undefined : redactor.text(shorten(said, LONGEST_DESCRIPTION));
}

/**
 * The error that n8n shows: what happened and to which item as the message, what was done and what
 * to do next as the description, and what was done as data in `context.data`, which n8n shows under
 * “Error details”. Nothing of the request goes with it, since that would hold the token.
 * @param redactor takes out the secrets that were repeated from outside
 */
export function nodeErrorFor(node: INode, error: unknown, item: number, redactor: Redactor): Error {
	const message = messageOf(error, item, redactor);
	const shown = { message, description: descriptionOf(error, redactor), itemIndex: item };
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...shown, httpCode: String(error.status) })
			: new NodeOperationError(node, new Error(message), shown);
	/* n8n takes “EPERM” in a name such as “jeeperman” for a system error and words it anew. */
	nodeError.message = message;
	if (error instanceof Refusal && error.details !== undefined) {
		Object.assign(nodeError.context, { data: redactor.data(error.details) });
	}
	return nodeError;
}

/**
 * What *Continue On Fail* puts out for an item that failed.
 * @param redactor takes out the secrets that were repeated from outside
 */
export function failureRecord(error: unknown, item: number, redactor: Redactor): IDataObject {
	const { details, note } = error instanceof Refusal ? error : {};
	const said = [messageOf(error, item, redactor), note && redactor.text(note)];
	const record: IDataObject = {
		error: said.filter(Boolean).join('. '),
		...(error instanceof ServiceError && error.errorCode !== undefined
			? { error_code: redactor.text(error.errorCode) }
			: {}),
		...(error instanceof ServiceError ? { http_status: error.status } : {}),
	};
	return Object.assign(record, redactor.data(details ?? {}));
}
