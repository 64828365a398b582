import { createServer, type Server } from 'node:http';

import { freePort } from '../n8nHost/ports';
import { WAITING_PAGE } from './landingPages';

interface Options {
	/** Where n8n's editor is. */
	readonly editor: string;
	/** Signs a browser in to it. */
	readonly cookie: string;
	/** The identifiers of workflows by the names in their links. */
	readonly workflows: Readonly<Record<string, string>>;
	/** The page without a name in its link. */
	readonly list: string;
	/** Whether n8n can show a workflow; it can't while it starts over. */
	readonly isReady: () => Promise<boolean>;
	/** The execution of a workflow that a delivery at this time started. */
	readonly executionAt: (workflow: string, at: string) => Promise<string | undefined>;
	/** Used if it is free. */
	readonly port: number;
}

/**
 * Links that open a workflow on n8n's canvas, or an execution, signed in; while n8n restarts, they wait.
 * Cookies belong to a host, whatever the port, so this server can set the one of n8n.
 */
export class Landing {
	private constructor(
		private readonly server: Server,
		readonly url: string,
	) {}

	static async start({ port: wanted, ...options }: Options): Promise<Landing> {
		const port = await freePort(wanted);
		const host = `127.0.0.1:${port}`;
		const server = createServer(({ url = '/', headers }, response) => {
			// Another host name would be another website's, and this answer signs in.
			const answer = headers.host === host ? answerTo(url, options) : NOT_FOUND;
			void Promise.resolve(answer).then(({ status, headers: more, body }) =>
				response.writeHead(status, more).end(body),
			);
		});
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject);
			server.listen(port, '127.0.0.1', resolve);
		});
		return new Landing(server, `http://${host}`);
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}

interface Answer {
	readonly status: number;
	readonly headers?: Record<string, string>;
	readonly body?: string;
}

const NOT_FOUND: Answer = { status: 404 };
const HTML = { 'content-type': 'text/html; charset=utf-8' };

async function answerTo(
	url: string,
	{ editor, cookie, workflows, list, isReady, executionAt }: Omit<Options, 'port'>,
): Promise<Answer> {
	const [path = '', search] = url.split('?');
	const [, name = '', more] = path.split('/');
	const signedIn = { 'set-cookie': cookie };
	if (name === '') return { status: 200, headers: { ...HTML, ...signedIn }, body: list };
	const id = Object.hasOwn(workflows, name) ? workflows[name] : undefined;
	if (id === undefined || (more !== undefined && more !== 'executions')) return NOT_FOUND;
	const isUp = await isReady().catch(() => false);
	if (!isUp) return { status: 503, headers: HTML, body: WAITING_PAGE };
	const workflow = `${editor}/workflow/${id}`;
	if (more === undefined) return { status: 302, headers: { location: workflow, ...signedIn } };
	const execution = await executionAt(id, new URLSearchParams(search).get('at') ?? '').catch(
		() => undefined,
	);
	const location = `${workflow}/executions${execution === undefined ? '' : `/${execution}`}`;
	return { status: 302, headers: { location, ...signedIn } };
}
