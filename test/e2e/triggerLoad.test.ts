import { BackgroundProcess } from '../../n8nHost/backgroundProcess';
import { runConcurrently } from '../support/concurrency';
import { DUPLICATE, GENUINE } from '../support/deliveries';
import { EventSink } from '../support/eventSink';
import { startN8n } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';
import { isUp, waitUntil } from '../../n8nHost/waiting';
import { depositEvent, eventOf, keysOf } from '../../n8nHost/sampleEvents';

const CONNECTIONS = 20;

let sink: EventSink;
const environment = useEnvironment(async () => {
	/* n8n's faster engine: more at once, so harder on the trigger, and sooner done. */
	return await startN8n({ N8N_EXPRESSION_ENGINE: 'legacy' });
});

beforeEach(async () => {
	sink = await EventSink.start();
});

describe('the trigger under load, in a real n8n', () => {
	it('processes an event again that n8n answered with 500', async () => {
		const workflow = await TriggerWorkflow.start(environment, { after: sink.node });
		expect((await workflow.send(eventOf('before'))).status).toBe(200);
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
		expect(refused.status).toBe(500);

		expect(await workflow.send(depositEvent())).toEqual(GENUINE);
		expect(await workflow.send(depositEvent())).toEqual(DUPLICATE);
		await workflow.idle();
		expect(sink.keys).toEqual(['before', 'key-1']);
	});

	it('runs no event twice and loses no acknowledged one after kill -9', async () => {
		const { n8n, n8nProcess, database } = environment;
		const workflow = await TriggerWorkflow.start(environment, { after: sink.node });
		const keys = keysOf('event', 100);
		const acknowledged = new Set<string>();
		const send = async (key: string) => {
			const { status } = await workflow.send(eventOf(key));
			if (status >= 200 && status < 300) acknowledged.add(key);
		};

		let killed: Promise<void> | undefined;
		await runConcurrently(CONNECTIONS, [...keys, ...keys], async (key) => {
			if (killed !== undefined) return;
			await send(key).catch(() => undefined);
			if (acknowledged.size > 40) killed ??= n8nProcess.kill();
		});
		await killed;
		const killedAt = new Date().toISOString().replace('T', ' ');
		const [ranBefore = ''] = sink.keys;

		/* Marking what crashed can take n8n longer than a start may. */
		await n8nProcess.start().catch(() => undefined);
		await waitUntil('n8n is ready', async () => await isUp(`${n8n.url}/healthz/readiness`), {
			milliseconds: 180_000,
		});
		await n8n.signIn();
		await workflow.ready();
		/* n8n never ends an execution that was killed before its first node: a person stops it. */
		const abandoned = await database.query(
			`select id from execution_entity
			where workflowId = '${workflow.workflowId}' and status = 'running' and startedAt < '${killedAt}'`,
		);
		for (const { id } of abandoned) await n8n.request('POST', `/rest/executions/${id}/stop`);
		/* Only n8n's store knows it, so its execution ends in the trigger. */
		expect(await workflow.send(eventOf(ranBefore))).toEqual(GENUINE);
		expect(await workflow.send(eventOf(ranBefore))).toEqual(DUPLICATE);
		/* The service delivers again what had no 2xx, and for good measure repeats all of it. */
		const missing = keys.filter((key) => !acknowledged.has(key));
		await runConcurrently(CONNECTIONS, [...missing, ...missing], send);
		await workflow.idle();
		expect(acknowledged.size).toBe(keys.length);
		expect(sink.duplicates).toEqual([]);
		expect(n8nProcess.log).toContain('another execution has already recorded this event');

		/* What was acknowledged and did not run is in one of these; a person retries them. */
		const crashed = await database.query(
			`select e.id, d.data from execution_entity e join execution_data d on d.executionId = e.id
			where e.workflowId = '${workflow.workflowId}' and e.status in ('crashed', 'canceled')`,
		);
		for (const key of keys.filter((each) => !sink.keys.includes(each))) {
			const execution = crashed.find(({ data }) => String(data).includes(`"${key}"`));
			expect(execution).toBeDefined();
			await n8n.retry(String(execution?.id));
		}
		await workflow.idle();
		expect(sink.duplicates).toEqual([]);
		expect(new Set(sink.keys)).toEqual(new Set(keys));
	});
});
