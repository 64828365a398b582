import { randomUUID } from 'node:crypto';

import { otherEvent } from '../support/sampleEvents';
import { LedgerServer } from '../support/ledgerServer';
import { startN8n, type N8nEnvironment } from '../support/testEnvironment';
import {
	activationError,
	saveTriggerWorkflow,
	TriggerWorkflow,
	type Answer,
} from '../support/triggerWorkflow';
import { node } from '../support/workflows';

jest.setTimeout(600_000);

const FINISHED = { status: 200, body: undefined };
const FAILED = { status: 500, body: { message: 'Error in workflow' } };
const DUPLICATE = { status: 200, body: { received: true, ignored: 'duplicate' } };
const parameters = { options: { acknowledge: 'finished' } };

let environment: N8nEnvironment;
let ledger: LedgerServer;

beforeAll(async () => {
	environment = await startN8n();
	ledger = await LedgerServer.start();
});

afterAll(async () => {
	await ledger.stop();
	await environment.stop();
});

const start = async () =>
	await TriggerWorkflow.start(environment, { parameters, after: ledger.node() });

const eventOf = (key: string) => otherEvent({ idempotency_key: key });

/** Whether an answer is still out after another event went all the way through the workflow. */
async function isPending(workflow: TriggerWorkflow, answer: Promise<Answer>): Promise<boolean> {
	let hasArrived = false;
	void answer.finally(() => (hasArrived = true)).catch(() => undefined);
	const other = randomUUID();
	const otherAnswer = workflow.send(eventOf(other));
	(await ledger.call(other)).answer(200);
	expect(await otherAnswer).toEqual(FINISHED);
	return !hasArrived;
}

describe('an event that is acknowledged when its workflow has finished, in a real n8n', () => {
	it('is answered with 200 after the last node, and is a duplicate from then on', async () => {
		const workflow = await start();
		const key = randomUUID();
		const answer = workflow.send(eventOf(key));
		const call = await ledger.call(key);
		expect(await isPending(workflow, answer)).toBe(true);
		call.answer(200);
		expect(await answer).toEqual(FINISHED);
		expect(await workflow.send(eventOf(key))).toEqual(DUPLICATE);
		expect(ledger.count(key)).toBe(1);
		expect(await workflow.counts()).toEqual({ success: 2 });
	});

	it('is answered with 500 if its workflow fails, and runs with the next delivery', async () => {
		const workflow = await start();
		const key = randomUUID();
		for (const times of [1, 2]) {
			const failed = workflow.send(eventOf(key));
			(await ledger.call(key, times)).answer(400);
			expect(await failed).toEqual(FAILED);
		}
		const finished = workflow.send(eventOf(key));
		(await ledger.call(key, 3)).answer(200);
		expect(await finished).toEqual(FINISHED);
		expect(await workflow.send(eventOf(key))).toEqual(DUPLICATE);
		expect(await workflow.counts()).toEqual({ error: 2, success: 1 });
	});

	it.each([
		['ends as a duplicate if the workflow succeeds', 200, [FINISHED, DUPLICATE], 1],
		['runs if the workflow fails', 400, [FAILED, FINISHED], 2],
	] as const)('makes a second delivery wait, which %s', async (_, status, answers, runs) => {
		const workflow = await start();
		const key = randomUUID();
		const first = workflow.send(eventOf(key));
		const call = await ledger.call(key);
		const second = workflow.send(eventOf(key));
		expect(await isPending(workflow, second)).toBe(true);
		expect(ledger.count(key)).toBe(1);
		call.answer(status);
		if (runs === 2) (await ledger.call(key, 2)).answer(200);
		expect(await Promise.all([first, second])).toEqual(answers);
		expect(ledger.count(key)).toBe(runs);
	});

	it('runs again after the sender’s time limit passed', async () => {
		const workflow = await start();
		const key = randomUUID();
		const timeLimit = new AbortController();
		const first = workflow.send(eventOf(key), { signal: timeLimit.signal });
		const call = await ledger.call(key);
		timeLimit.abort();
		await expect(first).rejects.toThrow(/abort/);

		const second = workflow.send(eventOf(key));
		const again = await ledger.call(key, 2);
		/* The first execution ends with nobody left to tell. */
		call.answer(200);
		again.answer(200);
		expect(await second).toEqual(FINISHED);
		expect(await workflow.send(eventOf(key))).toEqual(DUPLICATE);
		await workflow.idle();
		expect(await workflow.counts()).toEqual({ success: 2 });
	});

	it('runs again after n8n was killed on the way', async () => {
		const workflow = await start();
		const key = randomUUID();
		const first = workflow.send(eventOf(key));
		const broken = expect(first).rejects.toThrow(/fetch failed/);
		await ledger.call(key);
		await environment.n8nProcess.kill();
		await broken;
		await environment.n8nProcess.start();
		await environment.n8n.signIn();
		await workflow.ready();

		const second = workflow.send(eventOf(key));
		(await ledger.call(key, 2)).answer(200);
		expect(await second).toEqual(FINISHED);
		expect(await workflow.send(eventOf(key))).toEqual(DUPLICATE);
	});

	it('is answered at once, with the documented body, if it starts nothing', async () => {
		const workflow = await TriggerWorkflow.start(environment, {
			parameters: { ...parameters, events: ['deposit.received'] },
			after: ledger.node(),
		});
		expect(await workflow.send(eventOf('filtered'))).toEqual({
			status: 200,
			body: { received: true, ignored: 'filter' },
		});
		expect(await workflow.send(eventOf('forged'), { secret: 'another' })).toEqual({
			status: 401,
			body: { error: expect.any(String) },
		});
		expect(await workflow.send({ object: 'event' })).toMatchObject({ status: 400 });
		expect(await workflow.counts()).toEqual({});
	});
});

