import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { readFields, type FieldSet, type InputOf } from '../forms/field';
import { reasonOf, UserError } from '../shared/errors';
import { LruCache } from '../shared/lruCache';
import type { Redactor } from '../shared/redaction';
import { refusePauses } from './acknowledge';
import type { IpRange } from './allowlist';
import { nodeKeyOf } from './claims';
import { DEPOSIT_EVENTS, filters, options, parameters } from './fields';
import type { EventFilter } from './filter';
import type { TtlCache } from './ttlCache';
import {
	readWebhookCredentials,
	WEBHOOK_CREDENTIALS,
	type WebhookCredentials,
} from './webhookCredentials';

/** How the trigger is set up, read from its parameters. */
export interface DeliverySettings extends DeliveryOptions {
	/** undefined if the user chose no authentication. */
	readonly credentials: WebhookCredentials | undefined;
	readonly filter: EventFilter;
	readonly output: 'event' | 'simplified';
}

/** The trigger's options. */
interface DeliveryOptions {
	/** When a delivery that starts an execution is answered. `webhooks` tells n8n the same. */
	readonly acknowledge: 'received' | 'finished';
	readonly allowlist: readonly IpRange[];
	readonly invalidPayload: 'reject' | 'emit';
	readonly includeHeaders: boolean;
	/** Older events are refused; Infinity if the user set no limit. */
	readonly maximumAgeSeconds: number;
	/** How many events the trigger remembers; undefined if it doesn't deduplicate. */
	readonly history: number | undefined;
}

/** The trigger's parameters, each with its expressions resolved. */
export type TriggerParameters = Readonly<
	Record<'events' | 'depositStatuses' | 'filters' | 'output' | 'options', unknown>
>;

type ParameterSettings = Omit<DeliverySettings, 'credentials'>;

/** Deliveries of one trigger mostly have the same parameters, which are then checked once. */
const recentSettings = new LruCache<ParameterSettings>(100);

const HINT = 'Correct the field, then publish the workflow again.';

function refuse(field: string, message: string): never {
	throw new UserError(message, { field, hint: HINT });
}

/**
 * Reads the trigger's credential and parameters from n8n.
 *
 * @param redactor gets the secrets of the credential before anything can fail that may quote them
 * @param recentCredentials where to look for the credential before n8n decrypts it again
 * @throws {UserError} or n8n's own error if the parameters or the credential aren't usable
 */
export async function loadSettings(
	context: IWebhookFunctions | IHookFunctions,
	redactor: Redactor,
	recentCredentials?: TtlCache<WebhookCredentials>,
): Promise<DeliverySettings> {
	const parameter = (name: string, label: string, preset: object | string): unknown => {
		try {
			return context.getNodeParameter(name, preset);
		} catch (error) {
			return refuse(name, `${label} can't be evaluated: ${reasonOf(error)}`);
		}
	};
	const readCredentials = async () =>
		readWebhookCredentials(await context.getCredentials(WEBHOOK_CREDENTIALS));

	let credentials: WebhookCredentials | undefined;
	if (parameter('authentication', 'Authentication', 'webhookCredentials') !== 'none') {
		const key = `${nodeKeyOf(context)}:${JSON.stringify(context.getNode().credentials)}`;
		credentials = await (recentCredentials?.get(key, readCredentials) ?? readCredentials());
		redactor.add(...credentials.secrets);
	}
	const settings = readSettings(
		{
			events: parameter('events', 'Trigger On', ['deposit.received']),
			depositStatuses: parameter('depositStatuses', 'Deposit Statuses', ['complete']),
			filters: parameter('filters', 'Filters', {}),
			output: parameter('output', 'Output', 'event'),
			options: parameter('options', 'Options', {}),
		},
		credentials,
		context.getNode().parameters,
	);
	if (settings.acknowledge === 'finished') refusePauses(context);
	return settings;
}

/**
 * Checks the trigger's parameters. One that was set but resolves to nothing never lets more through.
 *
 * @param saved the same parameters as saved in the workflow, with expressions as text
 * @throws {UserError} that names the field by its label
 */
export function readSettings(
	given: TriggerParameters,
	credentials: WebhookCredentials | undefined,
	saved: Readonly<Partial<Record<string, unknown>>> = given,
): DeliverySettings {
	const read = () => readParameters(given, saved);
	return { ...recentSettings.getOrCreate(JSON.stringify([given, saved]), read), credentials };
}

function readParameters(
	given: TriggerParameters,
	saved: Readonly<Partial<Record<string, unknown>>>,
): ParameterSettings {
	const source = {
		read: (name: string) => new Map(Object.entries(given)).get(name),
		readSaved: (name: string) => saved[name],
	};
	const { events: wanted, output: form, depositStatuses: statuses } = parameters;
	const { events, output } = readFields({ events: wanted, output: form }, source, HINT);
	const wantsDeposits = events.some((event) => DEPOSIT_EVENTS.includes(event));
	const { depositStatuses } = wantsDeposits
		? readFields({ depositStatuses: statuses }, source, HINT)
		: { depositStatuses: [] };
	return {
		filter: {
			events,
			depositStatuses,
			...readCollection('Filters', filters, given.filters, saved.filters),
		},
		output,
		...readOptions(given.options, saved.options),
	};
}

/** Reads the trigger's `options`. */
export function readOptions(given: unknown, saved: unknown = given): DeliveryOptions {
	const {
		acknowledge = 'received',
		deduplicate = true,
		deduplicationHistory = 5_000,
		includeHeaders = false,
		invalidPayload = 'reject',
		ipAllowlist = [],
		maximumAgeSeconds = 0,
	} = readCollection('Options', options, given, saved);
	return {
		acknowledge,
		allowlist: ipAllowlist,
		invalidPayload,
		includeHeaders,
		maximumAgeSeconds: maximumAgeSeconds === 0 ? Number.POSITIVE_INFINITY : maximumAgeSeconds,
		history: deduplicate ? deduplicationHistory : undefined,
	};
}

function membersOf(label: string, collection: unknown = {}): ReadonlyMap<string, unknown> {
	return typeof collection === 'object' && collection !== null && !Array.isArray(collection)
		? new Map(Object.entries(collection))
		: refuse(label.toLowerCase(), `${label} isn't a list of fields`);
}

/** The fields of a collection that were added to it. */
function readCollection<Fields extends FieldSet>(
	label: string,
	fields: Fields,
	given: unknown,
	saved: unknown,
): Partial<InputOf<Fields>>;
function readCollection(
	label: string,
	fields: FieldSet,
	given: unknown,
	saved: unknown,
): Record<string, unknown> {
	const values = membersOf(label, given);
	const savedValues = membersOf(label, saved);
	const added = Object.entries(fields).filter(
		([name]) => values.has(name) || savedValues.has(name),
	);
	return readFields(
		Object.fromEntries(added),
		{ read: (name) => values.get(name), readSaved: (name) => savedValues.get(name) },
		HINT,
	);
}
