import { createServer, type Server } from 'node:http';

import { freePort } from '../test/support/ports';

interface Options {
	/** Where n8n's editor is. */
	readonly editor: string;
	/** Signs a browser in to it. */
	readonly cookie: string;
	/** The identifiers of workflows by the names in their links. */
	readonly workflows: Readonly<Record<string, string>>;
	/** Used if it is free. */
	readonly port: number;
}

/**
 * Links that open a workflow on n8n's canvas, signed in. Cookies belong to a host, whatever the
 * port, so this server can set the one of n8n.
 */
export class Landing {
	private constructor(
		private readonly server: Server,
		readonly url: string,
	) {}

	static async start({ editor, cookie, workflows, port: wanted }: Options): Promise<Landing> {
		const port = await freePort(wanted);
		const host = `127.0.0.1:${port}`;
		const server = createServer(({ url = '/', headers }, response) => {
			const name = url.slice(1);
			const target = name === '' ? '/home/workflows' : `/workflow/${workflows[name] ?? ''}`;
			// Another host name would be another website's, and this answer signs in.
			if (headers.host !== host || !(name === '' || Object.hasOwn(workflows, name))) {
				response.writeHead(404).end();
				return;
			}
			response.writeHead(302, { location: `${editor}${target}`, 'set-cookie': cookie }).end();
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
