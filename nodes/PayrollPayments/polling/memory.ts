import { z } from 'zod';
import { Refusal } from '../shared/errors';
import { parseJson } from '../shared/json';
import type { Remembered } from './changeKind';

/**
 * n8n keeps the node's static data with the workflow in its database and writes all of it each time,
 * so it's one compact text: identifiers in groups by what is compared, which most of them share.
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
	/* In one order, so that the text changes only if an entry does. */
	const ids = [...remembered.keys()].sort();
	const groups = new Map<string, string[]>();
	for (const id of ids) {
		const compared = remembered.get(id)?.compared ?? '';
		const group = groups.get(compared);
		if (group === undefined) groups.set(compared, [id]);
		else group.push(id);
	}
	const text = JSON.stringify({
		scope,
		groups: [...groups].map(([compared, ids]) => [compared, ids.join(' ')]),
	});
	if (text.length <= MOST_CHARACTERS) return text;
	throw new Refusal(`The list is too long to remember: ${remembered.size} entries`, {
		hint: 'Watch a smaller team, or use the Payroll Payments Trigger instead.',
	});
}

/** What was saved for this scope, if anything. */
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
