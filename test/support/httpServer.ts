import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
	/** With the query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

export interface HttpServer {
	readonly url: string;
	stop(): Promise<void>;
}

/** Starts a server on the loopback address that answers every request with JSON. */
export async function startHttpServer(
	answer: (request: ReceivedRequest) => unknown,
	status: (request: ReceivedRequest) => number = () => 200,
): Promise<HttpServer> {
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			const { url: path = '', headers } = request;
			response.setHeader('content-type', 'application/json');
			response.statusCode = status({ path, headers, body });
			response.end(JSON.stringify(answer({ path, headers, body })));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port.');
	return {
		url: `http://127.0.0.1:${address.port}`,
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
