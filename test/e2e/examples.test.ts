import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { EXAMPLES, readExample, webhookUrl } from '../support/examples';
import { outputOf, type Execution } from '../support/executions';
import { startHttpServer, type HttpServer } from '../support/httpServer';
import type { Credentials } from '../support/n8nRest';
import { ScriptedModel } from '../support/scriptedModel';
import { shareTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { waitFor, waitUntil } from '../support/waiting';
import type { Workflow, WorkflowNode } from '../support/workflows';

jest.setTimeout(300_000);

/** A request to a third party: the node's texts, and the item. */
interface Sent {
	readonly node: string;
	readonly text?: string;
	/** The link to the form, or the links of the buttons. */
	readonly links?: readonly string[];
	readonly row?: Record<string, unknown>;
	readonly item: Record<string, unknown>;
}

/** What Telegram gets from n8n's *Send and Wait for Response*; the chat is the node's name. */
const question = z.object({
	chat_id: z.string(),
	text: z.string(),
	reply_markup: z.object({ inline_keyboard: z.array(z.array(z.object({ url: z.string() }))) }),
});

/** The values of a Google Sheets node's columns, by the name of the column. */
const columnsShape = z.object({ value: z.record(z.string()) }).catch({ value: {} });

/** Stands in for Slack, Google Sheets, Trello and the user's own system. */
class ThirdParties {
	sent: Sent[] = [];
	/** The answer for the node with this name. */
	readonly answers = new Map<string, unknown>();
	private server: HttpServer | undefined;

	async start(): Promise<void> {
		this.server = await startHttpServer(({ path, body }) => {
			if (path.startsWith('/bot')) {
				const { chat_id: node, text, reply_markup } = question.parse(JSON.parse(body));
				const links = reply_markup.inline_keyboard.flat().map(({ url }) => url);
				this.sent.push({ node, text, links, item: {} });
				return { ok: true, result: {} };
			}
			const node = decodeURIComponent(path.slice(1).split('?')[0] ?? '');
			if (body !== '') this.sent.push({ node, ...JSON.parse(body) });
			return this.answers.get(node) ?? { ok: true };
		});
	}

	/** For the node that stands in for Slack's *Send and Wait for Response*. */
	get telegram(): { accessToken: string; baseUrl: string } {
		return { accessToken: 'token', baseUrl: `${this.server?.url}` };
	}

	/** The workflow, with its third-party nodes pointed at this URL. */
	in(workflow: Workflow): Workflow {
		return { ...workflow, nodes: workflow.nodes.map((each) => this.replacing(each)) };
	}

	private replacing(node: WorkflowNode): WorkflowNode {
		/* The operation is n8n's own, the same for both, but Slack's address can't be changed. */
		if (node.parameters.operation === 'sendAndWait') {
			return {
				...node,
				type: node.type.replace('slack', 'telegram'),
				typeVersion: 1.2,
				parameters: { ...node.parameters, chatId: node.name },
				credentials: { telegramApi: { id: null, name: '' } },
			};
		}
		if (!/\.(slack|googleSheets|trello|httpRequest)$/.test(node.type)) return node;
		const { columns, updateFields, id, ...rest } = node.parameters;
		const texts = Object.entries({
			...rest,
			...Object(updateFields),
			id: Object(id).value,
		}).flatMap(([name, value]) =>
			['text', 'name', 'description', 'desc', 'id'].includes(name) && typeof value === 'string'
				? [{ name, value }]
				: [],
		);
		const cells = Object.entries(columnsShape.parse(columns).value).map(
			([name, value]) => `${JSON.stringify(name)}: ${value.replace(/^=\{\{|\}\}$/g, '')}`,
		);
		return {
			...node,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: `${this.server?.url}/${encodeURIComponent(node.name)}`,
				sendBody: true,
				bodyParameters: {
					parameters: [
						...texts,
						{ name: 'item', value: '={{ $json }}' },
						...(cells.length === 0
							? []
							: [{ name: 'row', value: `={{ ({ ${cells.join(', ')} }) }}` }]),
					],
				},
				options: {},
			},
		};
	}

	/** What a node has sent so far. */
	from(node: string): Sent[] {
		return this.sent.filter((each) => each.node === node);
	}

	/** Waits for a request from the node with this name. */
	async received(node: string): Promise<Sent> {
		return await waitFor(async () => this.from(node)[0], {
			milliseconds: 30_000,
			failure: () => `Nothing was sent to ${node}.`,
		});
	}

	async stop(): Promise<void> {
		await this.server?.stop();
	}
}

