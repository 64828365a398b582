import type { IBuilderHint, INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';

import { eventTypeOptions } from '../api/schemas/eventTypeOptions';

/*
 * The build evaluates this file and bundles only the values, so that n8n can load the node without
 * loading the event schemas.
 */

const eventOptions = [
	{
		name: 'Any Event',
		value: '*',
		description: 'Includes event types that aren’t in this list',
	},
	...eventTypeOptions.map((option) =>
		option.value === 'deposit.received'
			? {
					...option,
					description: 'Funds have arrived in a company account from an external source',
				}
			: option,
	),
].sort((a, b) => a.name.localeCompare(b.name, 'en'));

export const properties: INodeProperties[] = [
	{
		displayName:
			'Open <b>Webhook URLs</b> above and copy the production URL into the webhook settings of the service’s dashboard. Then copy the signing secret from there into the credential. n8n can’t register the webhook for you.',
		name: 'registrationNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		options: [
			{
				name: 'None',
				value: 'none',
				description: 'Anyone who knows the URL can send events',
			},
			{
				name: 'Webhook Credentials',
				value: 'webhookCredentials',
				description: 'Accept only deliveries with a valid signature or token',
			},
		],
		default: 'webhookCredentials',
		description: 'How to verify that deliveries come from the service',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: eventOptions,
		default: ['deposit.received'],
		description:
			'The events that start the workflow. If an expression finds none, deliveries are answered with 500.',
	},
	{
		displayName: 'Deposit Statuses',
		name: 'depositStatuses',
		type: 'multiOptions',
		required: true,
		displayOptions: { show: { events: ['deposit.received', '*'] } },
		options: [
			{
				name: 'Complete',
				value: 'complete',
				description: 'Processed, and the funds are available; the only final status',
			},
			{
				name: 'Failed',
				value: 'failed',
				description: 'Processing failed for technical or validation reasons',
			},
			{
				name: 'Pending',
				value: 'pending',
				description: 'Initiated, not yet processed or confirmed',
			},
			{
				name: 'Rejected',
				value: 'rejected',
				description: 'Refused for compliance or business-rule reasons',
			},
			{
				name: 'Reverted',
				value: 'reverted',
				description: 'Processed, later reversed or canceled',
			},
			{
				name: 'Unknown',
				value: 'unknown',
				description: 'Any other status, or none',
			},
		],
		default: ['complete'],
		description:
			'The statuses of received deposits that start the workflow. If an expression finds none, deliveries are answered with 500.',
	},
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add filter',
		default: {},
		description:
			'All except Event Versions and Team or Company IDs apply to received deposits only. An empty filter accepts everything, but an expression that finds nothing is an error.',
		options: [
			{
				displayName: 'Destination Currencies',
				name: 'destinationCurrencies',
				type: 'string',
				default: '',
				placeholder: 'e.g. USD, EUR',
				description: 'Currency codes of the credited amount, separated by commas',
			},
			{
				displayName: 'Event Versions',
				name: 'eventVersions',
				type: 'string',
				default: '',
				placeholder: 'e.g. 2.0, 2.1',
				description: 'Values of event_version that pass, separated by commas',
			},
			{
				displayName: 'Minimum Amount (Cents)',
				name: 'minimumAmountCents',
				type: 'number',
				default: 0,
				description:
					'The smallest credited amount that passes, in cents, e.g. 12500 for $125.00. Anything that isn’t a number is an error.',
			},
			{
				displayName: 'Networks',
				name: 'networks',
				type: 'multiOptions',
				options: [
					{ name: 'Arbitrum', value: 'arbitrum' },
					{ name: 'Avalanche', value: 'avalanche' },
					{ name: 'Base', value: 'base' },
					{ name: 'Ethereum', value: 'ethereum' },
					{ name: 'Optimism', value: 'optimism' },
					{ name: 'Polygon', value: 'polygon' },
				],
				default: [],
				description: 'The networks that deposits may arrive on',
			},
			{
				displayName: 'Providers',
				name: 'providers',
				type: 'multiOptions',
				options: [
					{ name: 'Bitcoin', value: 'bitcoin', description: 'Bitcoin network deposit' },
					{
						name: 'Internal Pay Handler',
						value: 'internal_pay_handler',
						description: 'Internal payment processing system',
					},
					{ name: 'Manual', value: 'manual', description: 'Deposit entered by hand' },
					{
						name: 'Wire Partner',
						value: 'wirepartner',
						description: 'Bank wire or ACH deposit through an external provider',
					},
				],
				default: [],
				description: 'The providers that deposits may come from',
			},
			{
				displayName: 'Source Currencies',
				name: 'sourceCurrencies',
				type: 'string',
				default: '',
				placeholder: 'e.g. USDC, EUR',
				description: 'Currency codes of the sent amount, separated by commas',
			},
			{
				displayName: 'Team or Company IDs',
				name: 'entityIds',
				type: 'string',
				default: '',
				placeholder: 'e.g. te-a1B2c3D4e5F6',
				description:
					'Identifiers of teams or companies, separated by commas. Events that name none always pass.',
			},
		],
	},
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{
				name: 'Event',
				value: 'event',
				description: 'The event exactly as received',
			},
			{
				name: 'Simplified',
				value: 'simplified',
				description:
					'One flat row for a sheet or a message, with amounts as decimals and in cents. The columns are the same for all events; in those that aren’t deposits, the deposit’s are null.',
			},
		],
		default: 'event',
		description: 'What the workflow starts with',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Acknowledge',
				name: 'acknowledge',
				type: 'options',
				noDataExpression: true,
				options: [
					{
						name: 'When Finished',
						value: 'finished',
						description:
							'After the last node. If the workflow fails, the service delivers the event again.',
					},
					{
						name: 'When Received',
						value: 'received',
						description: 'As soon as n8n has saved the execution',
					},
				],
				default: 'received',
				description:
					'When to tell the service that the event has been handled. When Finished is for workflows that end within the service’s time limit and can run again for the same event.',
			},
			{
				displayName: 'Deduplicate',
				name: 'deduplicate',
				type: 'boolean',
				default: true,
				description:
					'Whether to start the workflow only once for an event that is delivered more than once',
			},
			{
				displayName: 'Deduplication History',
				name: 'deduplicationHistory',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 100000 },
				default: 5000,
				description: 'How many events to remember. The oldest are forgotten first.',
			},
			{
				displayName: 'Include Headers',
				name: 'includeHeaders',
				type: 'boolean',
				default: false,
				description:
					'Whether to add the delivery’s headers, except those that may contain a secret',
			},
			{
				displayName: 'Invalid Payload',
				name: 'invalidPayload',
				type: 'options',
				options: [
					{
						name: 'Emit',
						value: 'emit',
						description: 'Start the workflow and list what is wrong in validation_issues',
					},
					{
						name: 'Reject',
						value: 'reject',
						description: 'Answer 400 with what is wrong, without starting the workflow',
					},
				],
				default: 'reject',
				description: 'What to do with an event that lacks a required field',
			},
			{
				displayName: 'IP Allowlist',
				name: 'ipAllowlist',
				type: 'string',
				default: '',
				placeholder: 'e.g. 203.0.113.7, 2001:db8::/32',
				description:
					'IP addresses and CIDR ranges to accept deliveries from, separated by commas. An empty list accepts none: deliveries are then answered with 500. Behind a proxy, set N8N_PROXY_HOPS.',
			},
			{
				displayName: 'Maximum Age (Seconds)',
				name: 'maximumAgeSeconds',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description:
					'Refuse older events with 401, by their creation time; 0 for no limit. Use it with a signature that covers no time. Allow for the time in which the service repeats failed deliveries.',
			},
		],
	},
];

