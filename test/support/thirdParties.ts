import { z } from 'zod';

import { sendingTo, sheetBody, type Body } from '../../practice/standIns';
import { startHttpServer, type HttpServer } from './httpServer';
import { waitFor } from '../../n8nHost/waiting';
import type { Workflow, WorkflowNode } from '../../n8nHost/workflows';

type Row = Record<string, unknown>;

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

/** Stands in for Slack, Google Sheets and Trello. The sheets keep what is written to them. */
export class ThirdParties {
	sent: Sent[] = [];
	readonly sheets = new Map<string, Row[]>();
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
				return this.answers.get(node) ?? (sent.tab === undefined ? { ok: true } : this.sheet(sent));
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
		for (const each of [this.sheets, this.answers, this.failures]) each.clear();
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

	private sheet({ operation, tab = '', row = {}, matching, filter }: Sent): unknown {
		const rows = this.sheets.get(tab) ?? [];
		this.sheets.set(tab, rows);
		if (operation === 'read') {
			return rows.filter((each) =>
				Object.entries(filter).every(([column, value]) => each[column] === value),
			);
		}
		const same = rows.find((each) => matching.every((column) => each[column] === row[column]));
		if (same !== undefined && matching.length > 0) Object.assign(same, row);
		else if (operation !== 'update') rows.push({ ...row });
		return row;
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
