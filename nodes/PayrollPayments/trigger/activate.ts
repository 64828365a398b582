import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { Refusal } from '../shared/errors';
import { Redactor } from '../shared/redaction';
import { reasonOf } from './parameters';
import { loadSettings } from './settings';

/** Registers nothing, but stops the activation if deliveries could not be checked. */
export async function activate(context: IHookFunctions): Promise<boolean> {
	const redactor = new Redactor();
	try {
		await loadSettings(context, redactor);
	} catch (error) {
		throw new NodeOperationError(context.getNode(), redactor.text(reasonOf(error)), {
			description: error instanceof Refusal ? error.hint : undefined,
		});
	}
	context.logger.info(
		'Payroll Payments Trigger registered nothing: the service offers no call for it. ' +
			`Its dashboard must hold this URL: ${context.getNodeWebhookUrl('default')}`,
	);
	return true;
}
