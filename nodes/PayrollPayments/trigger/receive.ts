import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { Refusal } from '../shared/errors';
import {
	checkWebhookCredentials,
	readWebhookCredentials,
	type WebhookCredentials,
} from './webhookCredentials';
import { claimsOf, type IncomingRequest, type OutgoingResponse, settleOnAnswer } from './answer';
import { type DeliverySettings, evaluateField, readHistory, readSettings } from './settings';
import { judge } from './judge';
import { keyOf } from './claims';
import { Redactor, shorten, WITHHELD } from '../shared/redaction';
import { RecentValues } from './recentValues';

import { recordEvent } from './recordOnce';

const CREDENTIALS = 'payrollPaymentsWebhookApi';

/**
 * n8n makes a new JavaScript engine whenever a webhook reads credentials, which costs as much as all
 * the rest of a delivery: in a burst they are read once a second. A changed secret counts after that.
 */
const recentCredentials = new RecentValues<WebhookCredentials>(1_000);

/** Looks at the saved fields only: there is nothing that could be asked over the network. */
export function testWebhookCredentials(
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): INodeCredentialTestResult {
	try {
		checkWebhookCredentials(credential.data ?? {});
	} catch (error) {
		return { status: 'Error', message: reasonOf(error) };
	}
	return {
		status: 'OK',
		message: 'Complete. Whether the secret is the right one shows with the first delivery.',
	};
}

/** Registers nothing; stops the activation where deliveries could not be judged. */
export async function activate(context: IHookFunctions): Promise<boolean> {
	const redactor = new Redactor();
	try {
		await loadSettings(context, redactor);
	} catch (error) {
		throw new NodeOperationError(context.getNode(), redactor.text(reasonOf(error)), {
			description: error instanceof Refusal ? error.hint : undefined,
		});
	}
	context.logger.info(
		'Payroll Payments Trigger registered nothing: the service offers no call for it. ' +
			`Its dashboard must hold this URL: ${context.getNodeWebhookUrl('default')}`,
	);
	return true;
}

/** Answers one delivery, and starts the workflow where it is to be started. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request: IncomingRequest = context.getRequestObject();
	const response: OutgoingResponse = context.getResponseObject();
	const answer = (status: number, body: object): IWebhookResponseData => {
		response.status(status).json(body);
		return { noWebhookResponse: true };
	};

	const redactor = new Redactor();
	let settings: DeliverySettings;
	try {
		const name = `${nodeKeyOf(context)}:${JSON.stringify(context.getNode().credentials)}`;
		settings = await loadSettings(
			context,
			redactor,
			async (read) => await recentCredentials.get(name, read),
		);
	} catch (error) {
		/* The log is for the person who sets the node up; the sender learns nothing of it. */
		const reason = redactor.text(reasonOf(error));
		context.logger.error(`Payroll Payments Trigger can't judge deliveries: ${reason}`);
		return answer(500, { error: 'The receiving workflow is not set up correctly' });
	}

	const { ip: address, headers, rawBody } = request;
	const judgement = judge({ address, headers, rawBody }, settings, Date.now());
	if ('status' in judgement) {
		const { status, body } = judgement;
		if (status !== 200) {
			const reason = redactor.text(String(body.error));
			context.logger.warn(`Payroll Payments Trigger answered ${status}: ${reason}`);
		}
		return answer(status, body);
	}

	const { history } = settings;
	if (history !== undefined && context.getMode() !== 'manual') {
		const claim = await claimsOf(nodeKeyOf(context)).claim(
			keyOf(judgement.idempotencyKey),
			history,
		);
		if (claim === undefined) return answer(200, { received: true, ignored: 'duplicate' });
		if (!settleOnAnswer(claim, response)) return { noWebhookResponse: true };
	}
	return {
		workflowData: [[{ json: judgement.item }]],
		webhookResponse: { received: true },
	};
}

/** Runs first in the execution that {@link receive} started, and ends it if the event is known. */
export async function recordOnce(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const history = readHistory(context.getNodeParameter('options', 0, {}));
	const idempotencyKey = items[0]?.json.idempotency_key;
	/* A retry finds the record of its own first attempt; a manual run must leave none. */
	if (
		context.getMode() !== 'webhook' ||
		history === undefined ||
		typeof idempotencyKey !== 'string'
	) {
		return [items];
	}
	try {
		const key = keyOf(idempotencyKey);
		/* The execution runs again under Retry On Fail, and where n8n hands it to another worker. */
		const owner = context.getExecutionId();
		const outcome = await recordEvent(context.helpers, nodeKeyOf(context), key, { history, owner });
		if (outcome === 'first') return [items];
		context.logger.info(
			`Payroll Payments Trigger ended execution ${owner}: another one has its event (idempotency_key ` +
				`${JSON.stringify(shorten(await withoutOwnSecrets(context, idempotencyKey), 100))})`,
		);
		return [[]];
	} catch (error) {
		throw new NodeOperationError(
			context.getNode(),
			'The event could not be recorded in n8n’s database, so the workflow was not run',
			{
				description:
					'Retry this execution from the executions list: a retry always runs its event. ' +
					reasonOf(error),
			},
		);
	}
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function nodeKeyOf(context: IWebhookFunctions | IExecuteFunctions): string {
	return `${context.getWorkflow().id}:${context.getNode().id}`;
}

/** Text of the sender as the log may hold it; none of it where the secrets can't be read. */
async function withoutOwnSecrets(context: IExecuteFunctions, text: string): Promise<string> {
	if (context.getNodeParameter('authentication', 0, 'webhookCredentials') === 'none') return text;
	try {
		const { secret, previousSecret } = await context.getCredentials(CREDENTIALS);
		return new Redactor().add(secret, previousSecret).text(text);
	} catch {
		return WITHHELD;
	}
}

/**
 * @param redactor is told of the secrets in the credentials
 * @param recall gives the credentials, by reading them or from memory
 * @throws {Refusal} or n8n's own error, where the parameters or the credentials are not usable
 */
async function loadSettings(
	context: IWebhookFunctions | IHookFunctions,
	redactor: Redactor,
	recall = async (read: () => Promise<WebhookCredentials>) => await read(),
): Promise<DeliverySettings> {
	const parameter = (name: string, label: string, fallback: object | string) =>
		evaluateField(name, label, () => context.getNodeParameter(name, fallback));
	const credentials =
		parameter('authentication', 'Authentication', 'webhookCredentials') === 'none'
			? undefined
			: await recall(async () => readWebhookCredentials(await context.getCredentials(CREDENTIALS)));
	redactor.add(...(credentials?.secrets ?? []));
	return readSettings(
		{
			events: parameter('events', 'Events', ['deposit.received']),
			depositStatuses: parameter('depositStatuses', 'Deposit Statuses', ['complete']),
			filters: parameter('filters', 'Filters', {}),
			output: parameter('output', 'Output', 'event'),
			options: parameter('options', 'Options', {}),
		},
		credentials,
		context.getNode().parameters,
	);
}
