import { z } from 'zod';

import { DEPOSIT_NETWORKS } from '../contract/networks';
import { type DEPOSIT_STATUSES, EVENT_TYPES, nameOfEvent } from '../contract/events';
import { shownWhen, type AnyField, type Schema } from '../forms/field';
import {
	choice,
	choices,
	collection,
	flag,
	listOf,
	menu,
	menuOf,
	textList,
	wholeNumber,
	type Wording,
} from '../forms/fieldTypes';
import { identifier } from '../contract/identifiers';
import { filledTrimmed } from '../shared/text';
import { ipRange } from './allowlist';

/** What most workflows wait for. */
const USUAL_EVENT = 'deposit.received';

const EVENT_DESCRIPTIONS = new Map([
	['*', 'Includes event types that aren’t in this list'],
	[USUAL_EVENT, 'Funds have arrived in a company account from an external source'],
]);

/** In the order of their names, but the usual one first, so that n8n's panel of nodes shows it first. */
export const eventOptions = menuOf(['*', ...EVENT_TYPES], nameOfEvent)
	.map(({ name, value }) => {
		const description = EVENT_DESCRIPTIONS.get(value);
		/* Bitcoin and abbreviations keep their capitals within the sentence. */
		const words = name.replace(/\b(?!Bitcoin)[A-Z](?=[a-z])/g, (first) => first.toLowerCase());
		const action = `On ${words}`;
		return { name, value, action, ...(description !== undefined && { description }) };
	})
	.sort((a, b) => Number(b.value === USUAL_EVENT) - Number(a.value === USUAL_EVENT));

const TEXT = { invalid_type_error: 'must be text', required_error: 'must be text' };

/** A documented event type in any case, or one that is written like them: the service may have added it. */
const eventType = z
	.string(TEXT)
	.trim()
	.regex(/^(\*|\w+(\.\w+)+)$/, 'must be an event type such as deposit.received, or * for any')
	.transform((value) => EVENT_TYPES.find((type) => type === value.toLowerCase()) ?? value);

const currencyCode = z
	.string(TEXT)
	.regex(/^[A-Za-z\d]{3,5}$/, 'must be a currency code of 3 to 5 letters or digits, e.g. USD');

const versionNumber = z
	.union([z.string(), z.number()], { errorMap: () => ({ message: 'must be text' }) })
	.transform(String)
	.refine((value) => /^v?\d+(?:\.\d[\w-]*)*$/i.test(value), 'must be a version such as 2 or 2.1');

/** A filter: left empty it lets everything pass, but not if its expression found nothing. */
const textFilter = <Entry>(wording: Wording, entry: Schema<Entry>) =>
	textList({ ...wording, empty: 'unset' }, entry);

const lowerCase = (value: unknown): unknown =>
	Array.isArray(value)
		? value.map(lowerCase)
		: typeof value === 'string'
			? value.toLowerCase()
			: value;

/** Makes a field take the values of its menu in any case, as they are compared. */
function inAnyCase<Each extends AnyField>(field: Each): Each {
	return { ...field, schema: z.preprocess(lowerCase, field.schema) };
}

const statusOptions = menu<(typeof DEPOSIT_STATUSES)[number] | 'unknown'>({
	complete: 'Processed, and the funds are available',
	failed: 'Processing failed for technical or validation reasons',
	pending: 'Initiated, not yet processed or confirmed',
	rejected: 'Refused for compliance or business-rule reasons',
	reverted: 'Processed, later reversed or canceled',
	unknown: 'Any other status, or none',
});

const providerOptions = menu({
	bitcoin: 'Bitcoin network deposit',
	internal_pay_handler: 'Internal payment processing system',
	manual: 'Deposit entered by hand',
	wirepartner: 'Bank wire or ACH deposit through an external provider',
});

export const filters = {
	destinationCurrencies: textFilter(
		{
			label: 'Destination Currencies',
			description: 'Currency codes of the credited amount, separated by commas',
			example: 'USD, USDC',
		},
		currencyCode,
	),
	entityIds: textFilter(
		{
			label: 'Team or Company IDs',
			description:
				'IDs of teams or companies, separated by commas. Events that name none always pass.',
			example: 'te-a1B2c3D4e5F6',
		},
		identifier('te', 'co'),
	),
	eventVersions: textFilter(
		{
			label: 'Event Versions',
			description:
				'Values of event_version that pass, separated by commas; 1 lets 1.0 and 1.1 pass. It isn’t the Version of Send Test.',
			example: '1, 2.1',
		},
		versionNumber,
	),
	minimumAmountCents: wholeNumber(
		{
			label: 'Minimum Amount (Cents)',
			description:
				'The smallest credited amount that passes, in hundredths of its currency, e.g. 100000 for 1,000.00',
			empty: 'unset',
		},
		{ least: 0, preset: 0 },
	),
	networks: inAnyCase(
		choices(
			{
				label: 'Networks',
				description: 'The networks that deposits may arrive on',
				empty: 'unset',
			},
			menuOf(DEPOSIT_NETWORKS),
		),
	),
	providers: {
		...choices(
			{
				label: 'Providers',
				description:
					'The providers that deposits may come from. An expression may name others than these.',
				empty: 'unset',
			},
			providerOptions,
		),
		schema: listOf(filledTrimmed),
	},
	sourceCurrencies: textFilter(
		{
			label: 'Source Currencies',
			description: 'Currency codes of the sent amount, separated by commas',
			example: 'USD, USDC',
		},
		currencyCode,
	),
};

