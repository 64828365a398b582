import type { Endpoint } from '../../deliveries';
import { hasSetting, SIGNING_SCHEMES } from '../../signingSchemes';

/** A field of the credential *Payroll Payments Webhook API*, as the user sees it in n8n. */
export interface Setting {
	readonly label: string;
	readonly value: string;
}

const ENCODINGS = { text: 'Text', hex: 'Hex', base64: 'Base64' } as const;

/** What to enter in n8n so that an endpoint's deliveries are accepted, from top to bottom. */
export function credentialSettings(endpoint: Endpoint): Setting[] {
	const { scheme, secret, previousSecret, header } = endpoint;
	const previous =
		previousSecret === undefined ? [] : [{ label: 'Previous Secret', value: previousSecret }];
	const { format } = SIGNING_SCHEMES[scheme];
	if (format === undefined) {
		return [
			{ label: 'Method', value: 'Shared Token' },
			{ label: 'Secret', value: secret },
			{ label: 'Header', value: header },
			...previous,
		];
	}
	return [
		{ label: 'Method', value: 'HMAC Signature' },
		{ label: 'Secret', value: secret },
		{ label: 'Format', value: format },
		...(hasSetting(scheme, 'header') ? [{ label: 'Header', value: header }] : []),
		...(scheme === 'custom' ? customSettings(endpoint) : []),
		...previous,
	];
}

function customSettings(endpoint: Endpoint): Setting[] {
	const { signedContent, signaturePrefix } = endpoint;
	const signs = (part: string): boolean => signedContent.includes(part);
	return [
		{ label: 'Signed Content', value: signedContent },
		...(signs('{timestamp}')
			? [{ label: 'Timestamp Header', value: endpoint.timestampHeader }]
			: []),
		...(signs('{id}') ? [{ label: 'ID Header', value: endpoint.idHeader }] : []),
		{ label: 'Algorithm', value: `HMAC-${endpoint.algorithm.toUpperCase()}` },
		{ label: 'Encoding', value: ENCODINGS[endpoint.encoding] },
		...(signaturePrefix === '' ? [] : [{ label: 'Signature Prefix', value: signaturePrefix }]),
		{ label: 'Secret Encoding', value: ENCODINGS[endpoint.secretEncoding] },
	];
}
