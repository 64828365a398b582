import { BackgroundProcess } from '../support/backgroundProcess';
import { runConcurrently } from '../support/concurrency';
import { EventSink } from '../support/eventSink';
import { startN8n, type N8nEnvironment } from '../support/testEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';
import { isUp, waitUntil } from '../support/waiting';
import { depositEvent, otherEvent } from '../support/sampleEvents';

jest.setTimeout(600_000);

const GENUINE = { status: 200, body: { received: true } };
const DUPLICATE = { status: 200, body: { received: true, ignored: 'duplicate' } };

let environment: N8nEnvironment;

beforeAll(async () => {
	environment = await startN8n({
		N8N_METRICS: 'true',
		/* n8n's faster engine: more at once, so harder on the trigger, and sooner done. */
		N8N_EXPRESSION_ENGINE: 'legacy',
		/* Little memory, so that anything kept of a forged delivery ends n8n. */
		NODE_OPTIONS: '--max-old-space-size=512',
	});
});

afterAll(async () => {
	await environment.stop();
});

/** Prints a figure next to the test results. */
function printFigure(text: string): void {
	process.stdout.write(`  ${text}\n`);
}

describe('the trigger under load, in a real n8n', () => {
	let sink: EventSink;

	beforeEach(async () => {
		sink = await EventSink.start();
	});

	afterEach(async () => {
		await sink.stop();
	});

	it('runs 500 events exactly once, with 500 repeats over 20 connections', async () => {
		const workflow = await TriggerWorkflow.start(environment, { after: sink.node });
		const keys = Array.from({ length: 500 }, (_, index) => `event-${index}`);
		const began = Date.now();
		let duplicates = 0;
		await runConcurrently(20, [...keys, ...keys], async (key) => {
			const { status, body } = await workflow.send(otherEvent({ idempotency_key: key }));
			expect(status).toBe(200);
			if (JSON.stringify(body).includes('duplicate')) duplicates += 1;
		});
		const lasted = (Date.now() - began) / 1000;
		await workflow.idle();
		printFigure(
			`1,000 deliveries of 500 events at 20 connections: ${sink.keys.length} runs, ` +
				`${duplicates} answered as duplicates, in ${lasted.toFixed(1)} s`,
		);
		expect(sink.keys).toHaveLength(500);
		expect(new Set(sink.keys)).toEqual(new Set(keys));
		expect(duplicates).toBe(500);
		expect(await workflow.counts()).toEqual({ success: 500 });
	});

	it('processes an event again that n8n answered with 500', async () => {
		const workflow = await TriggerWorkflow.start(environment, { after: sink.node });
		expect((await workflow.send(otherEvent({ idempotency_key: 'before' }))).status).toBe(200);
		await workflow.idle();

		const { installation, databaseFile } = environment.n8nProcess;
		const script = `
			const { DatabaseSync } = require('node:sqlite');
			const database = new DatabaseSync(process.argv[1], { timeout: 10000 });
			database.exec('BEGIN IMMEDIATE');
			console.log('locked');
			setInterval(() => {}, 1000);`;
		const lock = new BackgroundProcess(
			'a lock on the database',
			installation.node,
			['--no-warnings', '-e', script, databaseFile],
			{ env: installation.env, logFile: `${databaseFile}.lock.log` },
		);
		await lock.ready(async () => lock.log.includes('locked'), 30_000);
		const refused = await workflow.send(depositEvent());
		await lock.kill();
		printFigure(`With the database locked n8n answered ${refused.status}`);
		expect(refused.status).toBe(500);

		expect(await workflow.send(depositEvent())).toEqual(GENUINE);
		expect(await workflow.send(depositEvent())).toEqual(DUPLICATE);
		await workflow.idle();
		expect(sink.keys).toEqual(['before', 'key-1']);
	});

	it('starts no execution for 1,000 forged deliveries, and stores nothing', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		const memory = async () => {
			const metrics = await (await fetch(`${environment.n8n.url}/metrics`)).text();
			const [, bytes] = /^n8n_process_resident_memory_bytes (\S+)$/m.exec(metrics) ?? [];
			return Math.round(Number(bytes) / 1_000_000);
		};
		const before = await memory();
		const filling = 'x'.repeat(300_000);
		const forged = Array.from({ length: 1_000 }, (_, index) => index);
		await runConcurrently(20, forged, async (index) => {
			const event = otherEvent({ idempotency_key: `${index} ${filling}` });
			expect((await workflow.send(event, { secret: 'forged' })).status).toBe(401);
		});
		const after = await memory();
		printFigure(
			`1,000 forged deliveries of 300 kB each: n8n's memory went from ${before} to ${after} MB, ` +
				`its heap limited to 512 MB`,
		);
		expect(await workflow.counts()).toEqual({});
		expect(await workflow.send(depositEvent())).toEqual(GENUINE);
		expect(await workflow.outputs()).toHaveLength(1);
	});

	it('ends a duplicate in the trigger after a restart, when only the store knows it', async () => {
		const { n8n, n8nProcess } = environment;
		const workflow = await TriggerWorkflow.start(environment);
		expect(await workflow.send(depositEvent())).toEqual(GENUINE);
		await workflow.idle();
		await n8nProcess.stop();
		await n8nProcess.start();
		await n8n.signIn();
		await workflow.ready();
		expect(await workflow.send(depositEvent())).toEqual(GENUINE);
		expect(await workflow.send(depositEvent())).toEqual(DUPLICATE);
		expect(await workflow.outputs()).toEqual([[depositEvent()], []]);
		expect(n8nProcess.log).toContain('another execution has already recorded this event');
	});

	it('runs no event twice and loses no acknowledged one after kill -9', async () => {
		const { n8n, n8nProcess, database } = environment;
		const workflow = await TriggerWorkflow.start(environment, { after: sink.node });
		const keys = Array.from({ length: 500 }, (_, index) => `event-${index}`);
		const acknowledged = new Set<string>();
		const send = async (key: string) => {
			const { status } = await workflow.send(otherEvent({ idempotency_key: key }));
			if (status >= 200 && status < 300) acknowledged.add(key);
		};

		let killed: Promise<void> | undefined;
		await runConcurrently(20, [...keys, ...keys], async (key) => {
			if (killed !== undefined) return;
			await send(key).catch(() => undefined);
			if (acknowledged.size > 150) killed ??= n8nProcess.kill();
		});
		await killed;
		const killedAt = new Date().toISOString().replace('T', ' ');
		const acknowledgedBefore = new Set(acknowledged);
		const ranBefore = sink.keys.length;

		/* Marking what crashed can take n8n longer than a start may. */
		await n8nProcess.start().catch(() => undefined);
		await waitUntil(async () => await isUp(`${n8n.url}/healthz/readiness`), {
			milliseconds: 180_000,
			interval: 250,
			failure: () => 'n8n is not ready after three minutes.',
		});
		await n8n.signIn();
		await workflow.ready();
		/* n8n never ends an execution that was killed before its first node: a person stops it. */
		const abandoned = await database.query(
			`select id from execution_entity
			where workflowId = '${workflow.workflowId}' and status = 'running' and startedAt < '${killedAt}'`,
		);
		for (const { id } of abandoned) await n8n.request('POST', `/rest/executions/${id}/stop`);
		/* The service delivers again what had no 2xx, and for good measure repeats all of it. */
		const missing = keys.filter((key) => !acknowledged.has(key));
		await runConcurrently(20, [...missing, ...missing], send);
		await workflow.idle();
		expect(acknowledged.size).toBe(500);
		expect(sink.duplicates).toEqual([]);

		/* What was acknowledged and did not run is in one of these; a person retries them. */
		const lost = keys.filter((key) => !sink.keys.includes(key));
		const crashed = await database.query(
			`select e.id, d.data from execution_entity e join execution_data d on d.executionId = e.id
			where e.workflowId = '${workflow.workflowId}' and e.status in ('crashed', 'canceled')`,
		);
		for (const key of lost) {
			const execution = crashed.find(({ data }) => String(data).includes(`"${key}"`));
			expect(execution).toBeDefined();
			await n8n.retry(String(execution?.id));
		}
		await workflow.idle();
		printFigure(
			`kill -9 after ${acknowledgedBefore.size} acknowledged events, ${ranBefore} of them run; ` +
				`${crashed.length} executions crashed, ${abandoned.length} of them never ended, ${lost.length} events retried from them; ` +
				`in the end ${sink.keys.length} runs of ${new Set(sink.keys).size} events`,
		);
		expect(sink.duplicates).toEqual([]);
		expect(new Set(sink.keys)).toEqual(new Set(keys));
	});
});
