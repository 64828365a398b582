import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { listen, type HttpServer } from './httpServer';

/** A request as the server received it. */
export interface EchoRequest {
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	readonly query: URLSearchParams;
	readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
	/** The parsed body; undefined if there is none. */
	readonly body: unknown;
}

/** An answer: JSON, or verbatim text. */
export interface EchoAnswer {
	readonly status?: number;
	readonly body: unknown;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
	const sent = await text(request);
	return sent === '' ? undefined : JSON.parse(sent);
}

/**
 * A service or signer for the tests of the calling file or block, with answers that they choose, even
 * ones that the sandbox never gives.
 */
export function useEchoService() {
	/** Every request since the last change of `answer`. */
	const requests: EchoRequest[] = [];
	const faults: unknown[] = [];
	let how: (request: EchoRequest) => EchoAnswer = () => ({ status: 404, body: '' });
	const server = createServer((incoming, response) => {
		void (async () => {
			const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://echo');
			const { method = '', headers } = incoming;
			const request = { method, path, query, headers, body: await bodyOf(incoming) };
			requests.push(request);
			const { status = 200, body } = how(request);
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(typeof body === 'string' ? body : JSON.stringify(body));
		})().catch((error: unknown) => {
			faults.push(error);
			response.destroy();
		});
	});
	let running: HttpServer | undefined;
	beforeAll(async () => {
		running = await listen(server);
	});
	afterAll(() => {
		if (faults.length > 0) throw faults[0];
	});
	return {
		requests,
		get url() {
			if (running === undefined) throw new Error('The service has not started.');
			return running.url;
		},
		/** Sets the answers from now on. */
		answer: (next: typeof how) => {
			requests.length = 0;
			how = next;
		},
	};
}
