import { menu } from '../forms/fieldTypes';

export type SecretEncoding = 'text' | 'hex' | 'base64';

/**
 * How a sender proves its deliveries, in the words of the credential's fields. A place is a header's
 * name or `Name[part]`.
 */
export interface Scheme {
	/** What is signed, e.g. `{timestamp}.{body}`. Empty if the header contains the secret itself. */
	readonly signedContent: string;
	readonly header: string;
	readonly timestampHeader: string;
	readonly idHeader: string;
	readonly algorithm: 'sha256' | 'sha512';
	readonly encoding: 'hex' | 'base64';
	/** Text in front of each signature. */
	readonly signaturePrefix: string;
	readonly secretEncoding: SecretEncoding;
	/** Text that may be in front of each signature, in any case. */
	readonly optionalPrefix: string;
	/** How a signed time may be written: in seconds, or also in milliseconds or ISO 8601. */
	readonly time: 'seconds' | 'any';
	/** The beginnings that names of headers may have, the usual one first. */
	readonly brands: readonly string[];
}

/** A way to prove deliveries, as the menu shows it. `*` is the user's *Header*. */
interface SchemeRow {
	readonly description: string;
	readonly scheme: Partial<Scheme>;
}

const DEFAULTS: Scheme = {
	signedContent: '{body}',
	header: '*',
	timestampHeader: '',
	idHeader: '',
	algorithm: 'sha256',
	encoding: 'hex',
	signaturePrefix: '',
	secretEncoding: 'text',
	optionalPrefix: '',
	time: 'seconds',
	brands: [''],
};

/**
 * The formats of signatures. *Custom* is described by the credential's own fields; the others are
 * presets of the same fields. A new one needs no other code.
 */
const FORMATS = {
	base64: {
		description: 'HMAC-SHA256 over the raw body, in Base64, e.g. Shopify',
		scheme: { encoding: 'base64', optionalPrefix: 'sha256=' },
	},
	custom: {
		description:
			'Any other HMAC, described in the fields below with the service’s documentation, e.g. Slack',
		scheme: { time: 'any' },
	},
	hex: {
		description: 'HMAC-SHA256 over the raw body, in hex, e.g. GitHub',
		scheme: { optionalPrefix: 'sha256=' },
	},
	standardWebhooks: {
		description: 'Headers that start with webhook- or svix-, e.g. webhook-signature',
		scheme: {
			signedContent: '{id}.{timestamp}.{body}',
			header: 'signature',
			timestampHeader: 'timestamp',
			idHeader: 'id',
			signaturePrefix: 'v1,',
			encoding: 'base64',
			secretEncoding: 'base64',
			brands: ['webhook-', 'svix-'],
		},
	},
	timestamped: {
		description: 'HMAC-SHA256 over the timestamp and the raw body, as t=…,v1=…, e.g. Stripe',
		scheme: { signedContent: '{timestamp}.{body}', header: '*[v1]', timestampHeader: '*[t]' },
	},
} as const satisfies Readonly<Record<string, SchemeRow>>;

export const formatOptions = menu(FORMATS);

export type Format = keyof typeof FORMATS | 'sharedToken';

/** What a format fixes. A shared token signs nothing. */
function presetOf(format: Format): Partial<Scheme> {
	return format === 'sharedToken' ? { signedContent: '' } : FORMATS[format].scheme;
}

/** Whether the user says in which header the signature is. */
export function hasOwnHeader(format: Format): boolean {
	return presetOf(format).header?.startsWith('*') !== false;
}

/** Whether a signature of this format has a time; of *Custom*, the user says so. */
export function signsTime(format: Format): boolean {
	return presetOf(format).signedContent?.includes('{timestamp}') === true;
}

/** A format's scheme with the user's *Header*, and for *Custom* with what the user describes. */
export function schemeOf(format: Format, header: string, custom: Partial<Scheme> = {}): Scheme {
	const preset = { ...DEFAULTS, ...presetOf(format) };
	const place = (text: string) => text.replace('*', () => header);
	return {
		...preset,
		header: place(preset.header),
		timestampHeader: place(preset.timestampHeader),
		...custom,
	};
}

/** Where a value is: a header, or a part of it. */
export interface Place {
	readonly name: string;
	readonly part?: string;
}

const PLACE = /^([\w!#$%&'*+.^`|~-]+)(?:\[([\w.-]+)\])?$/;

/** Reads `Name` or `Name[part]`, if it's either. A name is a token of RFC 9110, section 5.6.2. */
export function parsePlace(text: string): Place | undefined {
	const [, name, part] = PLACE.exec(text) ?? [];
	return name === undefined ? undefined : { name: name.toLowerCase(), part };
}

/* The last character of Base64 has bits to spare; only with zeros in them is there one spelling. */
const SIGNATURES = [
	{ algorithm: 'sha512', encoding: 'hex', shape: /^(.{0,30}?)[0-9a-f]{128}$/i },
	{ algorithm: 'sha256', encoding: 'hex', shape: /^(.{0,30}?)[0-9a-f]{64}$/i },
	{ algorithm: 'sha512', encoding: 'base64', shape: /^(.{0,30}?)[\w+/-]{85}[AQgw](?:==)?$/ },
	{ algorithm: 'sha256', encoding: 'base64', shape: /^(.{0,30}?)[\w+/-]{42}[AEIMQUYcgkosw048]=?$/ },
] as const;

/** Which kind of signature a text ends in, and what is in front of it. */
export function signatureIn(text: string) {
	for (const { algorithm, encoding, shape } of SIGNATURES) {
		const [, prefix] = shape.exec(text) ?? [];
		if (prefix !== undefined) return { algorithm, encoding, prefix };
	}
	return undefined;
}

const FIELDS = ['{body}', '{timestamp}', '{id}', '{method}'];

/** Why a template is unusable, to be put after the field's label. */
export function faultInTemplate(template: string): string | undefined {
	const names: string[] = template.match(/\{\w+\}/g) ?? [];
	const unknown = names.find((name) => !FIELDS.includes(name));
	if (unknown !== undefined) {
		return `contains ${unknown.slice(0, 30)}, which isn’t one of ${FIELDS.join(', ')}`;
	}
	if (!names.includes('{body}')) return 'must contain {body}, e.g. {timestamp}.{body}';
	/* {method} is always the same text. */
	const touching = /(\{(?:body|timestamp|id)\})(\{(?:body|timestamp|id)\})/.exec(template);
	if (touching === null) return undefined;
	return `must have text between ${touching[1]} and ${touching[2]}, or a forged delivery could move characters from one to the other`;
}

/** The signed bytes, piece by piece, so that the body needn't be copied. */
export function fillTemplate(
	template: string,
	{ body, timestamp, id }: { body: Uint8Array; timestamp: string; id: string },
): Array<string | Uint8Array> {
	/* n8n hands only POST requests to the trigger. */
	const values = new Map<string, string | Uint8Array>([
		['{body}', body],
		['{timestamp}', timestamp],
		['{id}', id],
		['{method}', 'POST'],
	]);
	return template.split(/(\{\w+\})/).map((piece) => values.get(piece) ?? piece);
}
