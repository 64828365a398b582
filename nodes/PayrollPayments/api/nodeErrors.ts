import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { contextOf, messageOf, ServiceError, UserError } from '../shared/errors';
import { shorten, type Redactor } from '../shared/redaction';
import { placeName, type SheetPlace } from '../shared/sheetPlace';

/** Characters that are shown. A description can list several other errors. */
const LONGEST = { message: 2_000, description: 30_000 };

const DOCS = 'https://github.com/payroll-payments/n8n-nodes-payroll-payments/blob/main/docs/';

/**
 * The message as a person sees it, with what it is about.
 * @param place an input item, where the error doesn't name a row, or a row of a sheet
 */
export function messageFor(
	error: unknown,
	place: number | SheetPlace | undefined,
	redactor: Redactor,
): string {
	const shown = shorten(redactor.text(messageOf(error)), LONGEST.message).replace(/\.$/, '');
	const { row } = contextOf(error);
	const about = typeof place === 'object' ? place : (row ?? place);
	if (about === undefined) return shown;
	if (typeof about === 'number') return `${shown} [item ${about}]`;
	const name = redactor.text(placeName(about));
	return `${name.replace(/^r/, 'R')}: ${shown}`;
}

function descriptionOf(error: UserError, redactor: Redactor): string | undefined {
	const { note, hint, page, details = {} } = error.context;
	const members = Object.keys(details).map((name) => `\`${name}\``);
	const where =
		members.length > 0 && `Under Error details, Error data contains ${members.join(' and ')}.`;
	const more = page && `More: ${DOCS}${page}`;
	const said = [note, where, hint, more].filter(Boolean).join(' ');
	return said === '' ? undefined : shorten(redactor.text(said), LONGEST.description);
}

/**
 * The error that n8n shows: the message says what happened to which item, the description what was
 * already done and what to do next, and `context.data` (*Error details*) has what was done as data. The
 * request isn't included, because it contains the token.
 * @param item where the error doesn't know it; a trigger has none
 */
export function nodeErrorFor(
	node: INode,
	error: unknown,
	redactor: Redactor,
	item?: number,
): Error {
	const known = error instanceof UserError ? error : undefined;
	const itemIndex = known?.context.item ?? item;
	const message = messageFor(error, itemIndex, redactor);
	const description = known && descriptionOf(known, redactor);
	const shown = { message, description, itemIndex };
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...shown, httpCode: String(error.status) })
			: new NodeOperationError(node, new Error(message), shown);
	/*
	 * Set afterwards, since n8n replaces messages that contain a system error code, even EPERM in
	 * “jeeperman”. With “canceled” in one, it would list the execution as canceled. Of a tool in its
	 * engine, an agent is told the message only.
	 */
	const isForAgent = node.rewireOutputLogTo !== undefined && description !== undefined;
	const text = isForAgent ? `${message}. ${description}` : message;
	nodeError.message = text.replaceAll('canceled', 'Canceled');
	const details = known?.context.details;
	if (details) nodeError.context.data = redactor.data(details);
	return nodeError;
}
