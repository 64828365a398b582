import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { Wallet } from 'ethers';
import { z } from 'zod';

import { startRemoteSigner, type RemoteSigner } from '../../sandbox/remoteSigner';
import { forSandbox } from '../../practice/readyExamples';
import { EXAMPLES, readExample, webhookUrl } from '../../practice/exampleFiles';
import { outputOf, type Execution } from '../../n8nHost/executions';
import { OWNER, type Credentials } from '../../n8nHost/n8nRest';
import { administrator, saveWalletCredentials } from '../../n8nHost/sandboxCredentials';
import { shareTestEnvironment, useEnvironment } from '../../n8nHost/testEnvironment';
import { formLink, signedOutside } from '../support/exampleForms';
import { EVERY_SECOND } from '../support/pollingWorkflow';
import { ThirdParties } from '../support/thirdParties';
import { waitFor, waitUntil } from '../../n8nHost/waiting';
import type { Workflow } from '../../n8nHost/workflows';

const environment = useEnvironment(shareTestEnvironment);
let model: Credentials;
let webhookId: string;
const parties = new ThirdParties();

beforeAll(async () => {
	await parties.start();
	const { n8n, sandbox } = environment;
	const url = `${sandbox.url}/sandbox/model/v1`;
	model = await n8n.saveCredentials('openAiApi', 'Practice model', { apiKey: 'practice', url });
	({ webhook: webhookId } = await sandbox.control<{ webhook: string }>('GET', 'organisation'));
	await sandbox.control('POST', 'settings', { retryDelays: [200, 400, 800] });
});

beforeEach(async () => {
	parties.forget();
	await environment.sandbox.control('DELETE', 'endpoints');
	await environment.sandbox.control('DELETE', 'faults');
});

const ran = new Set<string>();

type Edit = (text: string) => string;
/** Imports an example with its third-party nodes replaced, and returns its identifier. */
async function importExample(
	name: string,
	edit: Edit = (text) => text,
	more: readonly Credentials[] = [],
): Promise<{ id: string; workflow: Workflow }> {
	ran.add(name);
	const { n8n, sandbox, teamId, account, api, webhook } = environment;
	const example = forSandbox(JSON.stringify(readExample(name, teamId)), {
		url: sandbox.url,
		webhookId,
		wallet: account.address,
	});
	const workflow = parties.in(JSON.parse(edit(example)));
	const { id } = await n8n.saveWorkflow(workflow, [api, webhook, model, ...more]);
	return { id, workflow };
}

/** Runs an example from its first trigger, with its pinned data. */
async function run(name: string, edit?: Edit): Promise<Execution> {
	const { id } = await importExample(name, edit);
	const execution = await environment.n8n.runWorkflow(id);
	expect(execution.error).toBeUndefined();
	return execution;
}

/** Unpins the data of an example, as pressing P on its nodes does. */
const unpinned: Edit = (text) => JSON.stringify({ ...JSON.parse(text), pinData: {} });

/** Activates an example and registers its webhook at the sandbox. */
async function listen(name: string, edit?: Edit): Promise<string> {
	const { n8n, sandbox } = environment;
	const { id, workflow } = await importExample(name, edit);
	await n8n.activate(id);
	const url = webhookUrl(n8n.url, workflow);
	await n8n.waitForWebhook(url);
	await sandbox.control('POST', 'endpoints', { nanoid: webhookId, url });
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

/** Waits for all executions of a workflow to end, those too that wait for a time. */
async function allEnded(id: string): Promise<void> {
	for (const execution of await environment.database.executions(id)) {
		expect((await environment.n8n.waitForExecution(execution.id)).error).toBeUndefined();
	}
}

/** The last execution of a workflow, once it waits for a person. */
async function waitingExecution(id: string): Promise<string> {
	return await waitFor('the workflow waits for a person', async () => {
		const last = (await environment.database.executions(id)).at(-1);
		return last?.status === 'waiting' ? last.id : undefined;
	});
}

/**
 * Opens the form that was asked for as a link preview does, guesses at its address, and then decides.
 *
 * @returns the text of the form, and of its last page
 */
async function decide(id: string, decision: string): Promise<{ form: string; lastPage: string }> {
	const { text = '' } = await parties.received('Ask for approval');
	const [link = ''] = /http\S+$/.exec(text) ?? [];
	const execution = await waitingExecution(id);
	const form = await fetch(link);
	expect(form.status).toBe(200);
	const body = new FormData();
	body.append('field-1', JSON.stringify([decision]));
	body.append('field-2', 'Ada');
	const { origin } = new URL(link);
	for (const path of ['form-waiting', 'webhook-waiting'])
		for (const signature of ['', `?signature=${'0'.repeat(64)}`])
			for (const more of [{}, { method: 'POST', body }]) {
				const guess = `${origin}/${path}/${execution}${signature}`;
				const { status } = await fetch(guess, more);
				expect({ guess, isRefused: status >= 400 }).toEqual({ guess, isRefused: true });
			}
	expect(await waitingExecution(id)).toBe(execution);
	const answer = await fetch(link, { method: 'POST', body });
	return { form: await form.text(), lastPage: textOf(await answer.text()) };
}

/** What a last page says, without its heading, in the channel's words: the page has “” for its backticks. */
function textOf(lastPage: string): string {
	if (lastPage.startsWith('{')) return JSON.parse(lastPage).formSubmittedText;
	expect(lastPage).not.toContain('Form Submitted');
	const [, text = ''] = /<p>(.*)<\/p>/s.exec(lastPage) ?? [];
	return text
		.replace(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)))
		.replaceAll('\u200b', '')
		.replace(/[“”]/g, '`');
}

