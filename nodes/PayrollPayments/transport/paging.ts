import { teamUsersAnswer, type z } from '../contract';

import { path, type Service } from './service';
import { ServiceError } from './serviceError';

/** Largest page of team users (service-api.md, Limits). */
export const LARGEST_PAGE = 500;

export type TeamUser = z.infer<typeof teamUsersAnswer>['users'][number];

/**
 * One page of a team's users and the number of the next one, if there is one. Without a page the
 * service gives the full list (service-api.md, Endpoints 11, rule 1).
 */
export async function teamUsersPage(
	call: Service['call'],
	request: { teamId: string; emails?: readonly string[]; page?: number; count?: number },
): Promise<{ users: readonly TeamUser[]; nextPage: number | undefined }> {
	const { teamId, emails, page, count } = request;
	const { users, pagination } = await call({
		method: 'GET',
		path: path`/v2/teams/${teamId}/users`,
		query: { emails, page, count },
		answer: teamUsersAnswer,
	});
	if (pagination?.has_more !== true) return { users, nextPage: undefined };
	const thisPage = page ?? 1;
	const nextPage = pagination.next_page ?? thisPage + 1;
	const fault =
		nextPage <= thisPage
			? `The service names page ${nextPage} as the one after page ${thisPage}`
			: `The service gives nobody on page ${thisPage}, and says that there is more`;
	if (nextPage <= thisPage || users.length === 0) {
		throw new ServiceError(fault, {
			status: 200,
			refused: false,
			hint: 'The list cannot be read to its end. Report this to the service.',
		});
	}
	return { users, nextPage };
}

/**
 * A team's users (service-api.md, Endpoints 11): so many of them page by page, or all in one answer.
 * @param most records at most; all where undefined
 */
export async function teamUsers(
	call: Service['call'],
	request: { teamId: string; emails?: readonly string[]; most?: number },
): Promise<TeamUser[]> {
	const { teamId, emails, most = Number.POSITIVE_INFINITY } = request;
	const count = request.most === undefined ? undefined : Math.min(most, LARGEST_PAGE);
	const found: TeamUser[] = [];
	let page = count === undefined ? undefined : 1;
	do {
		const { users, nextPage } = await teamUsersPage(call, { teamId, emails, page, count });
		for (const user of users) found.push(user);
		page = nextPage;
	} while (page !== undefined && found.length < most);
	return found.slice(0, most);
}