function triggerSubtitle(): string {
	const names = Object.fromEntries(eventOptions.map(({ name, value }) => [value, name]));
	const events = '[$rawParameter.events].flat()';
	const only = `String(${events}[0] ?? "")`;
	return `={{ ${events}.includes("*") ? "Any Event" : ${events}.length > 1 ? ${events}.length + " events" : ${only}.startsWith("=") ? "Events from an expression" : (${JSON.stringify(names)})[${only}] ?? ${only} }}`;
}

/**
 * The expression for the line under the node on the canvas: "Deposit: Received", "7 events" or "Any
 * Event". It doesn't evaluate the field's own expression, which may fail before the workflow runs.
 */
export const subtitle = triggerSubtitle();

export const triggerPanel: TriggerPanelDefinition = {
	header: 'Receive an event from the service',
	executionsHelp: {
		inactive:
			'<b>To test</b>, click Listen, then send a delivery to the test URL, e.g. with Webhook: Send Test while the test URL is registered in the service’s dashboard.<br /><br /><b>To go live</b>, publish the workflow and register the production URL in the service’s dashboard. Its executions show up in the executions list, but not in the editor.',
		active:
			'<b>To test</b>, click Listen, then send a delivery to the test URL, e.g. with Webhook: Send Test while the test URL is registered in the service’s dashboard.<br /><br /><b>The workflow is published</b>: deliveries to the production URL start it. These executions show up in the <a data-key="executions">executions list</a>, but not in the editor.',
	},
	activationHint:
		'When the workflow is ready, publish it and copy the production URL from Webhook URLs into the service’s dashboard. n8n can’t register it for you.',
};

/** For n8n's own assistant when it builds a workflow. */
export const builderHint: IBuilderHint = {
	searchHint:
		'The user must copy the production URL into the service’s dashboard by hand. Keep Authentication on Webhook Credentials. Only complete deposits are final (depositStatuses: complete). Use output: simplified for sheets and messages: its amounts come as decimal text and in cents. Write deposits to sheets with Append or Update on deposit_id, since a deposit can be reverted later. Deliveries that repeat an event are already ignored.',
};
