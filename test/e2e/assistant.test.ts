import { z } from 'zod';

import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { run } from '../../tooling/processes.mjs';
import { installN8nUnderTest } from '../../n8nHost/n8nUnderTest';
import { action, chain, START } from '../../n8nHost/workflows';

jest.setTimeout(300_000);

/** Loads what n8n's own assistant asks before it tries a workflow, in n8n's own Node.js. */
const CLASSIFY = `
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { realpathSync } = require('node:fs');
const [cli, workflow] = process.argv.slice(1);
const assistant = createRequire(realpathSync(cli)).resolve('@n8n/instance-ai');
const { classifyNodesForSimulation } = require(
	join(dirname(assistant), 'tools/workflows/classify-node-destructiveness.service.js'),
);
classifyNodesForSimulation({ workflow: JSON.parse(workflow) }).then((verdicts) => {
	process.stdout.write(JSON.stringify(verdicts), () => process.exit(0));
});
`;

const verdicts = z.array(
	z.object({ nodeName: z.string(), verdict: z.enum(['simulate', 'execute']), source: z.string() }),
);

/** How n8n's assistant would run each operation while it verifies a workflow. */
async function classify() {
	const operations = CATALOGUE.map(({ resource, operation }) =>
		action(`${resource}.${operation}`, { resource, operation }),
	);
	const nodes = [START, ...operations].map((each, id) => ({ ...each, id: `${id}` }));
	const workflow = chain('All operations', nodes);
	const { node, cli, env } = await installN8nUnderTest();
	const printed = await run(node, ['-e', CLASSIFY, cli, JSON.stringify(workflow)], { env });
	return new Map(verdicts.parse(JSON.parse(printed)).map((each) => [each.nodeName, each]));
}

it('n8n’s assistant simulates every write by its name, and executes every read', async () => {
	const found = await classify();
	for (const { resource, operation, effect } of CATALOGUE) {
		const nodeName = `${resource}.${operation}`;
		/* Signing in by hand has names of its own; n8n asks a model, and without one it simulates. */
		const isNamed = resource !== 'authentication';
		const verdict = isNamed && effect === 'read' ? 'execute' : 'simulate';
		const source = isNamed ? 'deterministic' : 'fallback';
		expect(found.get(nodeName)).toEqual({ nodeName, verdict, source });
	}
});
