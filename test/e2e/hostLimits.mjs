/**
 * Tries parts of an installed n8n's server on their own, with what they depend on replaced, and
 * prints what came of it as JSON. A process of its own, on n8n's Node.js. The argument is the
 * folder of n8n's package.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setImmediate as moment } from 'node:timers/promises';

const [, , n8n] = process.argv;
const requireInN8n = createRequire(path.join(realpathSync(n8n), 'package.json'));
/* Behind a function, since the linters would look for these modules in this repository. */
const load = (name) => requireInN8n(name);
load('reflect-metadata');
load('./dist/config');
const { SchedulerConfig } = load('@n8n/config');
const { ProcessedDataRepository } = load('@n8n/db');
const { Container } = load('@n8n/di');
const { Workflow } = load('n8n-workflow');

/** n8n's deduplication over a table in memory that answers as late as a database. */
async function processedKeys() {
	const { DeduplicationHelper } = load('./dist/deduplication/deduplication-helper');
	let row = null;
	const save = async (value) => {
		await moment();
		row = structuredClone(value);
	};
	Container.set(ProcessedDataRepository, {
		async findOne() {
			await moment();
			return structuredClone(row);
		},
		insert: save,
		update: async (_, value) => await save(value),
	});
	const helper = new DeduplicationHelper();
	const node = { id: 'node' };
	const context = { workflow: { id: 'workflow' }, node };
	const options = { mode: 'entries', maxEntries: 3 };
	const record = async (...keys) =>
		await helper.checkProcessedAndRecord(keys, 'node', context, options);
	await record('seed');
	const sameKey = await Promise.all([record('same'), record('same')]);
	await Promise.all([record('one'), record('two')]);
	const inOrder = await record('seed', 'same', 'one', 'two');
	return {
		winnersOfOneKey: sameKey.filter((answer) => answer.new.length === 1).length,
		keptOfTwoAtOnce: inOrder.processed.filter((key) => key === 'one' || key === 'two').length,
		entries: row.value.data.map((entry) => typeof entry),
		context: DeduplicationHelper.createContext('node', { node, mode: 'manual' }),
	};
}

/** What n8n saves of a poll, with its own poll functions. */
async function polls() {
	const { TriggerExecutionContextFactory } = load(
		'./dist/workflows/triggers/trigger-execution-context.factory',
	);
	let saves = 0;
	const server = {
		logger: { debug() {}, error() {}, warn() {} },
		globalConfig: { scheduler: new SchedulerConfig() },
		pollCursorService: {
			resolveCursor: async () => ({ migrated: false }),
			commitCursorOnly: async () => (saves += 1),
		},
		workflowStaticDataService: { saveStaticData: async () => (saves += 1) },
		workflowExecutionService: { runWorkflow: async () => '1' },
		engineV2ActiveTriggers: { handles: () => false },
	};
	const unset = { typeVersion: 1, position: [0, 0], parameters: {} };
	const node = { id: 'node', name: 'Poll', type: 'poll', ...unset };
	const typeOf = () => ({ description: { properties: [] } });
	const nodeTypes = { getByName: typeOf, getByNameAndVersion: typeOf };
	const active = true;
	const workflow = new Workflow({ id: '1', nodes: [node], connections: {}, active, nodeTypes });
	const { getExecutePollFunctions } = TriggerExecutionContextFactory.prototype;
	const modes = ['trigger', 'activate'];
	const start = async () => ({});
	const contextOf = getExecutePollFunctions.call(server, { id: '1' }, {}, ...modes, start);
	const context = contextOf(workflow, node, {}, ...modes);
	const poll = async () => {
		await context.__runPoll(async () => {
			context.getWorkflowStaticData('node').seen = true;
			await context.__commitCursor();
		});
		return [context.getActivationMode(), saves];
	};
	const silentPolls = [await poll(), await poll()];
	await context.__runPoll(async () => context.__emit([[]]));
	return {
		modes: silentPolls.map(([mode]) => mode),
		saves: [...silentPolls.map(([, saved]) => saved), saves],
	};
}

/** How n8n's assistant runs a single node, as its workflow runner is told. */
async function singleNode() {
	const { ExecuteNodeService } = load('./dist/node-execution/execute-node.service');
	const { createTemporaryWorkflow, execute, buildNode } = ExecuteNodeService.prototype;
	let told;
	const server = {
		workflowRepository: { createWorkflowWithOwner: async (workflow) => workflow },
		workflowRunner: { run: async (data) => (told = data) },
		waitForCompletion: async () => true,
	};
	const node = buildNode({ type: 'payroll', version: 1, config: { parameters: {} } });
	const workflow = await createTemporaryWorkflow.call(server, 'project', node, 30_000);
	await execute.call(server, { id: 'user' }, workflow, node, [{ json: {} }], 30_000);
	const [first] = told.executionData.executionData.nodeExecutionStack;
	const { connections } = told.workflowData;
	return { connections, source: first.source, mode: told.executionMode, type: node.type };
}

/** The workflow that n8n takes for a sub-workflow which names itself. */
async function namedWorkflow() {
	const { getDraftWorkflowData } = load('./dist/workflow-execute-additional-data');
	const { id } = await getDraftWorkflowData({ code: { id: 'named', nodes: [] } }, 'caller');
	return id;
}

/** What is written in a file of n8n's server. */
function written(file, pattern) {
	const text = readFileSync(requireInN8n.resolve(file), 'utf8');
	return pattern.exec(text)?.[0].replace(/\s+/g, ' ') ?? 'not found';
}

console.log(
	JSON.stringify({
		processedKeys: await processedKeys(),
		polls: await polls(),
		singleNode: await singleNode(),
		namedWorkflow: await namedWorkflow(),
		agentTool: written(
			'./dist/node-execution/ephemeral-node-executor.js',
			/new n8n_workflow_1\.Workflow\(\{[^}]*\},/,
		),
		chat: written(
			'./dist/modules/chat-hub/chat-hub-execution.service.js',
			/model\.provider === 'n8n'\s*\? 'webhook'\s*: '\w+'/,
		),
		mockedAnswers: written(
			'./dist/modules/instance-ai/eval/execution.service.js',
			/executionMode: '\w+'/,
		),
	}),
);
process.exit(0);
