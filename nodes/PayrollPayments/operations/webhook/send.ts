import { z } from 'zod';

import { EVENT_TYPES, nameOfEvent } from '../../api/schemas/events';
import { identifier } from '../../shared/formats';
import { testDeliveryAnswer } from '../../api/schemas/answers';
import { optional } from '../../forms/field';
import { choice, menuOf, text, wholeNumber } from '../../forms/fieldTypes';
import { bodyFieldName } from '../../forms/serviceFields';
import { path } from '../../api/call';
import { defineWrite, eachItem } from '../../run/operation';
import { stepOf } from '../../run/write';

/** docs/api.md, Endpoint 9. */
export const sendTestDelivery = defineWrite({
	resource: 'webhook',
	operation: 'send',
	name: 'Send Test',
	action: 'Send test delivery',
	description: 'Send a test event from the service to a registered webhook endpoint',
	permission: 'sendTestEvents',
	fields: {
		webhookId: text(
			{
				label: 'Webhook ID',
				description: 'Identifier starting with wh-',
				example: 'wh-a1B2c3D4e5F6',
			},
			identifier('wh'),
		),
		eventType: choice(
			{ label: 'Event Type', description: 'Event to send' },
			menuOf(EVENT_TYPES, nameOfEvent),
			'deposit.received',
		),
		version: optional(
			wholeNumber(
				{ label: 'Version', description: 'Major version of the payload, from 1 to 10' },
				{ least: 1, most: 10, preset: 2 },
			),
		),
	},
	output: testDeliveryAnswer.extend({
		test_payload: z.object({}).passthrough().nullish(),
		version: z.number().nullish(),
	}),
	options: {
		eventTypeFieldName: bodyFieldName(
			{
				label: 'Event Type Field Name',
				description:
					'Name of the body field for the event type, which the service doesn’t document',
			},
			'event_type',
		),
	},
	check: eachItem(async ({ items, input, options }, context) => {
		const { webhookId, eventType, version = 2 } = input;
		return [
			stepOf(
				context.write(items, {
					method: 'POST',
					path: path`/v2/webhooks/test/${webhookId}`,
					summary: `Send a test event ${eventType} of version ${version} to webhook ${webhookId}`,
					body: { version, [options.eventTypeFieldName]: eventType },
					answer: testDeliveryAnswer,
				}),
			),
		];
	}),
});
