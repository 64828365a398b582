import { Refusal } from '../../nodes/PayrollPayments/shared/errors';
import {
	parseDelivery,
	type ReceivedEvent,
} from '../../nodes/PayrollPayments/trigger/parseEvent';

/** An event as `parseDelivery` returns it. */
export function received(event: Record<string, unknown>): ReceivedEvent {
	const parsed = parseDelivery(Buffer.from(JSON.stringify(event)), 'application/json');
	if (parsed instanceof Refusal) throw parsed;
	return parsed;
}
