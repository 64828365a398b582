/*
 * What n8n forbids or lacks, and what the package does because of it. A test that fails here says
 * that n8n has lifted a limit: reconsider what its name says. test/e2e/hostLimits.test.ts checks
 * n8n's server in the same way.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';

import { HookContext, loadOutputSchema, PollContext, WebhookContext } from 'n8n-core';
import {
	NodeHelpers,
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeProperties,
	type IRun,
	type IWebhookData,
} from 'n8n-workflow';

import { repository } from '../../tooling/paths.mjs';
import { run as runCommand } from '../../tooling/processes.mjs';
import {
	additionalData,
	EngineCredentials,
	engineNode,
	engineWorkflow,
	nodeTypeOf,
	NodeTypes,
	runInEngine,
} from '../../n8nHost/engine';
import { startHttpServer } from '../support/httpServer';

const CREDENTIAL: ICredentialType = {
	name: 'limitApi',
	displayName: 'Limit API',
	properties: [
		{
			displayName: 'Session Token',
			name: 'sessionToken',
			type: 'hidden',
			typeOptions: { expirable: true },
			default: '',
		},
	],
	preAuthentication: async () => ({ sessionToken: 'renewed' }),
	authenticate: async (credentials: ICredentialDataDecryptedObject, options) => ({
		...options,
		headers: { authorization: String(credentials.sessionToken) },
	}),
};

const NODE = engineNode({
	name: 'Limit',
	type: 'limit',
	credentials: { limitApi: { id: '1', name: 'saved' } },
});

type Work = (context: IExecuteFunctions) => Promise<unknown>;

/** A node type that does nothing but what a test asks for. */
const nodeType = (work: Work) =>
	nodeTypeOf(
		'limit',
		async function () {
			const json = { answer: JSON.stringify((await work(this)) ?? null) };
			return [[{ json }]];
		},
		{ credentials: [{ name: 'limitApi' }] },
	);

async function run(work: Work, changes: Partial<INode> = {}): Promise<IRun> {
	const node = { ...NODE, ...changes };
	const types = new NodeTypes({ [node.type]: nodeType(work) });
	const credentials = new EngineCredentials(CREDENTIAL, { sessionToken: 'expired' });
	return await runInEngine({ nodes: [node], connections: {} }, types, credentials, {
		executionId: 'limits',
	});
}

/** What a function answers inside an executing node. */
async function inNode(work: Work, changes?: Partial<INode>): Promise<unknown> {
	const { data } = await run(work, changes);
	const [item]: INodeExecutionData[] = data.resultData.runData.Limit?.at(-1)?.data?.main?.[0] ?? [];
	if (typeof item?.json.answer !== 'string') throw new Error('The node has no output');
	return JSON.parse(item.json.answer);
}

const isDeduplication = (name: string) => /processed|deduplicat|dataTable/i.test(name);

describe('n8n’s store of processed keys', () => {
	const data = additionalData(new EngineCredentials(CREDENTIAL, {}), 'limits');
	const types = new NodeTypes({ limit: nodeType(async () => undefined) });
	const workflow = engineWorkflow([NODE], types, { active: true });

	it('is offered while a node executes', async () => {
		const names = await inNode(async ({ helpers }) => Object.keys(helpers).filter(isDeduplication));
		expect(names).toEqual(expect.arrayContaining(['checkProcessedAndRecord', 'removeProcessed']));
	});

	it('isn’t offered to webhook(): the trigger claims events in memory there, and records them in execute()', () => {
		const webhookData: IWebhookData = {
			httpMethod: 'POST',
			node: NODE.name,
			path: 'webhook',
			webhookDescription: { httpMethod: 'POST', name: 'default', path: 'webhook' },
			workflowId: 'workflow',
			workflowExecuteAdditionalData: data,
		};
		const context = new WebhookContext(workflow, NODE, data, 'webhook', webhookData, [], null);
		expect(Object.keys(context.helpers).filter(isDeduplication)).toEqual([]);
		const hook = new HookContext(workflow, NODE, data, 'webhook', 'activate', webhookData);
		expect(Object.keys(hook.helpers).filter(isDeduplication)).toEqual([]);
	});

	it('isn’t offered to poll(): the polling trigger remembers in static data', () => {
		const context = new PollContext(workflow, NODE, data, 'trigger', 'activate');
		expect(Object.keys(context.helpers).filter(isDeduplication)).toEqual([]);
	});
});