/** How many events to remember, unless the option says another number. */
export const DEDUPLICATION_HISTORY = 5_000;

const options = {
	acknowledge: choice(
		{
			label: 'Acknowledge',
			description:
				'When to tell the service that the event has been handled. When Finished is for workflows that end within the service’s time limit and can run again for the same event.',
			expressions: 'never',
		},
		menu({
			finished: {
				name: 'When Finished',
				description:
					'After the last node. If the workflow fails, the service delivers the event again.',
			},
			received: { name: 'When Received', description: 'As soon as n8n has saved the execution' },
		}),
		'received',
	),
	deduplicate: flag(
		{
			label: 'Deduplicate',
			description:
				'Whether to start the workflow only once for an event that is delivered more than once',
			empty: 'unset',
		},
		true,
	),
	deduplicationHistory: wholeNumber(
		{
			label: 'Deduplication History',
			description: 'How many events to remember. The oldest are forgotten first.',
		},
		{ least: 1, most: 100_000, preset: DEDUPLICATION_HISTORY },
	),
	includeHeaders: flag(
		{
			label: 'Include Headers',
			description: 'Whether to add the delivery’s headers, except those that may contain a secret',
			empty: 'unset',
		},
		true,
	),
	invalidPayload: choice(
		{
			label: 'Invalid Payload',
			description: 'What to do with an event that lacks a required field',
			empty: 'unset',
		},
		menu({
			emit: 'Start the workflow and list what is wrong in validation_issues',
			reject: 'Answer 400 with what is wrong, without starting the workflow',
		}),
		'reject',
	),
	ipAllowlist: textList(
		{
			label: 'IP Allowlist',
			description:
				'IP addresses and CIDR ranges to accept deliveries from, separated by commas. An empty list accepts none: deliveries are then answered with 500. Behind a proxy, set N8N_PROXY_HOPS.',
			example: '203.0.113.7, 2001:db8::/32',
		},
		ipRange,
	),
	maximumAgeSeconds: wholeNumber(
		{
			label: 'Maximum Age (Seconds)',
			description:
				'Refuse older events with 401, by their creation time; 0 for no limit. For signatures without a timestamp. Allow for the time in which the service repeats failed deliveries.',
		},
		{ least: 0, preset: 0 },
	),
};

/** The trigger's fields, each defined once: its form, and what it accepts. */
export const parameters = {
	authentication: choice(
		{
			label: 'Authentication',
			description: 'How to verify that deliveries come from the service',
		},
		menu({
			none: 'Anyone who knows the URL can send events',
			webhookCredentials: 'Accept only deliveries with a valid signature or token',
		}),
		'webhookCredentials',
	),
	events: {
		...choices(
			{
				label: 'Trigger On',
				description:
					'The events that start the workflow. If an expression finds none, deliveries are answered with 500.',
			},
			eventOptions,
			[USUAL_EVENT],
		),
		schema: listOf(eventType),
	},
	output: choice(
		{ label: 'Output', description: 'What the workflow starts with' },
		menu({
			event: 'The event exactly as received',
			simplified:
				'One flat row for a sheet or a message, with amounts as decimals and in cents. The columns are the same for all events, and null for what an event doesn’t have.',
		}),
		'event',
	),
	depositStatuses: shownWhen(
		{ events: [USUAL_EVENT, '*'] },
		inAnyCase(
			choices(
				{
					label: 'Deposit Statuses',
					description:
						'The statuses of Deposit Received events that start the workflow. Other events start it in any status. If an expression finds none, deliveries are answered with 500.',
				},
				statusOptions,
				['complete'],
			),
		),
	),
	filters: collection(
		{
			displayName: 'Filters',
			placeholder: 'Add filter',
			description:
				'All except Event Versions and Team or Company IDs apply to Deposit Received only. An empty filter accepts everything, but an expression that finds nothing is an error.',
		},
		filters,
	),
	options: collection({ displayName: 'Options', placeholder: 'Add option' }, options),
};
