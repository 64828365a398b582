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
	/** The beginning of every identifier, which is left out of the groups. */
	prefix: z.string(),
	/** What is compared, and the identifiers for which it's the same, separated by spaces. */
	groups: z.array(z.tuple([z.string(), z.string()])),
});

/** Characters of an identifier before its random part (docs/api.md, Identifiers). */
const PREFIX_LENGTH = 3;

/** Characters that may be remembered: more than a million users, and far below what n8n can save. */
const MOST_CHARACTERS = 16_000_000;

/** The text that is saved. `scope` names what is watched; in another scope it counts for nothing. */
export function write(scope: string, remembered: Remembered): string {
	/* In one order, so that the text changes only if an entry does. */
	const ids = [...remembered.keys()].sort();
	const start = (ids[0] ?? '').slice(0, PREFIX_LENGTH);
	const isShared = ids.every((id) => id.length > PREFIX_LENGTH && id.startsWith(start));
	const prefix = isShared ? start : '';
	const groups = new Map<string, string[]>();
	for (const id of ids) {
		const compared = remembered.get(id) ?? '';
		const group = groups.get(compared);
		if (group === undefined) groups.set(compared, [id.slice(prefix.length)]);
		else group.push(id.slice(prefix.length));
	}
	const text = JSON.stringify({
		scope,
		prefix,
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
	const { prefix, groups } = saved.data;
	const remembered = new Map<string, string>();
	for (const [compared, ids] of groups) {
		for (const id of ids.split(' ')) remembered.set(`${prefix}${id}`, compared);
	}
	return remembered;
}
