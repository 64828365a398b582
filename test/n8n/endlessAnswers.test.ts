import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../support/actionHost';
import { useEchoService } from '../support/echoService';
import { FORMS, withAccessToken } from '../support/operationForms';

const TEAM = 'te-a1B2c3D4e5F6';

const service = useEchoService();

const credentials = () => withAccessToken(service.url);

const user = (name: string, page: string) => ({
	nanoid: `us-${page.padStart(12, '0')}`,
	first_name: name,
	last_name: page,
	email: `${name}${page}@example.com`,
});

/** Pages of one user, listed twice, for ever. */
function endlessPages() {
	service.answer(({ query }) => {
		const page = String(Number(query.get('offset') ?? 0) / 2 + 1);
		const users = [user('Ben', page), user('Cleo', page)];
		return { body: { success: true, data: { users, pagination: { has_more: true } } } };
	});
}

const LIST: INodeParameters = { resource: 'teamUser', operation: 'getAll', teamId: TEAM };

it('a list of pages without an end stops the node, which says how far it got', async () => {
	endlessPages();
	const { error } = await runNode(credentials(), { ...LIST, returnAll: true });
	expect(error?.message).toMatch(/stopped after 1000 pages with 1000 users/);
	expect(error?.description).toContain('report this to the service');
	expect(service.requests).toHaveLength(1_001);
});

describe('an answer that is nested deeper than n8n can save', () => {
	const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
	it.each([101, 5_000, 1_000_000])(
		'is refused, and a write may have been done: %d levels',
		async (levels) => {
			service.answer(() => ({
				body: `{"success":true,"data":{"platform_account_address":"0x","balances":[],"nanoids":[],"more":${deep(levels)}}}`,
			}));
			const read = await runNode(credentials(), FORMS.getBalance);
			expect(read.error?.message).toBe('The response is nested deeper than 100 levels [item 0]');
			const write = await runNode(credentials(), FORMS.createInvites);
			expect(write.error?.message).toBe('The response is nested deeper than 100 levels [item 0]');
			expect(write.error?.description).toContain('may have succeeded anyway');
			expect(service.requests).toHaveLength(2);
		},
	);

	it('is taken up to 100 levels, and in full', async () => {
		service.answer(() => ({ body: `{"success":true,"data":{"nanoids":[],"more":${deep(100)}}}` }));
		const { output } = await runNode(credentials(), FORMS.createInvites);
		expect(JSON.stringify(output[0]?.json.more)).toBe(deep(100));
	});
});
