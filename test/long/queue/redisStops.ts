import { EventSink } from '../../support/eventSink';
import type { N8nQueue } from '../../../n8nHost/n8nQueue';
import { writeSection } from '../reliabilityReport';
import { waitUntil } from '../../../n8nHost/waiting';
import { deliver, listenWith, pick } from './load';

/** Where an acknowledged event can be lost while Redis is away, and what becomes of it. */
export function describeRedisStops(queueOf: () => N8nQueue): void {
	it('delivers an event again that is acknowledged when finished, if its worker never got the answer', async () => {
		const queue = queueOf();
		await queue.ready();
		const sink = await EventSink.start();
		const received = await listenWith(queue, { after: sink.node });
		const finished = await listenWith(queue, {
			parameters: { options: { acknowledge: 'finished' } },
			after: sink.node,
		});
		/* The state that Redis is left in when it stops right after it gave out a job. */
		for (const { process: worker } of queue.workers) await worker.kill();
		await deliver(pick(received.urls, 0), 'received');
		const acknowledged = deliver(pick(finished.urls, 0), 'finished');
		const waiting = async () => Number((await queue.redis.ask('llen', 'bull:jobs:wait'))[0]);
		await waitUntil('both jobs are queued', async () => (await waiting()) === 2, { interval: 50 });
		for (let job = 0; job < 2; job++) {
			await queue.redis.ask('rpoplpush', 'bull:jobs:wait', 'bull:jobs:active');
		}
		await queue.ready();
		const attempts = await acknowledged;
		const executions = await queue.idle(received.workflowId);
		const kept = await queue.failedWith(received.workflowId, 'received');
		writeSection('queueRedis', {
			versions: queue.versions,
			result: `a job that Redis loses runs ${sink.count('received')} times with When Received and ${sink.count('finished')} with When Finished`,
			figures: [
				'The state that Redis is left in when it stops right after it gave out a job, for one event of each kind: its job is active in Redis, and no worker has it. After about a minute n8n counts the job as stalled. It never runs stalled jobs again, and stores the error over the event. ' +
					`With When Received, executions end as ${JSON.stringify(executions)}, ${kept.length === 0 ? 'without' : 'with'} the event. With When Finished, the event is delivered ${attempts} times.`,
			],
		});
		expect(sink.count('finished')).toBeGreaterThan(0);
		/* n8n keeps the event only if it looks for abandoned executions before it finds the stalled job. */
		expect([{ error: 1 }, { crashed: 1 }]).toContainEqual(executions);
		expect(sink.count('received')).toBe(0);
	});
}
