import { randomUUID } from 'node:crypto';

import type { N8nRest } from '../../n8nHost/n8nRest';
import { textAt, waitUntil } from '../../n8nHost/waiting';
import { chain, webhook, type Workflow, type WorkflowNode } from '../../n8nHost/workflows';

/** A webhook that starts a workflow and answers at once. */
export class WebhookStart {
	readonly name = randomUUID();
	/** One for each process that takes deliveries. */
	readonly urls: readonly string[];
	private version = 0;

	/** @param processes the URLs of the processes that take deliveries */
	constructor(
		private readonly n8n: N8nRest,
		processes: readonly string[],
	) {
		this.urls = processes.map((url) => `${url}/webhook/${this.name}`);
	}

	/** A workflow that it starts, with the nodes one after the other. */
	workflow(nodes: readonly WorkflowNode[]): Workflow {
		this.version += 1;
		const responseMode = 'onReceived';
		const hook = webhook('Hook', this.name, { responseMode });
		const version = webhook('Version', `${this.name}-version`, {
			httpMethod: 'GET',
			responseMode,
			options: { responseData: String(this.version) },
		});
		const { connections, ...started } = chain(this.name, [hook, ...nodes]);
		return { ...started, nodes: [...started.nodes, version], connections };
	}

	/**
	 * Publishes the workflow and waits until every process runs the new version: n8n publishes in the
	 * background, and runs the old version until then.
	 */
	async publish(id: string): Promise<void> {
		await this.n8n.activate(id);
		for (const url of this.urls) {
			await waitUntil(
				`n8n runs version ${this.version} at ${url}`,
				async () => (await textAt(`${url}-version`)) === String(this.version),
				{ milliseconds: 180_000, interval: 250 },
			);
		}
	}

	/** Starts the workflow with a JSON body. */
	async start(url: string, body: string): Promise<void> {
		const headers = { 'content-type': 'application/json' };
		const { status } = await fetch(url, { method: 'POST', body, headers });
		if (status !== 200) throw new Error(`n8n answered ${url} with ${status}.`);
	}
}