let environment: TestEnvironment;
let helpers: readonly Credentials[];
const parties = new ThirdParties();
const model = new ScriptedModel();

beforeAll(async () => {
	environment = await shareTestEnvironment();
	await parties.start();
	await model.start();
	const { n8n } = environment;
	helpers = [
		await n8n.saveCredentials('telegramApi', 'Stand-in', parties.telegram),
		await n8n.saveCredentials('openAiApi', 'Scripted model', { apiKey: 'none', url: model.url }),
	];
});

beforeEach(async () => {
	parties.sent = [];
	parties.answers.clear();
	await environment.sandbox.control('DELETE', 'endpoints');
});

afterAll(async () => {
	await model.stop();
	await parties.stop();
	await environment.stop();
});

const ran = new Set<string>();

/** Imports an example with its third-party nodes replaced, and returns its identifier. */
async function importExample(
	name: string,
	edit = (text: string): string => text,
): Promise<{ id: string; workflow: Workflow }> {
	ran.add(name);
	const example = JSON.stringify(readExample(name, environment.teamId));
	const workflow = parties.in(JSON.parse(edit(example)));
	const { id } = await environment.n8n.saveWorkflow(workflow, [
		environment.api,
		environment.webhook,
		...helpers,
	]);
	return { id, workflow };
}

/** Runs an example from its first trigger, with its pinned data. */
async function run(name: string, edit?: (text: string) => string): Promise<Execution> {
	const { id } = await importExample(name, edit);
	const execution = await environment.n8n.runWorkflow(id);
	expect(execution.error).toBeUndefined();
	return execution;
}

/** Unpins the data of an example, as pressing P on its nodes does. */
const unpinned = (text: string): string => JSON.stringify({ ...JSON.parse(text), pinData: {} });

/** Activates an example and registers its webhook at the sandbox. */
async function listen(name: string, edit?: (text: string) => string): Promise<string> {
	const { n8n, sandbox } = environment;
	const { id, workflow } = await importExample(name, edit);
	await n8n.activate(id);
	const url = webhookUrl(n8n.url, workflow);
	await n8n.waitForWebhook(url);
	await sandbox.control('POST', 'endpoints', { url });
	return id;
}

/** Waits for the last execution of a workflow to end. */
async function ended(id: string): Promise<Execution> {
	const last = (await environment.database.executions(id)).at(-1);
	if (last === undefined) throw new Error('The workflow has not run.');
	const execution = await environment.n8n.waitForExecution(last.id);
	expect(execution.error).toBeUndefined();
	return execution;
}

/** The last execution of a workflow, once it waits for a person. */
async function waitingExecution(id: string): Promise<string> {
	return await waitFor(
		async () => {
			const last = (await environment.database.executions(id)).at(-1);
			return last?.status === 'waiting' ? last.id : undefined;
		},
		{ milliseconds: 30_000, failure: () => 'The workflow doesn’t wait for anybody.' },
	);
}

/** Opens a form as a link preview does, guesses at it, and then submits a decision. */
async function decide(id: string, { node, links = [] }: Sent, decision: string): Promise<void> {
	const execution = await waitingExecution(id);
	const [link = ''] = links;
	const form = await fetch(link);
	expect(await form.text()).toContain(decision);
	expect(form.status).toBe(200);
	const { n8n } = environment;
	const { nodes } = await n8n.request<Workflow>('GET', `/rest/workflows/${id}`);
	const nodeId = nodes.find(({ name }) => name === node)?.id;
	const body = new FormData();
	body.append('field-0', decision);
	const unsigned = [
		`form-waiting/${execution}`,
		`form-waiting/${execution}/${nodeId}`,
		`webhook-waiting/${execution}`,
		`webhook-waiting/${execution}/${nodeId}`,
		`webhook-waiting/${execution}/${nodeId}?approved=true&signature=${'0'.repeat(64)}`,
	];
	for (const guess of unsigned) {
		for (const method of ['GET', 'POST']) {
			const answer = await fetch(`${n8n.url}/${guess}`, {
				method,
				...(method === 'POST' ? { body } : {}),
			});
			expect({ guess, isRefused: answer.status >= 400 }).toEqual({ guess, isRefused: true });
		}
	}
	expect(await waitingExecution(id)).toBe(execution);
	const answer = await fetch(link, { method: 'POST', body });
	expect(answer.status).toBe(200);
}

