/** How a secret is written in the credential. */
export type SecretEncoding = 'text' | 'hex' | 'base64';

/** What a sender signs, e.g. `{timestamp}.{body}`. */
export interface SignedContent {
	readonly template: string;
	/** Literal text and fields in the order in which they are signed. */
	readonly pieces: readonly string[];
}

/** Where a sender puts something: in a header, or in a named part of one. */
export interface Source {
	/** Of the header, in lower case; empty for nowhere. */
	readonly name: string;
	/** As in `ts=1700000000;h1=5257a8…`. */
	readonly part?: string;
}

/** How a sender proves its deliveries. Everything that {@link verifySignature} needs, except the secret. */
export interface Scheme {
	/** undefined if the header contains the secret itself. */
	readonly content?: SignedContent;
	readonly signature: Source;
	/** Where `{timestamp}` and `{id}` are. */
	readonly timestamp: Source;
	readonly id: Source;
	readonly algorithm: 'sha256' | 'sha512';
	readonly encoding: 'hex' | 'base64';
	/** Text in front of each signature. */
	readonly prefix: string;
	/** Text that may be in front of each signature, in any case. */
	readonly optionalPrefix: string;
	readonly secretEncoding: SecretEncoding;
	/** How a signed time may be written: in seconds, or also in milliseconds or ISO 8601. */
	readonly time: 'seconds' | 'any';
	/** The beginnings that names of headers may have, the usual one first. */
	readonly brands: readonly string[];
}

/** The texts of a scheme that is written down: its headers as in the form, where `*` is *Header*. */
export type SchemeTexts = Readonly<
	Record<'content' | 'header' | 'timestampHeader' | 'idHeader', string>
> &
	Omit<Scheme, 'content' | 'signature' | 'timestamp' | 'id'>;

/** A way to prove deliveries. */
interface SchemeRow {
	readonly value: string;
	/** On the menu. */
	readonly name: string;
	readonly description: string;
	/** What a refusal recommends. */
	readonly hint: string;
	/** How a signature looks, for the diagnosis. */
	readonly looks: string;
	readonly scheme: Partial<SchemeTexts>;
}

const DEFAULTS: SchemeTexts = {
	content: '{body}',
	header: '*',
	timestampHeader: '',
	idHeader: '',
	algorithm: 'sha256',
	encoding: 'hex',
	prefix: '',
	optionalPrefix: '',
	secretEncoding: 'text',
	time: 'seconds',
	brands: [''],
};

const CHECK = 'in the webhook credential.';
const OR_ANOTHER_FORMAT = `If the service signs differently, change Format ${CHECK}`;

/**
 * The formats of signatures. *Custom* is described by the credential's own fields; the others are
 * presets of the same fields. A new one needs no other code.
 */
export const FORMATS = [
	{
		value: 'base64',
		name: 'Base64',
		description: 'HMAC-SHA256 over the raw body, in Base64, e.g. Shopify',
		hint: `Check Header and Format ${CHECK}`,
		looks: 'Base64',
		scheme: { encoding: 'base64', optionalPrefix: 'sha256=' },
	},
	{
		value: 'custom',
		name: 'Custom',
		description:
			'Any other HMAC, described in the fields below with the service’s documentation, e.g. Slack',
		hint: `Check the names of the headers, Algorithm, Encoding and Signature Prefix ${CHECK}`,
		looks: '',
		scheme: { time: 'any' },
	},
	{
		value: 'hex',
		name: 'Hex',
		description: 'HMAC-SHA256 over the raw body, in hex, e.g. GitHub',
		hint: `Check Header and Format ${CHECK}`,
		looks: 'hex',
		scheme: { optionalPrefix: 'sha256=' },
	},
	{
		value: 'standardWebhooks',
		name: 'Standard Webhooks',
		description: 'Headers that start with webhook- or svix-, e.g. webhook-signature',
		hint: `Standard Webhooks has the headers webhook-id, webhook-timestamp and webhook-signature, or the same with svix-. ${OR_ANOTHER_FORMAT}`,
		looks: '',
		scheme: {
			content: '{id}.{timestamp}.{body}',
			header: 'signature',
			timestampHeader: 'timestamp',
			idHeader: 'id',
			prefix: 'v1,',
			encoding: 'base64',
			secretEncoding: 'base64',
			brands: ['webhook-', 'svix-'],
		},
	},
	{
		value: 'timestamped',
		name: 'Timestamped',
		description: 'HMAC-SHA256 over the timestamp and the raw body, as t=…,v1=…, e.g. Stripe',
		hint: `The expected form is t=…,v1=…. ${OR_ANOTHER_FORMAT}`,
		looks: 't=…,v1=…',
		scheme: { content: '{timestamp}.{body}', header: '*[v1]', timestampHeader: '*[t]' },
	},
] as const satisfies readonly SchemeRow[];

