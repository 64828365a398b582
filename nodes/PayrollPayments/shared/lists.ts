/** Splits a list into batches of up to `size` entries; 0 means a single batch. */
export function inBatches<Entry>(list: readonly Entry[], size: number): Entry[][] {
	const most = size === 0 ? Math.max(1, list.length) : size;
	const count = Math.ceil(list.length / most);
	return Array.from({ length: count }, (_, index) => list.slice(index * most, (index + 1) * most));
}

/** The entries with the same key, by that key; both in the order of the list. */
export function groupsOf<Key, Entry>(
	list: readonly Entry[],
	keyOf: (entry: Entry) => Key,
): Map<Key, Entry[]> {
	const groups = new Map<Key, Entry[]>();
	for (const entry of list) {
		const key = keyOf(entry);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [entry]);
		else group.push(entry);
	}
	return groups;
}

/** "a, b, c and 3 more"; "a, b, c" if nothing is left out. */
export function listed(names: readonly string[], most = 3, separator = ', '): string {
	const shown = names.slice(0, most).join(separator);
	const rest = names.length - most;
	return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** "1 person", "2 people"; without `many`, with an "s". */
export function quantity(count: number, one: string, many = `${one}s`): string {
	return `${count} ${count === 1 ? one : many}`;
}

/** "1 refused", "2 unknown"; counts of 0 are left out. */
export function counted(counts: Readonly<Record<string, number>>): string[] {
	return Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}`));
}

/* Without a comma before the last one, as in all our texts. */
const CONJUNCTION = new Intl.ListFormat('en-GB');
const DISJUNCTION = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** "a, b and c" */
export function allOf(names: readonly string[]): string {
	return CONJUNCTION.format(names);
}

/** "a, b or c" */
export function oneOf(names: readonly string[]): string {
	return DISJUNCTION.format(names);
}
