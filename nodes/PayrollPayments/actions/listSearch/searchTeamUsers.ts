import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type INodeListSearchResult,
} from 'n8n-workflow';

import { z } from 'zod';
import { teamUsers, type TeamUser } from '../../api/pagination';
import { openClient, type SendRead } from '../../api/client';
import { teamId as teamField } from '../../forms/serviceFields';
import { UserError } from '../../shared/errors';
import { Redactor } from '../../shared/redaction';

const nameParts = z.object({
	nanoid: z.string(),
	first_name: z.string().catch(''),
	last_name: z.string().catch(''),
	email: z.string().catch(''),
});

/** "Ana Silva (ana@example.com)", with the ID as the value. */
function asChoice(user: TeamUser): INodeListSearchItems | undefined {
	const parts = nameParts.safeParse(user);
	if (!parts.success) return undefined;
	const { nanoid, first_name: first, last_name: last, email } = parts.data;
	const name = `${first} ${last}`.trim();
	const label = name === '' ? email : email === '' ? name : `${name} (${email})`;
	return { name: label === '' ? nanoid : label, value: nanoid };
}

/** How often the list is requested again; someone is waiting for it. */
const RETRIES = 1;

/** Users that the editor gets at once; it asks for more when someone scrolls to the end. */
const SHOWN_AT_ONCE = 500;

/** The team's users whose name or email address contains the filter (docs/api.md, Endpoint 11). */
export async function searchTeamUsers(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken = '0',
): Promise<INodeListSearchResult> {
	const teamId = teamField().schema.safeParse(this.getCurrentNodeParameter('teamId'));
	if (!teamId.success) {
		throw new NodeOperationError(this.getNode(), 'Fill in Team ID first', {
			description:
				'The list shows the users of that team. If Team ID is an expression, select By ID and enter the ID of the user.',
		});
	}
	const wanted = filter.trim().toLowerCase();
	const redactor = new Redactor();
	try {
		const client = await openClient(this, redactor);
		const call: SendRead = async (request) => await client.send(request, { retries: RETRIES });
		const results: INodeListSearchItems[] = [];
		for (const choice of (await teamUsers(call, { teamId: teamId.data })).map(asChoice)) {
			if (choice?.name.toLowerCase().includes(wanted)) results.push(choice);
		}
		const end = Number(paginationToken) + SHOWN_AT_ONCE;
		return {
			results: results.slice(end - SHOWN_AT_ONCE, end),
			...(end < results.length ? { paginationToken: String(end) } : {}),
		};
	} catch (error) {
		throw listError(this, error, redactor);
	}
}

function listError(
	context: ILoadOptionsFunctions,
	error: unknown,
	redactor: Redactor,
): NodeOperationError {
	const message = redactor.text(
		error instanceof Error ? error.message : "The list of users couldn't be loaded",
	);
	const hint = error instanceof UserError ? error.hint : undefined;
	const nodeError = new NodeOperationError(context.getNode(), message, { description: hint });
	/* n8n replaces messages that contain a system error code, even EPERM in “jeeperman”. */
	nodeError.message = message;
	return nodeError;
}
