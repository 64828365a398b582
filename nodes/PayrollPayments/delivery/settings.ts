import { z } from '../contract';
import type { WebhookCredentials } from './credentials';
import type { EventFilter } from './filter';
import { readAllowlist, type IpRange } from './ipAllowlist';

/** How the trigger is set up, read from its parameters. */
export interface DeliverySettings {
	/** Undefined where the user chose to take deliveries without proof. */
	readonly credentials: WebhookCredentials | undefined;
	readonly allowlist: readonly IpRange[];
	readonly filter: EventFilter;
	readonly output: 'event' | 'simplified';
	readonly invalidPayload: 'reject' | 'emit';
	readonly includeHeaders: boolean;
	readonly history: History;
}

/** How many events the trigger remembers; undefined where it does not deduplicate. */
export type History = number | undefined;

/** A list as a form or an expression gives it: an array, or text with commas or line breaks. */
const list = z
	.union([z.array(z.coerce.string()), z.string()])
	.nullish()
	.transform((value) => (Array.isArray(value) ? value : (value ?? '').split(/[,\n]/)))
	.transform((entries) => entries.map((entry) => entry.trim()).filter((entry) => entry !== ''));

const parameters = z.object({
	events: list,
	depositStatuses: list,
	filters: z
		.object({
			entityIds: list,
			sourceCurrencies: list,
			destinationCurrencies: list,
			networks: list,
			providers: list,
			minimumAmountCents: z.coerce.number().catch(0),
		})
		.partial({ minimumAmountCents: true }),
	output: z.enum(['event', 'simplified']),
	options: z.object({
		includeHeaders: z.boolean().optional(),
		invalidPayload: z.enum(['reject', 'emit']).optional(),
		ipAllowlist: list,
	}),
});

/**
 * Reads the trigger's parameters as n8n gives them.
 * @throws {Refusal} where the allowlist holds what is no address.
 */
export function readSettings(
	saved: Readonly<Record<keyof z.input<typeof parameters>, unknown>>,
	credentials: WebhookCredentials | undefined,
): DeliverySettings {
	const { events, depositStatuses, filters, output, options } = parameters.parse(saved);
	return {
		credentials,
		allowlist: readAllowlist(options.ipAllowlist),
		filter: {
			...filters,
			events,
			depositStatuses,
			minimumAmountCents: filters.minimumAmountCents ?? Number.NEGATIVE_INFINITY,
		},
		output,
		invalidPayload: options.invalidPayload ?? 'reject',
		includeHeaders: options.includeHeaders ?? false,
		history: readHistory(saved.options),
	};
}

const deduplication = z.object({
	deduplicate: z.boolean().optional(),
	deduplicationHistory: z.coerce.number().int().min(1).max(100_000).catch(5_000).optional(),
});

/** Reads how many events to remember from the trigger's `options`. */
export function readHistory(options: unknown): History {
	const { deduplicate = true, deduplicationHistory = 5_000 } = deduplication.parse(options);
	return deduplicate ? deduplicationHistory : undefined;
}
