import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { EVENT_TYPES, isDocumented } from '../api/schemas/events';
import { messageOf, UserError } from '../shared/errors';
import { Redactor } from '../shared/redaction';
import { loadSettings, type DeliverySettings } from './settings';

/** Registers nothing, but stops the activation if deliveries could not be checked. */
export async function activate(context: IHookFunctions): Promise<boolean> {
	const redactor = new Redactor();
	let settings: DeliverySettings;
	try {
		settings = await loadSettings(context, redactor);
	} catch (error) {
		throw new NodeOperationError(context.getNode(), redactor.text(messageOf(error)), {
			description: error instanceof UserError ? error.hint : undefined,
		});
	}
	const undocumented = settings.filter.events.filter(
		(event) => event !== '*' && !isDocumented(EVENT_TYPES, event),
	);
	if (undocumented.length > 0) {
		context.logger.warn(
			`Payroll Payments Trigger waits for event types that aren't documented: ${undocumented.join(', ')}`,
		);
	}
	context.logger.info(
		'Payroll Payments Trigger can’t register its webhook with the service. ' +
			`Enter this URL in the service’s dashboard: ${context.getNodeWebhookUrl('default')}`,
	);
	return true;
}
