import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { signatureHeaders, signingShape } from '../../../sandbox/deliverySignature';
import { DELIVERY_VECTORS, type DeliveryVector } from '../../support/vectors/deliveries';

const verify = ({ saved, body, headers, time }: DeliveryVector) =>
	verifySignature(body, headers, readWebhookCredentials(saved), time * 1000);

const accepted = DELIVERY_VECTORS.filter(({ refusal }) => refusal === undefined);
const refused = DELIVERY_VECTORS.filter(({ refusal }) => refusal !== undefined);

describe('deliveries of others', () => {
	it.each(accepted)('are accepted: $source, $name', (vector) => {
		expect(verify(vector)).toBeUndefined();
	});

	it.each(accepted)('aren’t accepted with another body: $source, $name', (vector) => {
		const body = Buffer.concat([vector.body, Buffer.from(' ')]);
		expect(verify({ ...vector, body })?.message).toBe("The signature doesn't match");
	});

	it.each(refused.filter(({ stricter }) => stricter === undefined))(
		'are refused: $source, $name',
		(vector) => {
			expect(verify(vector)?.message).toMatch(vector.refusal ?? '');
		},
	);

	it.each(refused.filter(({ stricter }) => stricter !== undefined))(
		'are refused: $source, $name, because $stricter',
		(vector) => {
			expect(verify(vector)?.message).toMatch(vector.refusal ?? '');
		},
	);
});

describe('the sandbox', () => {
	const isText = ({ body }: DeliveryVector) => Buffer.from(body.toString()).equals(body);

	it.each(
		accepted.filter((vector) => isText(vector) && !/at least one|multi sig/.test(vector.name)),
	)('signs as $source does, $name', ({ source, saved, body, headers, time }) => {
		const { format: scheme, ...settings } = saved;
		const stripeTime = headers['stripe-signature']?.match(/^t=(\d+)/)?.[1];
		const signed = signatureHeaders(
			body.toString(),
			signingShape.parse({
				...settings,
				scheme,
				prefixed: source === 'GitHub',
				headerPrefix: source === 'Svix' ? 'svix' : 'webhook',
			}),
			{
				id: headers['webhook-id'] ?? headers['svix-id'] ?? '',
				timestamp: Number(stripeTime ?? time),
			},
		);
		const lowerCase = Object.fromEntries(
			Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]),
		);
		for (const [name, value] of Object.entries(headers)) {
			// Stripe's test mode adds a signature of another version.
			expect(lowerCase[name]).toBe(value.replace(/,v0=.*/, ''));
		}
	});
});