describe('what counts as finished, by n8n’s rules', () => {
	it.each([
		[
			'a Stop and Error node fails',
			node('After', 'n8n-nodes-base.stopAndError', { errorMessage: 'over the limit' }),
			FAILED,
			'error',
		],
		[
			'a Respond to Webhook node fails, since there is no Webhook node',
			node(
				'After',
				'n8n-nodes-base.respondToWebhook',
				{ respondWith: 'noData' },
				{ typeVersion: 1.4 },
			),
			FAILED,
			'error',
		],
		[
			'a short wait is waited for',
			node(
				'After',
				'n8n-nodes-base.wait',
				{ amount: 0.1, unit: 'seconds' },
				{ typeVersion: 1.1, webhookId: randomUUID() },
			),
			FINISHED,
			'success',
		],
		[
			'a last node without items has ended',
			node(
				'After',
				'n8n-nodes-base.filter',
				{
					conditions: {
						options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
						conditions: [
							{
								id: '1',
								leftValue: '1',
								rightValue: '2',
								operator: { type: 'string', operation: 'equals' },
							},
						],
						combinator: 'and',
					},
					options: {},
				},
				{ typeVersion: 2.2 },
			),
			FINISHED,
			'success',
		],
	])('%s', async (_, after, answer, status) => {
		const workflow = await TriggerWorkflow.start(environment, { parameters, after });
		expect(await workflow.send(eventOf(randomUUID()))).toEqual(answer);
		await workflow.idle();
		expect(await workflow.counts()).toEqual({ [status]: 1 });
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'an error that a node outputs (%s) is no failure of the workflow',
		async (onError) => {
			const after = ledger.node({ onError });
			const workflow = await TriggerWorkflow.start(environment, { parameters, after });
			const key = randomUUID();
			const answer = workflow.send(eventOf(key));
			(await ledger.call(key)).answer(400);
			expect(await answer).toEqual(FINISHED);
			expect(await workflow.counts()).toEqual({ success: 1 });
		},
	);

	it('an error that n8n outputs for the last node fails', async () => {
		const after = node(
			'After',
			'n8n-nodes-base.stopAndError',
			{ errorMessage: 'over the limit' },
			{ onError: 'continueRegularOutput' },
		);
		const workflow = await TriggerWorkflow.start(environment, { parameters, after });
		expect(await workflow.send(eventOf(randomUUID()))).toEqual(FAILED);
	});

	it('a workflow that n8n can’t start fails', async () => {
		/* A credential that was never chosen, as after an import. */
		const after = ledger.node({ credentials: { httpHeaderAuth: { id: null, name: 'ledger' } } });
		const workflow = await TriggerWorkflow.start(environment, {
			parameters,
			after: {
				...after,
				parameters: {
					...after.parameters,
					authentication: 'genericCredentialType',
					genericAuthType: 'httpHeaderAuth',
				},
			},
		});
		for (const times of [1, 2]) {
			expect(await workflow.send(eventOf('unstartable'))).toMatchObject({ status: 500 });
			expect(await workflow.counts()).toEqual({ error: times });
		}
	});

	it('a workflow that pauses can’t be published', async () => {
		const wait = node(
			'After',
			'n8n-nodes-base.wait',
			{ amount: 2, unit: 'hours' },
			{ typeVersion: 1.1, webhookId: randomUUID() },
		);
		const { workflowId } = await saveTriggerWorkflow(environment.n8n, { parameters, after: wait });
		expect(await activationError(environment, workflowId)).toContain(
			"Acknowledge can't be “When Finished” because the node “After” pauses the workflow",
		);
	});
});
