import { Refusal } from '../../../nodes/PayrollPayments/contract/refusal';
import { parseDelivery, type ReceivedEvent } from '../../../nodes/PayrollPayments/delivery';

/** An event as the step before hands it over. */
export function received(event: Record<string, unknown>): ReceivedEvent {
	const parsed = parseDelivery(Buffer.from(JSON.stringify(event)), 'application/json');
	if (parsed instanceof Refusal) throw parsed;
	return parsed;
}
