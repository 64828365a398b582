/**
 * Works out a node's subtitle as n8n's editor does, for each set of parameters in the JSON on
 * standard input, with the expression engine named there. A process of its own, since the engine is
 * n8n's for the whole process.
 */
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

/* The ES modules of n8n-workflow do not load in Node. */
const { Expression, Workflow } = createRequire(import.meta.url)('n8n-workflow');

const { engine, groups } = JSON.parse(await text(process.stdin));
await Expression.initExpressionEngine({
	engine,
	bridgeTimeout: 5_000,
	bridgeMemoryLimit: 128,
	poolSize: 1,
	maxCodeCacheSize: 100,
});
/** Each set of parameters of a node of the type, with the subtitle. */
async function subtitlesOf({ description, cases }) {
	const type = { description };
	const nodeTypes = {
		getByName: () => type,
		getByNameAndVersion: () => type,
		getKnownTypes: () => ({}),
	};
	const nodes = cases.map(([parameters], index) => ({
		id: `${index}`,
		name: `Payroll ${index}`,
		type: 'payrollPayments',
		typeVersion: 1,
		position: [0, 0],
		parameters,
	}));
	const { expression } = new Workflow({ nodes, connections: {}, active: false, nodeTypes });
	return await expression.withIsolate(async () =>
		nodes.map((node, index) => [
			cases[index][0],
			expression.getSimpleParameterValue(node, description.subtitle, 'internal', {}),
		]),
	);
}

const shown = [];
for (const group of groups) shown.push(...(await subtitlesOf(group)));
process.stdout.write(JSON.stringify({ engine: Expression.getActiveImplementation(), shown }));
await Expression.disposeExpressionEngine();
