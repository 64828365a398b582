import { DEPOSIT_STATUSES } from '../api/schemas/events';
import { Refusal } from '../shared/errors';
import type { WebhookCredentials } from './webhookCredentials';
import type { EventFilter } from './filter';
import { readAllowlist, type IpRange } from './allowlist';

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

/** The trigger's parameters, each with its expressions resolved. */
export type TriggerParameters = Readonly<
	Record<'events' | 'depositStatuses' | 'filters' | 'output' | 'options', unknown>
>;

/** One parameter, for reading and for messages. */
interface Parameter {
	readonly name: string;
	/** The label on the form. */
	readonly label: string;
	readonly value: unknown;
	/** The value in the saved workflow, an expression as its text. */
	readonly saved: unknown;
}

function refuse(
	{ name, label }: Pick<Parameter, 'name' | 'label'>,
	what: string,
	hint: string,
): never {
	throw new Refusal(`${label} ${what}`, { field: name, hint });
}

/**
 * The value of a field, its expressions resolved.
 * @throws {Refusal} that names the field where n8n can't evaluate an expression in it
 */
export function evaluateField(name: string, label: string, read: () => unknown): unknown {
	try {
		return read();
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return refuse(
			{ name, label },
			`can't be evaluated: ${reason}`,
			'Fix the expression in this field.',
		);
	}
}

/** What a field holds that was left empty, or whose expression found no value. */
function isNothing(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

function holdsExpression(saved: unknown): boolean {
	if (Array.isArray(saved)) return saved.some(holdsExpression);
	return typeof saved === 'string' && saved.startsWith('=');
}

/** The entries of a list: an array, or text with commas or line breaks. Blank ones are dropped. */
function entriesOf(parameter: Parameter): string[] {
	const { value } = parameter;
	const list: unknown = typeof value === 'string' ? value.split(/[,\n]/) : (value ?? []);
	const hint = 'Give an array of texts, or text with commas between the values.';
	if (!Array.isArray(list)) return refuse(parameter, "isn't a list", hint);
	return list
		.filter((entry) => !isNothing(entry))
		.map((entry) =>
			typeof entry === 'string' || typeof entry === 'number'
				? String(entry).trim()
				: refuse(parameter, "holds a value that isn't text", hint),
		);
}

/** A list that says what is let in: without an entry nobody knows, so it is refused. */
function requiredEntries(parameter: Parameter, hint: string): string[] {
	const entries = entriesOf(parameter);
	return entries.length > 0 ? entries : refuse(parameter, 'is empty or resolves to nothing', hint);
}

/** A list that narrows what is let in: left empty it asks for all, but not if an expression failed. */
function filterEntries(parameter: Parameter): string[] {
	const entries = entriesOf(parameter);
	if (entries.length === 0) refuseLostExpression(parameter);
	return entries;
}

function refuseLostExpression(parameter: Parameter): void {
	if (!holdsExpression(parameter.saved)) return;
	refuse(
		parameter,
		'resolves to nothing',
		'Fix the expression, or remove the filter to let everything through.',
	);
}

function readMinimum(parameter: Parameter): number {
	const { value } = parameter;
	if (isNothing(value)) {
		refuseLostExpression(parameter);
		return Number.NEGATIVE_INFINITY;
	}
	const minimum = typeof value === 'string' ? Number(value) : value;
	if (typeof minimum === 'number' && Number.isFinite(minimum)) return minimum;
	return refuse(parameter, "isn't a number", 'Give the amount in cents, e.g. 12500 for $125.00.');
}

function readSwitch(parameter: Parameter, preset: boolean): boolean {
	const { value } = parameter;
	if (isNothing(value)) return preset;
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	return refuse(
		parameter,
		"isn't true or false",
		'Turn the option on or off, or fix its expression.',
	);
}

function readChoice<const Choice extends string>(
	parameter: Parameter,
	choices: readonly Choice[],
	preset?: Choice,
): Choice {
	const { value } = parameter;
	if (preset !== undefined && isNothing(value)) return preset;
	const chosen = choices.find((choice) => choice === value);
	return chosen ?? refuse(parameter, `isn't one of ${choices.join(', ')}`, 'Choose one of them.');
}

function membersOf(collection: unknown): ReadonlyMap<string, unknown> {
	const isCollection = typeof collection === 'object' && collection !== null;
	return new Map(isCollection ? Object.entries(collection) : []);
}

/** The members of a collection by name; undefined where one was not added. */
function collection({ value, saved }: Pick<Parameter, 'value' | 'saved'>) {
	const values = membersOf(value);
	const savedValues = membersOf(saved);
	return (name: string, label: string): Parameter | undefined =>
		values.has(name) || savedValues.has(name)
			? { name, label, value: values.get(name), saved: savedValues.get(name) }
			: undefined;
}

/**
 * Reads the trigger's parameters. One that is there but resolves to nothing never opens what it
 * should close: lists that say what is let in are then refused, switches and choices take their
 * strict side, and filters are refused if it was an expression that found nothing.
 *
 * @param saved the same parameters as they stand in the saved workflow
 * @throws {Refusal} that names the field at fault by its label
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
	const events = requiredEntries(
		parameter('events', 'Events'),
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
			entityIds: filterList('entityIds', 'Entity IDs'),
			sourceCurrencies: filterList('sourceCurrencies', 'Source Currencies'),
			destinationCurrencies: filterList('destinationCurrencies', 'Destination Currencies'),
			networks: filterList('networks', 'Networks'),
			providers: filterList('providers', 'Providers'),
			minimumAmountCents: minimum === undefined ? Number.NEGATIVE_INFINITY : readMinimum(minimum),
		},
		output: readChoice(parameter('output', 'Output'), ['event', 'simplified']),
		invalidPayload:
			invalidPayload === undefined
				? 'reject'
				: readChoice(invalidPayload, ['reject', 'emit'], 'reject'),
		includeHeaders: includeHeaders !== undefined && readSwitch(includeHeaders, false),
		history: readHistory(parameters.options),
	};
}

/** The statuses; they do not matter where no deposits are asked for. */
function readStatuses(parameter: Parameter, events: readonly string[]): string[] {
	if (!events.includes('deposit.received') && !events.includes('*')) return [];
	const statuses = requiredEntries(parameter, 'Choose at least one status, or fix the expression.');
	const known: readonly string[] = [...DEPOSIT_STATUSES, 'unknown'];
	const stranger = statuses.find((status) => !known.includes(status));
	if (stranger === undefined) return statuses;
	return refuse(
		parameter,
		`holds ${JSON.stringify(stranger.slice(0, 60))}, which isn't a status of a deposit`,
		`Use ${known.join(', ')}.`,
	);
}

const DEFAULT_HISTORY = 5_000;
const LONGEST_HISTORY = 100_000;

/**
 * Reads how many events to remember from the trigger's `options`. A number that is none, or out of
 * range, counts as the default.
 * @throws {Refusal} where the switch is neither on nor off
 */
export function readHistory(options: unknown): History {
	const option = collection({ value: options, saved: undefined });
	const deduplicate = option('deduplicate', 'Deduplicate');
	if (deduplicate !== undefined && !readSwitch(deduplicate, true)) return undefined;
	const history = Number(option('deduplicationHistory', 'Deduplication History')?.value);
	const isUsable = Number.isInteger(history) && history >= 1 && history <= LONGEST_HISTORY;
	return isUsable ? history : DEFAULT_HISTORY;
}
