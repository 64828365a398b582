/*
 * What n8n's server forbids or lacks, and what the package does because of it. A test that fails
 * here says that n8n has lifted a limit: reconsider what its name says. test/n8n/hostLimits.test.ts
 * checks n8n's engine in the same way.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { z } from 'zod';

import { run } from '../../scripts/lib/processes.mjs';
import { installN8nUnderTest } from '../support/n8nUnderTest';
import { otherEvent } from '../support/sampleEvents';
import { shareTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';
import { chain, node } from '../support/workflows';

jest.setTimeout(300_000);

const findings = z.object({
	processedKeys: z.object({
		winnersOfOneKey: z.number(),
		keptOfTwoAtOnce: z.number(),
		entries: z.array(z.string()),
		context: z.string(),
	}),
	isolates: z.object({ webhookNode: z.boolean(), communityTrigger: z.boolean() }),
	credentials: z.object({
		helpersOfAuthenticate: z.array(z.string()),
		signInsWithOldToken: z.number(),
	}),
	polls: z.object({
		silentPolls: z.array(z.tuple([z.string(), z.number()])),
		savesAfterEmit: z.number(),
		enabledForPollTriggers: z.boolean(),
		durableCursorsEnabled: z.boolean(),
	}),
	staticData: z.array(z.string()),
	redaction: z.array(z.string()),
	answers: z.array(z.string()),
	dataTables: z.array(z.string()),
	stalledJobs: z.string(),
});

let environment: TestEnvironment;
/** What n8n would save beside the user's own n8n. */
const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-limits-'));
let found: z.infer<typeof findings>;

beforeAll(async () => {
	const { node: binary, cli, env } = await installN8nUnderTest();
	const script = path.join(__dirname, 'hostLimits.mjs');
	const n8nPackage = path.dirname(path.dirname(cli));
	const settings = {
		...env,
		N8N_USER_FOLDER: folder,
		N8N_ENCRYPTION_KEY: 'for no longer than this',
	};
	found = findings.parse(JSON.parse(await run(binary, [script, n8nPackage], { env: settings })));
	environment = await shareTestEnvironment();
});

afterAll(async () => {
	rmSync(folder, { recursive: true, force: true });
	await environment.stop();
});

describe('n8n’s store of processed keys', () => {
	it('has no lock, so two records of one key at once are both told that it is new: keyStore.ts queues calls and leaves marks', () => {
		expect(found.processedKeys.winnersOfOneKey).toBe(2);
	});

	it('loses one of two keys that are recorded at once: keyStore.ts looks for its marks again', () => {
		expect(found.processedKeys.keptOfTwoAtOnce).toBe(1);
	});

	it('keeps no times: Deduplication History counts events, not hours', () => {
		expect(found.processedKeys.entries).toEqual(['string', 'string', 'string']);
	});

	it('is one for test and production runs: the trigger leaves it alone in manual mode', () => {
		expect(found.processedKeys.context).toBe('n:node');
	});
});

describe('other places to remember something', () => {
	it('static data keeps the last copy that was saved: the trigger doesn’t keep its keys there', () => {
		expect(found.staticData).toEqual(['second']);
	});

	it('data tables are closed to community nodes: the records of payments and events are in the store of keys', () => {
		expect(found.dataTables).toEqual(['n8n-nodes-base.dataTable']);
	});
});

describe('credentials', () => {
	it('authenticate() gets no helpers: signing in is preAuthentication’s work', () => {
		expect(found.credentials.helpersOfAuthenticate).toEqual([]);
	});

	it('a changed key doesn’t clear the token: session.ts binds the token to what it was obtained with', () => {
		expect(found.credentials.signInsWithOldToken).toBe(0);
	});

	it('sensitiveOutputFields hide nothing yet: the form of Authentication: Verify warns that the token is saved', () => {
		expect(found.redaction).toEqual([]);
	});
});

describe('polls', () => {
	it('“activate” is said for as long as the workflow is on: poll.ts remembers by itself which poll is the first', () => {
		expect(found.polls.silentPolls.map(([mode]) => mode)).toEqual(['activate', 'activate']);
	});

	it('a silent poll saves nothing: poll.ts starts an execution without items', () => {
		expect(found.polls.silentPolls.map(([, saves]) => saves)).toEqual([0, 0]);
		expect(found.polls.savesAfterEmit).toBe(1);
	});

	it('n8n’s scheduler doesn’t save after each poll unless it is told to: poll.ts can’t rely on it', () => {
		expect(found.polls).toMatchObject({
			enabledForPollTriggers: false,
			durableCursorsEnabled: false,
		});
	});
});

describe('webhooks', () => {
	it('each delivery gets its own expression engine, but for n8n’s own Webhook node: docs/scaling.md names the legacy engine', () => {
		expect(found.isolates).toEqual({ webhookNode: false, communityTrigger: true });
	});

	it('the answer of a node that starts a workflow counts only beside an empty responseData: webhooks.ts says so', () => {
		expect(found.answers).toEqual(['firstEntryJson', 'the node’s']);
	});

	it('answers at a pause, as if the workflow had ended: “When Finished” refuses workflows that pause', async () => {
		const { n8n, database } = environment;
		const route = randomUUID();
		const nodes = [
			node(
				'Webhook',
				'n8n-nodes-base.webhook',
				{ httpMethod: 'POST', path: route, responseMode: 'lastNode', options: {} },
				{ typeVersion: 2, webhookId: route },
			),
			node(
				'Wait',
				'n8n-nodes-base.wait',
				{ amount: 2, unit: 'hours' },
				{ typeVersion: 1.1, webhookId: randomUUID() },
			),
			node('After', 'n8n-nodes-base.noOp', {}),
		];
		const { id } = await n8n.saveWorkflow(chain('pause', nodes));
		await n8n.activate(id);
		const url = `${n8n.url}/webhook/${route}`;
		await n8n.waitForWebhook(url, 120_000);
		expect((await fetch(url, { method: 'POST' })).status).toBe(200);
		expect(await database.executions(id)).toEqual([expect.objectContaining({ status: 'waiting' })]);
		await n8n.deactivate(id);
	});
});

describe('regular mode', () => {
	/* test/long/queue.test.ts sees the two entries of queue mode. */
	it('runs an execution in the process that received its event, so recordOnce.ts leaves one entry and no mark', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		for (const key of ['a', 'b']) await workflow.send(otherEvent({ idempotency_key: key }));
		await workflow.idle();
		const [row] = await environment.database.query(
			`select value from processed_data where "workflowId" = '${workflow.workflowId}'`,
		);
		const value: unknown = typeof row?.value === 'string' ? JSON.parse(row.value) : row?.value;
		expect(value).toEqual({ mode: 'entries', data: [expect.any(String), expect.any(String)] });
	});
});

describe('queue mode', () => {
	it('a job whose worker was killed never runs again: docs/scaling.md offers “When Finished” for it', () => {
		expect(found.stalledJobs).toContain('...this.globalConfig.queue.bull.settings');
		expect(found.stalledJobs).toMatch(/, maxStalledCount: 0 }$/);
	});
});
