import { EventSink } from '../../support/eventSink';
import { markdownTable } from '../../support/markdown';
import type { N8nQueue } from '../../support/n8nQueue';
import { Redis } from '../../support/redis';
import { writeSection } from '../../support/reliabilityReport';
import { waitUntil } from '../../support/waiting';
import { jobsWhileRedisStops } from './bull';
import { deliver, listenWith, pick } from './load';

const STOPS = Number(process.env.LONG_REDIS_STOPS ?? 40);
/** Jobs a second while Redis is stopped again and again. */
const RATE = 100;

/** Where an acknowledged event can be lost while Redis is away, and what becomes of it. */
export function describeRedisStops(queueOf: () => N8nQueue): void {
	const figures: string[] = [];

	/** Adds figures and writes all of them, since a later scenario may never end. */
	const figure = (...texts: string[]) => {
		figures.push(...texts);
		writeSection(
			'queueRedis',
			'Queue mode, lost answers of Redis',
			queueOf().versions,
			figures.join('\n\n'),
			'queue -t "lost answers"',
		);
	};

	it('finds every job that was added and not run in the list of active jobs', async () => {
		const redis = await Redis.start();
		try {
			const { confirmed, notRun, active, repeated } = await jobsWhileRedisStops(
				queueOf().main.installation,
				redis,
				{ stops: STOPS, rate: RATE },
			);
			const unexplained = notRun.filter((job) => !active.includes(job));
			figure(
				`n8n’s queue library without n8n, with n8n’s settings: ${RATE} jobs a second on two workers, while ` +
					`Redis (with its append-only file) is stopped with SIGTERM and started again ${STOPS} times:`,
				markdownTable(
					['', 'jobs'],
					[
						['added, as Redis confirmed', confirmed],
						['not run', notRun.length],
						[
							'of these, active in Redis: given to a worker that never got the answer',
							notRun.length - unexplained.length,
						],
						['added twice and run twice, because the answer was lost', repeated.size],
					],
				),
			);
			expect(unexplained).toEqual([]);
			/* Each of their runs had a job of its own. */
			for (const jobs of repeated.values()) expect(new Set(jobs).size).toBe(jobs.length);
		} finally {
			await redis.stop();
		}
	});

	it('delivers an event again that is acknowledged when finished, if its worker never got the answer', async () => {
		const queue = queueOf();
		await queue.ready();
		const sink = await EventSink.start();
		try {
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
			await waitUntil(async () => (await waiting()) === 2, {
				milliseconds: 60_000,
				interval: 50,
				failure: () => 'The two jobs aren’t in the queue.',
			});
			for (let job = 0; job < 2; job++) {
				await queue.redis.ask('rpoplpush', 'bull:jobs:wait', 'bull:jobs:active');
			}
			await queue.ready();
			const attempts = await acknowledged;
			const executions = await queue.idle(received.workflowId);
			const kept = await queue.failedWith(received.workflowId, 'received');
			const runs = (key: string) => sink.keys.filter((each) => each === key).length;
			figure(
				'In n8n, the same state for one event of each kind: its job is active in Redis, and no worker ' +
					'has it. After about a minute n8n counts the job as stalled. It never runs stalled jobs again, ' +
					'and stores the error over the event:',
				markdownTable(
					['Acknowledge', 'answered 2xx', 'deliveries', 'runs', 'the first execution'],
					[
						[
							'When Received',
							'yes',
							1,
							runs('received'),
							`${JSON.stringify(executions)}, ${kept.length === 0 ? 'without' : 'with'} its event`,
						],
						['When Finished', 'yes', attempts, runs('finished'), 'as above'],
					],
				),
			);
			expect(runs('finished')).toBeGreaterThan(0);
			/* Once n8n keeps the event or runs it, the documents can promise more. */
			expect([runs('received'), executions, kept]).toEqual([0, { error: 1 }, []]);
		} finally {
			await sink.stop();
		}
	});
}
