import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type INodeListSearchResult,
} from 'n8n-workflow';

import { identifier, readCredentials, z } from '../contract';
import { DEFAULT_TIMEOUT } from '../transport/n8nExchange';
import { CREDENTIALS, exchangeWithToken, pause } from '../transport/n8nService';
import { LARGEST_PAGE, teamUsersPage, type TeamUser } from '../transport/paging';
import { sendCall, type Call } from '../transport/service';

const nameParts = z.object({
	nanoid: z.string(),
	first_name: z.string().catch(''),
	last_name: z.string().catch(''),
	email: z.string().catch(''),
});

/** "Ana Silva (ana@example.com)" with the identifier as the value. */
function asChoice(user: TeamUser): INodeListSearchItems | undefined {
	const parts = nameParts.safeParse(user);
	if (!parts.success) return undefined;
	const { nanoid, first_name: first, last_name: last, email } = parts.data;
	const name = `${first} ${last}`.trim();
	const label = name === '' ? email : email === '' ? name : `${name} (${email})`;
	return { name: label === '' ? nanoid : label, value: nanoid };
}

/** How often a page is asked for again while somebody waits before a list. */
const RETRIES = 1;

/**
 * The team's users for the picker, a page at a time; a filter goes through the names and e-mail
 * addresses of every page (service-api.md, Endpoints 11).
 */
export async function searchTeamUsers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const teamId = identifier('te').safeParse(this.getCurrentNodeParameter('teamId'));
	if (!teamId.success) {
		throw new NodeOperationError(this.getNode(), 'Fill in Team ID first', {
			description: 'The list shows the users of that team. With an expression, give the user by ID.',
		});
	}
	const saved = await this.getCredentials(CREDENTIALS);
	const { baseUrl } = readCredentials(saved);
	const exchange = exchangeWithToken(this, saved);
	const call = async <Data>(request: Call<Data>): Promise<Data> =>
		await sendCall(baseUrl, request, {
			withToken: exchange,
			withoutToken: exchange,
			timeout: DEFAULT_TIMEOUT,
			retries: RETRIES,
			pause,
		});
	const wanted = filter?.trim().toLowerCase() ?? '';
	const results: INodeListSearchItems[] = [];
	let page: number | undefined = Number(paginationToken ?? 1);
	do {
		const request = { teamId: teamId.data, page, count: LARGEST_PAGE };
		const { users, nextPage } = await teamUsersPage(call, request);
		const choices = users.map(asChoice).filter((choice) => choice !== undefined);
		results.push(...choices.filter(({ name }) => name.toLowerCase().includes(wanted)));
		page = nextPage;
	} while (wanted !== '' && page !== undefined);
	return { results, ...(page === undefined ? {} : { paginationToken: String(page) }) };
}
