import type { N8n } from '../support/n8n.mjs';
import { Service } from '../../scripts/lib/processes.mjs';
import { depositEvent, otherEvent } from '../unit/delivery/samples';
import { atOnce, Listener, raiseN8n, report, Sink, until } from '../support/triggerWorkflow';

jest.setTimeout(600_000);

const GENUINE = { status: 200, body: { received: true } };
const DUPLICATE = { status: 200, body: { received: true, ignored: 'duplicate' } };

let stage: Awaited<ReturnType<typeof raiseN8n>>;
let n8n: N8n;

beforeAll(async () => {
	stage = await raiseN8n({
		/* n8n's faster engine: more at once, so harder on the trigger, and sooner done. */
		N8N_EXPRESSION_ENGINE: 'legacy',
		/* Little memory, so that anything kept of a forged delivery ends n8n. */
		NODE_OPTIONS: '--max-old-space-size=512',
	});
	n8n = stage.n8n;
});

afterAll(async () => {
	await stage.strike();
});

describe('under load, in a real n8n', () => {
	let sink: Sink;

	beforeEach(async () => {
		sink = await Sink.start();
	});

	afterEach(async () => {
		await sink.stop();
	});

	it('500 distinct events and 500 repeats at 20 connections: exactly 500 runs', async () => {
		const listener = await Listener.start(n8n, { after: sink.node });
		const keys = Array.from({ length: 500 }, (_, index) => `event-${index}`);
		const began = Date.now();
		let duplicates = 0;
		await atOnce(20, [...keys, ...keys], async (key) => {
			const { status, body } = await listener.send(otherEvent({ idempotency_key: key }));
			expect(status).toBe(200);
			if (JSON.stringify(body).includes('duplicate')) duplicates += 1;
		});
		const lasted = (Date.now() - began) / 1000;
		await listener.idle();
		report(
			`1,000 deliveries of 500 events at 20 connections: ${sink.keys.length} runs, ` +
				`${duplicates} answered as duplicates, in ${lasted.toFixed(1)} s`,
		);
		expect(sink.keys).toHaveLength(500);
		expect(new Set(sink.keys)).toEqual(new Set(keys));
		expect(duplicates).toBe(500);
		expect(await listener.counts()).toEqual({ success: 500 });
	});

	it('an event that n8n answered with 500 is processed when it comes again', async () => {
		const listener = await Listener.start(n8n, { after: sink.node });
		expect((await listener.send(otherEvent({ idempotency_key: 'before' }))).status).toBe(200);
		await listener.idle();

		const { node, env } = n8n.installation;
		const script = `
			const { DatabaseSync } = require('node:sqlite');
			const database = new DatabaseSync(process.argv[1], { timeout: 10000 });
			database.exec('BEGIN IMMEDIATE');
			console.log('locked');
			setInterval(() => {}, 1000);`;
		const lock = new Service('a lock on the database', node, ['--no-warnings', '-e', script, n8n.database], {
			env,
			logFile: `${n8n.database}.lock.log`,
		});
		await lock.ready(async () => lock.log.includes('locked'), 30_000);
		const refused = await listener.send(depositEvent());
		await lock.kill();
		report(`With the database locked n8n answered ${refused.status}`);
		expect(refused.status).toBe(500);

		expect(await listener.send(depositEvent())).toEqual(GENUINE);
		expect(await listener.send(depositEvent())).toEqual(DUPLICATE);
		await listener.idle();
		expect(sink.keys).toEqual(['before', 'key-1']);
	});

	it('1,000 forged deliveries: no execution, and n8n keeps nothing of them', async () => {
		const listener = await Listener.start(n8n);
		const memory = async () => {
			const metrics = await (await fetch(`${n8n.url}/metrics`)).text();
			const [, bytes] = /^n8n_process_resident_memory_bytes (\S+)$/m.exec(metrics) ?? [];
			return Math.round(Number(bytes) / 1_000_000);
		};
		const before = await memory();
		const filling = 'x'.repeat(500_000);
		const forged = Array.from({ length: 1_000 }, (_, index) => index);
		await atOnce(20, forged, async (index) => {
			const event = otherEvent({ idempotency_key: `${index} ${filling}` });
			expect((await listener.send(event, { secret: 'forged' })).status).toBe(401);
		});
		const after = await memory();
		report(
			`1,000 forged deliveries of 500 kB each: n8n's memory went from ${before} to ${after} MB, ` +
				`its heap limited to 512 MB`,
		);
		expect(await listener.counts()).toEqual({});
		expect(await listener.send(depositEvent())).toEqual(GENUINE);
		expect(await listener.outputs()).toHaveLength(1);
	});

	it('kill -9 in the middle: none doubled, none of the acknowledged lost', async () => {
		const listener = await Listener.start(n8n, { after: sink.node });
		const keys = Array.from({ length: 500 }, (_, index) => `event-${index}`);
		const acknowledged = new Set<string>();
		const send = async (key: string) => {
			const { status } = await listener.send(otherEvent({ idempotency_key: key }));
			if (status >= 200 && status < 300) acknowledged.add(key);
		};

		let killed: Promise<void> | undefined;
		await atOnce(20, [...keys, ...keys], async (key) => {
			if (killed !== undefined) return;
			await send(key).catch(() => undefined);
			if (acknowledged.size > 150) killed ??= n8n.kill();
		});
		await killed;
		const killedAt = new Date().toISOString().replace('T', ' ');
		const acknowledgedBefore = new Set(acknowledged);
		const ranBefore = sink.keys.length;

		/* Marking what crashed can take n8n longer than a start may. */
		await n8n.start().catch(() => undefined);
		await until(async () => (await fetch(`${n8n.url}/healthz/readiness`).catch(() => null))?.ok === true);
		await n8n.signIn();
		await listener.ready();
		/* n8n never ends an execution that was killed before its first node: a person stops it. */
		const abandoned = await n8n.query(
			`select id from execution_entity
			where workflowId = '${listener.workflowId}' and status = 'running' and startedAt < '${killedAt}'`,
		);
		for (const { id } of abandoned) await n8n.request('POST', `/rest/executions/${id}/stop`);
		/* The service delivers again what had no 2xx, and for good measure repeats all of it. */
		const missing = keys.filter((key) => !acknowledged.has(key));
		await atOnce(20, [...missing, ...missing], send);
		await listener.idle();
		expect(acknowledged.size).toBe(500);
		expect(sink.doubled).toEqual([]);

		/* What was acknowledged and did not run is in one of these; a person retries them. */
		const lost = keys.filter((key) => !sink.keys.includes(key));
		const crashed = await n8n.query(
			`select e.id, d.data from execution_entity e join execution_data d on d.executionId = e.id
			where e.workflowId = '${listener.workflowId}' and e.status in ('crashed', 'canceled')`,
		);
		for (const key of lost) {
			const execution = crashed.find(({ data }) => String(data).includes(`"${key}"`));
			expect(execution).toBeDefined();
			await n8n.request('POST', `/rest/executions/${execution?.id}/retry`, { loadWorkflow: false });
		}
		await listener.idle();
		report(
			`kill -9 after ${acknowledgedBefore.size} acknowledged events, ${ranBefore} of them run; ` +
				`${crashed.length} executions crashed, ${abandoned.length} of them never ended, ${lost.length} events retried from them; ` +
				`in the end ${sink.keys.length} runs of ${new Set(sink.keys).size} events`,
		);
		expect(sink.doubled).toEqual([]);
		expect(new Set(sink.keys)).toEqual(new Set(keys));
	});
});
