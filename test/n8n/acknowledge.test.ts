import { randomUUID } from 'node:crypto';

import { depositEvent } from '../../n8nHost/sampleEvents';
import { useLog } from '../support/n8nLog';
import { DUPLICATE, FILTERED, store, useTriggerHosts, type Setup } from '../support/triggerHost';

const FINISHED = { status: 200, body: undefined };

const log = useLog();
const start = useTriggerHosts();

const host = async ({ parameters, ...setup }: Setup = {}) =>
	await start({ ...setup, parameters: { options: { acknowledge: 'finished' }, ...parameters } });

/* test/e2e/acknowledge.test.ts has workflows that fail, and senders that wait or hang up. */
it('acknowledges a finished event without a record in n8n’s store, and isn’t stopped by one', async () => {
	const nodeId = randomUUID();
	const finished = await host({ nodeId });
	expect(await finished.send(depositEvent())).toEqual(FINISHED);
	expect(await finished.send(depositEvent())).toEqual(DUPLICATE);
	expect(store.lists.has(nodeId)).toBe(false);

	const other = randomUUID();
	const received = await host({ nodeId: other, parameters: { options: {} } });
	await received.send(depositEvent());
	await received.idle();
	await jest.isolateModulesAsync(async () => {
		const { PayrollPaymentsTrigger: Restarted } = await import(
			'../../nodes/PayrollPayments/PayrollPaymentsTrigger.node'
		);
		const restarted = await host({ nodeId: other, trigger: new Restarted() });
		expect(await restarted.send(depositEvent())).toEqual(FINISHED);
		expect(restarted.executions).toMatchObject([{ output: [{ json: depositEvent() }] }]);
	});
});

it('answers filtered and refused deliveries at once, with their bodies', async () => {
	const n8n = await host({ parameters: { events: ['invite.accepted'] } });
	expect(await n8n.send(depositEvent())).toEqual(FILTERED);
	const unsigned = await n8n.deliver(JSON.stringify(depositEvent()), {
		'content-type': 'application/json',
	});
	expect(unsigned).toEqual({ status: 401, body: { error: expect.any(String) } });
	expect(await n8n.send({ object: 'event' })).toMatchObject({
		status: 400,
		body: { error: expect.stringMatching(/^Not an event/) },
	});
	expect(n8n.executions).toEqual([]);
});

it('refuses a workflow that pauses, since n8n would answer before it has finished', async () => {
	const afterParameters = { operation: 'sendAndWait' };
	const n8n = await host({ afterParameters });
	await expect(n8n.hook('create')).rejects.toThrow('the node “After” pauses the workflow');
	/* n8n doesn't ask again when only the node was added: the event isn't turned away. */
	await n8n.send(depositEvent());
	expect(n8n.executions).toHaveLength(1);
	expect(log.lines[0]).toMatch(/“After” pauses the workflow.*when it pauses/);

	/* An agent's tool that asks a person first. */
	const reviewing = await host({ toolType: 'n8n-nodes-base.slackHitlTool' });
	await expect(reviewing.hook('create')).rejects.toThrow('the node “Tool” pauses the workflow');

	const receiving = await host({ afterParameters, parameters: { options: {} } });
	expect(await receiving.hook('create')).toBe(true);
});
