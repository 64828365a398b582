/** Levels of nesting that data from outside may have: n8n copies and saves it recursively. */
export const DEEPEST = 100;

/** Whether there is a value inside more than `levels` lists and objects. */
export function isDeeperThan(value: unknown, levels: number): boolean {
	if (levels < 0) return true;
	if (typeof value !== 'object' || value === null) return false;
	for (const member of Array.isArray(value) ? value : Object.values(value)) {
		if (isDeeperThan(member, levels - 1)) return true;
	}
	return false;
}
