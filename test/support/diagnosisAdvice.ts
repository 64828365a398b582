const FIELDS: Readonly<Record<string, string>> = {
	'Timestamp Header': 'timestampHeader',
	'ID Header': 'idHeader',
	'Signed Content': 'signedContent',
	'Signature Prefix': 'signaturePrefix',
	'Secret Encoding': 'secretEncoding',
	Method: 'method',
	Header: 'header',
	Format: 'format',
	Algorithm: 'algorithm',
	Encoding: 'encoding',
};

const TEXT_FIELDS = [
	'Timestamp Header',
	'ID Header',
	'Signed Content',
	'Signature Prefix',
	'Header',
];

/** The values that a person chooses or enters for what the form calls so. */
const VALUES: Readonly<Record<string, string>> = {
	'Shared Token': 'sharedToken',
	'HMAC Signature': 'hmacSignature',
	Hex: 'hex',
	Base64: 'base64',
	Timestamped: 'timestamped',
	'Standard Webhooks': 'standardWebhooks',
	Custom: 'custom',
	'HMAC-SHA256': 'sha256',
	'HMAC-SHA512': 'sha512',
	Text: 'text',
};

/** Follows the advice of the trigger's error like a person in front of the form. */
export function settingsFrom(advice: string): Record<string, string> {
	const [, list = ''] = /In the credential, set (.+?)\.(?: [A-Z].*)?$/.exec(advice) ?? [];
	const label = Object.keys(FIELDS).join('|');
	const entry = new RegExp(
		`(${label}) to (.+?)(?=,? and (?:${label}) to |, (?:${label}) to |$)`,
		'g',
	);
	return Object.fromEntries(
		[...list.matchAll(entry)].map(([, field = '', value = '']) => [
			FIELDS[field] ?? field,
			TEXT_FIELDS.includes(field)
				? value.replace(/^nothing$/, '').replace(/^“(.*)”$/, '$1')
				: (VALUES[value] ?? value),
		]),
	);
}
