import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { DEPOSIT_STATUSES } from '../api/schemas/events';
import type { Redactor } from '../shared/redaction';
import { readAcknowledge, refusePauses } from './acknowledge';
import { readAllowlist, type IpRange } from './allowlist';
import { nodeKeyOf } from './claims';
import type { EventFilter } from './filter';
import {
	collection,
	evaluateField,
	filterEntries,
	readChoice,
	readMaximumAge,
	readMinimum,
	readSwitch,
	refuse,
	requiredEntries,
	type Parameter,
} from './parameters';
import type { TtlCache } from './ttlCache';
import { readWebhookCredentials, type WebhookCredentials } from './webhookCredentials';

/** The name of the credential type. */
export const WEBHOOK_CREDENTIALS = 'payrollPaymentsWebhookApi';

/** How the trigger is set up, read from its parameters. */
export interface DeliverySettings {
	/** undefined if the user chose no authentication. */
	readonly credentials: WebhookCredentials | undefined;
	readonly allowlist: readonly IpRange[];
	readonly filter: EventFilter;
	readonly output: 'event' | 'simplified';
	readonly invalidPayload: 'reject' | 'emit';
	readonly includeHeaders: boolean;
	/** Older events are refused; Infinity if the user set no limit. */
	readonly maximumAgeSeconds: number;
	readonly history: History;
}

/** How many events the trigger remembers; undefined if it doesn't deduplicate. */
export type History = number | undefined;

/** The trigger's parameters, each with its expressions resolved. */
export type TriggerParameters = Readonly<
	Record<'events' | 'depositStatuses' | 'filters' | 'output' | 'options', unknown>
>;

/**
 * Reads the trigger's credential and parameters from n8n.
 *
 * @param redactor gets the secrets of the credential before anything can fail that may quote them
 * @param recentCredentials where to look for the credential before n8n decrypts it again
 * @throws {Refusal} or n8n's own error if the parameters or the credential aren't usable
 */
export async function loadSettings(
	context: IWebhookFunctions | IHookFunctions,
	redactor: Redactor,
	recentCredentials?: TtlCache<WebhookCredentials>,
): Promise<DeliverySettings> {
	const parameter = (name: string, label: string, fallback: object | string) =>
		evaluateField(name, label, () => context.getNodeParameter(name, fallback));
	const readCredentials = async () =>
		readWebhookCredentials(await context.getCredentials(WEBHOOK_CREDENTIALS));

	let credentials: WebhookCredentials | undefined;
	if (parameter('authentication', 'Authentication', 'webhookCredentials') !== 'none') {
		const key = `${nodeKeyOf(context)}:${JSON.stringify(context.getNode().credentials)}`;
		credentials = await (recentCredentials?.get(key, readCredentials) ?? readCredentials());
		redactor.add(...credentials.secrets);
	}
	const options = parameter('options', 'Options', {});
	if (readAcknowledge(options) === 'finished') {
		const { name } = context.getNode();
		refusePauses(context.getChildNodes(name, { includeNodeParameters: true }));
	}
	return readSettings(
		{
			events: parameter('events', 'Trigger On', ['deposit.received']),
			depositStatuses: parameter('depositStatuses', 'Deposit Statuses', ['complete']),
			filters: parameter('filters', 'Filters', {}),
			output: parameter('output', 'Output', 'event'),
			options,
		},
		credentials,
		context.getNode().parameters,
	);
}

/**
 * Checks the trigger's parameters. One that was set but resolves to nothing never lets more through:
 * required lists are refused, switches and choices take their strict value, and filters are refused
 * if their expression found nothing.
 *
 * @param saved the same parameters as saved in the workflow, with expressions as text
 * @throws {Refusal} that names the field by its label
 */
