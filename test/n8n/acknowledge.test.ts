import { randomUUID } from 'node:crypto';

import { depositEvent, otherEvent } from '../../n8nHost/sampleEvents';
import {
	DUPLICATE,
	FILTERED,
	store,
	useTriggerHosts,
	type Setup,
	type TriggerHost,
} from '../support/triggerHost';

const FINISHED = { status: 200, body: undefined };

const start = useTriggerHosts();

const host = async ({ parameters, ...setup }: Setup = {}) =>
	await start({ ...setup, parameters: { options: { acknowledge: 'finished' }, ...parameters } });

/** Whether a promise has settled once another delivery has gone all the way. */
async function isPending(n8n: TriggerHost, promise: Promise<unknown>): Promise<boolean> {
	let isSettled = false;
	void promise.finally(() => (isSettled = true)).catch(() => undefined);
	expect(await n8n.send(otherEvent({ idempotency_key: randomUUID() }))).toEqual(FINISHED);
	return !isSettled;
}

/* test/e2e/acknowledge.test.ts has workflows that fail, and senders that hang up. */
describe('an event that is acknowledged when its workflow has finished', () => {
	it('is answered after the last node, and makes a second delivery wait, which is then a duplicate', async () => {
		const n8n = await host();
		let finish = () => {};
		const begun = new Promise<void>((begin) => {
			n8n.after = async (items) => {
				if (items[0]?.json.idempotency_key !== depositEvent().idempotency_key) return items;
				begin();
				await new Promise<void>((resolve) => (finish = resolve));
				return items;
			};
		});
		const first = n8n.send(depositEvent());
		await begun;
		expect(await isPending(n8n, first)).toBe(true);
		const second = n8n.send(depositEvent());
		expect(await isPending(n8n, second)).toBe(true);
		finish();
		expect(await Promise.all([first, second])).toEqual([FINISHED, DUPLICATE]);
		/* With the two of other events. */
		expect(n8n.executions).toHaveLength(3);
	});

	it('leaves no record in n8n’s store, and isn’t stopped by one', async () => {
		const nodeId = randomUUID();
		const finished = await host({ nodeId });
		expect(await finished.send(depositEvent())).toEqual(FINISHED);
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
	expect(await n8n.send(depositEvent())).toMatchObject({ status: 500 });
	expect(n8n.executions).toEqual([]);

	/* An agent's tool that asks a person first. */
	const reviewing = await host({ toolType: 'n8n-nodes-base.slackHitlTool' });
	await expect(reviewing.hook('create')).rejects.toThrow('the node “Tool” pauses the workflow');
	expect(await reviewing.send(depositEvent())).toMatchObject({ status: 500 });

	const receiving = await host({ afterParameters, parameters: { options: {} } });
	expect(await receiving.hook('create')).toBe(true);
});
