// Runs an example in n8n's own engine, without n8n's server, and prints what each node answered:
// `echo SANDBOX_URL | tsx practice/firstResult.ts EXAMPLE`. Loads the package from dist/ as n8n does, once
// it has been told the URL: loading the engine takes longer than running the example.
import { text } from 'node:stream/consumers';

import { PackageDirectoryLoader } from 'n8n-core';
import { z } from 'zod';

import {
	EngineCredentials,
	NodeTypes,
	nodeTypeOf,
	runInEngine,
	type EngineWorkflow,
} from '../n8nHost/engine';
import { exampleText } from './exampleFiles';
import { administrator, firstTeam, walletCredentials } from '../n8nHost/sandboxCredentials';
import { repository } from '../tooling/paths.mjs';
import { resultLines } from './resultLines';

const assignments = z.object({
	assignments: z.array(z.object({ name: z.string(), value: z.unknown() })).default([]),
});

/** Stands in for n8n's *Edit Fields*, and without fields for its *Manual Trigger*. */
const editFields = nodeTypeOf(
	'set',
	async function () {
		const items = this.getInputData().map((_item, index) => {
			const fields = assignments.parse(this.getNodeParameter('assignments', index, {}));
			const json = Object.fromEntries(
				fields.assignments.map(({ name, value }) => [name, String(value)]),
			);
			return { json, pairedItem: index };
		});
		return [items];
	},
	{
		version: [1, 3.4],
		properties: [
			{ displayName: 'Fields', name: 'assignments', type: 'assignmentCollection', default: {} },
		],
	},
);

async function main(example: string, sandboxUrl: string): Promise<boolean> {
	const loader = new PackageDirectoryLoader(repository);
	await loader.loadAll();
	const { type: action } = loader.getNode('payrollPayments');
	if (!('execute' in action)) throw new Error('The package has no action node.');
	const nodeTypes = new NodeTypes({
		[`${loader.packageName}.payrollPayments`]: action,
		'n8n-nodes-base.manualTrigger': editFields,
		'n8n-nodes-base.set': editFields,
	});
	const credentials = new EngineCredentials(
		loader.getCredential('payrollPaymentsApi').type,
		walletCredentials(sandboxUrl, await administrator(sandboxUrl)),
	);
	const { nodes, ...workflow }: EngineWorkflow = JSON.parse(
		exampleText(example, await firstTeam(sandboxUrl)),
	);
	const run = await runInEngine(
		{ ...workflow, nodes: nodes.filter(({ type }) => !type.endsWith('.stickyNote')) },
		nodeTypes,
		credentials,
		{ executionId: 'first' },
	);
	const { runData, error } = run.data.resultData;
	process.stdout.write(`${resultLines({ runs: runData, ...(error && { error }) })}\n`);
	return run.status === 'success';
}

const [example = ''] = process.argv.slice(2);
void text(process.stdin)
	.then(async (sandboxUrl) => await main(example, sandboxUrl.trim()))
	.then((succeeded) => process.exit(succeeded ? 0 : 1));
