import {
	NodeOperationError,
	type IHookFunctions,
	type INode,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { BALANCE_CURRENCIES } from '../contract/currencies';
import { EVENT_TYPES } from '../contract/events';
import { parametersOf, readFields, type InputOf, type ParameterSource } from '../forms/field';
import { contextOf, messageOf, UserError } from '../shared/errors';
import { nodeKeyOf } from '../shared/nodeKey';
import { Redactor } from '../shared/redaction';
import { refusePauses } from './acknowledge';
import { DEDUPLICATION_HISTORY, parameters } from './fields';
import {
	readWebhookCredentials,
	WEBHOOK_CREDENTIALS,
	type WebhookCredentials,
} from './webhookCredentials';

const KNOWN_EVENTS: ReadonlySet<string> = new Set(['*', ...EVENT_TYPES]);

/** Codes that are documented or common. Others are named in the log, since they may be misspelled. */
const KNOWN_CURRENCIES: ReadonlySet<string> = new Set([
	...BALANCE_CURRENCIES,
	...Intl.supportedValuesOf('currency'),
	...['DAI', 'ETH', 'EURC', 'POL', 'PYUSD', 'SOL'],
]);

/** How the trigger is set up, read from its parameters. */
export type DeliverySettings = ReturnType<typeof readSettings>;

/**
 * n8n creates a JavaScript engine each time a webhook reads its credential, which costs as much as
 * the rest of a delivery. A burst reads it once a second, so a new secret counts after a second.
 */
let recent = { second: 0, reads: new Map<string, Promise<WebhookCredentials>>() };

async function recentCredentials(
	context: IWebhookFunctions | IHookFunctions,
	node: INode,
): Promise<WebhookCredentials> {
	const second = Math.floor(Date.now() / 1000);
	if (recent.second !== second) recent = { second, reads: new Map() };
	const key = `${nodeKeyOf(context.getWorkflow(), node)}:${JSON.stringify(node.credentials)}`;
	const read =
		recent.reads.get(key) ??
		context.getCredentials(WEBHOOK_CREDENTIALS).then(readWebhookCredentials);
	recent.reads.set(key, read);
	read.catch(() => recent.reads.delete(key));
	return await read;
}

/**
 * Reads the trigger's credential and parameters from n8n.
 * @param node of the context; n8n copies it each time it's asked
 * @param redactor gets the secrets of the credential before anything can fail that may quote them
 */
export async function loadSettings(
	context: IWebhookFunctions | IHookFunctions,
	node: INode,
	redactor: Redactor,
): Promise<DeliverySettings> {
	refuseOtherEngine(context);
	const source = parametersOf(context, node, parameters);
	const isVerified = source.read('authentication') !== 'none';
	const credentials = isVerified ? await recentCredentials(context, node) : undefined;
	redactor.add(...(credentials?.secrets ?? []));
	return readSettings(source, credentials);
}

/**
 * Checks the trigger's parameters. One that was set but resolves to nothing never lets more through.
 * @param credentials undefined if the user chose no authentication
 */
export function readSettings(source: ParameterSource, credentials: WebhookCredentials | undefined) {
	const { events, depositStatuses = [], filters, output, options } = readFields(parameters, source);
	const filter = { events, depositStatuses, ...filters };
	return { credentials, filter, output, ...settingsOf(options) };
}

/** @throws {UserError} that names the field that isn't valid */
export function readOptions(source: ParameterSource) {
	return settingsOf(readFields({ options: parameters.options }, source).options);
}

function settingsOf(options: InputOf<typeof parameters>['options']) {
	const {
		acknowledge = 'received',
		deduplicate = true,
		deduplicationHistory = DEDUPLICATION_HISTORY,
		/* On as soon as the option is added. */
		includeHeaders = false,
		invalidPayload = 'reject',
		ipAllowlist: allowlist = [],
		maximumAgeSeconds = 0,
	} = options;
	const history = deduplicate ? deduplicationHistory : undefined;
	return {
		/** When a delivery that starts an execution is answered. `webhooks` tells n8n the same. */
		acknowledge,
		allowlist,
		invalidPayload,
		includeHeaders,
		/** Older events are refused; Infinity if the user set no limit. */
		maximumAgeSeconds: maximumAgeSeconds === 0 ? Number.POSITIVE_INFINITY : maximumAgeSeconds,
		/** How many events the trigger remembers; undefined if it doesn't deduplicate. */
		history,
		/**
		 * How many of them n8n's store keeps. An event that is acknowledged only when its workflow has
		 * finished isn't recorded: if that fails, the next delivery runs.
		 */
		recordedHistory: acknowledge === 'finished' ? undefined : history,
	};
}

/** n8n's engine 2.0, a preview, leaves out `execute`, which stops what ran before a restart (recordOnce.ts). */
function refuseOtherEngine(context: IWebhookFunctions | IHookFunctions): void {
	if (context.getWorkflowSettings().engineType !== 'v2') return;
	throw new UserError('This trigger doesn’t work with n8n’s engine 2.0', {
		hint: 'Use the usual engine in the settings of this workflow.',
	});
}

/** Registers nothing, but stops the activation if deliveries could not be checked. */
export async function activate(context: IHookFunctions): Promise<boolean> {
	const redactor = new Redactor();
	let settings: DeliverySettings;
	try {
		recent = { second: 0, reads: new Map() };
		settings = await loadSettings(context, context.getNode(), redactor);
		if (settings.acknowledge === 'finished') refusePauses(context);
	} catch (error) {
		throw new NodeOperationError(context.getNode(), redactor.text(messageOf(error)), {
			description: contextOf(error).hint,
		});
	}
	const { events, sourceCurrencies = [], destinationCurrencies = [] } = settings.filter;
	const currencies = [...sourceCurrencies, ...destinationCurrencies];
	const warnOf = (what: string, unknown: readonly string[]) => {
		if (unknown.length === 0) return;
		context.logger.warn(`Payroll Payments Trigger waits for ${what}: ${unknown.join(', ')}`);
	};
	warnOf(
		'event types that aren’t documented',
		events.filter((event) => !KNOWN_EVENTS.has(event)),
	);
	warnOf(
		'currencies that it doesn’t know',
		currencies.filter((currency) => !KNOWN_CURRENCIES.has(currency.toUpperCase())),
	);
	context.logger.info(
		'Payroll Payments Trigger can’t register its webhook with the service. ' +
			`Enter this URL in the service’s dashboard: ${context.getNodeWebhookUrl('default')}`,
	);
	return true;
}
