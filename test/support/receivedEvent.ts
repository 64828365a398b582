import type { JsonObject } from '../../nodes/PayrollPayments/shared/json';
import { isWanted } from '../../nodes/PayrollPayments/trigger/filter';
import { parseEvent, type ReceivedEvent } from '../../nodes/PayrollPayments/trigger/parseEvent';
import { checkDelivery, outputOf } from '../../nodes/PayrollPayments/trigger/receive';
import { Rejected } from '../../nodes/PayrollPayments/trigger/rejected';
import { readSettings, type DeliverySettings } from '../../nodes/PayrollPayments/trigger/settings';
import type { Delivery } from '../../nodes/PayrollPayments/trigger/verifySignature';
import type { WebhookCredentials } from '../../nodes/PayrollPayments/trigger/webhookCredentials';

/** An event as `parseEvent` returns it. */
export function received(event: Record<string, unknown>): ReceivedEvent {
	return parseEvent(Buffer.from(JSON.stringify(event)), 'application/json');
}

/** What a delivery leads to: an answer, or an item for the workflow. */
export function outcomeOf(
	delivery: Delivery,
	settings: DeliverySettings,
):
	| { readonly status: number; readonly body: JsonObject }
	| { readonly idempotencyKey: string; readonly item: JsonObject } {
	try {
		const checked = checkDelivery(delivery, settings, 0);
		if (!isWanted(checked, settings.filter)) {
			return { status: 200, body: { received: true, ignored: 'filter' } };
		}
		const { idempotencyKey } = checked;
		return { idempotencyKey, item: outputOf(checked, delivery.headers, settings) };
	} catch (error) {
		if (error instanceof Rejected) return { status: error.status, body: error.body };
		throw error;
	}
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
