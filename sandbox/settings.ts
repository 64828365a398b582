import { z } from 'zod';

/** Ways to send several currencies (Endpoint 3); which one the service accepts isn't documented. */
const CURRENCIES_ENCODINGS = ['repeated', 'commaSeparated', 'brackets'] as const;

/** The operations that take a token, by `operationId`. */
const PROTECTED_OPERATIONS = [
	'getBalance',
	'listInvites',
	'createInvites',
	'createAdministratorInvites',
	'executeAdministratorInvites',
	'resolveNameReview',
	'sendTestDelivery',
	'createInstantPayment',
	'listTeamUsers',
] as const;

const settingsShape = z
	.object({
		/** Endpoint 8: name of the field for `approve` or `cancel`. */
		decisionFieldName: z.string().min(1).default('action'),
		/** Endpoint 9: name of the field for the event type. */
		eventTypeFieldName: z.string().min(1).default('event_type'),
		/** Endpoint 3: how several currencies may be sent; anything else gets 400. */
		currenciesEncodings: z.array(z.enum(CURRENCIES_ENCODINGS)).nonempty().default(['repeated']),
		/** Operations that answer 401 to the header `X-Auth-Token`. */
		apiKeyRefusedBy: z.array(z.enum(PROTECTED_OPERATIONS)).default([]),
		/** Whether the role is checked (403) before the existence (404). */
		roleBeforeExistence: z.boolean().default(false),
		/** Whether records in lists have all fields, or only those that are never missing. */
		recordFields: z.enum(['full', 'sparse']).default('full'),
		/** Whether failures have an `error_code`; `sometimes` leaves out every second one. */
		errorCodes: z.enum(['always', 'sometimes', 'never']).default('always'),
		/** Chain ID in sign-in messages and typed data. */
		chainId: z.number().int().positive().default(42161),
		/** Lifetime of a JWT in seconds. */
		tokenLifetimeSeconds: z.number().positive().default(3600),
		/** Lifetime of a sign-in message in seconds. */
		signInMessageLifetimeSeconds: z.number().positive().default(300),
		/** Endpoint 6: whether typed data has role names or their keccak-256 hashes (bytes32). */
		roleForm: z.enum(['name', 'hash']).default('name'),
		/** Endpoint 10: whether it needs a token. */
		instantPaymentNeedsToken: z.boolean().default(true),
		/** Endpoint 11: whether the filter by email heeds case, which isn't documented. */
		emailFilter: z.enum(['anyCase', 'exact']).default('anyCase'),
		/** How many users the growing team has. */
		growingTeamSize: z.number().int().min(30).max(200_000).default(30),
		/** Milliseconds before the second, third and fourth delivery attempt. */
		retryDelays: z.array(z.number().nonnegative()).default([60_000, 120_000, 300_000]),
		/** Milliseconds to wait for an endpoint's 2xx. */
		deliveryTimeout: z.number().positive().default(10_000),
		/** How many requests the wire log keeps; the counts include older ones. */
		logLimit: z.number().int().positive().default(20_000),
	})
	.strict();

/** Settings of the sandbox. */
export type Settings = z.infer<typeof settingsShape>;
/** Some of the settings, as a caller gives them. */
export type SettingsInput = z.input<typeof settingsShape>;

/** Merges settings into the current ones; throws ZodError for an unknown or invalid one. */
export function withSettings(input: unknown, current?: Settings): Settings {
	return settingsShape.parse({ ...current, ...z.record(z.unknown()).parse(input) });
}