describe('credentials', () => {
	it('n8n sends a refused POST again after a 401: refusals are safe to repeat, and the sign-in is coalesced', async () => {
		const bodies: unknown[] = [];
		const server = await startHttpServer(
			({ headers, body }) => {
				bodies.push([headers.authorization, body]);
				return headers.authorization === 'renewed' ? { taken: true } : undefined;
			},
			({ headers }) => (headers.authorization === 'renewed' ? 200 : 401),
		);
		const options = { method: 'POST' as const, url: server.url, body: { amount: 1 }, json: true };
		const answer = await inNode(
			async (context) =>
				await context.helpers.httpRequestWithAuthentication.call(context, 'limitApi', options),
		);
		expect(answer).toEqual({ taken: true });
		expect(bodies).toEqual([
			['expired', '{"amount":1}'],
			['renewed', '{"amount":1}'],
		]);
	});

	it('the HTTP Request node’s function sends a POST again after any failure: docs/credentials.md warns of it', async () => {
		const bodies: string[] = [];
		const server = await startHttpServer(
			({ body }) => bodies.push(body),
			() => 500,
		);
		const options = { method: 'POST' as const, uri: server.url, body: { amount: 1 }, json: true };
		await run(
			async (context) =>
				await context.helpers.requestWithAuthentication.call(context, 'limitApi', options),
		);
		expect(bodies).toEqual(['{"amount":1}', '{"amount":1}']);
	});

	it('an error of that function carries the token unseen to the next node: docs/credentials.md says who can read it', async () => {
		const server = await startHttpServer(
			() => undefined,
			() => 404,
		);
		let received: unknown;
		const types = new NodeTypes({
			fails: nodeTypeOf(
				'fails',
				async function () {
					const request = { uri: server.url };
					const sent = this.helpers.requestWithAuthentication.call(this, 'limitApi', request);
					return [[{ json: { error: await sent.catch((error: unknown) => error) } }]];
				},
				{ credentials: [{ name: 'limitApi' }] },
			),
			limit: nodeTypeOf('limit', async function () {
				[received] = this.getInputData();
				return [[]];
			}),
		});
		const { credentials } = NODE;
		await runInEngine(
			{
				nodes: [engineNode({ name: 'Fails', type: 'fails', credentials }), NODE],
				connections: { Fails: { main: [[{ node: 'Limit', type: 'main', index: 0 }]] } },
			},
			types,
			new EngineCredentials(CREDENTIAL, { sessionToken: 'expired' }),
			{ executionId: 'limits' },
		);
		expect(JSON.stringify(received)).not.toContain('renewed');
		expect(inspect(received, { depth: null })).toContain("authorization: 'renewed'");
	});
});

const menu: Partial<INodeProperties> = {
	type: 'multiOptions',
	default: ['all'],
	options: [{ name: 'All', value: 'all' }],
};
const options: Partial<INodeProperties> = {
	type: 'collection',
	default: {},
	options: [
		{ displayName: 'Length', name: 'length', type: 'hidden', default: '' },
		{ displayName: 'Only', name: 'only', type: 'boolean', default: false },
	],
};
const lone = "={{ $fromAI('flag') }}";