export function readSettings(
	parameters: TriggerParameters,
	credentials: WebhookCredentials | undefined,
	saved: Readonly<Partial<Record<string, unknown>>> = parameters,
): DeliverySettings {
	const parameter = (name: keyof TriggerParameters, label: string): Parameter => {
		return { name, label, value: parameters[name], saved: saved[name] };
	};
	const filter = collection(parameter('filters', 'Filters'));
	const filterList = (name: string, label: string): string[] => {
		const added = filter(name, label);
		return added === undefined ? [] : filterEntries(added);
	};
	const option = collection(parameter('options', 'Options'));
	const allowlist = option('ipAllowlist', 'IP Allowlist');
	const minimum = filter('minimumAmountCents', 'Minimum Amount (Cents)');
	const invalidPayload = option('invalidPayload', 'Invalid Payload');
	const includeHeaders = option('includeHeaders', 'Include Headers');
	const maximumAge = option('maximumAgeSeconds', 'Maximum Age (Seconds)');
	const events = requiredEntries(
		parameter('events', 'Trigger On'),
		'Choose at least one event, or fix the expression.',
	);
	return {
		credentials,
		allowlist:
			allowlist === undefined
				? []
				: readAllowlist(
						requiredEntries(
							allowlist,
							'Add at least one address, fix the expression, or remove the option to accept deliveries from any address.',
						),
					),
		filter: {
			events,
			depositStatuses: readStatuses(parameter('depositStatuses', 'Deposit Statuses'), events),
			entityIds: filterList('entityIds', 'Team or Company IDs'),
			eventVersions: filterList('eventVersions', 'Event Versions'),
			sourceCurrencies: filterList('sourceCurrencies', 'Source Currencies'),
			destinationCurrencies: filterList('destinationCurrencies', 'Destination Currencies'),
			networks: filterList('networks', 'Networks'),
			providers: filterList('providers', 'Providers'),
			minimumAmountCents: minimum === undefined ? Number.NEGATIVE_INFINITY : readMinimum(minimum),
		},
		output: readChoice(parameter('output', 'Output'), { event: 'Event', simplified: 'Simplified' }),
		invalidPayload:
			invalidPayload === undefined
				? 'reject'
				: readChoice(invalidPayload, { emit: 'Emit', reject: 'Reject' }, 'reject'),
		includeHeaders: includeHeaders !== undefined && readSwitch(includeHeaders, false),
		maximumAgeSeconds:
			maximumAge === undefined ? Number.POSITIVE_INFINITY : readMaximumAge(maximumAge),
		history: readHistory(parameters.options),
	};
}

/** The deposit statuses; ignored if no deposits are asked for. */
function readStatuses(parameter: Parameter, events: readonly string[]): string[] {
	if (!events.includes('deposit.received') && !events.includes('*')) return [];
	const statuses = requiredEntries(parameter, 'Choose at least one status, or fix the expression.');
	const known: readonly string[] = [...DEPOSIT_STATUSES, 'unknown'];
	const undocumented = statuses.find((status) => !known.includes(status));
	if (undocumented === undefined) return statuses;
	return refuse(
		parameter,
		`contains ${JSON.stringify(undocumented.slice(0, 60))}, which isn't a deposit status`,
		`Use ${known.join(', ')}.`,
	);
}

const DEFAULT_HISTORY = 5_000;
const MAX_HISTORY = 100_000;

/**
 * Reads how many events to remember from the trigger's `options`. Anything but a number in range
 * counts as the default.
 * @throws {Refusal} if Deduplicate is neither on nor off
 */
export function readHistory(options: unknown): History {
	const option = collection({ value: options, saved: undefined });
	const deduplicate = option('deduplicate', 'Deduplicate');
	if (deduplicate !== undefined && !readSwitch(deduplicate, true)) return undefined;
	const history = Number(option('deduplicationHistory', 'Deduplication History')?.value);
	const isUsable = Number.isInteger(history) && history >= 1 && history <= MAX_HISTORY;
	return isUsable ? history : DEFAULT_HISTORY;
}
