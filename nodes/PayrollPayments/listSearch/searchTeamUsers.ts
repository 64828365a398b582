import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type INodeListSearchResult,
} from 'n8n-workflow';

import { z } from 'zod';
import { openClient } from '../api/n8nTransport';
import { nodeErrorFor } from '../api/nodeErrors';
import { teamUsers } from '../api/pagination';
import { contentOf, isBlank, refusalOf } from '../forms/field';
import { teamId as teamField } from '../forms/serviceFields';
import { groupsOf } from '../shared/lists';
import { Redactor } from '../shared/redaction';

/** "Ana Silva (ana@example.com)", with the ID as the value. */
const userChoice = z
	.object({
		nanoid: z.string(),
		first_name: z.string().catch(''),
		middle_name: z.string().catch(''),
		last_name: z.string().catch(''),
		email: z.string().catch(''),
	})
	.transform(({ nanoid, first_name, middle_name, last_name, email }): INodeListSearchItems => {
		const name = [first_name, middle_name, last_name].filter(Boolean).join(' ');
		const label = name === '' || email === '' ? `${name}${email}` : `${name} (${email})`;
		return { name: label === '' ? nanoid : label, value: nanoid };
	});

/** Users that the editor gets at once; it asks for more when someone scrolls to the end. */
const SHOWN_AT_ONCE = 500;

/** The team's users whose name, email address or ID contains the words of the filter (docs/api.md, Endpoint 11). */
export async function searchTeamUsers(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken = '0',
): Promise<INodeListSearchResult> {
	const given = contentOf(this.getCurrentNodeParameter('teamId'));
	const teamId = teamField().schema.safeParse(given);
	if (!teamId.success) {
		const { message } = refusalOf('Team ID', teamId.error);
		throw new NodeOperationError(this.getNode(), isBlank(given) ? 'Choose a team first' : message, {
			description:
				'The list shows the users of that team. If Team ID is an expression, select By ID and enter the ID of the user.',
		});
	}
	const wanted = filter.toLowerCase().split(/\s+/);
	const redactor = new Redactor();
	try {
		/* Someone is waiting for it. */
		const { sendRead } = await openClient(this, redactor, { retries: 1 });
		const users = await teamUsers(sendRead, { teamId: teamId.data });
		const choices = users.flatMap((user) => userChoice.safeParse(user).data ?? []);
		const namesakes = groupsOf(choices, ({ name }) => name);
		const results = choices
			.filter(({ name, value }) =>
				wanted.every((word) => `${name} ${value}`.toLowerCase().includes(word)),
			)
			.map((each) =>
				namesakes.get(each.name)?.length === 1
					? each
					: { ...each, name: `${each.name} ${each.value}` },
			);
		const end = Number(paginationToken) + SHOWN_AT_ONCE;
		return {
			results: results.slice(end - SHOWN_AT_ONCE, end),
			...(end < results.length ? { paginationToken: String(end) } : {}),
		};
	} catch (error) {
		throw nodeErrorFor(this.getNode(), error, redactor);
	}
}
