import { MOST_PAGES, teamUsers } from '../../../nodes/PayrollPayments/api/pagination';
import type { Call } from '../../../nodes/PayrollPayments/api/client';

const user = (number: number) => ({ nanoid: `us-${number}`, email: `p${number}@example.com` });

/** A service that answers with one page after the other, and with the last for ever. */
function serviceWith(...pages: unknown[]) {
	let asked = 0;
	const call = async <Data>({ answer }: Call<Data>): Promise<Data> => {
		asked += 1;
		if (asked > 2_000) throw new Error('asked without end');
		return answer.parse(pages[Math.min(asked, pages.length) - 1]);
	};
	return { call, asked: () => asked };
}

it('reads page after page up to what is wanted', async () => {
	const { call } = serviceWith(
		{ users: [user(1), user(2)], pagination: { has_more: true, next_page: 2 } },
		{ users: [user(3), user(4)], pagination: { has_more: true } },
	);
	expect(await teamUsers(call, { teamId: 'te-1', most: 3 })).toEqual([user(1), user(2), user(3)]);
});

it.each([
	[
		'the same page again',
		{ users: [user(1)], pagination: { has_more: true, next_page: 1 } },
		'reports page 1 as',
	],
	[
		'an earlier page',
		{ users: [user(1)], pagination: { has_more: true, next_page: -3 } },
		'reports page -3 as',
	],
	[
		'half a page',
		{ users: [user(1)], pagination: { has_more: true, next_page: 1.5 } },
		'reports page 1.5 as',
	],
	[
		'a page beyond all counting',
		{ users: [user(1)], pagination: { has_more: true, next_page: 1e300 } },
		'reports page 1e+300 as',
	],
	[
		'nobody, and more',
		{ users: [], pagination: { has_more: true } },
		'Page 1 of the list is empty',
	],
])('stops where the service gives %s', async (_, page, message) => {
	const { call, asked } = serviceWith(page);
	await expect(teamUsers(call, { teamId: 'te-1', most: 5 })).rejects.toThrow(message);
	expect(asked()).toBe(1);
});

it.each([
	['all users', undefined],
	['more users than there can be', 1_000_000_000],
])(
	'gives up a list without an end where %s are wanted, and says how far it got',
	async (_, most) => {
		const { call, asked } = serviceWith({
			users: [user(1), user(2)],
			pagination: { has_more: true },
		});
		await expect(teamUsers(call, { teamId: 'te-1', most })).rejects.toMatchObject({
			message: `Reading the list stopped after ${MOST_PAGES} pages with ${2 * MOST_PAGES} users, but the service reports more`,
			hint: expect.stringContaining('Limit'),
		});
		expect(asked()).toBe(MOST_PAGES);
	},
);
