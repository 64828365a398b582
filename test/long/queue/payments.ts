import { setTimeout as pause } from 'node:timers/promises';

import { say } from '../../../tooling/progress.mjs';
import { markdownTable } from '../../../tooling/markdown';
import type { N8nQueue } from '../../../n8nHost/n8nQueue';
import { PaymentWorkflow } from '../../support/paymentWorkflow';
import { growingSection } from '../reliabilityReport';
import type { SandboxProcess } from '../../../n8nHost/sandboxProcess';
import { waitUntil } from '../../../n8nHost/waiting';
import { pick } from './load';

const PAYMENTS = 20;
/** Payments that are sent again with an attempt code. */
const CODED_PAYMENTS = 3;
/** Payments of each kind whose worker is killed. */
const KILLS = 2;

/** How long the service holds a request while its worker is killed, in milliseconds. */
const HELD = 5_000;

/**
 * When a worker is killed, whether the service makes the payment, and how often it is refused with a
 * code, sent by the next runs, and sent with the code.
 */
const MOMENTS = [
	{
		moment: 'when the request is out; the service makes the payment',
		fault: { match: { path: 'instant' }, kind: 'latency', delay: HELD },
		isRecorded: true,
		isMade: true,
		next: [1, 0, 0],
	},
	{
		moment: 'when the request is out; the service doesn’t make the payment',
		fault: { match: { path: 'instant' }, kind: 'cutBefore', delay: HELD },
		isRecorded: true,
		isMade: false,
		next: [1, 0, 1],
	},
	{
		moment: 'when it signs in, before the payment is recorded',
		fault: { match: { path: 'auth/siwe' }, kind: 'latency', delay: HELD },
		isRecorded: false,
		isMade: false,
		next: [0, 1, 0],
	},
] as const;

