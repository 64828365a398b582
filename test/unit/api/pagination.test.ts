import type { Call } from '../../../nodes/PayrollPayments/api/call';
import { teamUsers } from '../../../nodes/PayrollPayments/api/pagination';

const user = (number: number) => ({ nanoid: `us-${number}`, email: `p${number}@example.com` });
const usersTo = (last: number) => Array.from({ length: last }, (_, index) => user(index + 1));

type Query = Record<string, unknown>;

function serviceThat(answerTo: (query: Query, request: number) => unknown) {
	const queries: Query[] = [];
	const call = async <Data>({ answer, query }: Call<Data>): Promise<Data> => {
		const asked: Query = JSON.parse(JSON.stringify(query));
		return answer.parse(answerTo(asked, queries.push(asked)));
	};
	return { call, queries };
}

/** A service that answers with one page after the other, and with the last forever. */
const serviceWith = (...pages: unknown[]) =>
	serviceThat((_query, request) => {
		if (request > 2_000) throw new Error('asked without end');
		return pages[Math.min(request, pages.length) - 1];
	});

/** A service that keeps back what is beyond its largest page, and whose team can change. */
const teamOf = (people: object[], change: (request: number) => void = () => {}) =>
	serviceThat(({ offset = 0, count = 500 }, request) => {
		const next_offset = Number(offset) + Number(count);
		const users = people.slice(Number(offset), next_offset);
		const pagination = { has_more: next_offset < people.length, next_offset };
		change(request);
		return { users, pagination };
	});

it('cuts the full list where more are asked for than a page holds', async () => {
	const { call, queries } = serviceWith({ users: usersTo(1_201) });
	expect(await teamUsers(call, { teamId: 'te-1', most: 501 })).toEqual(usersTo(501));
	expect(queries).toEqual([{}]);
	const few = teamOf(usersTo(1_201));
	expect(await teamUsers(few.call, { teamId: 'te-1', most: 500 })).toEqual(usersTo(500));
	expect(few.queries).toEqual([{ page: 1, count: 500 }]);
});

it('lists nobody twice if someone joins between two pages', async () => {
	const people = usersTo(700);
	const { call } = teamOf(people, (request) => {
		if (request === 2) people.unshift(user(9_999));
	});
	const users = await teamUsers(call, { teamId: 'te-1' });
	expect(users).toHaveLength(700);
	expect(new Set(users.map(({ nanoid }) => nanoid)).size).toBe(700);
});

it('goes on after a page that is smaller than it asked for', async () => {
	const { call, queries } = serviceWith(
		{ users: [user(1), user(2)], pagination: { has_more: true, next_offset: 2 } },
		{ users: [user(2), user(3), user(4)], pagination: { has_more: true } },
	);
	expect(await teamUsers(call, { teamId: 'te-1', most: 3 })).toEqual(usersTo(3));
	expect(queries).toEqual([
		{ page: 1, count: 3 },
		{ offset: 2, count: 3 },
	]);
});

it.each([
	['which heeds only offsets', 50, ({ offset = 0 }: Query) => Number(offset)],
	['which counts pages from 0', 50, ({ page = 0 }: Query) => Number(page) * 50],
	['whose full list ends later', 99, ({ page = 1 }: Query) => (Number(page) - 1) * 50],
])('is whole where only the next page is named, %s', async (_what, unpaged, startOf) => {
	const { call } = serviceThat((query) => {
		const size = 'page' in query || 'offset' in query ? 50 : unpaged;
		const users = usersTo(101).slice(startOf(query), startOf(query) + size);
		const next_page = users.length < 50 ? '' : String(Number(query.page ?? 0) + 1);
		return { users, pagination: { next_page } };
	});
	for (const most of [undefined, 200]) {
		const users = await teamUsers(call, { teamId: 'te-1', most });
		expect(new Set(users.map(({ nanoid }) => nanoid)).size).toBe(101);
	}
});

it.each([
	['an offset that it doesn’t heed', (last: number) => last],
	['an offset of 0', () => 0],
])('goes by the page of a service that names %s, too', async (_what, offsetAfter) => {
	const { call, queries } = serviceThat(({ page = 1 }) => {
		const last = Number(page) * 50;
		const next_page = last < 101 ? Number(page) + 1 : null;
		const next_offset = next_page === null ? null : offsetAfter(last);
		return { users: usersTo(101).slice(last - 50, last), pagination: { next_page, next_offset } };
	});
	expect(await teamUsers(call, { teamId: 'te-1', most: 200 })).toEqual(usersTo(101));
	expect(queries.at(-1)).toEqual({ page: 3, count: 50 });
});

it('goes by pages where an offset is named and not heeded, and finds people on page 0', async () => {
	const { call } = serviceThat(({ page = 1 }) => {
		const users = usersTo(101).slice((Number(page) - 1) * 50, Number(page) * 50);
		return { users, pagination: { next_offset: users.length < 50 ? null : 50 } };
	});
	expect(await teamUsers(call, { teamId: 'te-1', most: 200 })).toEqual(usersTo(101));
	const few = serviceThat(({ page = 0 }) => ({ users: usersTo(Number(page) > 0 ? 0 : 30) }));
	expect(await teamUsers(few.call, { teamId: 'te-1', most: 50 })).toEqual(usersTo(30));
});

it.each([
	['the same offset again', 1, 0, 'reports offset 0 as'],
	['half an offset', 1, 1.5, 'reports offset 1.5 as'],
	['an offset beyond all counting', 1, 1e300, 'reports offset 1e+300 as'],
	['nobody, and more', 0, 1, 'lists nobody new on a page'],
])('stops where the service gives %s', async (_what, count, next, message) => {
	const { call, queries } = serviceWith({
		users: usersTo(count),
		pagination: { has_more: true, next_offset: next },
	});
	await expect(teamUsers(call, { teamId: 'te-1', most: 5 })).rejects.toThrow(message);
	expect(queries).toHaveLength(1);
});

it('stops a list without an end after 1,000 pages, and says how far it got', async () => {
	/* Pages of one user, listed twice. */
	const { call, queries } = serviceThat(({ offset }) => {
		const one = user(Number(offset ?? 0));
		return { users: [one, one], pagination: { has_more: true } };
	});
	await expect(teamUsers(call, { teamId: 'te-1' })).rejects.toMatchObject({
		message: expect.stringContaining('stopped after 1000 pages with 1000 users'),
		hint: expect.stringContaining('report this to the service'),
	});
	expect(queries).toHaveLength(1_001);
});
