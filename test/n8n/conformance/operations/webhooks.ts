import { field, post, renamed, type OperationCases } from '../cases';
import { forbiddenTexts } from '../examples';
import { bodyField, boundsOf, valuesOf } from '../openapi';

const VERSION = bodyField('sendTestDelivery', 'version');
const [LEAST_VERSION, MOST_VERSION] = boundsOf(VERSION);

const path = (webhookId: unknown): string => `/v2/webhooks/test/${String(webhookId)}`;

export const sendTestDelivery: OperationCases = {
	name: 'webhook.send',
	calls: ['sendTestDelivery'],
	requests: ({ webhookId, eventType, version }) => [
		post(path(webhookId), {
			version: version ?? VERSION.default,
			event_type: eventType,
		}),
	],
	groups: ({ organisation: { firstWebhookId: webhook } }) => [
		field('Event Type', 'eventType', valuesOf('EventType'), [
			...['', '*', 'deposit.receive', 'invite.created', 'Deposit.Received'],
		]),
		field(
			'Version',
			'version',
			Array.from({ length: MOST_VERSION }, (_, index) => index + LEAST_VERSION),
			[LEAST_VERSION - 1, MOST_VERSION + 1, -1, 2.5, 'two', ''],
		),
		field('Webhook ID', 'webhookId', [webhook], forbiddenTexts('WebhookId')),
		renamed('Event Type Field Name', 'eventTypeFieldName', 'version', (name) =>
			post(path(webhook), { version: VERSION.default, [name]: 'deposit.received' }),
		),
	],
};
