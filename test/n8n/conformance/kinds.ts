/** An example of a value, and what makes it one. */
export interface Example {
	readonly what: string;
	readonly value: unknown;
}

/** What the document says about a value, as examples that it allows and examples that it rules out. */
export interface Kind {
	/** The first one has every field. */
	readonly allowed: readonly [Example, ...Example[]];
	readonly forbidden: readonly Example[];
	/** Without anything that is optional. */
	readonly sparse: unknown;
	/** Without anything of which the document doesn't say that it is always there. */
	readonly bare: unknown;
}

/** A field of an object, and whether it is there every time. */
export interface FieldRule {
	readonly kind: Kind;
	/** `unclear`: the document doesn't say. */
	readonly presence: 'required' | 'optional' | 'unclear';
}

export type Fields = Readonly<Record<string, FieldRule>>;

export const required = (kind: Kind): FieldRule => ({ kind, presence: 'required' });
export const optional = (kind: Kind): FieldRule => ({ kind, presence: 'optional' });
export const unclear = (kind: Kind): FieldRule => ({ kind, presence: 'unclear' });

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const named = (value: unknown): Example => ({ what: JSON.stringify(value) ?? 'nothing', value });

function leaf(allowed: readonly [unknown, ...unknown[]], forbidden: readonly unknown[]): Kind {
	const [first, ...others] = allowed;
	return {
		allowed: [named(first), ...others.map(named)],
		forbidden: forbidden.map(named),
		sparse: first,
		bare: first,
	};
}

/** One of the given texts. */
export function oneOf(values: readonly string[], outsiders: readonly string[] = []): Kind {
	const [first = '', ...rest] = values;
	const others = [...outsiders, '', `${first}x`, first.slice(1), 7];
	return leaf(
		[first, ...rest],
		others.filter((other) => !values.some((value) => value === other)),
	);
}

const PREFIXES = ['te', 'co', 'us', 'in', 'tx', 'wh'];

/** A nanoid: one of the prefixes and 12 characters. */
export function identifier(first: string, ...others: readonly string[]): Kind {
	const prefixes = [first, ...others];
	const strangers = PREFIXES.filter((prefix) => !prefixes.includes(prefix));
	return leaf(
		[`${first}-a1B2c3D4e5F6`, ...prefixes.map((prefix) => `${prefix}-_Z9-z0Aa_-09`)],
		[
			...strangers.map((prefix) => `${prefix}-a1B2c3D4e5F6`),
			...prefixes.flatMap((prefix) => [`${prefix}-a1B2c3D4e5F`, `${prefix}-a1B2c3D4e5F67`]),
			`${first}_a1B2c3D4e5F6`,
			first.toUpperCase() + '-a1B2c3D4e5F6',
			'a1B2c3D4e5F6abc',
			'',
		],
	);
}

/** A whole number between two bounds. */
export function integer(least: number, most?: number): Kind {
	return leaf(
		[least, least + 1, ...(most === undefined ? [] : [most - 1, most])],
		[least - 1, least + 0.5, ...(most === undefined ? [] : [most + 1]), String(least)],
	);
}

export const text = leaf(['text', 'Zoë · 名前'], [7, true, null, {}]);
export const filledText = leaf(['text', 'x'], ['']);
export const number = leaf([7, 0, 1.5], ['7', true, null]);
export const flag = leaf([true, false], ['true', 1, null]);
export const digits = leaf(['0', '12345678901234567890'], ['1.50', '1,000', 'many', '', 100]);
/** An object of which the document shows nothing else. */
export const anyObject = leaf([{ anything: 1 }, {}], ['text', 7, null]);

export const address = leaf(
	['0x52908400098527886E0F7030069857D2E4169EE7', `0x${'0'.repeat(40)}`],
	[`0x${'a'.repeat(39)}`, `0x${'a'.repeat(41)}`, 'a'.repeat(42), `0x${'g'.repeat(40)}`, '', 7],
);

