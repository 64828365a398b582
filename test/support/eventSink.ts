import { startHttpServer, type HttpServer } from './httpServer';
import { node, type WorkflowNode } from './workflows';

/** A server outside n8n where each execution of a trigger workflow leaves its event's key. */
export class EventSink {
	private constructor(
		private readonly server: HttpServer,
		readonly keys: string[],
	) {}

	static async start(): Promise<EventSink> {
		const keys: string[] = [];
		const server = await startHttpServer(({ path }) => {
			const key = decodeURIComponent(path.slice(1));
			keys.push(key);
			return { idempotency_key: key };
		});
		return new EventSink(server, keys);
	}

	get url(): string {
		return this.server.url;
	}

	/** The node that calls it with an event's key. */
	get node(): WorkflowNode {
		return this.nodeFor('idempotency_key');
	}

	/** The node that calls it for each item with the value of one field. */
	nodeFor(field: string): WorkflowNode {
		return node(
			'After',
			'n8n-nodes-base.httpRequest',
			{ method: 'POST', url: `=${this.server.url}/{{ $json.${field} }}`, options: {} },
			{ typeVersion: 4.2 },
		);
	}

	/** Keys that arrived more than once. */
	get duplicates(): string[] {
		return this.keys.filter((key, index) => this.keys.indexOf(key) !== index);
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}
}
