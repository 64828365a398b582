import { accepting, post, refusing, renamed, type OperationCases } from '../cases';
import { forbiddenTexts } from '../examples';
import { bodyField, boundsOf, valuesOf } from '../openapi';

const VERSION = bodyField('sendTestDelivery', 'version');
const [LEAST_VERSION, MOST_VERSION] = boundsOf(VERSION);

const path = (webhookId: unknown): string => `/v2/webhooks/test/${String(webhookId)}`;

export const sendTestDelivery: OperationCases = {
	name: 'webhook.send',
	calls: ['sendTestDelivery'],
	form: ({ webhook }) => ({ webhookId: webhook, eventType: 'deposit.received' }),
	requests: ({ webhookId, eventType, version }) => [
		post(path(webhookId), {
			version: version ?? VERSION.default,
			event_type: eventType,
		}),
	],
	groups: ({ webhook }) => [
		{
			what: 'each of the 39 event types',
			accepted: accepting('eventType', valuesOf('EventType')),
			refused: refusing('Event Type', 'eventType', [
				'',
				'*',
				'deposit.receive',
				'invite.created',
				'Deposit.Received',
			]),
		},
		{
			what: `versions ${LEAST_VERSION} to ${MOST_VERSION}, and the default`,
			accepted: [
				{},
				...accepting(
					'version',
					Array.from({ length: MOST_VERSION }, (_, index) => index + LEAST_VERSION),
				),
			],
			refused: refusing('Version', 'version', [
				LEAST_VERSION - 1,
				MOST_VERSION + 1,
				-1,
				2.5,
				'two',
				'',
			]),
		},
		{
			what: 'a webhook endpoint',
			accepted: [{}],
			refused: refusing('Webhook ID', 'webhookId', forbiddenTexts('WebhookId')),
		},
		renamed('Event Type Field Name', 'eventTypeFieldName', 'version', (name) =>
			post(path(webhook), { version: VERSION.default, [name]: 'deposit.received' }),
		),
	],
};