/** How many requests of an operation reached the service so far. */
const requests = async (operation: string) => await environment.sandbox.count(operation);

function pollingEverySecond(text: string): string {
	return text.replace('[{"mode":"everyMinute"}]', JSON.stringify(EVERY_SECOND));
}

/** `null`: the currency isn't listed. */
async function setBalance(cents: string | null): Promise<void> {
	const { sandbox, teamId } = environment;
	const balance = { nanoid: teamId, currency: 'USD', balance_cents: cents };
	await sandbox.control('POST', 'balances', balance);
}

/** Resolves when the workflow that is switched on has polled. */
async function watching<Value>(switchOn: () => Promise<Value>): Promise<Value> {
	const [value] = await Promise.all([switchOn(), environment.sandbox.asked('getBalance', 2)]);
	return value;
}

/** Waits until a workflow has been executed so many times. */
async function executionsOf(id: string, count: number): Promise<void> {
	await waitUntil(
		`the workflow has run ${count} times`,
		async () => (await environment.database.executions(id)).length >= count,
	);
}

/** Shortens the time limit of a question to a second. */
const atOnce: Edit = (text) => text.replace('"resumeAmount":30', '"resumeAmount":0.02');

const texts = z.object({ name: z.string(), description: z.string() });

/** What n8n doesn't take for a link preview. */
const BROWSER =
	'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

const deposit = { destination_amount_cents: 125_000, destination_currency: 'USD' };

it('deposit to Slack', async () => {
	await run('deposit-to-slack');
	expect((await parties.received('Tell the team')).text).toMatch(/ arrived in Engineering /);
	parties.sent = [];
	await listen('deposit-to-slack');
	const unnamed = { ...deposit, entity_nanoid: 'co-a1B2c3D4e5F6' };
	await environment.sandbox.control('POST', 'deposits', { deposit: unnamed });
	const { text } = await parties.received('Tell the team');
	expect(text).toBe('$1,250.00 arrived in account co-a1B2c3D4e5F6');
	parties.sent = [];
	const reverted = { ...unnamed, status: 'reverted', reference: 'INV-1' };
	await environment.sandbox.control('POST', 'deposits', { deposit: reverted });
	expect((await parties.received('Tell the team')).text).toBe(
		'$1,250.00 that arrived in account co-a1B2c3D4e5F6 (reference `INV-1`) was taken back',
	);
});

const day = (number: number) => `2026-03-0${number}T10:00:00.000Z`;
const life = ['pending', 'complete', 'reverted'].map((status, index) => ({
	...deposit,
	nanoid: 'de-SameDeposit',
	status,
	transaction_date: day(1),
	updated_at: day(index + 1),
}));
const orders = [
	[0, 1, 2],
	[1, 2, 0, 1, 2, 1],
];