export const signature = leaf(
	[`0x${'a1'.repeat(65)}`, `0x${'0'.repeat(129)}1`],
	[`0x${'a'.repeat(129)}`, `0x${'a'.repeat(131)}`, `0x${'0'.repeat(130)}`, 'a'.repeat(132), ''],
);

export const email = leaf(
	['ana@example.com', 'ana.b+c@mail.example.org'],
	['', 'ana', 'ana@', '@example.com', 'ana@@example.com', 'ana b@example.com', 7],
);

export const timestamp = leaf(
	[
		'2026-03-31T09:30:00Z',
		'2026-03-31T09:30Z',
		'2026-03-31T09:30:00.123456Z',
		'2024-02-29T00:00:00Z',
	],
	[
		'2026-03-31T09:30:00',
		'2026-03-31T09:30:00+00:00',
		'2026-03-31',
		'2026-02-31T09:30:00Z',
		'2023-02-29T00:00:00Z',
		'2026-13-01T00:00:00Z',
		'2026-03-31 09:30:00Z',
		'2026-03-31T25:00:00Z',
		'',
	],
);

export const isoTimestamp = leaf(
	['2026-03-31T09:30:00Z', '2026-03-31T09:30:00.5+02:00'],
	['yesterday', '2026-03-31', '', 1_774_949_400],
);

/** The kind, or null. */
export function orNull(kind: Kind): Kind {
	return { ...kind, allowed: [...kind.allowed, named(null)] };
}

/** An array, perhaps with the least and most entries that it may have. */
export function listOf(item: Kind, least = 0, most?: number): Kind {
	const [first, ...others] = item.allowed;
	const sized = (size: number): Example => ({
		what: `${size} entries`,
		value: Array.from({ length: size }, () => first.value),
	});
	const single = ({ what, value }: Example): Example => ({ what: `[${what}]`, value: [value] });
	return {
		allowed: [
			{ what: 'every entry', value: item.allowed.slice(0, most).map(({ value }) => value) },
			...[first, ...others].map(single),
			sized(least),
			...(most === undefined ? [] : [sized(most)]),
		],
		forbidden: [
			...item.forbidden.map(single),
			...(least > 0 ? [sized(least - 1)] : []),
			...(most === undefined ? [] : [sized(most + 1)]),
			named('no list'),
		],
		sparse: [item.sparse],
		bare: [item.bare],
	};
}

function without(object: Readonly<Record<string, unknown>>, name: string): object {
	return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** An object with these fields and, unless it is open, no others. */
export function object(fields: Fields, isOpen = false): Kind {
	const rules = Object.entries(fields);
	const full = Object.fromEntries(rules.map(([name, { kind }]) => [name, kind.allowed[0].value]));
	const only = (presences: readonly FieldRule['presence'][], part: 'sparse' | 'bare'): object =>
		Object.fromEntries(
			rules
				.filter(([, { presence }]) => presences.includes(presence))
				.map(([name, { kind }]) => [name, kind[part]]),
		);
	const sparse = only(['required', 'unclear'], 'sparse');
	const changed = (name: string, { what, value }: Example): Example => ({
		what: `${name}: ${what}`,
		value: { ...full, [name]: value },
	});
	const lacking = (wanted: FieldRule['presence']): Example[] =>
		rules
			.filter(([, { presence }]) => presence === wanted)
			.map(([name]) => ({ what: `no ${name}`, value: without(full, name) }));
	return {
		allowed: [
			{ what: 'every field', value: full },
			{ what: 'no optional field', value: sparse },
			...lacking('optional'),
			...rules.flatMap(([name, { kind }]) => kind.allowed.map((each) => changed(name, each))),
		],
		forbidden: [
			...lacking('required'),
			...rules.flatMap(([name, { kind }]) => kind.forbidden.map((each) => changed(name, each))),
			...(isOpen ? [] : [{ what: 'an unknown field', value: { ...full, unknown_field: 1 } }]),
			named('no object'),
		],
		sparse,
		bare: only(['required'], 'bare'),
	};
}
