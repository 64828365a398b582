import { randomUUID } from 'node:crypto';

import { outputOf } from '../../../n8nHost/executions';
import type { Workflow } from '../../../n8nHost/workflows';
import {
	environment,
	parties,
	type Edit,
	importExample,
	run,
	unpinned,
	listen,
	ended,
	statusesOf,
	decide,
	requests,
	setBalance,
	deposit,
} from './importedExamples';

/** Shortens the time limit of a question to a second. */
const atOnce: Edit = (text) => text.replace('"resumeAmount":30', '"resumeAmount":0.02');

describe('cleared deposit to payment', () => {
	const UNKNOWN = /^It isn’t known yet whether .*Attempt code: \w{4}-\w{4}-1\. /;

	it.each([
		['Pay', undefined, 1, /^Paid: .*Approved by `Ada` on \d.* UTC, transaction `tx-\S+`$/],
		['Pay', { kind: 'status', status: 400 }, 1, /^The payment was refused: /],
		['Pay', { kind: 'cutAfter' }, 1, UNKNOWN],
		['Don’t pay', undefined, 0, /^Declined by `Ada`, so nothing was sent: /],
	])('after the decision %s, with %j', async (decision, fault, sent, said) => {
		const { sandbox } = environment;
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
		expect(await requests('createInstantPayment')).toBe(sent);
	});

	/* n8n looks for questions that have run out only once a minute, so both wait together. */
	it('without an answer in time, from its pinned event, and neither are roles given', async () => {
		const runsOut = async (name: string) => {
			const { id } = await importExample(name, atOnce);
			const execution = await environment.n8n.runWorkflow(id, 180_000);
			expect(execution.error).toBeUndefined();
			return execution;
		};
		const [, invites] = await Promise.all([
			runsOut('cleared-deposit-to-payment'),
			runsOut('administrator-invites-with-approval'),
		]);
		expect(parties.from('Tell the channel').map(({ text }) => text)).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/^No answer in time, so nothing was sent: /),
				expect.stringMatching(/^No answer in time: `carla@example\.com` got no role/),
			]),
		);
		expect(await requests('createInstantPayment')).toBe(0);
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
	const payments = async () => {
		parties.sent = [];
		const { id } = await importExample('payroll-run-with-approval', unpinned);
		const running = n8n.runWorkflow(id);
		const page = await decide(id, 'Pay');
		expect((await running).error).toBeUndefined();
		return { page, said: (await parties.received('Tell the channel')).text };
	};
	const outcomes = () => parties.rows('Payments').map(({ outcome }) => outcome);
	await setBalance('99999999');

	parties.fill('Payments', rows);
	const ofPayments = { match: { path: '/v2/payments' } };
	await sandbox.control('POST', 'faults', { kind: 'cutAfter', skip: 1, ...ofPayments });
	const first = await payments();
	expect(first.page.form).toContain('$13,175.50');
	for (const { reference, recipient_email: email } of rows) {
		expect(first.page.form).toContain(reference);
		expect(first.page.form).toContain(email);
	}
	expect(first.page.form.match(/0x[\da-fA-F]{22}<br \/>[\da-fA-F]{18}/g)).toHaveLength(
		rows.length + 1,
	);
	expect(first.said).toMatch(
		/^1 of 3 paid \(\$4,200\.00\), 1 unknown, 1 not sent\. .* Approved by `Ada` on \d.* UTC, fingerprint [\w-]+$/,
	);
	expect(outcomes()).toEqual(['paid', 'unknown', '']);
	await sandbox.control('DELETE', 'faults');

	const second = await payments();
	expect(second.page.form).not.toContain(rows[0]?.reference);
	expect(second.said).toMatch(/^1 of 1 paid \(\$5,125\.00\)\. Approved by `Ada`/);
	expect(outcomes()).toEqual(['paid', 'unknown', 'paid']);
	expect(await requests('createInstantPayment')).toBe(3);

	const [one = {}, two, ...rest] = rows;
	parties.fill('Payments', [one, { ...two, amount: '3,850.50' }, ...rest]);
	const failed = await payments();
	expect(failed.said).toBe('The check failed. Fix what it names, then start again.');
	expect(failed.page.form).toContain('not &quot;3,850.50&quot;');
	/* There is nothing to decide, and no name to enter. */
	expect(failed.page.form).not.toMatch(/value='(Pay|Don’t pay)'|type='text'/);
	expect(parties.from('Ask for approval')[0]?.text).toMatch(
		/Row 3 of the sheet \("run \d+-1"\): .*not "3,850\.50"/,
	);
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
	/* Its schedule must not start it, too, 23 minutes after an hour. */
	const unscheduled: Edit = (text) =>
		text.replace('"field":"hours","triggerAtMinute":23', '"field":"months"');
	const paidRow = (transaction: string, hoursAgo: number) => ({
		reference: `PAY of ${transaction}`,
		recipient_email: 'contractor.1@example.com',
		amount: 4200,
		outcome: 'paid',
		transaction,
		paid_at: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
		status: '',
	});
	const statuses = () => parties.rows('Payments').map(({ status }) => status);
	const told = () => parties.from('Tell the channel').map(({ text }) => text);
	const hourly = async () => await run('was-it-paid', startingWith('Every hour'));

	it.each<[string, number[]]>([
		['Write the status', [0, 1, 0, 1]],
		['Tell the channel', [1, 0, 1, 0]],
	])('“%s” fails once, and is retried, for events in the order %j', async (last, order) => {
		const { n8n, sandbox, database } = environment;
		const key = `${last[0]}${order.join('')}`;
		const transaction = `tx-Failed${key.padEnd(6, '0')}`;
		parties.fill('Payments', [paidRow('tx-Another0000', 1), paidRow(transaction, 1)]);
		const id = await listen('was-it-paid', (text) =>
			unscheduled(text).replaceAll('"retryOnFail":true', '"retryOnFail":false'),
		);
		const before = (await database.executions(id)).length;
		parties.failures.set(last, 1);
		for (const [index, state] of order.entries()) {
			await sandbox.control('POST', 'events', {
				event_type: state === 0 ? 'payment.sent' : 'payment.failed',
				content: { creation_transaction: transaction, process_transaction: 'tx-Process0000' },
				envelope: { created: 1_790_000_000 + state, idempotency_key: `${key} ${index}` },
			});
			/* The first one fails, and is delivered again. */
			await statusesOf(id, before + index + 2);
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
				`A payment failed: $4,200.00 to \`contractor.1@example.com\`, reference \`PAY of ${transaction}\`, transaction \`${transaction}\`. To pay a failed or canceled payment again, use a new reference and a new authorization.`,
			]),
		);
	});

	it('says once that no event came, and finds events that came before their row', async () => {
		const { sandbox } = environment;
		parties.fill('Payments', []);
		const id = await listen('was-it-paid', unscheduled);
		/* Without the documented field, its only transaction is the payment’s. */
		const content = { creation_transaction: null, process_transaction: 'tx-ComesEarly0' };
		await sandbox.control('POST', 'events', { event_type: 'payment.sent', content });
		await ended(id);
		parties.fill('Payments', [
			paidRow('tx-ComesEarly0', 1),
			paidRow('tx-NoEventYet0', 23),
			paidRow('tx-NoEventEver', 25),
			{ ...paidRow('', 25), outcome: 'refused' },
			{ ...paidRow('', 0), reference: 'PAY lost', paid_at: '' },
			{ ...paidRow('tx-FailedByHand', 25), status: 'failed' },
		]);
		for (let hour = 0; hour < 2; hour++) await hourly();
		expect(statuses()).toEqual(['sent', '', 'no event', '', 'no event', 'failed']);
		const both =
			/^No event tells .*tx-NoEventEver`\.\n.* no transaction: .*PAY lost.*\nIf no event/;
		expect(told()).toEqual([expect.stringMatching(both)]);
	});
});

it.each([
	['cutAfter', 'Wake someone', /^It isn’t known whether .*\$777\.00.*valid until.*-1 as /],
	['status', 'Tell the channel', /^The workflow `Payroll: cleared deposit.*failed at `Pay`: /],
])(
	'nobody sleeps through an unknown outcome, after a payment failed by %s',
	async (kind, node, said) => {
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
	},
);

