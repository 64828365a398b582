import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type INodeListSearchResult,
} from 'n8n-workflow';

import { z } from 'zod';
import { identifier } from '../../shared/identifier';
import { Refusal } from '../../shared/errors';
import { Redactor } from '../../shared/redaction';
import { readsWith } from '../../api/tokenExchange';
import { LARGEST_PAGE, teamUsersPage, type TeamUser } from '../../api/pagination';

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

/** How often a page is requested again; someone is waiting for the list. */
const RETRIES = 1;

/** How many pages a search reads; someone is waiting for it. */
const MOST_PAGES = 100;

interface Search {
	readonly teamId: string;
	/** In lower case; empty to list everyone. */
	readonly wanted: string;
	/** The page to start with. */
	readonly firstPage: number;
}

async function search(
	context: ILoadOptionsFunctions,
	redactor: Redactor,
	{ teamId, wanted, firstPage }: Search,
): Promise<INodeListSearchResult> {
	const { call } = await readsWith(context, redactor, RETRIES);
	const results: INodeListSearchItems[] = [];
	let page: number | undefined = firstPage;
	let searched = 0;
	for (let pages = 0; page !== undefined && pages < (wanted === '' ? 1 : MOST_PAGES); pages++) {
		const { users, nextPage } = await teamUsersPage(call, { teamId, page, count: LARGEST_PAGE });
		for (const choice of users.map(asChoice)) {
			if (choice?.name.toLowerCase().includes(wanted)) results.push(choice);
		}
		searched += users.length;
		page = nextPage;
	}
	if (page !== undefined && wanted !== '' && results.length === 0) {
		throw new Refusal(`None of the first ${searched} users match, and there are more`, {
			hint: 'Select By ID instead of From List, then enter the ID of the user.',
		});
	}
	return { results, ...(page === undefined ? {} : { paginationToken: String(page) }) };
}

/**
 * The team's users for the list, one page at a time. A filter searches names and email addresses on
 * many pages (docs/api.md, Endpoint 11).
 */
export async function searchTeamUsers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const teamId = identifier('te').safeParse(this.getCurrentNodeParameter('teamId'));
	if (!teamId.success) {
		throw new NodeOperationError(this.getNode(), 'Fill in Team ID first', {
			description:
				'The list shows the users of that team. If Team ID is an expression, select By ID and enter the ID of the user.',
		});
	}
	const redactor = new Redactor();
	try {
		return await search(this, redactor, {
			teamId: teamId.data,
			wanted: filter?.trim().toLowerCase() ?? '',
			firstPage: Number(paginationToken ?? 1),
		});
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
	const hint = error instanceof Refusal ? error.hint : undefined;
	const nodeError = new NodeOperationError(context.getNode(), message, { description: hint });
	/* n8n replaces messages that contain a system error code, even EPERM in “jeeperman”. */
	nodeError.message = message;
	return nodeError;
}
