/** Documented names of fields, and the names that this service has for them. */
export type FieldNames = Readonly<Record<string, string>>;

/** What is signed has the same names everywhere. */
const TYPED_DATA = 'typed_data';

/** The documented name of a parameter or member. A documented name that isn't used here is unknown. */
export function documentedName(name: string, names: FieldNames): string {
	const own = names[name];
	if (own !== undefined) return `${name}, called ${own} here`;
	return Object.keys(names).find((documented) => names[documented] === name) ?? name;
}

/** A body with the documented names. */
export function asDocumented(body: unknown, names: FieldNames): unknown {
	return rename(body, names, (name) => documentedName(name, names));
}

/** An answer with this service's own names. */
export function asNamedHere(value: unknown, names: FieldNames): unknown {
	return rename(value, names, (name) => names[name] ?? name);
}

function rename(value: unknown, names: FieldNames, nameOf: (name: string) => string): unknown {
	if (Object.keys(names).length === 0) return value;
	if (Array.isArray(value)) return value.map((each) => rename(each, names, nameOf));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) =>
			name === TYPED_DATA ? [name, inner] : [nameOf(name), rename(inner, names, nameOf)],
		),
	);
}

/** An answer with other members in it and in the records of its lists. */
export function withMembers(data: unknown, more: Readonly<Record<string, unknown>>): unknown {
	if (Object.keys(more).length === 0) return data;
	if (Array.isArray(data)) return data.map((each) => withMembers(each, more));
	if (typeof data !== 'object' || data === null) return data;
	const lists = Object.entries(data).map(([name, inner]) => [
		name,
		Array.isArray(inner) ? withMembers(inner, more) : inner,
	]);
	return { ...Object.fromEntries(lists), ...more };
}
