import { setTimeout as pause } from 'node:timers/promises';

import { EXAMPLES, readExample, webhookUrl } from '../support/examples';
import { outputOf, type Execution } from '../support/executions';
import { startHttpServer, type HttpServer } from '../support/httpServer';
import { shareTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { waitFor, waitUntil } from '../support/waiting';
import type { Workflow, WorkflowNode } from '../support/workflows';

jest.setTimeout(300_000);

/** A request to a third party: the node's parameters, and the item. */
interface Sent {
	readonly node: string;
	readonly text?: string;
	readonly name?: string;
	readonly item: Record<string, unknown>;
}

/** Stands in for Slack, Google Sheets, Trello and the user's own system. */
class ThirdParties {
	sent: Sent[] = [];
	/** The answer for the node with this name. */
	readonly answers = new Map<string, unknown>();
	private server: HttpServer | undefined;

	async start(): Promise<void> {
		this.server = await startHttpServer(({ path, body }) => {
			const node = decodeURIComponent(path.slice(1).split('?')[0] ?? '');
			if (body !== '') this.sent.push({ node, ...JSON.parse(body) });
			return this.answers.get(node) ?? { ok: true };
		});
	}

	/** The workflow, with its third-party nodes pointed at this URL. */
	in(workflow: Workflow): Workflow {
		return { ...workflow, nodes: workflow.nodes.map((each) => this.replacing(each)) };
	}

	private replacing(node: WorkflowNode): WorkflowNode {
		if (!/\.(slack|googleSheets|trello|httpRequest)$/.test(node.type)) return node;
		const texts = ['text', 'name'].flatMap((name) => {
			const value = node.parameters[name];
			return typeof value === 'string' ? [{ name, value }] : [];
		});
		return {
			...node,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: `${this.server?.url}/${encodeURIComponent(node.name)}`,
				sendBody: true,
				bodyParameters: { parameters: [...texts, { name: 'item', value: '={{ $json }}' }] },
				options: {},
			},
		};
	}

	/** Waits for a request from the node with this name. */
	async received(node: string): Promise<Sent> {
		return await waitFor(async () => this.sent.find((each) => each.node === node), {
			milliseconds: 30_000,
			failure: () => `Nothing was sent to ${node}.`,
		});
	}

	async stop(): Promise<void> {
		await this.server?.stop();
	}
}

let environment: TestEnvironment;
const parties = new ThirdParties();

beforeAll(async () => {
	environment = await shareTestEnvironment();
	await parties.start();
});

beforeEach(async () => {
	parties.sent = [];
	parties.answers.clear();
	await environment.sandbox.control('DELETE', 'endpoints');
});

afterAll(async () => {
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
	]);
	return { id, workflow };
}

async function run(name: string): Promise<Execution> {
	const { id } = await importExample(name);
	const execution = await environment.n8n.runWorkflow(id);
	expect(execution.error).toBeUndefined();
	return execution;
}

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