/** Signs nothing: the header contains the secret itself. */
const SHARED_TOKEN = {
	value: 'sharedToken',
	name: 'Shared Token',
	description: 'Every delivery contains the secret itself',
	hint: `Check Header ${CHECK}`,
	looks: '',
	scheme: { content: '' },
} as const satisfies SchemeRow;

export type Format = (typeof FORMATS)[number]['value'] | 'sharedToken';

/** A format's row of the table. */
export function rowOf(format: Format): SchemeRow {
	return FORMATS.find(({ value }) => value === format) ?? SHARED_TOKEN;
}

export const formatOptions = FORMATS.map(({ name, value, description }) => ({
	name,
	value,
	description,
}));

/** Schemes that need nothing but a secret and, perhaps, a header; the simplest first. */
export const PRESETS: readonly Format[] = [
	'sharedToken',
	...FORMATS.map(({ value }) => value).filter((value) => value !== 'custom'),
];

/** Whether the user says in which header the signature is. */
export function hasOwnHeader(format: Format): boolean {
	return rowOf(format).scheme.header?.startsWith('*') !== false;
}

/** Whether a signature of this format has a time; of *Custom*, the user says so. */
export function signsTime(format: Format): boolean {
	return rowOf(format).scheme.content?.includes('{timestamp}') === true;
}

const SOURCE = /^([\w!#$%&'*+.^`|~-]+)(?:\[([\w.-]+)\])?$/;

/**
 * Reads `Name` or `Name[part]`. A header's name is a token of RFC 9110, section 5.6.2.
 * @returns undefined if the text is neither
 */
export function parseSource(text: string): Source | undefined {
	if (text === '') return { name: '' };
	const [, name, part] = SOURCE.exec(text) ?? [];
	if (name === undefined) return undefined;
	return { name: name.toLowerCase(), ...(part === undefined ? {} : { part }) };
}

const FIELDS = ['{body}', '{timestamp}', '{id}', '{method}'];

/** @returns the content, or why the template is unusable, to be put after the field's label */
export function parseTemplate(template: string): SignedContent | string {
	const names: string[] = template.match(/\{\w+\}/g) ?? [];
	const unknown = names.find((name) => !FIELDS.includes(name));
	if (unknown !== undefined) {
		return `contains ${unknown.slice(0, 30)}, which isn't one of ${FIELDS.join(', ')}`;
	}
	if (!names.includes('{body}')) return 'must contain {body}, e.g. {timestamp}.{body}';
	return { template, pieces: template.split(/(\{\w+\})/).filter((piece) => piece !== '') };
}

/**
 * Two fields of a template without text between them, if any: characters could be moved from one to
 * the other without changing the signature. {method} is always the same text.
 */
export function touchingFields({ pieces }: SignedContent): string | undefined {
	const varies = (piece = '') => FIELDS.includes(piece) && piece !== '{method}';
	const at = pieces.findIndex((piece, index) => varies(piece) && varies(pieces[index + 1]));
	return at === -1 ? undefined : `${pieces[at]} and ${pieces[at + 1]}`;
}

/** Whether a signature covers this part of the delivery. */
export function covers(content: SignedContent | undefined, field: '{timestamp}' | '{id}'): boolean {
	return content?.pieces.includes(field) ?? false;
}

/** The signed bytes, piece by piece, so that the body needn't be copied. */
export function fillTemplate(
	{ pieces }: SignedContent,
	{ body, timestamp, id }: { body: Uint8Array; timestamp: string; id: string },
): Array<string | Uint8Array> {
	/* n8n hands only POST requests to the trigger. */
	const values = new Map<string, string | Uint8Array>([
		['{body}', body],
		['{timestamp}', timestamp],
		['{id}', id],
		['{method}', 'POST'],
	]);
	return pieces.map((piece) => values.get(piece) ?? piece);
}

/**
 * A format's scheme.
 * @param header the user's *Header*
 * @param custom what the user describes
 */
export function schemeOf(
	format: Format,
	header: string,
	custom: Partial<SchemeTexts> = {},
): Scheme {
	const {
		content,
		header: signatureHeader,
		timestampHeader,
		idHeader,
		...scheme
	} = {
		...DEFAULTS,
		...rowOf(format).scheme,
		...custom,
	};
	const source = (text: string) => parseSource(text.replace('*', () => header)) ?? { name: '' };
	const signed = parseTemplate(content);
	return {
		...scheme,
		content: typeof signed === 'string' ? undefined : signed,
		signature: source(signatureHeader),
		timestamp: source(timestampHeader),
		id: source(idHeader),
	};
}
