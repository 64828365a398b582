/*
 * What n8n's server forbids or lacks, and what the package does because of it. A test that fails
 * here says that n8n has lifted a limit: reconsider what its name says. test/n8n/hostLimits.test.ts
 * checks n8n's engine in the same way.
 */
import path from 'node:path';

import { run } from '../../tooling/processes.mjs';
import { temporaryFolder } from '../../n8nHost/cleanups';
import { installN8nUnderTest } from '../../n8nHost/n8nUnderTest';
import { eventOf } from '../../n8nHost/sampleEvents';
import { shareN8n } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';

const environment = useEnvironment(shareN8n);
/** What n8n would save beside the user's own n8n. */
const folder = temporaryFolder('limits');
let found: unknown;

beforeAll(async () => {
	const { node: binary, cli, env } = await installN8nUnderTest();
	const script = path.join(__dirname, 'hostLimits.mjs');
	const n8nPackage = path.dirname(path.dirname(cli));
	const own = { N8N_USER_FOLDER: folder, N8N_ENCRYPTION_KEY: 'for no longer than this' };
	found = JSON.parse(await run(binary, [script, n8nPackage], { env: { ...env, ...own } }));
});

it('The store of processed keys has no lock, so two records of one key at once are both told that it is new: keyStore.ts queues calls and leaves marks', () => {
	expect(found).toHaveProperty('processedKeys.winnersOfOneKey', 2);
});
it('The store loses one of two keys that are recorded at once: keyStore.ts looks for its marks again', () => {
	expect(found).toHaveProperty('processedKeys.keptOfTwoAtOnce', 1);
});
it('The store keeps no times: Deduplication History counts events, not hours', () => {
	expect(found).toHaveProperty('processedKeys.entries', ['string', 'string', 'string']);
});
it('The store is one for test and production runs: the trigger leaves it alone in manual mode', () => {
	expect(found).toHaveProperty('processedKeys.context', 'n:node');
});
it('A poll is told “activate” for as long as the workflow is on: poll.ts remembers by itself which poll is the first', () => {
	expect(found).toHaveProperty('polls.modes', ['activate', 'activate']);
});
it('A silent poll saves nothing: poll.ts starts an execution without items', () => {
	expect(found).toHaveProperty('polls.saves', [0, 0, 1]);
});
it('n8n’s assistant runs a single node that nothing leads to: callers.ts refuses its changes', () => {
	const alone = { connections: {}, source: null, mode: 'manual', type: 'payroll' };
	expect(found).toHaveProperty('singleNode', alone);
});
it('n8n’s agents run a tool alone, in a workflow without an ID: callers.ts refuses its changes', () => {
	expect(found).toHaveProperty('agentTool', expect.not.stringMatching(/\bid\b/));
	expect(found).toHaveProperty('agentTool', expect.stringContaining('connections: {}'));
});
it('A chat has a mode of its own where its workflow is deleted afterwards: callers.ts refuses payments', () => {
	expect(found).toHaveProperty('chat', "model.provider === 'n8n' ? 'webhook' : 'chat'");
});
it('Evaluations whose answers a model makes up have a mode of their own: callers.ts refuses changes', () => {
	expect(found).toHaveProperty('mockedAnswers', "executionMode: 'evaluation'");
});
it('n8n lets a sub-workflow say which workflow it is: SECURITY.md says whom to let edit workflows', () => {
	expect(found).toHaveProperty('namedWorkflow', 'named');
});

/* test/long/queue.test.ts sees the two entries of queue mode. */
it('Regular mode runs an execution in the process that received its event, so recordOnce.ts leaves one entry and no mark', async () => {
	const workflow = await TriggerWorkflow.start(environment);
	for (const key of ['a', 'b']) await workflow.send(eventOf(key));
	await workflow.idle();
	const [row] = await environment.database.query(
		`select value from processed_data where "workflowId" = '${workflow.workflowId}'`,
	);
	const value: unknown = typeof row?.value === 'string' ? JSON.parse(row.value) : row?.value;
	expect(value).toEqual({ mode: 'entries', data: [expect.any(String), expect.any(String)] });
});
