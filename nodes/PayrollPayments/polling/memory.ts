import type { IDataObject } from 'n8n-workflow';

import { z } from 'zod';
import { UserError } from '../shared/errors';
import { parseJson } from '../shared/json';
import type { Remembered } from './snapshots';

/**
 * n8n keeps static data with the workflow in its database and writes all of it each time, so what a
 * trigger remembers is one compact text: identifiers in groups by what is compared, which most share.
 */
const memory = z.object({
	scope: z.string(),
	/** What is compared, and the identifiers for which it's the same, separated by spaces. */
	groups: z.array(z.tuple([z.string(), z.string()])),
});

/** Characters that may be remembered: a million users, and far below what n8n can save. */
const MOST_CHARACTERS = 16_000_000;

/** The text that is saved. `scope` names what is watched; in another scope it counts for nothing. */
export function write(scope: string, remembered: Remembered): string {
	const groups = new Map<string, string>();
	/* In one order, so that the text changes only if an entry does. */
	for (const id of [...remembered.keys()].sort()) {
		const compared = remembered.get(id)?.compared ?? '';
		const others = groups.get(compared);
		groups.set(compared, others === undefined ? id : `${others} ${id}`);
	}
	const text = JSON.stringify({ scope, groups: [...groups] });
	if (text.length <= MOST_CHARACTERS) return text;
	throw new UserError(`The list is too long to remember: ${remembered.size} entries`, {
		hint: 'Watch a smaller team, or use the Payroll Payments Trigger instead.',
	});
}

export function read(scope: string, text: unknown): Remembered | undefined {
	const saved = memory.safeParse(typeof text === 'string' ? parseJson(text) : undefined);
	if (!saved.success || saved.data.scope !== scope) return undefined;
	const remembered = new Map<string, { compared: string }>();
	for (const [compared, ids] of saved.data.groups) {
		const each = { compared };
		for (const id of ids.split(' ')) remembered.set(id, each);
	}
	return remembered;
}

/** What one trigger remembers, and how often that has changed: the higher revision is the newer. */
const revised = z.tuple([z.number().int(), z.string()]);
const revisedByNode = z.record(revised);

/** Where the workflow's static data holds what its triggers remember, by node ID. */
const KEY = 'payrollPaymentsPolling';

/** Triggers of a workflow whose memory is saved; that of a deleted one is the first to be forgotten. */
const MOST_TRIGGERS = 50;

/** What this process knows of each workflow, by node ID; the node that changed last is the last. */
const workflows = new Map<string, Map<string, z.infer<typeof revised>>>();

/**
 * What a workflow's polling triggers remember. Since n8n 2.41 each published trigger has its own copy
 * of the workflow's static data and saves all of it (trigger-execution-context.factory.js), and with
 * its poll scheduler each poll has one. So what counts is the newest that this process or the copy
 * knows of each trigger, and every save writes all of them.
 */
export class WorkflowMemory {
	private readonly known: Map<string, z.infer<typeof revised>>;

	/** @param copy the workflow's global static data, as this poll got it */
	constructor(
		workflowId: string,
		private readonly copy: IDataObject,
	) {
		this.known = workflows.get(workflowId) ?? new Map();
		workflows.set(workflowId, this.known);
		const saved = revisedByNode.safeParse(copy[KEY]).data ?? {};
		for (const [nodeId, entry] of Object.entries(saved)) {
			if (entry[0] > this.revisionOf(nodeId)) this.known.set(nodeId, entry);
		}
	}

	textOf(nodeId: string): string | undefined {
		return this.known.get(nodeId)?.[1];
	}

	revisionOf(nodeId: string): number {
		return this.known.get(nodeId)?.[0] ?? 0;
	}

	/** Remembers a text, in the copy that n8n saves too. */
	remember(nodeId: string, text: string): void {
		const revision = this.revisionOf(nodeId) + 1;
		this.known.delete(nodeId);
		this.known.set(nodeId, [revision, text]);
		this.copy[KEY] = Object.fromEntries([...this.known].slice(-MOST_TRIGGERS));
	}
}
