import { UserError } from '../../nodes/PayrollPayments/shared/errors';
import type { JsonObject } from '../../nodes/PayrollPayments/shared/json';
import { parseEvent, type ReceivedEvent } from '../../nodes/PayrollPayments/trigger/parseEvent';
import { checkDelivery, outputOf, type Answer } from '../../nodes/PayrollPayments/trigger/receive';
import { readSettings, type DeliverySettings } from '../../nodes/PayrollPayments/trigger/settings';
import type { Delivery } from '../../nodes/PayrollPayments/trigger/verifySignature';
import type { WebhookCredentials } from '../../nodes/PayrollPayments/trigger/webhookCredentials';

/** An event as `parseDelivery` returns it. */
export function received(event: Record<string, unknown>): ReceivedEvent {
	const parsed = parseEvent(Buffer.from(JSON.stringify(event)), 'application/json');
	if (parsed instanceof UserError) throw parsed;
	return parsed;
}

/** What a delivery leads to: an answer, or an item for the workflow. */
export function outcomeOf(
	delivery: Delivery,
	settings: DeliverySettings,
): Answer | { readonly idempotencyKey: string; readonly item: JsonObject } {
	const checked = checkDelivery(delivery, settings, 0);
	if ('status' in checked) return checked;
	const { idempotencyKey } = checked;
	return { idempotencyKey, item: outputOf(checked, delivery.headers, settings) };
}

/** A trigger's settings, with these parameters in place of what is saved at first. */
export const settingsWith = (changes: object, credentials?: WebhookCredentials) =>
	readSettings(
		sourceOf({
			events: ['*'],
			depositStatuses: ['complete'],
			output: 'event',
			filters: {},
			options: {},
			...changes,
		}),
		credentials,
	);

/** Where a trigger's parameters are read from, as given and as saved. */
export const sourceOf = (
	given: Readonly<Record<string, unknown>>,
	saved: Readonly<Record<string, unknown>> = given,
) => ({
	read: (name: string) => given[name] ?? (name === 'authentication' ? 'none' : undefined),
	readSaved: (name: string) => saved[name],
	hint: 'Correct the field.',
});