export function describePayments(queueOf: () => N8nQueue): void {
	const figure = growingSection('queuePayments', () => queueOf().versions);
	let sandbox: SandboxProcess;
	let workflow: PaymentWorkflow;

	beforeEach(async () => {
		const { n8n, webhooks } = queueOf();
		sandbox = await queueOf().sandbox('payments');
		const processes = webhooks.map(({ url }) => url);
		workflow = await PaymentWorkflow.open(n8n, processes, sandbox);
	});

	afterEach(async () => {
		await queueOf().n8n.deactivate(workflow.id);
	});

	/** Asks through both webhook processes at the same instant, and once more a second later. */
	const askThreeTimes = async (body: string, payment: number) => {
		await workflow.askEverywhere(body);
		await pause(1_000);
		await workflow.start.start(pick(workflow.start.urls, payment), body);
	};

	it('sends a payment once that two workers start at the same instant, with an attempt code too', async () => {
		const queue = queueOf();
		for (let payment = 0; payment < PAYMENTS; payment++) {
			await askThreeTimes((await workflow.newPayment()).body, payment);
		}
		await queue.idle(workflow.id);
		for (let payment = 0; payment < CODED_PAYMENTS; payment++) {
			const fault = { match: { path: 'instant' }, kind: 'cutBefore', times: 1 };
			await sandbox.control('POST', 'faults', fault);
			const { body } = await workflow.newPayment();
			await workflow.start.start(pick(workflow.start.urls, payment), body);
			await queue.idle(workflow.id);
			await workflow.publish({ confirmedNotPaid: await workflow.latestCode() });
			await askThreeTimes(body, payment);
			await queue.idle(workflow.id);
			await workflow.publish();
		}
		await queue.idle(workflow.id);
		const salts = (await workflow.requests()).map(({ body }) => body.typed_data.salt);
		const counts = [...new Set(salts)].map((salt) => salts.filter((each) => each === salt).length);
		const repeated = counts.slice(0, PAYMENTS).filter((times) => times > 1).length;
		figure(
			`${PAYMENTS} payments, each asked for three times at once: ${repeated} sent twice`,
			`${PAYMENTS} payments, each asked for by two executions at the same instant through both webhook processes and by a third a second later: ${repeated} of them were sent more than once. ${CODED_PAYMENTS} more, whose first attempt was cut, were asked for three times with the attempt code: each was sent ${counts.slice(PAYMENTS).join(', ')} times in all.`,
		);
		/* With a code: the attempt that was cut, and one more. */
		const expected = [new Array(PAYMENTS).fill(1), new Array(CODED_PAYMENTS).fill(2)];
		expect(counts).toEqual(expected.flat());
		expect(await workflow.booked()).toBe(PAYMENTS + CODED_PAYMENTS);
	});

	/** Asks for a new payment, and kills the worker that sends it while the service holds a request. */
	const killInTheMiddle = async ({ fault, isRecorded }: (typeof MOMENTS)[number]) => {
		const queue = queueOf();
		const { start } = workflow;
		const { body, salt } = await workflow.newPayment();
		const held = fault.match.path === 'instant' ? 'createInstantPayment' : 'getSignInMessage';
		const before = await sandbox.count(held);
		if (!isRecorded) {
			await sandbox.control('POST', 'tokens/expire');
			/* A worker that just used its token doesn't try it before it pays. */
			for (const { process: each } of queue.workers) await each.restart();
			await queue.ready();
		}
		await sandbox.control('POST', 'faults', fault);
		const ask = async () => await start.start(pick(start.urls, 0), body);
		const worker = await queue.workerOf(await queue.executionAfter(workflow.id, ask));
		const hasArrived = async () => (await sandbox.count(held)) > before;
		await waitUntil(`${held} reaches the service`, hasArrived, { interval: 20 });
		await worker.kill();
		/* Until the service has done what it does without a client. */
		await pause(HELD + 1_000);
		return { body, salt };
	};

	it('never pays twice when a worker is killed in the middle of a payment', async () => {
		const queue = queueOf();
		const rows: unknown[][] = [];
		let booked = await workflow.booked();
		for (const each of MOMENTS) {
			for (let count = 0; count < KILLS; count++) {
				const { body, salt } = await killInTheMiddle(each);
				const killed = await workflow.sent(salt);
				expect(killed.made).toBe(each.isMade ? 1 : 0);
				/* One of them may have to wait until the worker that was killed is back. */
				await workflow.askEverywhere(body);
				const hasCode = async () => await workflow.latestCode().then(Boolean, () => false);
				if (each.isRecorded) await waitUntil('a run shows a code', hasCode, { interval: 500 });
				await queue.ready();
				await queue.idle(workflow.id);
				const again = await workflow.sent(salt);
				const code = each.isRecorded ? await workflow.latestCode() : undefined;
				const refused = Number(code !== undefined && again.sent === killed.sent);
				if (each.isRecorded && !each.isMade) {
					await workflow.publish({ confirmedNotPaid: code });
					await askThreeTimes(body, count);
					await queue.idle(workflow.id);
					await workflow.publish();
				}
				const end = await workflow.sent(salt);
				const sent = [again.sent - killed.sent, end.sent - again.sent];
				rows.push([each.moment, refused, ...sent, end.made]);
				say(JSON.stringify(rows.at(-1)));
				booked += 1;
				expect(await workflow.booked()).toBe(booked);
			}
		}
		await queue.idle(workflow.id);
		const paidOnce = rows.filter((row) => row.at(-1) === 1).length;
		figure(
			`${rows.length} whose worker is killed: ${paidOnce} paid once`,
			`A worker is killed with kill -9 in the middle of a payment. Then two executions ask for the same payment at the same instant. If they show an attempt code and the service says that it wasn’t made, a person enters the code, and three executions ask for it:`,
			markdownTable(
				['the worker is killed', 'refused with a code', 'sent again', 'sent with the code', 'made'],
				rows,
			),
		);
		const expected = MOMENTS.map(({ moment, next }) => new Array(KILLS).fill([moment, ...next, 1]));
		expect(rows).toEqual(expected.flat());
	});
}
