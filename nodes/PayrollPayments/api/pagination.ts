import type { z } from 'zod';
import { inviteListAnswer, teamUsersAnswer } from './schemas/answers';

import { path, type SendRead } from './client';
import { ServiceError } from '../shared/errors';

/** How many email addresses a request may filter team users by (docs/api.md, Limits). */
export const EMAILS_PER_REQUEST = 100;

/** Largest page of team users (docs/api.md, Limits). */
export const LARGEST_PAGE = 500;

/** Most pages that are read for one list; at 500 users each, half a million. */
export const MOST_PAGES = 1_000;

export type TeamUser = z.infer<typeof teamUsersAnswer>['users'][number];

function unreadable(what: string, hint: string): ServiceError {
	return new ServiceError(what, { status: 200, refused: false, hint });
}

/**
 * One page of a team's users and the number of the next page, if any. Without a page number the
 * service returns the full list (docs/api.md, Endpoint 11).
 */
export async function teamUsersPage(
	call: SendRead,
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
	const isAhead = Number.isSafeInteger(nextPage) && nextPage > thisPage;
	if (isAhead && users.length > 0) return { users, nextPage };
	throw unreadable(
		isAhead
			? `Page ${thisPage} of the list is empty, but the service reports more pages`
			: `The service reports page ${nextPage} as the page after page ${thisPage}`,
		"The list can't be read to the end. Report this to the service.",
	);
}

/**
 * A team's users (docs/api.md, Endpoint 11): up to `most` of them page by page, or all in one request.
 * @param most undefined for all
 * @throws {ServiceError} if the list doesn't end within {@link MOST_PAGES}
 */
export async function teamUsers(
	call: SendRead,
	request: { teamId: string; emails?: readonly string[]; most?: number },
): Promise<TeamUser[]> {
	const { teamId, emails, most = Number.POSITIVE_INFINITY } = request;
	const count = request.most === undefined ? undefined : Math.min(most, LARGEST_PAGE);
	const found: TeamUser[] = [];
	let page = count === undefined ? undefined : 1;
	for (let pages = 1; pages <= MOST_PAGES; pages++) {
		const { users, nextPage } = await teamUsersPage(call, { teamId, emails, page, count });
		for (const user of users) found.push(user);
		if (nextPage === undefined || found.length >= most) return found.slice(0, most);
		page = nextPage;
	}
	throw unreadable(
		`Reading the list stopped after ${MOST_PAGES} pages with ${found.length} users, but the service reports more`,
		'Lower Limit or filter by Emails. If the team has fewer users, report this to the service.',
	);
}

/** The pending invites of a team or company, which the service lists in one answer (docs/api.md, Endpoint 4). */
export async function pendingInvites(call: SendRead, nanoid: string) {
	return await call({
		method: 'GET',
		path: '/v2/invites',
		query: { nanoid },
		answer: inviteListAnswer,
		roleNeeded: nanoid.startsWith('te-') ? 'team_admin' : 'org_admin',
	});
}
