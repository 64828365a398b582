import { createServer } from 'node:net';
import path from 'node:path';

import { lockUntilExit } from '../tooling/lock.mjs';
import { cacheFolder } from '../tooling/paths.mjs';

/** Resolves with the port if it is free; 0 stands for any port. */
async function tryPort(port: number): Promise<number | undefined> {
	return await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => {
			resolve(undefined);
		});
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => {
				resolve(typeof address === 'object' ? address?.port : undefined);
			});
		});
	});
}

/** Keeps a port for this process, since a server that is about to start doesn't listen yet. */
function reserve(port: number): boolean {
	return lockUntilExit(path.join(cacheFolder, 'ports', String(port)));
}

/**
 * A free port on the loopback address, which no other process gets from here while this one runs.
 *
 * @param preferred used if it is free
 */
export async function freePort(preferred = 0): Promise<number> {
	for (const wanted of [preferred, ...Array<number>(100).fill(0)]) {
		const port = await tryPort(wanted);
		if (port !== undefined && reserve(port)) return port;
	}
	throw new Error('No port is free on 127.0.0.1.');
}
