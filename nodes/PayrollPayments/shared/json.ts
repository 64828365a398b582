export type JsonValue =
	| string
	| number
	| boolean
	| null
	| readonly JsonValue[]
	| { readonly [name: string]: JsonValue };

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON with sorted members, so that the order in which they were written makes no difference.
 * @param spell gives texts that mean the same one spelling
 */
export function canonicalJson(value: unknown, spell = (text: string): string => text): string {
	if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each, spell)).join(',')}]`;
	if (!isRecord(value)) {
		return JSON.stringify(typeof value === 'string' ? spell(value) : value) ?? 'null';
	}
	const members = Object.keys(value)
		.sort()
		.filter((name) => value[name] !== undefined)
		.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name], spell)}`);
	return `{${members.join(',')}}`;
}

/** The value of a JSON text, or undefined if the text isn't JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

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
