import {
	NodeConnectionTypes,
	NodeOperationError,
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

import { Refusal } from './contract/refusal';
import {
	checkWebhookCredentials,
	claimsOf,
	judge,
	keyOf,
	readHistory,
	readSettings,
	readWebhookCredentials,
	settleOnAnswer,
	type DeliverySettings,
	type IncomingRequest,
	type OutgoingResponse,
	type WebhookCredentials,
} from './delivery';
import { recordOnce } from './trigger/recordOnce';
import { RecentValues } from './transport/recentValues';

const CREDENTIALS = 'payrollPaymentsWebhookApi';

/**
 * n8n makes a new JavaScript engine whenever a webhook reads credentials, which costs as much as all
 * the rest of a delivery: in a burst they are read once a second. A changed secret counts after that.
 */
const recentCredentials = new RecentValues<WebhookCredentials>(1_000);

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
				description: 'The events to start the workflow with',
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
				description: 'The statuses of received deposits to start the workflow with',
			},
			{
				displayName: 'Filters',
				name: 'filters',
				type: 'collection',
				placeholder: 'Add Filter',
				default: {},
				description: 'All but Entity IDs apply to received deposits only',
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
						description: 'The least amount credited, in cents of the destination currency',
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
							'Whether to add the headers of the delivery, without those that carry secrets',
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
							'Addresses and CIDR ranges to accept deliveries from, separated by commas. Behind a proxy, N8N_PROXY_HOPS must be set.',
					},
				],
			},
		],
	};

	methods = {
		credentialTest: {
			/** Looks at the saved fields only: there is nothing that could be asked over the network. */
			async webhookCredentialsTest(
				this: ICredentialTestFunctions,
				credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
			): Promise<INodeCredentialTestResult> {
				try {
					checkWebhookCredentials(credential.data ?? {});
				} catch (error) {
					return { status: 'Error', message: reasonOf(error) };
				}
				return {
					status: 'OK',
					message: 'Complete. Whether the secret is the right one shows with the first delivery.',
				};
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
				try {
					await loadSettings(this);
				} catch (error) {
					throw new NodeOperationError(this.getNode(), reasonOf(error), {
						description: error instanceof Refusal ? error.hint : undefined,
					});
				}
				this.logger.info(
					'Payroll Payments Trigger registered nothing: the service offers no call for it. ' +
						`Its dashboard must hold this URL: ${this.getNodeWebhookUrl('default')}`,
				);
				return true;
			},
			/** Removes nothing: the URL stays in the service's dashboard until someone removes it. */
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const request: IncomingRequest = this.getRequestObject();
		const response: OutgoingResponse = this.getResponseObject();
		const answer = (status: number, body: object): IWebhookResponseData => {
			response.status(status).json(body);
			return { noWebhookResponse: true };
		};

		let settings: DeliverySettings;
		try {
			const name = `${nodeKeyOf(this)}:${JSON.stringify(this.getNode().credentials)}`;
			settings = await loadSettings(
				this,
				async (read) => await recentCredentials.get(name, read),
			);
		} catch (error) {
			/* A person has to mend it. The details are theirs, and none of the sender's business. */
			this.logger.error(`Payroll Payments Trigger cannot judge deliveries: ${reasonOf(error)}`);
			return answer(500, { error: 'The receiving workflow is not set up correctly' });
		}

		const { ip: address, headers, rawBody } = request;
		const judgement = judge({ address, headers, rawBody }, settings, Date.now());
		if ('status' in judgement) {
			const { status, body } = judgement;
			if (status !== 200) {
				this.logger.warn(`Payroll Payments Trigger answered ${status}: ${String(body.error)}`);
			}
			return answer(status, body);
		}

		const { history } = settings;
		if (history !== undefined && this.getMode() !== 'manual') {
			const claim = await claimsOf(nodeKeyOf(this)).claim(keyOf(judgement.idempotencyKey), history);
			if (claim === undefined) return answer(200, { received: true, ignored: 'duplicate' });
			if (!settleOnAnswer(claim, response)) return { noWebhookResponse: true };
		}
		return {
			workflowData: [[{ json: judgement.item }]],
			webhookResponse: { received: true },
		};
	}

	/** Runs first in the execution that `webhook` started, and ends it if the event is known. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const history = readHistory(this.getNodeParameter('options', 0, {}));
		const idempotencyKey = items[0]?.json.idempotency_key;
		/* A retry finds the record of its own first attempt; a manual run must leave none. */
		if (
			this.getMode() !== 'webhook' ||
			history === undefined ||
			typeof idempotencyKey !== 'string'
		) {
			return [items];
		}
		try {
			const key = keyOf(idempotencyKey);
			/* The execution runs again under Retry On Fail, and where n8n hands it to another worker. */
			const owner = this.getExecutionId();
			const outcome = await recordOnce(this.helpers, nodeKeyOf(this), key, { history, owner });
			if (outcome === 'first') return [items];
			this.logger.info(
				`Payroll Payments Trigger ended execution ${owner}: another one has its event (idempotency_key ` +
					`${JSON.stringify(idempotencyKey.slice(0, 100))})`,
			);
			return [[]];
		} catch (error) {
			throw new NodeOperationError(
				this.getNode(),
				'The event could not be recorded in n8n’s database, so the workflow was not run',
				{
					description:
						'Retry this execution from the executions list: a retry always runs its event. ' +
						reasonOf(error),
				},
			);
		}
	}
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function nodeKeyOf(context: IWebhookFunctions | IExecuteFunctions): string {
	return `${context.getWorkflow().id}:${context.getNode().id}`;
}

/**
 * @param recall gives the credentials, by reading them or from memory
 * @throws {Refusal} or n8n's own error, where the parameters or the credentials are not usable.
 */
async function loadSettings(
	context: IWebhookFunctions | IHookFunctions,
	recall = async (read: () => Promise<WebhookCredentials>) => await read(),
): Promise<DeliverySettings> {
	const parameter = (name: string, fallback: object | string) =>
		context.getNodeParameter(name, fallback);
	const credentials =
		parameter('authentication', 'webhookCredentials') === 'none'
			? undefined
			: await recall(async () =>
					readWebhookCredentials(await context.getCredentials(CREDENTIALS)),
				);
	return readSettings(
		{
			events: parameter('events', ['deposit.received']),
			depositStatuses: parameter('depositStatuses', ['complete']),
			filters: parameter('filters', {}),
			output: parameter('output', 'event'),
			options: parameter('options', {}),
		},
		credentials,
	);
}