it.each(orders)('deposit to a sheet, in the order %j, failing once', async (...order) => {
	const { sandbox, database } = environment;
	const id = await listen('deposit-to-sheet', (text) =>
		text.replace('"depositStatuses":[', '"depositStatuses":["pending",'),
	);
	const before = (await database.executions(id)).length;
	parties.failures.set('Write the row', 1);
	for (const [index, state] of order.entries()) {
		const created = Date.parse(day(state + 1)) / 1000;
		/* The second time, the event comes with another key: a repeat that the trigger can't know. */
		const envelope = { created, idempotency_key: `${order.join()} ${state} ${index}` };
		await sandbox.control('POST', 'deposits', { deposit: life[state], envelope });
		/* One at a time, since a sheet has no lock; the first is delivered again. */
		await waitUntil('the event is processed', async () => {
			const executions = (await database.executions(id)).slice(before);
			const isDone = executions.every(({ status }) => ['success', 'error'].includes(status));
			return isDone && executions.length > index + 1;
		});
	}
	expect(parties.sheets.get('Deposits')).toEqual([
		{
			deposit_id: 'de-SameDeposit',
			status: 'reverted',
			account: 'Engineering',
			amount: 1250,
			currency: 'USD',
			reference: '',
			received_at: day(1),
			updated_at: day(3),
			reverted_at: day(3),
		},
	]);
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

it('nightly balance check, told once until the balance has recovered', async () => {
	const alarms = async (cents: string) => {
		parties.sent = [];
		await setBalance(cents);
		await run('nightly-balance-check');
		return parties.sent.map(({ text }) => text);
	};
	const alarm = [
		'The payroll account holds $4,999.99, which is below your minimum. Top it up before the next payroll.',
	];
	expect(await alarms('500000')).toEqual([]);
	expect(await alarms('499999')).toEqual(alarm);
	expect(await alarms('499999')).toEqual([]);
	expect(await alarms('500001')).toEqual([]);

	/* An alarm that couldn't be sent is sent the next night. */
	parties.failures.set('Raise the alarm', 1);
	const once: Edit = (text) => text.replace('"retryOnFail":true', '"retryOnFail":false');
	await setBalance('499999');
	const { id } = await importExample('nightly-balance-check', once);
	expect((await environment.n8n.runWorkflow(id)).error).toBeDefined();
	expect(await alarms('499999')).toEqual(alarm);
	expect(await alarms('499999')).toEqual([]);
	expect(await alarms('500001')).toEqual([]);
});

it('nightly balance check of a currency that isn’t listed, which counts as 0', async () => {
	await setBalance(null);
	await run('nightly-balance-check');
	expect(parties.sent).toMatchObject([
		{ text: expect.stringMatching(/^The payroll account holds \$0\.00,/) },
	]);
	await setBalance('500000');
	await run('nightly-balance-check');
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
	const before = await requests('resolveNameReview');
	const execution = await run('name-reviews-from-queue', unpinned);
	expect(await requests('resolveNameReview')).toBe(before + 2);
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

it('balance changed to message', async () => {
	const { n8n, teamId } = environment;
	await setBalance('500000');
	const { id } = await importExample('balance-changed-to-message', pollingEverySecond);
	await watching(async () => await n8n.activate(id));
	await setBalance('487650');
	await executionsOf(id, 1);
	expect(outputOf(await ended(id), 'Message')).toEqual([
		expect.objectContaining({
			text: `${teamId} now holds $4,876.50, $123.50 less than before ($5,000.00)`,
		}),
	]);
	await n8n.deactivate(id);
});

it('balance rose without a deposit event', async () => {
	const { n8n, sandbox, teamId } = environment;
	await setBalance('500000');
	const quick = (text: string) =>
		pollingEverySecond(text).replace('"amount":1,"unit":"hours"', '"amount":30,"unit":"seconds"');
	parties.failures.set('Add or update the row', 1);
	const id = await watching(async () => await listen('balance-rose-without-deposit', quick));
	/* The sandbox adds a deposit to the balance of its team; the event comes twice. */
	const ours = { ...deposit, entity_nanoid: teamId, nanoid: 'de-OurDeposit01' };
	await sandbox.control('POST', 'deposits', { deposit: ours, delivery: { duplicates: 1 } });
	await executionsOf(id, 2);
	await allEnded(id);
	expect(parties.sheets.get('Deposit events')).toHaveLength(1);
	expect(parties.from('Raise the alarm')).toEqual([]);

	/* Another team's deposit and one of another amount explain nothing. */
	const [row = {}] = parties.sheets.get('Deposit events') ?? [];
	const observed = new Date().toISOString();
	parties.sheets.set('Deposit events', [
		{ ...row, deposit_id: 'a', entity_id: 'te-Another0000', created_at: observed },
		{ ...row, deposit_id: 'b', destination_amount_cents: 124_999, created_at: observed },
	]);
	await setBalance('750000');
	const { text } = await parties.received('Raise the alarm');
	expect(text).toMatch(
		/^The USD balance of te-\S+ rose by \$1,250\.00 to \$7,500\.00, and no deposit/,
	);
	await n8n.deactivate(id);
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

	await listen('onboarding-to-board');
	const [moved, ...others] = board;
	parties.answers.set('Get the cards', [{ ...moved, desc: 'Step: before' }, ...others]);
	parties.sent = [];
	const event_type = 'onboarding.step_updated.kyc.accepted';
	await sandbox.control('POST', 'events', { event_type });
	const update = await parties.received('Update the card');
	expect(update).toMatchObject({ id: moved?.id, desc: moved?.desc });
	await pause(500);
	expect(parties.from('Archive the copy')).toEqual([]);
	expect(parties.sent.filter(({ node }) => node !== 'Get the cards')).toEqual([update]);
});

it('onboarding to a board: of two cards for one person, the newer one is archived', async () => {
	parties.answers.set('Get the cards again', [
		{ id: 'a', name: 'ana@example.com' },
		{ id: 'b', name: 'ana@example.com' },
		{ id: 'c', name: 'ben@example.com' },
	]);
	await run('onboarding-to-board');
	expect(parties.from('Archive the copy').map(({ id }) => id)).toEqual(['b']);
});

describe('cleared deposit to payment', () => {
	const UNKNOWN = /^It isn’t known yet whether .*Attempt code: \w{4}-\w{4}-1\. /;

	it.each([
		['Pay', undefined, 1, /^Paid: .*Approved by `Ada` on \d.* UTC, transaction `tx-\S+`$/],
		['Pay', { kind: 'status', status: 400 }, 1, /^The payment was refused: /],
		['Pay', { kind: 'cutAfter' }, 1, UNKNOWN],
		['Don’t pay', undefined, 0, /^Declined by `Ada`, so nothing was sent: /],
	])('after the decision %s, with %j', async (decision, fault, sent, said) => {
		const { sandbox } = environment;
		const before = await requests('createInstantPayment');
		const id = await listen('cleared-deposit-to-payment');
		await sandbox.control('POST', 'deposits', { deposit });
		await parties.received('Ask for approval');
		if (fault !== undefined) {
			await sandbox.control('POST', 'faults', { ...fault, match: { path: '/v2/payments' } });
		}
		const { form, lastPage } = await decide(id, decision);
		for (const shown of ['$777.00', 'supplier@example.com', sandbox.url.slice('http://'.length)]) {
			expect(form).toContain(shown);
		}
		expect(lastPage).toMatch(said);
		expect((await parties.received('Tell the channel')).text).toBe(lastPage);
		await ended(id);
		expect(await requests('createInstantPayment')).toBe(before + sent);
	});

	it('tells the channel of a deposit that was paid before', async () => {
		const { sandbox } = environment;
		const id = await listen('cleared-deposit-to-payment');
		const nanoid = 'de-PaidBefore01';
		await sandbox.control('POST', 'deposits', { deposit: { ...deposit, nanoid } });
		await decide(id, 'Pay');
		await ended(id);
		parties.forget();
		const before = await requests('createInstantPayment');
		await sandbox.control('POST', 'deposits', { deposit: { ...deposit, nanoid } });
		expect((await parties.received('Tell the channel')).text).toMatch(
			/^A deposit of \$1,250\.00 cleared, and its payment didn’t pass the check.*`.*was already paid.*`$/,
		);
		expect(parties.from('Ask for approval')).toEqual([]);
		expect(await requests('createInstantPayment')).toBe(before);
	});

	/* n8n looks for questions that have run out only twice a minute, so both wait together. */
	it('without an answer in time, from its pinned event, and neither are roles given', async () => {
		const before = await requests('createInstantPayment');
		const [, invites] = await Promise.all([
			run('cleared-deposit-to-payment', atOnce),
			run('administrator-invites-with-approval', atOnce),
		]);
		expect(parties.from('Tell the channel').map(({ text }) => text)).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/^No answer in time, so nothing was sent: /),
				expect.stringMatching(/^No answer in time: `carla@example\.com` got no role/),
			]),
		);
		expect(await requests('createInstantPayment')).toBe(before);
		expect(outputOf(invites, 'Give the roles')).toEqual([]);
	});
});

