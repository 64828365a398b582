import { z } from 'zod';

const settingsShape = z
	.object({
		/** Operation 8: name of the field that carries approve or cancel. */
		decisionFieldName: z.string().min(1).default('action'),
		/** Operation 9: name of the field that carries the event type. */
		eventTypeFieldName: z.string().min(1).default('event_type'),
		/** Chain named by sign-in messages and typed data. */
		chainId: z.number().int().positive().default(42161),
		/** Seconds that a JWT lives. */
		tokenLifetimeSeconds: z.number().positive().default(3600),
		/** Seconds that a sign-in message may be used. */
		signInMessageLifetimeSeconds: z.number().positive().default(300),
		/** Administrator invites: roles as names, or as their keccak-256 hashes (bytes32). */
		roleForm: z.enum(['name', 'hash']).default('name'),
		/** Operation 10: whether a token is needed. */
		instantPaymentNeedsToken: z.boolean().default(true),
		/** Users of the growing team, the first of them being its ordinary ones. */
		growingTeamSize: z.number().int().min(30).max(200_000).default(30),
		/** Milliseconds before the second, third and fourth attempt of a delivery. */
		retryDelays: z.array(z.number().nonnegative()).default([60_000, 120_000, 300_000]),
		/** Milliseconds within which a 2xx must have come. */
		deliveryTimeout: z.number().positive().default(10_000),
		/** Requests kept in the wire log; the oldest go first, the counts stay. */
		logLimit: z.number().int().positive().default(20_000),
	})
	.strict();

/** Everything about the sandbox that a test or a person may turn. */
export type Settings = z.infer<typeof settingsShape>;
/** Some of the settings, as given by a caller. */
export type SettingsInput = z.input<typeof settingsShape>;

/** The settings with the given ones in place; throws ZodError for an unknown or wrong one. */
export function withSettings(input: unknown, current?: Settings): Settings {
	return settingsShape.parse({ ...current, ...z.record(z.unknown()).parse(input) });
}
