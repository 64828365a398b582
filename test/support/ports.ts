import { createServer } from 'node:net';

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

/**
 * A free port on the loopback address.
 *
 * @param preferred used if it is free
 */
export async function freePort(preferred?: number): Promise<number> {
	const port =
		(preferred === undefined ? undefined : await tryPort(preferred)) ?? (await tryPort(0));
	if (port === undefined) throw new Error('No port is free on 127.0.0.1.');
	return port;
}