/** Opens the form that a message links to, like a link preview, and submits a decision. */
async function decide(id: string, { text = '' }: Sent, decision: string): Promise<void> {
	// The message is sent before n8n reaches the Wait node.
	while ((await environment.database.executions(id)).at(-1)?.status !== 'waiting') await pause(250);
	const link = /^Decide here: (.*)$/m.exec(text)?.[1] ?? '';
	const form = await fetch(link);
	expect(await form.text()).toContain(decision);
	expect(form.status).toBe(200);
	const body = new FormData();
	body.append('field-0', decision);
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

const deposit = { destination_amount_cents: 125_000, destination_currency: 'USD' };

describe('examples', () => {
	it('first steps', async () => {
		const execution = await run('first-steps');
		expect(outputOf(execution, 'List pending invites').length).toBeGreaterThan(1);
	});

	it('deposit to message', async () => {
		const id = await listen('deposit-to-message');
		await environment.sandbox.control('POST', 'deposits', { deposit });
		const [message] = outputOf(await ended(id), 'Message');
		expect(message?.text).toMatch(/^1250\.00 USD arrived for (te|co)-/);
	});

	it('deposit to Slack', async () => {
		await listen('deposit-to-slack');
		await environment.sandbox.control('POST', 'deposits', { deposit });
		const { text } = await parties.received('Tell the team');
		expect(text).toMatch(/^1250\.00 USD arrived for (te|co)-.* from \w+ \(deposit \S+\)$/);
	});

	it('deposit to a sheet', async () => {
		await listen('deposit-to-sheet');
		await environment.sandbox.control('POST', 'deposits', {
			deposit: { ...deposit, status: 'failed' },
		});
		const { item } = await parties.received('Add a row');
		expect(item).toMatchObject({ status: 'failed', destination_amount: '1250.00' });
	});

	it('payroll sheet to invites', async () => {
		const people = Array.from({ length: 40 }, (_, index) => ({
			email: `person.${index}@example.com`,
			first_name: 'Person',
			last_name: String(index),
			// Like the Google Sheets node: digits become numbers, and each row has its number.
			phone: 48_123_456_000 + index,
			row_number: index + 2,
		}));
		const { id } = await importExample('payroll-sheet-to-invites');
		parties.answers.set('Read the sheet', people);
		const execution = await environment.n8n.runWorkflow(id);
		const answers = outputOf(execution, 'Invite everybody');
		expect(answers).toEqual([{ nanoids: expect.any(Array) }]);
		expect(answers[0]?.nanoids).toHaveLength(40);
	});

	it.each([
		['Approve', 1],
		['Decline', 0],
	])('administrator invites with a human answer: %s', async (answer, executed) => {
		const { id } = await importExample('administrator-invites-with-approval');
		const running = environment.n8n.runWorkflow(id);
		await decide(id, await parties.received('Ask for approval'), answer);
		const execution = await running;
		expect(execution.error).toBeUndefined();
		expect(outputOf(execution, 'Execute invites')).toHaveLength(executed);
	});

	it.each([
		['no message above the minimum', '500000', 0],
		['an alarm below it', '99999999999', 1],
	])('nightly balance check: %s', async (_, floor, alarms) => {
		const { id } = await importExample('nightly-balance-check', (text) =>
			text.replace('"rightValue":500000', `"rightValue":${floor}`),
		);
		const execution = await environment.n8n.runWorkflow(id);
		expect(execution.error).toBeUndefined();
		expect(parties.sent.map(({ text }) => text)).toEqual(
			Array(alarms).fill(expect.stringMatching(/holds \$\d+\.\d\d, which is below/)),
		);
	});

	it('name reviews from a queue', async () => {
		const { sandbox, teamId } = environment;
		const { teams } = await sandbox.control<{
			teams: { name_reviews: { user_nanoid: string; reviewVersion: string }[] }[];
		}>('GET', 'organisation');
		const [review] = teams[0]?.name_reviews ?? [];
		const row = {
			team_id: teamId,
			user_id: review?.user_nanoid,
			review_version: review?.reviewVersion,
		};
		const { id } = await importExample('name-reviews-from-queue');
		parties.answers.set('Read the queue', [
			{ ...row, row_number: 2, decision: '', outcome: '' },
			{ ...row, row_number: 3, decision: 'approve', outcome: '' },
			{ ...row, row_number: 4, decision: 'maybe', outcome: '' },
			{ ...row, row_number: 5, decision: 'approve', outcome: 'resolved' },
			{ ...row, row_number: 6, decision: 'cancel', outcome: '', review_version: 'yesterday' },
		]);
		const execution = await environment.n8n.runWorkflow(id);
		expect(execution.error).toBeUndefined();
		const [resolved, refused] = outputOf(execution, 'Resolve');
		expect(resolved).toEqual({ status: expect.any(String) });
		expect(refused).toEqual({ error: expect.any(String) });
		expect(parties.sent.map(({ node, item }) => ({ node, item })).slice(1)).toEqual([
			{ node: 'Note the outcome', item: { row_number: 3, outcome: resolved?.status } },
			{ node: 'Note the outcome', item: { row_number: 6, outcome: refused?.error } },
		]);
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

	it('onboarding progress to a board', async () => {
		await listen('onboarding-to-board');
		await environment.sandbox.control('POST', 'events', {
			event_type: 'onboarding.step_updated.kyc.accepted',
		});
		expect((await parties.received('Add a card')).name).toBe('kyc.accepted');
	});

	it('cleared deposit to payment, only after approval', async () => {
		const { sandbox, account, teamId } = environment;
		const query = new URLSearchParams({
			from: teamId,
			amount_cents: '77700',
			email: 'supplier@example.com',
			signer: account.address,
		});
		const payment = await sandbox.control<object>('GET', `payment-typed-data?${query}`);
		const before = await requests('createInstantPayment');
		const id = await listen('cleared-deposit-to-payment');
		parties.answers.set('Prepare the payment', {
			...payment,
			amount_cents: 77_700,
			email: 'supplier@example.com',
		});
		const answer = async (decision: string) => {
			parties.sent = [];
			await sandbox.control('POST', 'deposits', { deposit });
			const question = await parties.received('Ask for approval');
			expect(question.text).toContain('Pay $777.00 to supplier@example.com?');
			await decide(id, question, decision);
			return outputOf(await ended(id), 'Pay');
		};
		expect(await answer('Leave it')).toEqual([]);
		expect(await requests('createInstantPayment')).toBe(before);
		expect(await answer('Pay')).toEqual([{ transaction: expect.stringMatching(/^tx-/) }]);
		expect(await requests('createInstantPayment')).toBe(before + 1);
	});
});

it.each(EXAMPLES)('%s has a note and contains no personal data', (name) => {
	const { nodes } = readExample(name);
	expect(nodes.map(({ type }) => type)).toContain('n8n-nodes-base.stickyNote');
	const credentials = nodes.flatMap((node) => Object.values(node.credentials ?? {}));
	expect(credentials.filter(({ id }) => id !== null)).toEqual([]);
	expect(JSON.stringify(nodes)).not.toMatch(/\/(root|home|tmp|work)\/|localhost|127\.0\.0\.1/);
});

it('covers every example in examples/', () => {
	expect([...ran].sort()).toEqual([...EXAMPLES].sort());
});
