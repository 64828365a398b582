import type { z } from 'zod';

import { endpoint, ENDPOINTS } from '../contract/endpoints';
import { hasPrefix } from '../contract/identifiers';
import { LARGEST_PAGE } from '../contract/limits';
import { roleLabel } from '../contract/roles';
import type { SendRead } from './call';
import { unusableAnswer } from './serviceErrors';
import { inviteListAnswer, teamUsersAnswer } from './schemas/answers';

/** Most pages that are read for one list. */
const MOST_PAGES = 1_000;

type UsersAnswer = z.infer<typeof teamUsersAnswer>;

export type TeamUser = UsersAnswer['users'][number];

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

/** Whether there are more users. A service that leaves `has_more` out may still name the next page. */
function goesOn({ pagination }: UsersAnswer): boolean {
	const { has_more: hasMore, next_offset: offset, next_page: page } = pagination ?? {};
	const isNamed = typeof page === 'number' || (typeof page === 'string' && page.trim() !== '');
	return hasMore ?? (offset ?? (isNamed ? page : null)) !== null;
}

/**
 * The number of the next page; undefined if the next users are asked for by their offset.
 * @param current the place that the answer is for
 * @param ignored the parameters that the service names, but doesn't use
 */
function nextPage(
	{ users, pagination }: UsersAnswer,
	current: Place,
	offset: number,
	ignored: ReadonlySet<keyof Place>,
): number | undefined {
	const isOffsetNamed = (pagination?.next_offset ?? 0) > offset && !ignored.has('offset');
	const page = Number(pagination?.next_page);
	const isPageNamed = Number.isSafeInteger(page) && page > 1 && !ignored.has('page');
	if (isPageNamed && !isOffsetNamed) return page;
	/* A service that names offsets and doesn't use them may use page numbers. */
	const mayUsePages = users.length > 0 && ignored.has('offset') && !ignored.has('page');
	return mayUsePages ? (current.page ?? 1) + 1 : undefined;
}

/**
 * The offset after a page; undefined if the page is the last one.
 * @param page the number of the next page, if the next users are asked for by that
 * @param bringsNobody whether the page has nobody who wasn't on an earlier one
 * @throws {ServiceError} if the service reports more users, but no way to get them
 */
function nextOffset(
	answer: UsersAnswer,
	offset: number,
	page: number | undefined,
	bringsNobody: boolean,
): number | undefined {
	const { users, pagination } = answer;
	const following = offset + users.length;
	const next = page === undefined ? (pagination?.next_offset ?? following) : following;
	/* Where only the next place says that there is more, a page with nobody new is the last. */
	const saysMore = pagination?.has_more === true;
	if (!goesOn(answer) || (!saysMore && (bringsNobody || next <= offset))) return undefined;
	if (bringsNobody) {
		throw unusableAnswer('The service lists nobody new on a page, but reports more users');
	}
	if (Number.isSafeInteger(next) && next > offset) return next;
	throw unusableAnswer(`The service reports offset ${next} as the one after offset ${offset}`);
}

/**
 * Page after page until there are `most` different users. Services page by number or by offset, and some
 * ignore the one that they name: a page then brings nobody new, and is asked for in the other way.
 * @param listed the users of the full list, if that was read before. Page 0, where a service counts its
 *   pages from 0, is in that list only.
 */
async function pagedUsers(
	read: SendRead,
	request: UsersRequest,
	listed?: readonly TeamUser[],
): Promise<readonly TeamUser[]> {
	const { most = Infinity } = request;
	const count = Math.min(most, LARGEST_PAGE);
	const found = new Map<unknown, TeamUser>(listed?.map((user) => [user.nanoid ?? user, user]));
	const paged = new Set<unknown>();
	const ignored = new Set<keyof Place>();
	let offset = 0;
	let pageSize = 0;
	let place: Place = { page: 1, count };
	for (let pages = 1; pages <= MOST_PAGES; pages++) {
		const answer = await answerTo(read, request, place);
		const { users, pagination } = answer;
		/* A service may count pages by what was asked for, or by its own largest page. */
		if (pages === 1) pageSize = users.length;
		const pagedBefore = paged.size;
		/* If someone is added while we read, others move to the next page and come again. */
		for (const user of users) {
			found.set(user.nanoid ?? user, user);
			paged.add(user.nanoid ?? user);
		}
		const saysMore = pagination?.has_more === true;
		/* A short list can be on page 0. */
		if (found.size === 0 && listed === undefined && !saysMore) return await fullList(read, request);
		if (found.size >= most) return [...found.values()].slice(0, most);
		const bringsNobody = paged.size === pagedBefore;
		const isIgnored = pages > 1 && bringsNobody && goesOn(answer);
		if (isIgnored) ignored.add('page' in place ? 'page' : 'offset');
		const page = nextPage(answer, place, offset, ignored);
		/* The same users are asked for again if there is another way to ask for them. */
		const isAskedAgain = isIgnored && (page !== undefined || !ignored.has('offset'));
		const next = isAskedAgain ? offset : nextOffset(answer, offset, page, bringsNobody);
		if (next === undefined) return [...found.values()];
		if (page !== undefined && listed === undefined) return await fullList(read, request);
		offset = next;
		place = page === undefined ? { offset, count } : { page, count: pageSize };
	}
	throw unusableAnswer(
		`Reading the list stopped after ${MOST_PAGES} pages with ${found.size} users, but the service reports more`,
	);
}

/** The list without a page or an offset; the rest of it, if the service keeps back a part. */
async function fullList(read: SendRead, request: UsersRequest): Promise<readonly TeamUser[]> {
	const answer = await answerTo(read, request);
	return goesOn(answer)
		? await pagedUsers(read, request, answer.users)
		: answer.users.slice(0, request.most ?? Infinity);
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