/** How many requests of an operation reached the service so far. */
async function requests(operation: string): Promise<number> {
	const { counts } = await environment.sandbox.control<{ counts: Record<string, number> }>(
		'GET',
		'log',
	);
	return counts[operation] ?? 0;
}

/** n8n refuses an interval below a minute, but takes one time of each minute for every second. */
function pollingEverySecond(text: string): string {
	const times = Array.from({ length: 60 }, (_, second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	}));
	return text.replace('[{"mode":"everyMinute"}]', JSON.stringify(times));
}

async function setBalance(cents: string): Promise<void> {
	const { sandbox, teamId } = environment;
	const balance = { nanoid: teamId, currency: 'USD', balance_cents: cents };
	await sandbox.control('POST', 'balances', balance);
}

/** Resolves when the workflow that was switched on has polled. */
async function watching<Value>(switchOn: () => Promise<Value>): Promise<Value> {
	const before = await requests('getBalance');
	const value = await switchOn();
	await waitUntil(async () => (await requests('getBalance')) >= before + 2, {
		milliseconds: 60_000,
		failure: () => 'The workflow doesn’t poll.',
	});
	return value;
}

/** Waits until a workflow has been executed so many times. */
async function executionsOf(id: string, count: number): Promise<void> {
	await waitUntil(async () => (await environment.database.executions(id)).length >= count, {
		milliseconds: 60_000,
		failure: () => `The workflow hasn’t run ${count} times.`,
	});
}

/** Shortens the time limit of a question to a second. */
const atOnce = (text: string): string => text.replace('"resumeAmount":30', '"resumeAmount":0.02');

const texts = z.object({ name: z.string(), description: z.string() });

/** What n8n doesn't take for a link preview. */
const BROWSER =
	'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

const deposit = { destination_amount_cents: 125_000, destination_currency: 'USD' };

