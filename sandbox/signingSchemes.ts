/** In the order of the practice desk's menu. */
export const SCHEME_NAMES = [
	'timestamped',
	'hex',
	'base64',
	'standardWebhooks',
	'custom',
	'sharedToken',
] as const;
export type SchemeName = (typeof SCHEME_NAMES)[number];

/** A setting of an endpoint that only some schemes have; `custom` stands for all that describe one. */
type SchemeSetting =
	| 'header'
	| 'previousSecret'
	| 'prefixed'
	| 'spaced'
	| 'bearer'
	| 'headerPrefix'
	| 'custom';

interface SigningScheme {
	/** On the practice desk. */
	readonly label: string;
	/** *Format* in n8n's credential; undefined where nothing is signed. */
	readonly format?: string;
	readonly settings: readonly SchemeSetting[];
}

/** How the service can prove its deliveries. deliverySignature.ts signs by it. */
export const SIGNING_SCHEMES: Readonly<Record<SchemeName, SigningScheme>> = {
	timestamped: {
		label: 'Timestamped, like Stripe',
		format: 'Timestamped',
		settings: ['header', 'spaced', 'previousSecret'],
	},
	hex: { label: 'Hex, like GitHub', format: 'Hex', settings: ['header', 'prefixed'] },
	base64: { label: 'Base64, like Shopify', format: 'Base64', settings: ['header', 'prefixed'] },
	standardWebhooks: {
		label: 'Standard Webhooks, like Svix',
		format: 'Standard Webhooks',
		settings: ['headerPrefix', 'previousSecret'],
	},
	custom: { label: 'Custom, like Slack', format: 'Custom', settings: ['header', 'custom'] },
	sharedToken: { label: 'Shared token', settings: ['header', 'bearer'] },
};

export const hasSetting = (scheme: SchemeName, setting: string): boolean =>
	SIGNING_SCHEMES[scheme].settings.some((each) => each === setting);
