import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { depositEvent, otherEvent } from '../../n8nHost/sampleEvents';
import {
	DUPLICATE,
	FILTERED,
	GENUINE,
	store,
	useTriggerHosts,
	type Setup,
	type TriggerHost,
} from '../support/triggerHost';

const FINISHED = { status: 200, body: undefined };
const FAILED = { status: 500, body: { message: 'Error in workflow' } };

const start = useTriggerHosts();

const host = async ({ parameters, ...setup }: Setup = {}) =>
	await start({ ...setup, parameters: { options: { acknowledge: 'finished' }, ...parameters } });

const keyOf = ([item]: INodeExecutionData[]) => item?.json.idempotency_key;

/** Holds the node after the trigger for one event, until the test ends it in success or failure. */
class Gate {
	/** How often the node has begun for this event. */
	begun = 0;
	private readonly waiting: Array<() => void> = [];
	private outcome?: 'success' | 'failure';

	constructor(n8n: TriggerHost, key: unknown) {
		n8n.after = async (items) => {
			if (keyOf(items) !== key) return items;
			this.begun += 1;
			for (const tell of this.waiting.splice(0)) tell();
			while (this.outcome === undefined) await this.change();
			if (this.outcome === 'failure') throw new Error('the ledger is down');
			return items;
		};
	}

	async change(): Promise<void> {
		await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	/** Resolves when the node has begun this many times. */
	async hasBegun(times: number): Promise<void> {
		while (this.begun < times) await this.change();
	}

	open(outcome: 'success' | 'failure'): void {
		this.outcome = outcome;
		for (const tell of this.waiting.splice(0)) tell();
	}
}

/** Whether a promise has settled once another delivery has gone all the way. */
async function isPending(n8n: TriggerHost, promise: Promise<unknown>): Promise<boolean> {
	let isSettled = false;
	void promise.finally(() => (isSettled = true)).catch(() => undefined);
	expect(await n8n.send(otherEvent({ idempotency_key: randomUUID() }))).toEqual(FINISHED);
	return !isSettled;
}

describe('an event that is acknowledged when its workflow has finished', () => {
	it.each([
		['a duplicate if the workflow succeeds', 'success', [FINISHED, DUPLICATE], 1],
		['the next run if it fails', 'failure', [FAILED, FAILED], 2],
	] as const)(
		'is answered after the last node, and makes a second delivery wait, which is then %s',
		async (_, outcome, answers, runs) => {
			const n8n = await host();
			const gate = new Gate(n8n, depositEvent().idempotency_key);
			const first = n8n.send(depositEvent());
			await gate.hasBegun(1);
			expect(await isPending(n8n, first)).toBe(true);
			const second = n8n.send(depositEvent());
			expect(await isPending(n8n, second)).toBe(true);
			expect(gate.begun).toBe(1);
			gate.open(outcome);
			expect(await Promise.all([first, second])).toEqual(answers);
			expect(gate.begun).toBe(runs);
		},
	);

	it('runs again if the sender hung up before the answer, even if the workflow then ends', async () => {
		const n8n = await host();
		const gate = new Gate(n8n, depositEvent().idempotency_key);
		const timeLimit = new AbortController();
		const first = n8n.send(depositEvent(), { signal: timeLimit.signal });
		await gate.hasBegun(1);
		timeLimit.abort();
		await expect(first).rejects.toThrow(/abort/);
		const second = n8n.send(depositEvent());
		await gate.hasBegun(2);
		gate.open('success');
		expect(await second).toEqual(FINISHED);
		expect(await n8n.send(depositEvent())).toEqual(DUPLICATE);
		await n8n.idle();
		expect(gate.begun).toBe(2);
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

	it('runs each time without deduplication', async () => {
		const options = { acknowledge: 'finished', deduplicate: false };
		const n8n = await host({ parameters: { options } });
		expect(await n8n.send(depositEvent())).toEqual(FINISHED);
		expect(await n8n.send(depositEvent())).toEqual(FINISHED);
		expect(n8n.executions).toHaveLength(2);
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

it('answers at once when the option says so', async () => {
	const n8n = await host({ parameters: { options: { acknowledge: 'received' } } });
	const gate = new Gate(n8n, depositEvent().idempotency_key);
	expect(await n8n.send(depositEvent())).toEqual(GENUINE);
	gate.open('failure');
	await n8n.idle();
	expect(n8n.executions).toMatchObject([{ error: 'the ledger is down' }]);
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