it('payroll run with one approval, and the same again the next day', async () => {
	const { n8n, sandbox } = environment;
	const rows = ['4200.00', '3850.50', '5125.00'].map((amount, index) => ({
		reference: `run ${Date.now()}-${index}`,
		recipient_email: `contractor.${index}@example.com`,
		amount,
		outcome: '',
		transaction: '',
		paid_at: '',
	}));
	const payments = async (answer?: string) => {
		parties.sent = [];
		const { id } = await importExample('payroll-run-with-approval', unpinned);
		const running = n8n.runWorkflow(id);
		const page = answer === undefined ? undefined : await decide(id, answer);
		expect((await running).error).toBeUndefined();
		return { page, said: (await parties.received('Tell the channel')).text };
	};
	const outcomes = () => rows.map(({ outcome }) => outcome);
	const before = await requests('createInstantPayment');
	await setBalance('99999999');

	parties.sheets.set('Payments', rows);
	const declined = await payments('Don’t pay');
	expect(declined.said).toBe('Declined by `Ada`. Nothing was paid: $13,175.50 in 3 payments');
	expect(declined.page?.lastPage).toBe(declined.said);
	expect(await requests('createInstantPayment')).toBe(before);

	const ofPayments = { match: { path: '/v2/payments' } };
	await sandbox.control('POST', 'faults', { kind: 'cutAfter', skip: 1, ...ofPayments });
	const first = await payments('Pay');
	expect(first.page?.form).toContain('$13,175.50');
	for (const { reference, recipient_email: email } of rows) {
		expect(first.page?.form).toContain(reference);
		expect(first.page?.form).toContain(email);
	}
	expect(first.page?.form.match(/0x[\da-fA-F]{22}<br \/>[\da-fA-F]{18}/g)).toHaveLength(
		rows.length + 1,
	);
	expect(first.said).toMatch(
		/^1 of 3 paid \(\$4,200\.00\), 1 unknown, 1 not sent\. .* Approved by `Ada` on \d.* UTC, fingerprint [\w-]+$/,
	);
	expect(outcomes()).toEqual(['paid', 'unknown', 'not_sent']);
	await sandbox.control('DELETE', 'faults');

	const second = await payments('Pay');
	expect(second.page?.form).not.toContain(rows[0]?.reference);
	expect(second.said).toMatch(/^1 of 1 paid \(\$5,125\.00\)\. Approved by `Ada`/);
	expect(outcomes()).toEqual(['paid', 'unknown', 'paid']);

	/* A row that the sheet has forgotten is still paid only once. */
	Object.assign(rows[0] ?? {}, { outcome: '' });
	expect((await payments('Pay')).said).toMatch(
		/^0 of 1 paid \(\$0\.00\), 1 paid before\. Approved/,
	);
	expect(outcomes()).toEqual(['paid', 'unknown', 'paid']);
	expect(await requests('createInstantPayment')).toBe(before + 3);

	for (const row of rows) row.outcome = '';
	Object.assign(rows[1] ?? {}, { amount: '3,850.50' });
	const failed = await payments('Pay');
	expect(failed.said).toBe('The check failed. Correct the sheet, then start again.');
	expect(failed.page?.form).toContain('not &quot;3,850.50&quot;');
	expect(failed.page?.form).toContain("value='Correct the sheet first'");
	expect(failed.page?.form).not.toContain("value='Pay'");
	expect(parties.from('Ask for approval')[0]?.text).toMatch(
		/Row 2 \("run \d+-1"\): .*not "3,850\.50"/,
	);
});

