import {
	NodeConnectionTypes,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

export class PayrollPaymentsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Payroll Payments Trigger',
		name: 'payrollPaymentsTrigger',
		icon: {
			light: 'file:../../icons/payrollPayments.svg',
			dark: 'file:../../icons/payrollPayments.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ [$parameter["events"]].flat().join(", ") }}',
		description: 'Starts the workflow when the payroll service sends an event, e.g. for a deposit',
		eventTriggerDescription: 'Waiting for the service to send an event to the test URL',
		activationMessage:
			'Copy the production URL of the trigger into the service’s dashboard: n8n cannot register it.',
		defaults: { name: 'Payroll Payments Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'payrollPaymentsWebhookApi',
				required: true,
				testedBy: 'webhookCredentialsTest',
				displayOptions: { show: { authentication: ['webhookCredentials'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				/* Without it n8n ignores the answer of a webhook that starts an execution. */
				responseData: '',
				path: 'webhook',
			},
		],
		properties: [
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
				options: [
					{ name: 'Action Item: Completed', value: 'action_item.completed' },
					{ name: 'Action Item: Created', value: 'action_item.created' },
					{ name: 'Action Item: Finished', value: 'action_item.finished' },
					{
						name: 'Any Event',
						value: '*',
						description: 'Including event types that are not in this list',
					},
					{ name: 'Deposit: Bitcoin', value: 'deposit.bitcoin' },
					{ name: 'Deposit: Crosschain', value: 'deposit.crosschain' },
					{ name: 'Deposit: Crypto', value: 'deposit.crypto' },
					{ name: 'Deposit: Fiat', value: 'deposit.fiat' },
					{
						name: 'Deposit: Received',
						value: 'deposit.received',
						description: 'Funds have arrived in a company account from an external source',
					},
					{ name: 'Document: Closed', value: 'document.closed' },
					{ name: 'Document: Expired', value: 'document.expired' },
					{ name: 'Document: Signed', value: 'document.signed' },
					{ name: 'Invite: Accepted', value: 'invite.accepted' },
					{ name: 'Invite: Expired', value: 'invite.expired' },
					{ name: 'Invite: Rejected', value: 'invite.rejected' },
					{ name: 'Invoice: Canceled', value: 'invoice.canceled' },
					{ name: 'Invoice: Created', value: 'invoice.created' },
					{ name: 'Onboarding: Basic Data Updated', value: 'onboarding.step_updated.basic_data' },
					{ name: 'Onboarding: Completed', value: 'onboarding.completed' },
					{ name: 'Onboarding: Documents Updated', value: 'onboarding.step_updated.documents' },
					{ name: 'Onboarding: KYC Accepted', value: 'onboarding.step_updated.kyc.accepted' },
					{ name: 'Onboarding: KYC Pending', value: 'onboarding.step_updated.kyc.pending' },
					{ name: 'Onboarding: KYC Rejected', value: 'onboarding.step_updated.kyc.rejected' },
					{ name: 'Onboarding: RSK Updated', value: 'onboarding.step_updated.rsk' },
					{ name: 'Payment: Canceled', value: 'payment.canceled' },
					{ name: 'Payment: Cash Requirement Created', value: 'payment.cash_requirement.created' },
					{ name: 'Payment: Cash Requirement Due', value: 'payment.cash_requirement.due' },
					{ name: 'Payment: Chargeback Created', value: 'payment.chargeback.created' },
					{ name: 'Payment: Chargeback Paid', value: 'payment.chargeback.paid' },
					{ name: 'Payment: Failed', value: 'payment.failed' },
					{ name: 'Payment: Group Created', value: 'payment.group.created' },
					{ name: 'Payment: Sent', value: 'payment.sent' },
					{ name: 'Payment: Subscription Created', value: 'payment.subscription.created' },
					{ name: 'Payment: Subscription Paid', value: 'payment.subscription.paid' },
					{ name: 'Swap: Token', value: 'swap.token' },
					{ name: 'Team: Member Added', value: 'team.member_added' },
					{ name: 'Team: Member Blocked', value: 'team.member_blocked' },
					{ name: 'Team: Member Removed', value: 'team.member_removed' },
					{ name: 'Token: Transfer', value: 'token.transfer' },
					{
						name: 'Withdraw Account: Duplicate Detected',
						value: 'withdraw_account.duplicated_detected',
					},
				],
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
						description:
							'One flat row for a sheet or a message, amounts as decimals beside the cents',
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
		],
	};

	methods = {
		credentialTest: {
			async webhookCredentialsTest(
				this: ICredentialTestFunctions,
				credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
			): Promise<INodeCredentialTestResult> {
				const { testWebhookCredentials } = await import('./trigger/receive');
				return testWebhookCredentials(credential);
			},
		},
	};

	/** The service documents no call to list, register or remove webhooks: these do none of it. */
	webhookMethods = {
		default: {
			/** Not known, so n8n goes on to `create`. */
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},
			/** Registers nothing; stops the activation where deliveries could not be judged. */
			async create(this: IHookFunctions): Promise<boolean> {
				const { activate } = await import('./trigger/receive');
				return await activate(this);
			},
			/** Removes nothing: the URL stays in the service's dashboard until someone removes it. */
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { receive } = await import('./trigger/receive');
		return await receive(this);
	}

	/** Runs first in the execution that `webhook` started, and ends it if the event is known. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { recordOnce } = await import('./trigger/receive');
		return await recordOnce(this);
	}
}
