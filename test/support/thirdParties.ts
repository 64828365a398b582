import { z } from 'zod';

import { sendingTo, sheetBody, type Body } from '../../practice/standIns';
import { Sheet, type Row } from '../../sandbox/sheet';
import { startHttpServer, type HttpServer } from './httpServer';
import { without } from '../../n8nHost/sampleEvents';
import { waitFor } from '../../n8nHost/waiting';
import type { Workflow, WorkflowNode } from '../../n8nHost/workflows';

const operationShape = z.enum(['read', 'append', 'update', 'appendOrUpdate']);

const sentShape = z.object({
	operation: z.string().optional(),
	tab: z.string().optional(),
	text: z.string().optional(),
	name: z.string().optional(),
	description: z.string().optional(),
	desc: z.string().optional(),
	id: z.string().optional(),
	row: z.record(z.unknown()).optional(),
	matching: z.array(z.string()).default([]),
	filter: z.record(z.unknown()).default({}),
	item: z.record(z.unknown()).default({}),
});

/** A request to a third party: the node, its texts, and the item. */
export type Sent = z.infer<typeof sentShape> & { readonly node: string };

const TEXTS = ['text', 'name', 'description', 'desc', 'id'];

/** Stands in for Slack, Google Sheets and Trello. The sheet keeps what is written to it. */
export class ThirdParties {
	sent: Sent[] = [];
	private sheet = new Sheet();
	/** The answer for the node with this name. */
	readonly answers = new Map<string, unknown>();
	/** How often the node with this name fails from now on. */
	readonly failures = new Map<string, number>();
	private server: HttpServer | undefined;

	async start(): Promise<void> {
		let fails = false;
		this.server = await startHttpServer(
			({ path, body }) => {
				const node = decodeURIComponent(path.slice(1));
				if (fails) return { error: 'This failure was planned' };
				const sent = { node, ...sentShape.parse(JSON.parse(body)) };
				this.sent.push(sent);
				return this.answers.get(node) ?? this.answerTo(sent);
			},
			({ path }) => {
				const node = decodeURIComponent(path.slice(1));
				const left = this.failures.get(node) ?? 0;
				fails = left > 0;
				this.failures.set(node, left - 1);
				return fails ? 500 : 200;
			},
		);
	}

	forget(): void {
		this.sent = [];
		this.sheet = new Sheet();
		for (const each of [this.answers, this.failures]) each.clear();
	}

	/** Puts rows into a tab of the sheet, whose columns are theirs. */
	fill(tab: string, rows: readonly Row[]): void {
		this.sheet.replace(tab, { columns: [...new Set(rows.flatMap(Object.keys))], rows });
	}

	rows(tab: string): Row[] {
		return (this.sheet.tab(tab)?.rows ?? []).map((row) => without(row, 'row_number'));
	}

	/** The workflow, with its third-party nodes pointed at this server. */
	in(workflow: Workflow): Workflow {
		return { ...workflow, nodes: workflow.nodes.map((each) => this.replacing(each)) };
	}

	from(node: string): Sent[] {
		return this.sent.filter((each) => each.node === node);
	}

	async received(node: string): Promise<Sent> {
		return await waitFor(`${node} sends something`, async () => this.from(node)[0]);
	}

	private answerTo({ operation, tab, row = {}, matching, filter }: Sent): unknown {
		if (tab === undefined) return { ok: true };
		return this.sheet.perform({
			operation: operationShape.parse(operation),
			tab,
			row,
			matching,
			filter,
		});
	}

	private replacing(node: WorkflowNode): WorkflowNode {
		if (!/\.(slack|googleSheets|trello)$/.test(node.type)) return node;
		const { parameters } = node;
		const body = node.type.endsWith('googleSheets')
			? sheetBody(parameters)
			: textBody({
					...parameters,
					...Object(parameters.updateFields),
					...Object(parameters.options),
				});
		const url = `${this.server?.url}/${encodeURIComponent(node.name)}`;
		return sendingTo(url, node, { ...body, item: '={{ $json }}' });
	}
}

function textBody(parameters: Record<string, unknown>): Body {
	const { id, initialComment, message, ...rest } = parameters;
	const text = initialComment ?? message;
	return Object.fromEntries(
		Object.entries({ ...(text === undefined ? {} : { text }), ...rest, id: Object(id).value })
			.filter(([name]) => TEXTS.includes(name))
			.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
	);
}