it('month-end statement', async () => {
	const execution = await run('month-end-statement');
	const rows = outputOf(execution, 'Statement').map(({ type, amount }) => [type, amount]);
	expect(rows).toEqual([
		['deposit', '8945.48'],
		['deposit', '1200.00'],
		['reversal', '-1200.00'],
		['deposit', '20000.00'],
		['payment', '-4200.00'],
		['payment', '-3850.50'],
		['total of deposits', '30145.48'],
		['total of reversals', '-1200.00'],
		['total of payments', '-8050.50'],
	]);
	expect(outputOf(execution, 'CSV file')).toHaveLength(1);
	expect((await parties.received('Send the statement')).text).toMatch(
		/^Statement for 2026-03: \$30,145\.48 in 3 deposits, -\$1,200\.00 in 1 reversals, -\$8,050\.50 in 2 payments\. Balance now: \$[\d,]+\.\d\d$/,
	);
});

it('webhook canary: silent while events arrive, and loud when they don’t', async () => {
	const { sandbox, n8n } = environment;
	/* Its schedule must not start it, too, seven minutes after an hour. */
	const quick: Edit = (text) =>
		text
			.replace('"amount":2,"unit":"minutes"', '"amount":2,"unit":"seconds"')
			.replace('"field":"hours","triggerAtMinute":7', '"field":"months"');
	const id = await listen('webhook-canary', quick);
	expect((await n8n.runWorkflow(id)).error).toBeUndefined();
	expect(parties.from('Raise the alarm')).toEqual([]);

	await sandbox.control('DELETE', 'endpoints');
	await sandbox.control('POST', 'endpoints', { nanoid: webhookId, url: 'http://127.0.0.1:1/' });
	await n8n.runWorkflow(id);
	expect((await parties.received('Raise the alarm')).text).toMatch(/didn’t receive it within/);

	parties.sent = [];
	await sandbox.control('DELETE', 'endpoints');
	await n8n.runWorkflow(id);
	expect((await parties.received('Raise the alarm')).text).toMatch(/didn’t send a test event: /);
	await n8n.deactivate(id);
});

/* start.test.ts approves, in the chat. */
it('AI agent with human review: declined', async () => {
	const { n8n } = environment;
	const before = await requests('createInvites');
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
	expect(await requests('createInvites')).toBe(before);
	const forged = link.replace(/signature=\w+/, `signature=${'0'.repeat(64)}`);
	expect((await fetch(forged)).status).toBe(401);
	expect(await waitingExecution(id)).toBe(waiting);
	await fetch(link, { headers: { 'user-agent': BROWSER } });
	/* The reply then waits for the chat to show it. */
	await waitUntil('the agent replies', async () => (await stored()).includes('"Reply"'));
	expect(await requests('createInvites')).toBe(before);
});

/** An example that starts with its trigger of this name, as if it were the only one. */
const startingWith =
	(trigger: string): Edit =>
	(text) => {
		const { nodes, ...rest }: Workflow = JSON.parse(text);
		const first = (name: string) => Number(name !== trigger);
		return JSON.stringify({
			...rest,
			pinData: {},
			nodes: [...nodes].sort((one, other) => first(one.name) - first(other.name)),
		});
	};

