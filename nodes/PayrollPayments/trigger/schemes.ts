import { menu } from '../forms/fieldTypes';
import type { ALGORITHMS, SecretEncoding, SignedContent } from './proofs';

/** Where a value is: a header, by its name in lower case, or a part of it. */
export interface Place {
	readonly name: string;
	readonly part?: string;
}

/** How a sender proves its deliveries. */
export interface Scheme {
	/** Where the proofs are. */
	readonly header: Place;
	/** Where the time and the ID are; undefined if they aren't signed. */
	readonly timestampHeader?: Place;
	readonly idHeader?: Place;
	/** What is signed, e.g. `{timestamp}.{body}`. Empty if the header contains the secret itself. */
	readonly signedContent: string;
	readonly algorithm: keyof typeof ALGORITHMS;
	readonly encoding: 'hex' | 'base64';
	/** Text in front of each signature. */
	readonly signaturePrefix: string;
	/** Text that may be in front of each signature, in any case. */
	readonly optionalPrefix: string;
	readonly secretEncoding: SecretEncoding;
	/** How the time may be written: in seconds, or also in milliseconds or ISO 8601. */
	readonly time: 'seconds' | 'any';
}

/** What the user describes of *Custom*. */
type CustomScheme = Partial<Omit<Scheme, 'header' | 'optionalPrefix' | 'time'>>;

/** A way to prove deliveries, as the menu *Format* shows it. */
interface FormatRow {
	readonly description: string;
	/** Whether its headers have fixed names. */
	readonly hasFixedHeaders?: true;
	/** Whether it has a time; of *Custom*, the user says so. */
	readonly signsTime?: true;
	/** The schemes that a delivery may use. None if the header is unsuitable. */
	schemes(header: Place, custom: CustomScheme): Scheme[];
}

const HMAC_DEFAULTS = {
	signedContent: '{body}',
	algorithm: 'sha256',
	encoding: 'hex',
	signaturePrefix: '',
	optionalPrefix: '',
	secretEncoding: 'text',
	time: 'seconds',
} as const;

/** The formats of signatures. A new one needs no other code, unless it refuses a header, as *Timestamped* does. */
const FORMATS = {
	base64: {
		description: 'HMAC-SHA256 over the raw body, in Base64, e.g. Shopify',
		schemes: (header) => [
			{ ...HMAC_DEFAULTS, header, encoding: 'base64', optionalPrefix: 'sha256=' },
		],
	},
	custom: {
		description:
			'Any other HMAC, described in the fields below with the service’s documentation, e.g. Slack',
		schemes: (header, custom) => [{ ...HMAC_DEFAULTS, ...custom, header, time: 'any' }],
	},
	hex: {
		description: 'HMAC-SHA256 over the raw body, in hex, e.g. GitHub',
		schemes: (header) => [{ ...HMAC_DEFAULTS, header, optionalPrefix: 'sha256=' }],
	},
	standardWebhooks: {
		description: 'Headers that start with webhook- or svix-, e.g. webhook-signature',
		hasFixedHeaders: true,
		signsTime: true,
		schemes: () =>
			['webhook', 'svix'].map((brand) => ({
				...HMAC_DEFAULTS,
				signedContent: '{id}.{timestamp}.{body}',
				header: { name: `${brand}-signature` },
				timestampHeader: { name: `${brand}-timestamp` },
				idHeader: { name: `${brand}-id` },
				signaturePrefix: 'v1,',
				encoding: 'base64',
				secretEncoding: 'base64',
			})),
	},
	timestamped: {
		description: 'HMAC-SHA256 over the timestamp and the raw body, as t=…,v1=…, e.g. Stripe',
		signsTime: true,
		schemes: ({ name, part }) => {
			const places = { header: { name, part: 'v1' }, timestampHeader: { name, part: 't' } };
			const scheme = { ...HMAC_DEFAULTS, signedContent: '{timestamp}.{body}', ...places };
			return part === undefined ? [scheme] : [];
		},
	},
} as const satisfies Readonly<Record<string, FormatRow>>;

const SHARED_TOKEN: FormatRow = {
	description: 'The header contains the secret itself',
	schemes: (header) => [{ ...HMAC_DEFAULTS, header, signedContent: '', algorithm: 'token' }],
};

export const formatOptions = menu(FORMATS);

export type Format = keyof typeof FORMATS | 'sharedToken';

export function formatOf(format: Format): FormatRow {
	return format === 'sharedToken' ? SHARED_TOKEN : FORMATS[format];
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

/** What is signed. `\n` in a template is a line break. */
export function fillTemplate(
	template: string,
	{ body, timestamp, id }: { body: Uint8Array; timestamp: string; id: string },
): SignedContent {
	/* n8n hands only POST requests to the trigger. */
	const values = new Map<string, string | Uint8Array>([
		['{body}', body],
		['{timestamp}', timestamp],
		['{id}', id],
		['{method}', 'POST'],
	]);
	const pieces = template.replaceAll('\\n', '\n').split(/(\{\w+\})/);
	return pieces.map((piece) => values.get(piece) ?? piece);
}
