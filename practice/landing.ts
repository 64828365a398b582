import { createServer, type Server } from 'node:http';

import { freePort } from '../n8nHost/ports';

interface Options {
	/** Where n8n's editor is. */
	readonly editor: string;
	/** Signs a browser in to it. */
	readonly cookie: string;
	/** The identifiers of workflows by the names in their links. */
	readonly workflows: Readonly<Record<string, string>>;
	/** The execution of a workflow that a delivery at this time started. */
	readonly executionAt: (workflow: string, at: string) => Promise<string | undefined>;
	/** Used if it is free. */
	readonly port: number;
}

/**
 * Links that open a workflow on n8n's canvas, or an execution, signed in. Cookies belong to a host,
 * whatever the port, so this server can set the one of n8n.
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
			const found =
				headers.host === host ? pageOf(new URL(url, `http://${host}`), options) : undefined;
			void Promise.resolve(found)
				.catch(() => '/home/workflows')
				.then((page) => {
					if (page === undefined) return response.writeHead(404).end();
					const location = `${options.editor}${page}`;
					return response.writeHead(302, { location, 'set-cookie': options.cookie }).end();
				});
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

/** The page of n8n that a link leads to; undefined for any other. */
async function pageOf(
	{ pathname, searchParams }: URL,
	{ workflows, executionAt }: Pick<Options, 'workflows' | 'executionAt'>,
): Promise<string | undefined> {
	const [, name = '', more] = pathname.split('/');
	if (name === '') return '/home/workflows';
	const id = Object.hasOwn(workflows, name) ? workflows[name] : undefined;
	if (id === undefined || (more !== undefined && more !== 'executions')) return undefined;
	if (more === undefined) return `/workflow/${id}`;
	const execution = await executionAt(id, searchParams.get('at') ?? '');
	return `/workflow/${id}/executions${execution === undefined ? '' : `/${execution}`}`;
}
