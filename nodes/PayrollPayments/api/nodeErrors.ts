import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { z } from 'zod';

import { Refusal, ServiceError } from '../shared/errors';
import { shorten, type Redactor } from '../shared/redaction';

/** How many characters of a message are shown. */
const LONGEST_MESSAGE = 2_000;

/** How many characters of a description are shown; it can list several other errors. */
const LONGEST_DESCRIPTION = 30_000;

function messageOf(error: unknown, item: number | undefined, redactor: Redactor): string {
	const said =
		error instanceof Error && error.message !== ''
			? error.message
			: 'The node failed without a message';
	const shown = redactor.text(shorten(said, LONGEST_MESSAGE));
	const place = item === undefined ? '' : ` [item ${item}]`;
	return `${shown.replace(/\.$/, '')}${place}`;
}

function descriptionOf(error: unknown, redactor: Redactor): string | undefined {
	if (!(error instanceof Refusal)) return undefined;
	const members = Object.keys(error.details ?? {}).map((name) => `\`${name}\``);
	const where =
		members.length === 0
			? ''
			: `Under Error details, Error data contains ${members.join(' and ')}.`;
	const said = [error.note, where, error.hint].filter(Boolean).join(' ');
	return said === '' ? undefined : redactor.text(shorten(said, LONGEST_DESCRIPTION));
}

/**
 * The error that n8n shows. The message says what happened to which item; the description says what
 * was already done and what to do next. `context.data`, which n8n shows under *Error details*, has
 * what was done as data. The request isn't included, because it contains the token.
 * @param item undefined for a trigger, which has no input items
 * @param redactor removes secrets from the texts
 */
export function nodeErrorFor(
	node: INode,
	error: unknown,
	item: number | undefined,
	redactor: Redactor,
): Error {
	const message = messageOf(error, item, redactor);
	const shown = { message, description: descriptionOf(error, redactor), itemIndex: item };
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...shown, httpCode: String(error.status) })
			: new NodeOperationError(node, new Error(message), shown);
	/* n8n replaces messages that contain a system error code, even EPERM in “jeeperman”. */
	nodeError.message = message;
	if (error instanceof Refusal && error.details !== undefined) {
		Object.assign(nodeError.context, { data: redactor.data(error.details) });
	}
	return nodeError;
}

/** What a failed item outputs with *Continue On Fail*. Details of the error are further fields. */
export const failureOutput = z
	.object({
		error: z.string(),
		error_code: z.string().optional(),
		http_status: z.number().optional(),
	})
	.passthrough();

/**
 * The output for a failed item with *Continue On Fail*.
 * @param redactor removes secrets from the texts
 */
export function failureRecord(error: unknown, item: number, redactor: Redactor): IDataObject {
	const { details, note } = error instanceof Refusal ? error : {};
	const said = [messageOf(error, item, redactor), note && redactor.text(note)];
	const record: IDataObject & z.infer<typeof failureOutput> = {
		error: said.filter(Boolean).join('. '),
		...(error instanceof ServiceError && error.errorCode !== undefined
			? { error_code: redactor.text(error.errorCode) }
			: {}),
		...(error instanceof ServiceError ? { http_status: error.status } : {}),
	};
	return Object.assign(record, redactor.data(details ?? {}));
}