describe('examples', () => {
	it('first steps, which change nothing', async () => {
		const before = await requests('createInvites');
		const execution = await run('first-steps');
		expect(outputOf(execution, 'Check two invites')).toEqual([
			expect.objectContaining({ check: 'passed' }),
		]);
		expect(outputOf(execution, 'List pending invites').length).toBeGreaterThan(1);
		expect(await requests('createInvites')).toBe(before);
	});

	it('deposit to message', async () => {
		const { sandbox, teamId } = environment;
		const sample = await run('deposit-to-message');
		expect(outputOf(sample, 'Message')).toEqual([
			{
				text: expect.stringMatching(/^\d+\.\d\d USD arrived in Engineering \(reference INV-\d+\)$/),
			},
		]);
		const id = await listen('deposit-to-message');
		await sandbox.control('POST', 'deposits', { deposit: { ...deposit, entity_nanoid: teamId } });
		expect(outputOf(await ended(id), 'Message')).toEqual([
			{ text: '1250.00 USD arrived in Engineering' },
		]);
	});

	it('deposit to Slack', async () => {
		await run('deposit-to-slack');
		expect((await parties.received('Tell the team')).text).toMatch(/ arrived in Engineering /);
		parties.sent = [];
		await listen('deposit-to-slack');
		await environment.sandbox.control('POST', 'deposits', { deposit });
		/* The account has no name in the example, so the message says which one it is. */
		const { text } = await parties.received('Tell the team');
		expect(text).toMatch(/^1250\.00 USD arrived in account co-\S+$/);
	});

	it('deposit to a sheet, one row per deposit', async () => {
		const { sandbox } = environment;
		await run('deposit-to-sheet');
		expect(parties.from('Add or update the row')[0]?.row).toMatchObject({
			account: 'Engineering',
			status: 'complete',
		});
		parties.sent = [];
		await listen('deposit-to-sheet');
		for (const [index, status] of ['complete', 'reverted'].entries()) {
			await sandbox.control('POST', 'deposits', {
				deposit: { ...deposit, nanoid: 'de-SameDeposit', status },
			});
			await waitUntil(async () => parties.sent.length > index, {
				milliseconds: 30_000,
				failure: () => `The row didn’t become ${status}.`,
			});
		}
		expect(parties.from('Add or update the row').map(({ row }) => row)).toEqual(
			['complete', 'reverted'].map((status) => ({
				deposit_id: 'de-SameDeposit',
				status,
				account: expect.stringMatching(/^account co-/),
				amount: '1250.00',
				currency: 'USD',
				reference: null,
				received_at: expect.stringMatching(/Z$/),
			})),
		);
	});

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
			'Post the receipt',
			/^carla@example\.com got the role team_viewer \(transaction tx-/,
		],
		['Decline', 0, 'Say that nothing was signed', /^Declined: carla@example\.com got no role/],
	])('administrator invites with a human answer: %s', async (answer, executed, node, text) => {
		const { id } = await importExample('administrator-invites-with-approval');
		const running = environment.n8n.runWorkflow(id);
		const asked = await parties.received('Ask for approval');
		expect(asked.text).toBe('Give the role team_viewer to carla@example.com?');
		await decide(id, asked, answer);
		const execution = await running;
		expect(execution.error).toBeUndefined();
		expect(outputOf(execution, 'Give the roles')).toHaveLength(executed);
		expect(parties.sent.slice(1)).toEqual([
			expect.objectContaining({ node, text: expect.stringMatching(text) }),
		]);
	});

	it('nightly balance check, told once until the balance has recovered', async () => {
		const alarms = async (cents: string) => {
			parties.sent = [];
			await setBalance(cents);
			await run('nightly-balance-check');
			return parties.sent.map(({ text }) => text);
		};
		const alarm = [
			'The payroll account holds 4999.99 USD, which is below your minimum. Top it up before the next payroll.',
		];
		expect(await alarms('500000')).toEqual([]);
		expect(await alarms('499999')).toEqual(alarm);
		expect(await alarms('499999')).toEqual([]);
		expect(await alarms('499998')).toEqual([]);
		expect(await alarms('500001')).toEqual([]);
		expect(await alarms('499999')).toEqual(alarm);
	});

	it('nightly balance check of a currency that isn’t listed', async () => {
		const { sandbox, teamId } = environment;
		await sandbox.control('POST', 'balances', {
			nanoid: teamId,
			currency: 'USD',
			balance_cents: null,
		});
		const execution = await run('nightly-balance-check');
		expect(outputOf(execution, 'Get the balance')).toEqual([]);
		expect(parties.sent).toEqual([]);
	});

	it('name reviews from a queue', async () => {
		const { sandbox, teamId } = environment;
		const { teams } = await sandbox.control<{
			teams: { name_reviews: { user_nanoid: string; reviewVersion: string }[] }[];
		}>('GET', 'organisation');
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
		const before = await requests('resolveNameReview');
		const execution = await run('name-reviews-from-queue', unpinned);
		expect(await requests('resolveNameReview')).toBe(before + 2);
		const [approved, refused, canceled] = outputOf(execution, 'Resolve');
		expect(approved).toEqual({ status: 'approved' });
		expect(canceled).toEqual({ status: expect.stringMatching(/^cancel/) });
		const written = parties.from('Write the outcome').map(({ item }) => item);
		expect(written).toHaveLength(4);
		expect(written).toEqual(
			expect.arrayContaining([
				{ row_number: 3, outcome: 'approved' },
				{ row_number: 6, outcome: `Not resolved: ${String(refused?.error)}` },
				{ row_number: 7, outcome: canceled?.status },
				{
					row_number: 4,
					outcome: 'Not sent: the decision “maybe” is neither approve nor cancel',
				},
			]),
		);
	});

	it('name reviews from a queue, with its sample rows', async () => {
		await run('name-reviews-from-queue');
		/* The sample people are in another organisation, so the service doesn't know them. */
		expect(parties.from('Write the outcome').map(({ item }) => item.outcome)).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/^Not resolved: /),
				expect.stringMatching(/^Not sent: the decision “maybe”/),
			]),
		);
	});

	it('balance changed to message', async () => {
		const { n8n, teamId } = environment;
		await setBalance('500000');
		const { id } = await importExample('balance-changed-to-message', pollingEverySecond);
		await watching(async () => await n8n.activate(id));
		await setBalance('487650');
		await executionsOf(id, 1);
		expect(outputOf(await ended(id), 'Message')).toEqual([
			expect.objectContaining({
				text: `${teamId} now holds 4876.50 USD, 123.50 less than before (5000.00)`,
			}),
		]);
		await n8n.deactivate(id);
	});

	it('balance rose without a deposit event', async () => {
		const { n8n, sandbox } = environment;
		await setBalance('500000');
		const quick = (text: string) =>
			pollingEverySecond(text).replace('"unit":"hours"', '"unit":"seconds"');
		const id = await watching(async () => await listen('balance-rose-without-deposit', quick));
		await sandbox.control('POST', 'deposits', { deposit });
		const { item } = await parties.received('Add a row');
		expect(item).toMatchObject({ status: 'complete', destination_currency: 'USD' });

		parties.answers.set('Read the deposits', [item]);
		await setBalance('625000');
		await parties.received('Read the deposits');
		await executionsOf(id, 2);
		await ended(id);
		expect(parties.sent.map(({ node }) => node)).not.toContain('Raise the alarm');

		parties.answers.set('Read the deposits', [{ ...item, created_at: '2020-01-01T00:00:00Z' }]);
		await setBalance('625100');
		await setBalance('750000');
		const { text } = await parties.received('Raise the alarm');
		expect(text).toMatch(/^The USD balance of te-\S+ rose by 1250\.00 to 7500\.00, and no deposit/);
		await n8n.deactivate(id);
	});

	it('onboarding progress to a board, one card per person', async () => {
		const { sandbox } = environment;
		interface Card {
			readonly id: string;
			readonly name: string;
			readonly desc: string;
		}
		const added = () =>
			parties.from('Add a card').map((card): Card => {
				const { name, description } = texts.parse(card);
				return { id: `card of ${name}`, name, desc: description };
			});
		await run('onboarding-to-board');
		const board = added();
		expect(board.length).toBeGreaterThan(10);
		expect(new Set(board.map(({ name }) => name)).size).toBe(board.length);
		expect(board[0]?.desc).toMatch(/^Step: \w+\nReview: \w+$/);

		await listen('onboarding-to-board');
		const [moved, ...others] = board;
		parties.answers.set('Get the cards', [{ ...moved, desc: 'Step: before' }, ...others]);
		parties.sent = [];
		await sandbox.control('POST', 'events', {
			event_type: 'onboarding.step_updated.kyc.accepted',
		});
		const update = await parties.received('Update the card');
		expect(update).toMatchObject({ id: moved?.id, desc: moved?.desc });
		await pause(500);
		expect(parties.sent.filter(({ node }) => node !== 'Get the cards')).toEqual([update]);
	});

	describe('cleared deposit to payment', () => {
		const supplier = 'supplier@example.com';

		/** Has the user's own system answer with a payment of $777.00. */
		async function prepare(amount_cents = 77_700): Promise<void> {
			const { sandbox, account, teamId } = environment;
			const query = new URLSearchParams({
				from: teamId,
				amount_cents: '77700',
				email: supplier,
				signer: account.address,
			});
			const payment = await sandbox.control<object>('GET', `payment-typed-data?${query}`);
			parties.answers.set('Prepare the payment', { ...payment, amount_cents, email: supplier });
		}

		it.each([
			[
				'Pay',
				1,
				'Post the receipt',
				/^Done: Pay \$777\.00 to supplier@example\.com .*\(transaction tx-/,
			],
			[
				'Don’t pay',
				0,
				'Say that nothing was paid',
				/^Declined, so nothing was paid: Pay \$777\.00 to/,
			],
		])('after the decision %s', async (decision, payments, node, text) => {
			await prepare();
			const before = await requests('createInstantPayment');
			const id = await listen('cleared-deposit-to-payment');
			await environment.sandbox.control('POST', 'deposits', { deposit });
			const asked = await parties.received('Ask for approval');
			expect(asked.text).toMatch(
				/^A deposit of 1250\.00 USD cleared\. Pay \$777\.00 to supplier@example\.com from team te-\S+, signed by 0x\w+\? This can’t be undone\.$/,
			);
			await decide(id, asked, decision);
			expect((await parties.received(node)).text).toMatch(text);
			await ended(id);
			expect(await requests('createInstantPayment')).toBe(before + payments);
		});

		/* n8n looks for questions that have run out only twice a minute, so both wait together. */
		it('without an answer in time, from its pinned event, and neither are roles given', async () => {
			await prepare();
			const before = await requests('createInstantPayment');
			const [, invites] = await Promise.all([
				run('cleared-deposit-to-payment', atOnce),
				run('administrator-invites-with-approval', atOnce),
			]);
			expect((await parties.received('Say that nothing was paid')).text).toMatch(
				/^No answer in time, so nothing was paid: Pay \$777/,
			);
			expect(await requests('createInstantPayment')).toBe(before);
			expect((await parties.received('Say that nothing was signed')).text).toMatch(
				/^No answer in time: carla@example\.com got no role/,
			);
			expect(outputOf(invites, 'Give the roles')).toEqual([]);
		});

		it('asks nobody if the check fails', async () => {
			await prepare(77_701);
			const { id } = await importExample('cleared-deposit-to-payment');
			const { error } = await environment.n8n.runWorkflow(id);
			expect(error?.message).toMatch(/amount/i);
			expect(parties.from('Ask for approval')).toEqual([]);
		});

		it('reports a payment that fails after the approval', async () => {
			await prepare();
			const id = await listen('cleared-deposit-to-payment');
			await environment.sandbox.control('POST', 'deposits', { deposit });
			const asked = await parties.received('Ask for approval');
			await environment.sandbox.control('POST', 'faults', {
				kind: 'status',
				status: 400,
				match: { path: '/v2/payments' },
			});
			await decide(id, asked, 'Pay');
			expect((await parties.received('Report the problem')).text).toMatch(
				/^Problem with this payment: Pay \$777\.00 to supplier@example\.com .*\n.+/,
			);
			await environment.sandbox.control('DELETE', 'faults');
			await ended(id);
		});
	});

	it.each([
		['approved', 1],
		['declined', 0],
	])('AI agent with human review: %s', async (decision, invited) => {
		const { n8n } = environment;
		const before = await requests('createInvites');
		const { id } = await importExample('ai-agent-with-review');
		const email = `${decision}.agent@example.com`;
		model.script = [
			{ tool: 'Read_the_balance', given: {} },
			{ tool: 'Invite_a_person', given: { toolParameters: { email }, hitlParameters: {} } },
		];
		const executionId = await n8n.startWorkflow(id);
		const { text = '', links = [] } = await parties.received('Ask a person');
		expect(text).toContain('Invite_a_person');
		expect(text).toContain(email);
		const execution = await waitingExecution(id);
		const [decline = '', approve = ''] = links;
		const preview = {
			headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
		};
		for (const link of links) await fetch(link, preview);
		expect(
			(await fetch(approve.replace(/signature=\w+/, `signature=${'0'.repeat(64)}`))).status,
		).toBe(401);
		expect(await waitingExecution(id)).toBe(execution);
		expect(await requests('createInvites')).toBe(before);
		await fetch(invited === 1 ? approve : decline, { headers: { 'user-agent': BROWSER } });
		const ending = await n8n.waitForExecution(executionId);
		expect(ending.error).toBeUndefined();
		expect(await requests('createInvites')).toBe(before + invited);
		expect(model.tools.map((each) => each.function.name).sort()).toEqual([
			'Invite_a_person',
			'List_people',
			'Read_the_balance',
		]);
	});
});

it('covers every example in examples/', () => {
	expect([...ran].sort()).toEqual([...EXAMPLES].sort());
});
