import { z } from 'zod';

import { outputOf } from '../../../n8nHost/executions';
import { waitFor, waitUntil } from '../../../n8nHost/waiting';
import {
	ended,
	environment,
	parties,
	importExample,
	run,
	unpinned,
	listen,
	waitingExecution,
	decide,
	requests,
} from './importedExamples';

const texts = z.object({ name: z.string(), description: z.string() });

/** What n8n doesn't take for a link preview. */
const BROWSER =
	'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

it('payroll sheet to invites, twice without inviting anybody twice', async () => {
	const people = Array.from({ length: 40 }, (_, index) => ({
		email: `person.${index}@example.com`,
		first_name: 'Person',
		last_name: String(index),
		// Like the Google Sheets node: digits become numbers, and each row has its number.
		phone: 48_123_456_000 + index,
		row_number: index + 2,
		outcome: '',
	}));
	const outcomes = () => parties.from('Write the outcome').map(({ row }) => row);
	const sample = await run('payroll-sheet-to-invites');
	expect(outputOf(sample, 'Invite everybody').map(({ outcome }) => outcome)).toEqual(
		Array(3).fill('invited'),
	);
	parties.answers.set('Read the sheet', people);
	for (const outcome of ['invited', 'pending']) {
		parties.sent = [];
		await run('payroll-sheet-to-invites', unpinned);
		expect(outcomes()).toEqual(people.map(({ email }) => ({ email, outcome })));
	}
});

it.each([
	[
		'Approve',
		1,
		/^Done: the role `team_viewer` for `carla@example\.com`\. Approved by `Ada` on .*`tx-\S+`$/,
	],
	['Decline', 0, /^Declined by `Ada`: `carla@example\.com` got no role/],
])('administrator invites with a human answer: %s', async (answer, executed, text) => {
	const { id } = await importExample('administrator-invites-with-approval');
	const running = environment.n8n.runWorkflow(id);
	const { form, lastPage } = await decide(id, answer);
	expect(form).toContain('carla@example.com');
	expect(lastPage).toMatch(text);
	const execution = await running;
	expect(execution.error).toBeUndefined();
	expect(outputOf(execution, 'Give the roles')).toHaveLength(executed);
	expect((await parties.received('Tell the channel')).text).toBe(lastPage);
});

it('name reviews from a queue', async () => {
	const { sandbox, teamId } = environment;
	type Review = { user_nanoid: string; reviewVersion: string };
	type Organisation = { teams: { name_reviews: Review[] }[] };
	const { teams } = await sandbox.control<Organisation>('GET', 'organisation');
	const [first, second] = (teams[0]?.name_reviews ?? []).map((review) => ({
		team_id: teamId,
		user_id: review.user_nanoid,
		review_version: review.reviewVersion,
	}));
	parties.answers.set('Read the queue', [
		{ ...first, row_number: 2, decision: '', outcome: '' },
		{ ...first, row_number: 3, decision: ' Approve ', outcome: '' },
		{ ...first, row_number: 4, decision: 'maybe', outcome: '' },
		{ ...first, row_number: 5, decision: 'approve', outcome: 'resolved' },
		{ ...first, row_number: 6, decision: 'cancel', outcome: '', review_version: 'yesterday' },
		{ ...second, row_number: 7, decision: 'CANCEL', outcome: '' },
	]);
	const execution = await run('name-reviews-from-queue', unpinned);
	expect(await requests('resolveNameReview')).toBe(2);
	const [approved, refused, canceled] = outputOf(execution, 'Resolve');
	expect(approved).toEqual({ status: 'approved' });
	expect(canceled).toEqual({ status: expect.stringMatching(/^cancel/) });
	const sent = parties.from('Note that it is sent').map(({ row }) => row);
	expect(sent).toEqual(
		[3, 6, 7].map((row_number) => ({ row_number, outcome: expect.stringMatching(/^Sent on /) })),
	);
	const written = parties.from('Write the outcome').map(({ item }) => item);
	expect(written).toHaveLength(4);
	expect(written).toEqual(
		expect.arrayContaining([
			{ row_number: 3, outcome: 'approved' },
			{ row_number: 6, outcome: `Not resolved: ${String(refused?.error)}` },
			{ row_number: 7, outcome: canceled?.status },
			{ row_number: 4, outcome: 'Not sent: the decision “maybe” is neither approve nor cancel' },
		]),
	);
});