describe('was it paid?', () => {
	const paidRow = (transaction: string, hoursAgo: number) => ({
		reference: `PAY of ${transaction}`,
		recipient_email: 'contractor.1@example.com',
		amount: 4200,
		outcome: 'paid',
		transaction,
		paid_at: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
		status: '',
	});
	const statuses = () => parties.sheets.get('Payments')?.map(({ status }) => status);
	const told = () => parties.from('Tell the channel').map(({ text }) => text);
	const hourly = async () => await run('was-it-paid', startingWith('Every hour'));

	it.each<[string, number[]]>([
		['Write the status', [0, 1]],
		['Write the status', [1, 0, 1, 0]],
		['Tell the channel', [1, 0, 1, 0]],
	])('“%s” fails once, and is retried, for events in the order %j', async (last, order) => {
		const { n8n, sandbox, database } = environment;
		const key = `${last[0]}${order.join('')}`;
		const transaction = `tx-Failed${key.padEnd(6, '0')}`;
		parties.sheets.set('Payments', [paidRow('tx-Another0000', 1), paidRow(transaction, 1)]);
		const id = await listen('was-it-paid', (text) =>
			text.replace('"retryOnFail":true', '"retryOnFail":false'),
		);
		const before = (await database.executions(id)).length;
		parties.failures.set(last, 1);
		for (const [index, state] of order.entries()) {
			await sandbox.control('POST', 'events', {
				event_type: state === 0 ? 'payment.sent' : 'payment.failed',
				content: { creation_transaction: transaction, process_transaction: 'tx-Process0000' },
				envelope: { created: 1_790_000_000 + state, idempotency_key: `${key} ${index}` },
			});
			await waitUntil('the event is processed', async () => {
				const executions = (await database.executions(id)).slice(before);
				const isDone = executions.every(({ status }) => ['success', 'error'].includes(status));
				/* The one that failed is delivered again. */
				const hasFailed = (parties.failures.get(last) ?? 0) < 1;
				return isDone && executions.length > index + Number(hasFailed);
			});
		}
		expect(statuses()).toEqual(['', 'failed']);
		expect(told().length).toBeGreaterThan(0);

		/* A retry writes what was true then; the next hour corrects it. */
		const failed = (await database.executions(id))
			.slice(before)
			.filter(({ status }) => status === 'error');
		expect(failed).toHaveLength(1);
		for (const each of failed) await n8n.retry(each.id);
		await hourly();
		expect(statuses()).toEqual(['', 'failed']);
		expect(new Set(told())).toEqual(
			new Set([
				`A payment failed: $4,200.00 to \`contractor.1@example.com\`, reference \`PAY of ${transaction}\`, transaction \`${transaction}\`. To pay it again, use a new reference.`,
			]),
		);
	});

	it('says once that no event came, and finds events that came before their row', async () => {
		const { sandbox } = environment;
		parties.sheets.set('Payments', []);
		const id = await listen('was-it-paid');
		/* Without the documented field, its only transaction is the payment’s. */
		const content = { creation_transaction: null, process_transaction: 'tx-ComesEarly0' };
		await sandbox.control('POST', 'events', { event_type: 'payment.sent', content });
		await ended(id);
		parties.sheets.set('Payments', [
			paidRow('tx-ComesEarly0', 1),
			paidRow('tx-NoEventYet0', 23),
			paidRow('tx-NoEventEver', 25),
			{ ...paidRow('', 25), outcome: 'refused' },
			{ ...paidRow('', 0), reference: 'PAY lost', paid_at: '' },
		]);
		for (let hour = 0; hour < 2; hour++) await hourly();
		expect(statuses()).toEqual(['sent', '', 'no event', '', 'no event']);
		expect(told()).toEqual([
			expect.stringMatching(/^No event tells whether .*tx-NoEventEver.*Ask the service/),
			expect.stringMatching(/since its row has no transaction: .*PAY lost.*Ask the service/),
		]);
	});
});

describe('the provider’s authorization to a payment', () => {
	it.each([
		['Pay', 1, /^Paid: \$777\.00 .*Approved by `Ada` on \d.* UTC, transaction `tx-\S+`$/],
		['Don’t pay', 0, /^Declined by `Ada`, so nothing was sent: /],
	])('after the decision %s', async (decision, sent, said) => {
		const before = await requests('createInstantPayment');
		const { id } = await importExample('provider-authorization-to-payment', (text) =>
			text.replace('INV-1042', `INV-${decision}`),
		);
		const running = environment.n8n.runWorkflow(id);
		const { form, lastPage } = await decide(id, decision);
		expect(form).toContain('supplier@example.com');
		expect(lastPage).toMatch(said);
		expect((await running).error).toBeUndefined();
		expect((await parties.received('Tell the channel')).text).toBe(lastPage);
		expect(await requests('createInstantPayment')).toBe(before + sent);
	});

	it('asks nobody about an authorization of another amount', async () => {
		await run('provider-authorization-to-payment', (text) =>
			text.replace('"={{ $json.amount }}"', '"778.00"'),
		);
		expect(parties.from('Ask for approval')).toEqual([]);
		expect((await parties.received('Tell the channel')).text).toMatch(
			/^The payment of \$777\.00 to `supplier@example\.com` didn’t pass the check.*\$778\.00/,
		);
	});
});

