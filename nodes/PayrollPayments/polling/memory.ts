import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { z } from 'zod';
import { UserError } from '../shared/errors';
import { parseJson } from '../shared/json';
import type { Remembered } from './compare';

/**
 * What a trigger remembers, as one compact text: identifiers grouped by what is compared, which most of
 * them share. n8n keeps it with the workflow in its database, and writes all of it each time.
 */
const memory = z.object({
	scope: z.string(),
	/** What is compared, and the identifiers for which it's the same, separated by spaces. */
	groups: z.array(z.tuple([z.string(), z.string()])),
});

/** Enough for a million users, and far below what n8n can save. */
const MAX_CHARACTERS = 16_000_000;

/** @param scope what is watched; in another scope the text counts for nothing */
export function encodeMemory(scope: string, remembered: Remembered): string {
	const groups = new Map<string, string>();
	/* In one order, so that the text changes only if an entry does. */
	for (const id of [...remembered.keys()].sort()) {
		const compared = remembered.get(id)?.compared ?? '';
		const others = groups.get(compared);
		groups.set(compared, others === undefined ? id : `${others} ${id}`);
	}
	const text = JSON.stringify({ scope, groups: [...groups] });
	if (text.length <= MAX_CHARACTERS) return text;
	throw new UserError(`The list is too long to remember: ${remembered.size} entries`, {
		hint: 'Watch a smaller team, or use the Payroll Payments Trigger instead.',
	});
}

/** Whether a text is of this scope, without reading what it remembers. */
export function isMemoryOf(scope: string, text = ''): boolean {
	return text.startsWith(`{"scope":${JSON.stringify(scope)},`);
}

/** @returns undefined if nothing is remembered for this scope */
export function decodeMemory(scope: string, text: string | undefined): Remembered | undefined {
	const saved = memory.safeParse(parseJson(text ?? ''));
	if (!saved.success || saved.data.scope !== scope) return undefined;
	const remembered = new Map<string, { compared: string }>();
	for (const [compared, ids] of saved.data.groups) {
		const each = { compared };
		for (const id of ids.split(' ')) remembered.set(id, each);
	}
	return remembered;
}

/** How often a trigger's memory has changed, and its text: the higher number is the newer. */
const revised = z.tuple([z.number().int(), z.string()]);
const revisedByNode = z.record(revised);

/** Where the workflow's static data holds what its triggers remember, by node ID. */
const KEY = 'payrollPaymentsPolling';

/** Triggers of a workflow whose memory is saved; what hasn’t changed for the longest is forgotten first. */
const MAX_TRIGGERS = 50;

/** What this process knows of each workflow, by node ID; the node that this process changed last is the last. */
const workflows = new Map<string, Map<string, z.infer<typeof revised>>>();

/**
 * What one trigger remembers. Since n8n 2.41 each published trigger has its own copy of the workflow's
 * static data and saves all of it (trigger-execution-context.factory.js); with n8n's poll scheduler,
 * each poll has its own. Of the texts that this process and the copy have for a trigger, the newest
 * counts, and every save writes the texts of all triggers.
 */
export class TriggerMemory {
	private readonly known: Map<string, z.infer<typeof revised>>;
	private readonly nodeId: string;
	private readonly copy: IDataObject;

	constructor(context: Pick<IPollFunctions, 'getNode' | 'getWorkflow' | 'getWorkflowStaticData'>) {
		const { id = '' } = context.getWorkflow();
		this.nodeId = context.getNode().id;
		this.copy = context.getWorkflowStaticData('global');
		this.known = workflows.get(id) ?? new Map();
		workflows.set(id, this.known);
		const saved = revisedByNode.safeParse(this.copy[KEY]).data ?? {};
		for (const [nodeId, entry] of Object.entries(saved)) {
			if (entry[0] > (this.known.get(nodeId)?.[0] ?? 0)) this.known.set(nodeId, entry);
		}
	}

	get text(): string | undefined {
		return this.known.get(this.nodeId)?.[1];
	}

	get revision(): number {
		return this.known.get(this.nodeId)?.[0] ?? 0;
	}

	/** Remembers a text, in the copy that n8n saves too. */
	remember(text: string): void {
		const revision = this.revision + 1;
		this.known.delete(this.nodeId);
		this.known.set(this.nodeId, [revision, text]);
		this.copy[KEY] = Object.fromEntries([...this.known].slice(-MAX_TRIGGERS));
	}
}
