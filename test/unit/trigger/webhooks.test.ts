import { webhooks } from '../../../nodes/PayrollPayments/trigger/webhooks';

/** As n8n 2.41 looks it up (webhook-description-fields.ts). */
const resolvers: unknown = Reflect.get(
	webhooks[0] ?? {},
	Symbol.for('n8n.webhookDescriptionResolvers'),
);

it.each<readonly [object, string, string]>([
	[{ options: { acknowledge: 'finished' } }, 'lastNode', 'noData'],
	[{ options: { acknowledge: 'received' } }, 'onReceived', ''],
	...[{}, null, 'finished'].map((options) => [{ options }, 'onReceived', ''] as const),
	[{}, 'onReceived', ''],
])('answers a delivery with the parameters %j in the mode %s', (parameters, mode, data) => {
	expect(Object(resolvers).responseMode.resolve(parameters)).toBe(mode);
	expect(Object(resolvers).responseData.resolve(parameters)).toBe(data);
});
