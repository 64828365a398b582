import { parseArgs } from 'node:util';

import { startRemoteSigner } from './remoteSigner';
import { startSandbox } from './server';

/**
 * `tsx sandbox/main.ts [--port N] [--signer-port N] [--seed text] [--settings json]`: prints one JSON line
 * with the URL when ready. With a signer's port, a wallet that asks a person listens there.
 */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			'signer-port': { type: 'string' },
			seed: { type: 'string' },
			settings: { type: 'string', default: '{}' },
		},
	});
	const sandbox = await startSandbox({
		port: Number(values.port),
		seed: values.seed,
		settings: JSON.parse(values.settings),
	});
	const signerPort = values['signer-port'];
	const signer =
		signerPort === undefined
			? undefined
			: await startRemoteSigner({ port: Number(signerPort), asksPerson: true });
	const stop = (): void => {
		void Promise.all([sandbox.close(), signer?.close()]).then(() => process.exit(0));
	};
	process.once('SIGTERM', stop);
	process.once('SIGINT', stop);
	process.stdout.write(`${JSON.stringify({ url: sandbox.url, signer: signer?.url })}\n`);
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exit(1);
});
