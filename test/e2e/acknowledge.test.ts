import { randomUUID } from 'node:crypto';

import { DUPLICATE, type Answer } from '../support/deliveries';
import { EventSink } from '../support/eventSink';
import { eventOf } from '../../n8nHost/sampleEvents';
import { startN8n } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';
import { node, wait, type WorkflowNode } from '../../n8nHost/workflows';

const FINISHED = { status: 200, body: undefined };
const FAILED = { status: 500, body: { message: 'Error in workflow' } };
const parameters = { options: { acknowledge: 'finished' } };

const environment = useEnvironment(startN8n);
/** Where the last node of a workflow calls, and waits for the test. */
let ledger: EventSink;

beforeAll(async () => {
	ledger = await EventSink.startHolding();
});

const start = async (after: WorkflowNode = ledger.node) =>
	await TriggerWorkflow.start(environment, { parameters, after });

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
	it('is answered with 500 if its last node fails; a delivery that waited then runs to its 200, and the next is a duplicate', async () => {
		const workflow = await start();
		const key = randomUUID();
		const failed = workflow.send(eventOf(key));
		const call = await ledger.call(key);
		const second = workflow.send(eventOf(key));
		expect(await isPending(workflow, Promise.race([failed, second]))).toBe(true);
		expect(ledger.count(key)).toBe(1);
		call.answer(400);
		expect(await failed).toEqual(FAILED);
		const again = await ledger.call(key, 2);
		const third = workflow.send(eventOf(key));
		expect(await isPending(workflow, Promise.race([second, third]))).toBe(true);
		again.answer(200);
		expect(await Promise.all([second, third])).toEqual([FINISHED, DUPLICATE]);
		expect(await workflow.counts()).toEqual({ error: 1, success: 3 });
	});

	it('runs again after the sender hung up, and after n8n was killed on the way', async () => {
		const workflow = await start();
		const key = randomUUID();
		const timeLimit = new AbortController();
		const first = workflow.send(eventOf(key), { signal: timeLimit.signal });
		const call = await ledger.call(key);
		timeLimit.abort();
		await expect(first).rejects.toThrow(/abort/);
		const broken = expect(workflow.send(eventOf(key))).rejects.toThrow(/fetch failed/);
		await ledger.call(key, 2);
		/* The first execution ends with nobody left to tell. */
		call.answer(200);
		await environment.n8nProcess.kill();
		await broken;
		await environment.n8nProcess.start();
		await environment.n8n.signIn();
		await workflow.ready();

		const third = workflow.send(eventOf(key));
		(await ledger.call(key, 3)).answer(200);
		expect(await third).toEqual(FINISHED);
		expect(await workflow.send(eventOf(key))).toEqual(DUPLICATE);
	});
});

describe('what counts as finished, by n8n’s rules', () => {
	const stop = (more: Partial<WorkflowNode> = {}) =>
		node('After', 'n8n-nodes-base.stopAndError', { errorMessage: 'over the limit' }, more);
	const noData = { respondWith: 'noData' };
	const respond = node('After', 'n8n-nodes-base.respondToWebhook', noData, { typeVersion: 1.4 });
	const lastOutputsError = stop({ onError: 'continueRegularOutput' });
	const nothing = node('After', 'n8n-nodes-base.limit', { maxItems: 0 });

	it.each([
		['a Stop and Error node fails', stop(), FAILED],
		['a Respond to Webhook node fails, since there is no Webhook node', respond, FAILED],
		['an error that n8n outputs for the last node fails', lastOutputsError, FAILED],
		['a short wait is waited for', wait('After', 0.1, 'seconds'), FINISHED],
		['a last node without items has ended', nothing, FINISHED],
	])('%s', async (_, after, answer) => {
		const workflow = await start(after);
		expect(await workflow.send(eventOf(randomUUID()))).toEqual(answer);
		await workflow.idle();
		expect(await workflow.counts()).toEqual({ [answer === FAILED ? 'error' : 'success']: 1 });
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'an error that a node outputs (%s) is no failure of the workflow',
		async (onError) => {
			const workflow = await start(ledger.nodeFor('idempotency_key', { onError }));
			const key = randomUUID();
			const answer = workflow.send(eventOf(key));
			(await ledger.call(key)).answer(400);
			expect(await answer).toEqual(FINISHED);
			expect(await workflow.counts()).toEqual({ success: 1 });
		},
	);

	it('a workflow that n8n can’t start fails', async () => {
		/* A credential that was never chosen, as after an import. */
		const credentials = { httpHeaderAuth: { id: null, name: 'ledger' } };
		const type = { authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' };
		const parameters = { ...ledger.node.parameters, ...type };
		const workflow = await start({ ...ledger.node, credentials, parameters });
		for (const times of [1, 2]) {
			expect(await workflow.send(eventOf('unstartable'))).toMatchObject({ status: 500 });
			expect(await workflow.counts()).toEqual({ error: times });
		}
	});
});
