import { parseArgs } from 'node:util';

import { startSandbox } from './server';

/**
 * `tsx sandbox/main.ts [--port N] [--seed text] [--settings json]`: prints one JSON line with the URL
 * when ready.
 */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			seed: { type: 'string' },
			settings: { type: 'string', default: '{}' },
		},
	});
	const sandbox = await startSandbox({
		port: Number(values.port),
		seed: values.seed,
		settings: JSON.parse(values.settings),
	});
	const stop = (): void => {
		void sandbox.close().then(() => process.exit(0));
	};
	process.once('SIGTERM', stop);
	process.once('SIGINT', stop);
	process.stdout.write(`${JSON.stringify({ url: sandbox.url })}\n`);
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exit(1);
});
