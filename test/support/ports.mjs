import { createServer } from 'node:net';

/**
 * @param {number} port 0 for any
 * @returns {Promise<number | undefined>} the port, or nothing when somebody has it
 */
function tryPort(port) {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(undefined));
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			server.close(() =>
				resolve(typeof address === 'object' && address !== null ? address.port : undefined),
			);
		});
	});
}

/**
 * A free port on the loopback address.
 *
 * @param {number} [preferred] taken if nobody has it
 */
export async function freePort(preferred) {
	const port =
		(preferred === undefined ? undefined : await tryPort(preferred)) ?? (await tryPort(0));
	if (port === undefined) throw new Error('No port is free on 127.0.0.1.');
	return port;
}
