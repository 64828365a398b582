import { z } from 'zod';

import { EVENT_TYPES, nameOfEvent } from '../../contract/events';
import { identifier } from '../../contract/identifiers';
import { testDeliveryAnswer } from '../../api/schemas/answers';
import { choice, menuOf, text, wholeNumber } from '../../forms/fieldTypes';
import { bodyFieldName } from '../../forms/serviceFields';
import { endpoint } from '../../contract/endpoints';
import { PAYLOAD_VERSIONS } from '../../contract/limits';
import { defineWrite, eachItem } from '../../run/operation';
import { stepOf } from '../../run/write';

/** docs/api.md, Endpoint 9. */
export const sendTestDelivery = defineWrite({
	resource: 'webhook',
	operation: 'send',
	name: 'Send Test',
	action: 'Send test event',
	description: 'Send a test event from the service to a registered webhook endpoint',
	permission: 'sendTestEvents',
	fields: {
		webhookId: text(
			{
				label: 'Webhook ID',
				description: 'From the service’s dashboard, starting with wh-',
				example: 'wh-a1B2c3D4e5F6',
			},
			identifier('wh'),
		),
		eventType: choice(
			{ label: 'Event Type', description: 'Event to send' },
			menuOf(EVENT_TYPES, nameOfEvent),
			'deposit.received',
		),
		version: wholeNumber(
			{
				label: 'Version',
				description: 'Major version of the payload, from 1 to 10',
				empty: 'unset',
			},
			PAYLOAD_VERSIONS,
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
	check: eachItem(async ({ numbers, input, options }, run) => {
		const { webhookId, eventType, version = PAYLOAD_VERSIONS.preset } = input;
		return [
			stepOf(
				run.write(numbers, {
					...endpoint('sendTestDelivery', { webhook_nanoid: webhookId }),
					summary: `Send a test event ${eventType} of version ${version} to webhook ${webhookId}`,
					body: { version, [options.eventTypeFieldName]: eventType },
					answer: testDeliveryAnswer,
				}),
			),
		];
	}),
});
