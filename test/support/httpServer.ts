import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

import { stopAfterFile } from '../../n8nHost/cleanups';

export interface ReceivedRequest {
	/** With the query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

export interface HttpServer {
	readonly url: string;
	readonly port: number;
	stop(): Promise<void>;
}

/** Has a server listen on any port of the loopback address, until the test file has ended at most. */
export async function listen(server: Server): Promise<HttpServer> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port.');
	const stop = async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	};
	stopAfterFile(stop);
	return { url: `http://127.0.0.1:${address.port}`, port: address.port, stop };
}

export async function startHttpServer(
	answer: (request: ReceivedRequest) => unknown,
	status: (request: ReceivedRequest) => number | Promise<number> = () => 200,
): Promise<HttpServer> {
	return await listen(
		createServer((incoming, response) => {
			void text(incoming).then(async (body) => {
				const { url: path = '', headers } = incoming;
				const request = { path, headers, body };
				const given = status(request);
				const said = JSON.stringify(answer(request));
				response.writeHead(await given, { 'content-type': 'application/json' }).end(said);
			});
		}),
	);
}
