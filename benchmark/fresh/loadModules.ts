/*
 * Loads node and credential files like n8n (require, then an instance of the class that the file is
 * named after) and prints the cost. n8n-workflow is already loaded, as it is in n8n.
 */
import { createRequire } from 'node:module';
import path from 'node:path';

const load = createRequire(process.argv[1] ?? '');
load('n8n-workflow');

const files = process.argv.slice(2);
const settle = () => {
	globalThis.gc?.();
	globalThis.gc?.();
	const { heapUsed, external, rss } = process.memoryUsage();
	return { heap: heapUsed + external, rss };
};

const before = settle();
const begun = performance.now();
const instances: unknown[] = files.map((file) => {
	const loaded: Record<string, new () => unknown> = load(file);
	const Loaded = loaded[path.basename(file).split('.')[0] ?? ''];
	if (Loaded === undefined) throw new Error(`${file} does not export the class of its name.`);
	return new Loaded();
});
const milliseconds = performance.now() - begun;
const after = settle();
console.log(
	JSON.stringify({
		instances: instances.length,
		milliseconds,
		heapMegabytes: (after.heap - before.heap) / 1e6,
		rssMegabytes: (after.rss - before.rss) / 1e6,
	}),
);
