import { createServer, type Server } from 'node:http';

import { node, type WorkflowNode } from './workflows';

/** A call of a workflow's last node, which goes on when the test answers. */
export interface HeldCall {
	answer(status: number): void;
}

/** A server outside n8n whose answers the test holds back, so that it decides when workflows end. */
export class LedgerServer {
	private readonly calls = new Map<string, HeldCall[]>();
	private readonly listeners = new Set<() => void>();

	private constructor(
		private readonly server: Server,
		readonly url: string,
	) {
		server.on('request', (request, response) => {
			const key = decodeURIComponent(request.url?.slice(1) ?? '');
			const answer = (status: number) => {
				response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
			};
			this.calls.set(key, [...(this.calls.get(key) ?? []), { answer }]);
			for (const tell of this.listeners) tell();
		});
	}

	static async start(): Promise<LedgerServer> {
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		if (address === null || typeof address === 'string') throw new Error('The server has no port.');
		return new LedgerServer(server, `http://127.0.0.1:${address.port}`);
	}

	/** The node that calls it with the event's key. A status of 400 or more fails the workflow. */
	node(more: Partial<WorkflowNode> = {}): WorkflowNode {
		return node(
			'After',
			'n8n-nodes-base.httpRequest',
			{ method: 'POST', url: `=${this.url}/{{ $json.idempotency_key }}`, options: {} },
			{ typeVersion: 4.2, ...more },
		);
	}

	/** How often the node has run for an event. */
	count(key: string): number {
		return this.calls.get(key)?.length ?? 0;
	}

	/** Resolves when the node has run this many times for an event, with the latest call. */
	async call(key: string, times = 1): Promise<HeldCall> {
		for (;;) {
			const call = this.calls.get(key)?.[times - 1];
			if (call !== undefined) return call;
			await new Promise<void>((resolve) => this.listeners.add(resolve));
		}
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}
