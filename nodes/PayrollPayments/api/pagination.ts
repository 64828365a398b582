import type { z } from 'zod';

import { endpoint, ENDPOINTS } from '../contract/endpoints';
import { hasPrefix } from '../contract/identifiers';
import { LARGEST_PAGE } from '../contract/limits';
import { roleLabel } from '../contract/roles';
import type { SendRead } from './call';
import { unusableAnswer } from './errors';
import { inviteListAnswer, teamUsersAnswer } from './schemas/answers';

/** Most pages that are read for one list. */
const MOST_PAGES = 1_000;

export type TeamUser = z.infer<typeof teamUsersAnswer>['users'][number];

export interface UsersRequest {
	readonly teamId: string;
	/** At most as many as the service takes in a request. */
	readonly emails?: readonly string[];
	/** Undefined for all. */
	readonly most?: number;
}

interface Place {
	readonly page?: number;
	readonly offset?: number;
	readonly count?: number;
}

/** One answer of Endpoint 11 (docs/api.md): the full list, unless a page or an offset is given. */
async function answerTo(read: SendRead, { teamId, emails }: UsersRequest, place: Place = {}) {
	return await read({
		...endpoint('listTeamUsers', { team_nanoid: teamId }),
		query: { emails, ...place },
		answer: teamUsersAnswer,
	});
}

type Pagination = z.infer<typeof teamUsersAnswer>['pagination'];

/** Whether there are more users. A service that leaves `has_more` out may still name the next page. */
function goesOn(pagination: Pagination): boolean {
	const { has_more: hasMore, next_offset: offset, next_page: page } = pagination ?? {};
	const isNamed = typeof page === 'number' || (typeof page === 'string' && page.trim() !== '');
	return hasMore ?? (offset ?? (isNamed ? page : null)) !== null;
}

/**
 * The number of the next page, where the service tells it and no later offset.
 * @param ignored how it names the next place, and doesn't heed it
 */
function nextPage(
	pagination: Pagination,
	offset: number,
	ignored: ReadonlySet<keyof Place>,
): number | undefined {
	const isOffsetTold = (pagination?.next_offset ?? 0) > offset && !ignored.has('offset');
	const page = Number(pagination?.next_page);
	const isTold = Number.isSafeInteger(page) && page > 1 && !ignored.has('page');
	return isTold && !isOffsetTold ? page : undefined;
}

/**
 * Page after page until there are `most` different users.
 * @param listed what the full list had: a service may count its pages from 0, and none of them is that one
 */
async function pagedUsers(
	read: SendRead,
	request: UsersRequest,
	listed?: readonly TeamUser[],
): Promise<readonly TeamUser[]> {
	const found = new Map<unknown, TeamUser>(listed?.map((user) => [user.nanoid ?? user, user]));
	const paged = new Set<unknown>();
	const { most = Infinity } = request;
	const count = Math.min(most, LARGEST_PAGE);
	let offset = 0;
	let pageSize = 0;
	let place: Place = { page: 1, count };
	const ignored = new Set<keyof Place>();
	for (let pages = 1; pages <= MOST_PAGES; pages++) {
		const { users, pagination } = await answerTo(read, request, place);
		/* A service may count pages by what was asked for, or by its own largest page. */
		if (pages === 1) pageSize = users.length;
		const { size: before } = paged;
		/* Someone who is added meanwhile moves the others to the next page, where they come again. */
		for (const user of users) {
			found.set(user.nanoid ?? user, user);
			paged.add(user.nanoid ?? user);
		}
		/* A short list can be on page 0. */
		const isCertain = pagination?.has_more === true;
		if (found.size === 0 && listed === undefined && !isCertain)
			return await fullList(read, request);
		const hasNobodyNew = pages > 1 && paged.size === before;
		const isIgnored = hasNobodyNew && goesOn(pagination);
		if (isIgnored) ignored.add('page' in place ? 'page' : 'offset');
		/* A service that names offsets and doesn't heed them may heed pages. */
		const mayHeedPages = users.length > 0 && ignored.has('offset') && !ignored.has('page');
		const counted = mayHeedPages ? (place.page ?? 1) + 1 : undefined;
		const page = nextPage(pagination, offset, ignored) ?? counted;
		const placeFrom = (start: number): Place =>
			page === undefined ? { offset: start, count } : { page, count: pageSize };
		const lacksFirst = page !== undefined && listed === undefined;
		if (isIgnored && (page !== undefined || !ignored.has('offset'))) {
			if (lacksFirst) return await fullList(read, request);
			place = placeFrom(offset);
			continue;
		}
		const following = offset + users.length;
		const next = page === undefined ? (pagination?.next_offset ?? following) : following;
		/* Where only the next place says that there is more, a page with nobody new is the last. */
		const bringsNobody = hasNobodyNew || users.length === 0;
		const isEnd = bringsNobody || next <= offset;
		const isLast = !goesOn(pagination) || (!isCertain && isEnd);
		if (isLast || found.size >= most) return [...found.values()].slice(0, most);
		if (bringsNobody) {
			throw unusableAnswer('The service lists nobody new on a page, but reports more users');
		}
		if (!(Number.isSafeInteger(next) && next > offset)) {
			throw unusableAnswer(`The service reports offset ${next} as the one after offset ${offset}`);
		}
		if (lacksFirst) return await fullList(read, request);
		offset = next;
		place = placeFrom(offset);
	}
	throw unusableAnswer(
		`Reading the list stopped after ${MOST_PAGES} pages with ${found.size} users, but the service reports more`,
	);
}

/** The list without a page or an offset; the rest of it, if the service keeps back a part. */
async function fullList(read: SendRead, request: UsersRequest): Promise<readonly TeamUser[]> {
	const { users, pagination } = await answerTo(read, request);
	return goesOn(pagination)
		? await pagedUsers(read, request, users)
		: users.slice(0, request.most ?? Infinity);
}

/**
 * A team's users (docs/api.md, Endpoint 11). All of them, or more than a page holds, come in one
 * answer, so that nobody is missing because the team changed between two pages. Only if the service
 * keeps back a part of that answer are they read page by page.
 */
export async function teamUsers(
	read: SendRead,
	request: UsersRequest,
): Promise<readonly TeamUser[]> {
	const { most = Infinity } = request;
	return await (most <= LARGEST_PAGE ? pagedUsers : fullList)(read, request);
}

/** The service lists all pending invites in one answer (docs/api.md, Endpoint 4). */
export async function pendingInvites(read: SendRead, nanoid: string) {
	return await read({
		...ENDPOINTS.listInvites,
		query: { nanoid },
		answer: inviteListAnswer,
		roleNeeded: roleLabel(hasPrefix(nanoid, 'te') ? 'team_admin' : 'org_admin'),
	});
}