describe('nobody sleeps through an unknown outcome', () => {
	it.each([
		['cutAfter', 'Wake someone', /^It isn’t known whether .*\$777\.00.*valid until.*-1 as /],
		['status', 'Tell the channel', /^The workflow `Payroll: cleared deposit.*failed at `Pay`: /],
	])('after a payment failed by %s', async (kind, node, said) => {
		const { sandbox } = environment;
		const { id: errorWorkflow } = await importExample('unknown-outcome-alarm');
		await environment.n8n.activate(errorWorkflow);
		const id = await listen('cleared-deposit-to-payment', (text) => {
			const workflow: Workflow = JSON.parse(text);
			/* Of a workflow that other tests have published, n8n would run the published nodes for a moment. */
			const nodes = workflow.nodes.map((each) => ({
				...each,
				...(each.webhookId !== undefined && { webhookId: randomUUID() }),
				...(each.name === 'Pay' && { onError: 'stopWorkflow' }),
			}));
			const name = `${workflow.name}, ${kind}`;
			return JSON.stringify({ ...workflow, name, nodes, settings: { errorWorkflow } });
		});
		await sandbox.control('POST', 'deposits', { deposit });
		await parties.received('Ask for approval');
		const fault = kind === 'status' ? { kind, status: 400 } : { kind };
		await sandbox.control('POST', 'faults', { ...fault, match: { path: '/v2/payments' } });
		await decide(id, 'Pay');
		expect((await parties.received(node)).text).toMatch(said);
	});
});

describe('record of payments', () => {
	const month = async () => {
		parties.sent = [];
		await run('payment-record-month');
		return (await parties.received('Send the record')).text;
	};

	it('has one row for each payment and outcome, however often a caller repeats it', async () => {
		const { n8n } = environment;
		const enabled: Edit = (text) => text.replace('"disabled":true', '"disabled":false');
		expect(await month()).toMatch(/^Payment record of \d{4}-\d\d: no payments$/);
		parties.failures.set('Add to the sheet', 1);
		const { id } = await importExample('payment-record', enabled);
		expect((await n8n.runWorkflow(id)).error).toBeDefined();
		for (let time = 0; time < 2; time++) await run('payment-record', enabled);
		const rows = parties.sheets.get('Payment record');
		expect(rows).toHaveLength(3);
		expect(rows?.find(({ reference }) => reference === 'PAY-003')).toMatchObject({
			...{ approved_by: 'Ada Example', reference: 'PAY-003', amount: '5125.00' },
			...{ outcome: 'unknown', attempt_code: '7F3A-91C2-1', transaction: '' },
		});
		expect(await month()).toMatch(/: 2 paid \(\$8,050\.50\), 1 unknown \(\$5,125\.00\)$/);
	});
});

describe('confirm in your own wallet', () => {
	let signer: RemoteSigner;
	let wallet: Credentials;

	beforeAll(async () => {
		signer = await startRemoteSigner({ asksPerson: true });
		const { n8n, sandbox } = environment;
		const saved = await saveWalletCredentials(n8n, { url: sandbox.url, signerUrl: signer.url });
		if (saved === undefined) throw new Error('The signer has an address.');
		wallet = saved;
	});
	afterAll(async () => await signer.close());

	/** Starts the example, confirms the sign-in if there is one, and waits until the payment is shown. */
	async function untilShown(reference: string) {
		const { n8n } = environment;
		const name = 'confirm-in-your-wallet';
		const edit: Edit = (text) => text.replace('INV-1043', reference);
		const { id } = await importExample(name, edit, [wallet]);
		const execution = await n8n.startWorkflow(id);
		const shown = await waitFor('the wallet shows the payment', async () => {
			const [request] = signer.waiting();
			if (request === undefined) return undefined;
			if (!('text' in request)) return request;
			signer.decide(request.id, 'confirmed');
			return undefined;
		});
		return { execution, shown };
	}

	it.each([
		[
			'confirmed',
			1,
			/^Paid: \$777\.00 .*\. Confirmed in the wallet `0x\w{40}`, transaction `tx-\S+`$/,
		],
		['declined', 0, /^The payment was refused: \$777\.00 /],
	] as const)('which shows what the channel says, and is %s', async (decision, sent, said) => {
		const before = await requests('createInstantPayment');
		const { execution, shown } = await untilShown(`INV-${decision}`);
		const { text } = await parties.received('Confirm in the wallet');
		expect(text).toMatch(/^Confirm in your wallet: \$777\.00 to `supplier@example\.com`/);
		const { recipient, amount } = Object(Object(shown).message).data;
		expect(amount).toBe('777000000');
		expect(text?.toLowerCase()).toContain(String(recipient).toLowerCase());
		expect(text).toContain(Object(shown).domain.verifyingContract);
		signer.decide(shown.id, decision);
		expect((await environment.n8n.waitForExecution(execution)).error).toBeUndefined();
		expect((await parties.received('Tell the channel')).text).toMatch(said);
		expect(await requests('createInstantPayment')).toBe(before + sent);
	});
});

describe('sign outside n8n', () => {
	it.each([
		[
			'the wallet',
			1,
			/^Paid: \$777\.00 .*Signature pasted by `Ada` on \d.* UTC, transaction `tx-\S+`$/,
		],
		['another wallet', 0, /^The payment was refused: /],
		['nobody', 0, /^That isn’t a signature, so nothing was sent: /],
	])('by %s', async (who, sent, said) => {
		const { n8n, sandbox } = environment;
		const before = await requests('createInstantPayment');
		const { privateKey } = await administrator(sandbox.url);
		const { id } = await importExample('sign-outside', (text) => text.replace('1044', who));
		const running = n8n.runWorkflow(id);
		const { text = '' } = await parties.received('Send the file');
		const [link = ''] = /http\S+$/.exec(text) ?? [];
		const waiting = await n8n.execution(await waitingExecution(id));
		const key = who === 'the wallet' ? new Wallet(privateKey) : Wallet.createRandom();
		const signature = await signedOutside(waiting, key);
		const body = new FormData();
		body.append('field-1', who === 'nobody' ? 'Pay it' : ` ${signature}`);
		body.append('field-2', 'Ada');
		const answer = await fetch(link, { method: 'POST', body });
		expect(textOf(await answer.text())).toMatch(said);
		expect((await running).error).toBeUndefined();
		expect(await requests('createInstantPayment')).toBe(before + sent);
	});
});

describe('payment by signed-in approvers', () => {
	let owner: string;
	let colleague: string;

	beforeAll(async () => {
		const { n8n } = environment;
		owner = await n8n.signInCookie();
		type Invited = { user: { inviteAcceptUrl: string } }[];
		const invitation = [{ email: 'ben@example.com', role: 'global:member' }];
		const [invited] = await n8n.request<Invited>('POST', '/rest/invitations', invitation);
		const token = new URL(invited?.user.inviteAcceptUrl ?? '').searchParams.get('token');
		const person = { firstName: 'Ben', lastName: 'Second', password: OWNER.password };
		const accepted = await fetch(`${n8n.url}/rest/invitations/accept`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ token, ...person }),
		});
		[colleague = ''] = accepted.headers.getSetCookie();
	});

	const people = { owner: () => owner, colleague: () => colleague };
	const owners = `\`${OWNER.email}\``;

	it.each<[string, string, [keyof typeof people, string][], number, string]>([
		['777.00', 'one', [['owner', 'Pay']], 1, `. Approved by ${owners} on `],
		[
			'6000.00',
			'two',
			[
				['owner', 'Pay'],
				['colleague', 'Pay'],
			],
			1,
			`. Approved by ${owners} and \`ben@example.com\` on `,
		],
		[
			'6000.00',
			'the same twice',
			[
				['owner', 'Pay'],
				['owner', 'Pay'],
			],
			0,
			`Both approvals came from ${owners}, so nothing was sent`,
		],
		[
			'6000.00',
			'a second who declines',
			[
				['owner', 'Pay'],
				['colleague', 'Don’t pay'],
			],
			0,
			'Declined by `ben@example.com`, so nothing was sent',
		],
	])('of $%s, with %s', async (amount, who, answers, sent, said) => {
		const { n8n } = environment;
		await setBalance('99999999');
		const before = await requests('createInstantPayment');
		const { id } = await importExample('payment-by-signed-in-approvers', (text) =>
			text.replace('INV-1045', `INV ${who}`).replace('"amount":"777.00"', `"amount":"${amount}"`),
		);
		const executionId = await n8n.startWorkflow(id);
		for (const [index, [person, decision]] of answers.entries()) {
			if (index === 1) await parties.received('Ask a second person');
			await waitingExecution(id);
			const link = (await formLink(n8n, executionId)) ?? '';
			/* Without a login, n8n asks for one. */
			const body = new FormData();
			body.append('field-1', JSON.stringify([decision]));
			expect((await fetch(link, { redirect: 'manual' })).status).toBe(302);
			expect((await fetch(link, { method: 'POST', body })).status).toBe(401);
			const headers = { cookie: people[person]() };
			expect(await (await fetch(link, { headers })).text()).toContain('supplier@example.com');
			expect((await fetch(link, { method: 'POST', body, headers })).status).toBe(200);
		}
		const execution = await n8n.waitForExecution(executionId);
		expect(execution.error).toBeUndefined();
		expect((await parties.received('Tell the channel')).text).toContain(said);
		expect(await requests('createInstantPayment')).toBe(before + sent);
		const [check] = outputOf(execution, 'Check the payment');
		const record = {
			...{ approved_by: OWNER.email, outcome: 'paid', fingerprint: check?.approval },
			second_approved_by: answers.length > 1 ? 'ben@example.com' : '',
		};
		expect(outputOf(execution, 'Add to the record')).toMatchObject(sent === 1 ? [record] : []);
	});
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

describe('approved in Slack', () => {
	const responder = { id: 'U0ADA', name: 'ada', source: 'slack' };
	const respondedAt = '2026-03-31T09:40:00.000Z';

	it.each([
		[
			'by Ada',
			{ approved: true, responder, respondedAt },
			1,
			'. Approved by `ada` (`U0ADA`) on 31 Mar 2026 at 09:40 UTC, transaction `tx-',
		],
		['by nobody with a name', { approved: true }, 0, 'Slack named nobody who approved, so'],
		['declined', { approved: false, responder, respondedAt }, 0, 'Declined by `ada`, so nothing'],
		['without an answer', undefined, 0, 'No answer in time, so nothing was sent'],
	])('cleared deposit to payment, %s', async (_who, data, sent, said) => {
		const { sandbox } = environment;
		const before = await requests('createInstantPayment');
		parties.answers.set('Ask for approval', data === undefined ? {} : { data });
		const id = await listen('deposit-payment-approved-in-slack');
		await sandbox.control('POST', 'deposits', { deposit });
		expect((await parties.received('Ask for approval')).text).toContain('$777.00');
		expect((await parties.received('Tell the channel')).text).toContain(said);
		await ended(id);
		expect(await requests('createInstantPayment')).toBe(before + sent);
	});
});

/* package.test.ts runs the first, start.test.ts all of them, and payingExamples.test.ts those that pay. */
const ELSEWHERE = [
	...['deposit-to-message', 'first-steps'],
	...['payroll-run-approved-in-slack', 'payroll-run-by-signed-in-approver'],
];

it('covers every example in examples/ but those that others judge', () => {
	expect([...ran, ...ELSEWHERE].sort()).toEqual([...EXAMPLES].sort());
});