it.each<[string, Partial<INodeProperties>, saved: INodeParameters[string], read: unknown]>([
	[
		'makes text of an expression in a field that takes none: such text never counts as set (typedByPerson)',
		{ type: 'boolean', default: false, noDataExpression: true },
		'={{ true }}',
		'{{ true }}',
	],
	[
		'keeps a lone $fromAI() as an expression there: fields reserved for people are read as saved',
		{ noDataExpression: true },
		lone,
		lone,
	],
	[
		'replaces null in a multiple selection by its default: permissions that resolve to nothing are refused by name',
		menu,
		null,
		['all'],
	],
	[
		'empties a collection that is a text, except a member named length: that one shows it (TEXT_MARK)',
		options,
		'={{ { only: true } }}',
		{ length: 21 },
	],
])('n8n %s', (_what, property, saved, read) => {
	const field: INodeProperties = {
		...{ displayName: 'Value', name: 'value', type: 'string', default: '' },
		...property,
	};
	const values = { value: saved };
	expect(NodeHelpers.getNodeParameters([field], values, true, false, NODE, null)).toEqual({
		value: read,
	});
});

describe('a node', () => {
	it('isn’t told that an AI agent runs it: agentAccess.ts goes by the type’s name', async () => {
		const type = 'limitTool';
		expect(await inNode(async (context) => context.isToolExecution(), { type })).toBe(false);
	});

	it('gets its error message replaced if that contains a system error code: nodeErrors.ts sets it again', () => {
		const shown = (text: string) => new NodeOperationError(NODE, new Error(text)).message;
		expect(shown('The team of john refuses')).toBe('The team of john refuses');
		expect(shown('The team of jeeperman refuses')).toMatch(/^Operation not permitted/);
	});

	it('shares its output schema with the others in its folder: the polling trigger has none', () => {
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-schema-'));
		try {
			const file = path.join(folder, '__schema__', 'v1.0.0.json');
			mkdirSync(path.dirname(file));
			writeFileSync(file, '{"title":"the trigger’s"}');
			/* The question names the folder and the version, and can't name the node. */
			const question = { nodeDir: folder, version: 1, node: 'pollingTrigger' };
			expect(loadOutputSchema(question)).toEqual({ title: 'the trigger’s' });
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});
});

describe('n8n’s rules for verified packages', () => {
	const CODES = {
		'nodes/a.js': [
			'setTimeout(() => {}, 1);',
			'setInterval(() => {}, 1);',
			'setImmediate(() => {});',
			'process.env.HOME;',
			'globalThis.crypto;',
			'AbortSignal.timeout(1);',
		].join('\n'),
		'package.json': '({ "name": "n8n-nodes-a", "dependencies": { "viem": "2.57.1" } })',
	};
	/** In a process of its own, since n8n’s rules are ES modules. */
	const LINT = `
		import { Linter } from 'eslint';
		import plugin from '@n8n/eslint-plugin-community-nodes';
		const rules = { 'n8n/no-restricted-globals': 'error', 'n8n/no-runtime-dependencies': 'error' };
		const config = { files: ['**/*.js', '**/*.json'], plugins: { n8n: plugin }, rules };
		const findings = Object.entries(JSON.parse(process.argv.at(-1))).map(([filename, code]) => {
			const found = new Linter().verify(code, [config], filename);
			return [filename, found.map(({ ruleId, line }) => [ruleId, line])];
		});
		console.log(JSON.stringify(Object.fromEntries(findings)));`;
	let findings: Record<keyof typeof CODES, unknown>;

	beforeAll(async () => {
		const parameters = ['--input-type=module', '--eval', LINT, JSON.stringify(CODES)];
		findings = JSON.parse(await runCommand(process.execPath, parameters, { cwd: repository }));
	});

	it('forbid the globals of Node.js: pauses are n8n’s sleep() and AbortSignal.timeout()', () => {
		const rule = 'n8n/no-restricted-globals';
		expect(findings['nodes/a.js']).toEqual([1, 2, 3, 4, 5].map((line) => [rule, line]));
	});

	it('forbid dependencies at run time: the build bundles them', () => {
		expect(findings['package.json']).toEqual([['n8n/no-runtime-dependencies', 1]]);
	});
});
