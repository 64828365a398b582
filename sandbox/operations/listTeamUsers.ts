import { ServiceFailure } from '../failure';
import type { TeamUser } from '../organisation';
import { ANY_ROLE, existing, requireRole } from '../roles';
import { defineOperation } from './operation';

interface Request {
	readonly path: { readonly team_nanoid: string };
	readonly query: {
		readonly emails?: readonly string[];
		readonly page?: number;
		readonly offset?: number;
		readonly count?: number;
	};
}

const DEFAULT_COUNT = 100;

/** Endpoint 11: users of a team; paged if page or offset is given. */
export const listTeamUsers = defineOperation<Request>(
	'listTeamUsers',
	({ path: { team_nanoid }, query }, { service, caller }) => {
		const { organisation, settings } = service;
		const team = existing(
			organisation.team(team_nanoid),
			new ServiceFailure(404, `${team_nanoid} does not exist`, 'TEAM_NOT_FOUND'),
			() => requireRole(caller, team_nanoid, ANY_ROLE, organisation),
			settings,
		);
		const wanted = query.emails && new Set(query.emails.map((email) => email.toLowerCase()));
		const users = wanted
			? team.users.filter(({ email }) => wanted.has(email.toLowerCase()))
			: team.users;
		const { users: found, pagination } = paginate(users, query);
		const { recordFields } = settings;
		if (recordFields === 'full') return { users: found, pagination };
		return { users: found.map((user) => bare(user, recordFields)), pagination };
	},
);

/** A user with the identifier only; the rest is missing or null. */
function bare({ nanoid, ...others }: TeamUser, recordFields: 'sparse' | 'nulls'): object {
	if (recordFields === 'sparse') return { nanoid };
	return { nanoid, ...Object.fromEntries(Object.keys(others).map((name) => [name, null])) };
}

/** The last page has next_page and next_offset too. */
function paginate(
	users: readonly TeamUser[],
	query: Request['query'],
): { users: readonly TeamUser[]; pagination: object } {
	const active = query.page !== undefined || query.offset !== undefined;
	const count = active ? (query.count ?? DEFAULT_COUNT) : users.length;
	const offset = query.offset ?? ((query.page ?? 1) - 1) * count;
	const page = count === 0 ? 1 : Math.floor(offset / count) + 1;
	return {
		users: users.slice(offset, offset + count),
		pagination: {
			page,
			count,
			offset,
			next_page: page + 1,
			next_offset: offset + count,
			has_more: offset + count < users.length,
		},
	};
}