it('onboarding progress to a board, one card per person', async () => {
	const { sandbox } = environment;
	await run('onboarding-to-board');
	const board = parties.from('Add a card').map((card) => {
		const { name, description: desc } = texts.parse(card);
		return { id: `card of ${name}`, name, desc };
	});
	expect(board.length).toBeGreaterThan(10);
	expect(new Set(board.map(({ name }) => name)).size).toBe(board.length);
	expect(board[0]?.desc).toMatch(/^Step: \w+\nReview: \w+\nName: `\w/);

	const id = await listen('onboarding-to-board');
	const [moved, ...others] = board;
	parties.answers.set('Get the cards', [{ ...moved, desc: 'Step: before' }, ...others]);
	parties.sent = [];
	await sandbox.control('POST', 'events', { event_type: 'onboarding.step_updated.kyc.accepted' });
	const update = await parties.received('Update the card');
	expect(update).toMatchObject({ id: moved?.id, desc: moved?.desc });
	await ended(id);
	expect(parties.from('Archive the copy')).toEqual([]);
	expect(parties.sent.filter(({ node }) => node !== 'Get the cards')).toEqual([update]);
});

/* start.test.ts approves, in the chat. */
it('AI agent with human review: declined', async () => {
	const { n8n } = environment;
	const chatInput = 'Please invite declined.agent@example.com as a contractor.';
	const { id } = await importExample('ai-agent-with-review', (text) =>
		text.replaceAll('What is our balance?', chatInput),
	);
	await n8n.startWorkflow(id);
	const waiting = await waitingExecution(id);
	const stored = async () =>
		(await n8n.request<{ data: string }>('GET', `/rest/executions/${waiting}`)).data;
	const asked = await stored();
	expect(asked).toContain('Invite_a_person');
	for (const said of ['"role": "contractor"', '"team": "te-', '"email": "declined.agent@']) {
		expect(asked).toContain(JSON.stringify(said).slice(1, -1));
	}
	const [link = ''] = asked.match(/http[^"\\\s]+approved=false[^"\\\s]*/) ?? [];
	expect(await requests('createInvites')).toBe(0);
	const forged = link.replace(/signature=\w+/, `signature=${'0'.repeat(64)}`);
	expect((await fetch(forged)).status).toBe(401);
	expect(await waitingExecution(id)).toBe(waiting);
	await fetch(link, { headers: { 'user-agent': BROWSER } });
	/* The reply then waits for the chat to show it. */
	await waitUntil('the agent replies', async () => (await stored()).includes('"Reply"'));
	expect(await requests('createInvites')).toBe(0);
});

it('reading for assistants: three tools that read, for those who have the token', async () => {
	const { n8n, sandbox } = environment;
	const token = 'a long random token';
	const bearer = await n8n.saveCredentials('httpBearerAuth', 'Token for assistants', { token });
	const { id, workflow } = await importExample('mcp-reading', undefined, [bearer]);
	await n8n.activate(id);
	const path = workflow.nodes.find(({ type }) => type.endsWith('.mcpTrigger'))?.parameters.path;
	let session: Record<string, string> = {};
	const call = async (method: string, params: object, authorization = `Bearer ${token}`) =>
		await fetch(`${n8n.url}/mcp/${String(path)}`, {
			method: 'POST',
			headers: {
				...{ 'content-type': 'application/json', authorization },
				...{ accept: 'application/json, text/event-stream', ...session },
			},
			body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
		});
	const hello = {
		protocolVersion: '2025-03-26',
		capabilities: {},
		clientInfo: { name: 'test', version: '1' },
	};
	const opened = await waitFor('the server listens', async () => {
		const response = await call('initialize', hello);
		return response.status === 404 ? undefined : response;
	});
	expect(opened.status).toBe(200);
	session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
	expect((await call('tools/list', {}, 'Bearer another')).status).toBe(403);
	const tools = await (await call('tools/list', {})).text();
	expect(tools.match(/(?<="name":")[^"]+/g)?.sort()).toEqual([
		'List_invites',
		'List_people',
		'Read_the_balance',
	]);
	const asked = sandbox.asked('getBalance', 1);
	const balance = await call('tools/call', { name: 'Read_the_balance', arguments: {} });
	expect(await balance.text()).toContain('balance_cents');
	await asked;
	await n8n.deactivate(id);
});
