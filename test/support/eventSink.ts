import { startHttpServer, type HttpServer } from './httpServer';
import { node, type WorkflowNode } from '../../n8nHost/workflows';

/** A call of the sink, which goes on when the test answers. */
export interface HeldCall {
	answer(status: number): void;
}

/** A server outside n8n where each execution of a trigger workflow leaves its event's key. */
export class EventSink {
	/** In the order of their arrival, with repeats. */
	readonly keys: string[] = [];
	private readonly held = new Map<string, HeldCall[]>();
	private readonly listeners = new Set<() => void>();
	private server: HttpServer | undefined;

	static async start(): Promise<EventSink> {
		return await EventSink.open(() => 200);
	}

	/** A sink whose answers the test holds back, so that it decides when workflows end. */
	static async startHolding(): Promise<EventSink> {
		return await EventSink.open(
			async (sink, key) =>
				await new Promise((answer) => {
					sink.held.set(key, [...(sink.held.get(key) ?? []), { answer }]);
					for (const tell of sink.listeners) tell();
				}),
		);
	}

	private static async open(
		statusOf: (sink: EventSink, key: string) => number | Promise<number>,
	): Promise<EventSink> {
		const sink = new EventSink();
		const keyIn = (path: string) => decodeURIComponent(path.slice(1));
		sink.server = await startHttpServer(
			({ path }) => ({ idempotency_key: keyIn(path) }),
			({ path }) => {
				sink.keys.push(keyIn(path));
				return statusOf(sink, keyIn(path));
			},
		);
		return sink;
	}

	get url(): string {
		return this.server?.url ?? '';
	}

	get node(): WorkflowNode {
		return this.nodeFor('idempotency_key');
	}

	/** The node that calls it for each item with the value of one field. */
	nodeFor(field: string, more: Partial<WorkflowNode> = {}): WorkflowNode {
		return node(
			'After',
			'n8n-nodes-base.httpRequest',
			{ method: 'POST', url: `=${this.url}/{{ $json.${field} }}`, options: {} },
			{ typeVersion: 4.2, ...more },
		);
	}

	count(key: string): number {
		return this.keys.filter((each) => each === key).length;
	}

	get duplicates(): string[] {
		return this.keys.filter((key, index) => this.keys.indexOf(key) !== index);
	}

	/** Resolves when a key has arrived this many times, with the latest call, if calls are held. */
	async call(key: string, times = 1): Promise<HeldCall> {
		for (;;) {
			const call = this.held.get(key)?.[times - 1];
			if (call !== undefined) return call;
			await new Promise<void>((resolve) => this.listeners.add(resolve));
		}
	}
}
