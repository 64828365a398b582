import type { INodeProperties } from 'n8n-workflow';

import { eventTypeOptions } from '../api/schemas/eventTypeOptions';

/*
 * The build evaluates this file and bundles only the values, so that n8n can load the node without
 * loading the event schemas.
 */

const eventOptions = [
	{
		name: 'Any Event',
		value: '*',
		description: 'Including event types that are not in this list',
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
			'Open Webhook URLs above and copy the production URL into the webhook settings of the service’s dashboard, and the signing secret from there into the credentials. The service documents no call to register a webhook, so n8n cannot do it for you.',
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
				description: 'Only deliveries with a valid signature or token are accepted',
			},
		],
		default: 'webhookCredentials',
		description: 'How deliveries prove that they come from the service',
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: eventOptions,
		default: ['deposit.received'],
		description:
			'The events to start the workflow with. If an expression finds none, deliveries are answered with 500.',
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
				description: 'Processed, funds are available; the only final status',
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
				description: 'Any status that is not in this list, or none',
			},
		],
		default: ['complete'],
		description:
			'The statuses of received deposits to start the workflow with. If an expression finds none, deliveries are answered with 500.',
	},
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		description:
			'All but Entity IDs apply to received deposits only. A filter that you leave empty lets everything through, but one whose expression finds nothing is an error.',
		options: [
			{
				displayName: 'Destination Currencies',
				name: 'destinationCurrencies',
				type: 'string',
				default: '',
				placeholder: 'e.g. USD, EUR',
				description: 'Codes of the currencies credited, separated by commas',
			},
			{
				displayName: 'Entity IDs',
				name: 'entityIds',
				type: 'string',
				default: '',
				placeholder: 'e.g. te-a1B2c3D4e5F6',
				description:
					'Companies or teams, separated by commas. Events that name no entity always pass.',
			},
			{
				displayName: 'Minimum Amount (Cents)',
				name: 'minimumAmountCents',
				type: 'number',
				default: 0,
				description:
					'The least amount credited, in cents of the destination currency. Anything that isn’t a number is an error.',
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
				description: 'The networks on which the deposit may have arrived',
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
				description: 'Where the deposit may have come from',
			},
			{
				displayName: 'Source Currencies',
				name: 'sourceCurrencies',
				type: 'string',
				default: '',
				placeholder: 'e.g. USDC, EUR',
				description: 'Codes of the currencies sent, separated by commas',
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
				description: 'One flat row for a sheet or a message, amounts as decimals beside the cents',
			},
		],
		default: 'event',
		description: 'What the workflow starts with',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Deduplicate',
				name: 'deduplicate',
				type: 'boolean',
				default: true,
				description:
					'Whether to start the workflow only once for an event that is delivered repeatedly',
			},
			{
				displayName: 'Deduplication History',
				name: 'deduplicationHistory',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 100000 },
				default: 5000,
				description: 'How many events to remember; the oldest are forgotten first',
			},
			{
				displayName: 'Include Headers',
				name: 'includeHeaders',
				type: 'boolean',
				default: false,
				description:
					'Whether to add the headers of the delivery, without those that may carry a secret',
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
						description: 'Answer 400 with what is wrong, and start nothing',
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
					'Addresses and CIDR ranges to accept deliveries from, separated by commas. While the list is empty, every delivery is answered with 500. Behind a proxy, N8N_PROXY_HOPS must be set.',
			},
		],
	},
];