/** With a data table that other test files, which use the same n8n, add nothing to. */
const inItsTable: Edit = (text) =>
	text.replace('"tableName":"Payroll: payment record"', '"tableName":"Record of this test"');
const month = async () => {
	parties.sent = [];
	await run('payment-record-month', inItsTable);
	return (await parties.received('Send the record')).text;
};

it('the record of payments has one row for each payment and outcome, however often a caller repeats it', async () => {
	const { n8n } = environment;
	const enabled: Edit = (text) => inItsTable(text.replace('"disabled":true', '"disabled":false'));
	expect(await month()).toMatch(/^Payment record of \d{4}-\d\d: no payments$/);
	parties.failures.set('Add to the sheet', 1);
	const { id } = await importExample('payment-record', enabled);
	expect((await n8n.runWorkflow(id)).error).toBeDefined();
	for (let time = 0; time < 2; time++) await run('payment-record', enabled);
	const rows = parties.rows('Payment record');
	expect(rows).toHaveLength(3);
	expect(rows.find(({ reference }) => reference === 'PAY-003')).toMatchObject({
		...{ approved_by: 'Ada Example', reference: 'PAY-003', amount: '5125.00' },
		...{ outcome: 'unknown', attempt_code: '7F3A-91C2-1', transaction: '' },
	});
	expect(await month()).toMatch(/: 2 paid \(\$8,050\.50\), 1 unknown \(\$5,125\.00\)$/);
});
