import { z } from 'zod';

import type { WorkflowNode } from '../n8nHost/workflows';

/** The parameters of a Google Sheets node. */
const sheetShape = z.object({
	operation: z.string(),
	sheetName: z.object({ value: z.string() }),
	columns: z
		.object({ value: z.record(z.string()).default({}), matchingColumns: z.array(z.string()) })
		.optional(),
	filtersUI: z
		.object({ values: z.array(z.object({ lookupColumn: z.string(), lookupValue: z.string() })) })
		.optional(),
});

/** The members of a JSON body, each of them a text or an expression. */
export type Body = Readonly<Record<string, string>>;
/** What a node's form holds: texts, expressions, and other values. */
export type Values = Readonly<Record<string, unknown>>;

/** The code of an expression or a template, as n8n runs it. */
function codeOf(value: unknown): string {
	if (typeof value !== 'string' || !value.startsWith('=')) return JSON.stringify(value);
	const [, only] = /^=\{\{((?:(?!\}\}).)*)\}\}$/s.exec(value) ?? [];
	if (only !== undefined) return `(${only.trim()})`;
	const parts = value.slice(1).split(/(\{\{.*?\}\})/s);
	return parts
		.filter((part) => part !== '')
		.map((part) => (part.startsWith('{{') ? `(${part.slice(2, -2)})` : JSON.stringify(part)))
		.join(' + ');
}

/** An expression for an object whose values are texts or expressions, each with this code behind it. */
export const objectOf = (values: Values, behind = ''): string =>
	`={{ ({ ${Object.entries(values)
		.map(([name, value]) => `${JSON.stringify(name)}: ${codeOf(value)}${behind}`)
		.join(', ')} }) }}`;

/** What a Google Sheets node does, as `POST /sandbox/sheet` takes it. */
export function sheetBody(parameters: unknown): Body {
	const { operation, sheetName, columns, filtersUI } = sheetShape.parse(parameters);
	const { value = {}, matchingColumns = [] } = columns ?? {};
	const filter = filtersUI?.values.map((each) => [each.lookupColumn, each.lookupValue]) ?? [];
	return {
		operation,
		tab: sheetName.value,
		filter: objectOf(Object.fromEntries(filter)),
		/* n8n empties a cell for which there is no value (update.operation.js, appendOrUpdate.operation.js). */
		row: Object.keys(value).length > 0 ? objectOf(value, " ?? ''") : '={{ $json }}',
		matching: `={{ ${JSON.stringify(matchingColumns)} }}`,
	};
}

/**
 * The same node, which sends this body to an address instead.
 *
 * @param file the field of the item that has a file to send with it
 */
export function sendingTo(
	url: string,
	node: WorkflowNode,
	body: Body,
	file?: string,
): WorkflowNode {
	const members = Object.entries(body).map(([name, value]) => ({ name, value }));
	return {
		...node,
		credentials: {},
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url,
			sendBody: true,
			...(file !== undefined && { contentType: 'multipart-form-data' }),
			bodyParameters: {
				parameters:
					file === undefined
						? members
						: [
								...members.map((each) => ({ ...each, parameterType: 'formData' })),
								{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: file },
							],
			},
			options: {},
		},
	};
}
