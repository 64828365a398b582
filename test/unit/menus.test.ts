import type { INodeProperties } from 'n8n-workflow';

import { PayrollPaymentsWebhookApi } from '../../credentials/PayrollPaymentsWebhookApi.credentials';
import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { readAcknowledge } from '../../nodes/PayrollPayments/trigger/acknowledge';
import { readSettings } from '../../nodes/PayrollPayments/trigger/settings';
import { readWebhookCredentials } from '../../nodes/PayrollPayments/trigger/webhookCredentials';

/** The labels and the values of a menu, as an error lists them. */
function listed(properties: readonly INodeProperties[], name: string): string {
	const property = properties.find((each) => each.name === name && each.type === 'options');
	const entries = (property?.options ?? []).flatMap((option) =>
		'value' in option ? [{ label: option.name, value: String(option.value) }] : [],
	);
	const labels = entries.map(({ label }) => label);
	const values = entries.map(({ value }) => value);
	return `${property?.displayName} must be ${labels.slice(0, -1).join(', ')} or ${labels.at(-1)} (${values.join(', ')})`;
}

function faultOf(read: () => unknown): string {
	try {
		return JSON.stringify(read());
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/* The code that reads these menus repeats their labels. */
describe('an error lists a menu as the form shows it', () => {
	it.each(['method', 'format', 'algorithm', 'encoding', 'secretEncoding'])(
		'%s of the webhook credential',
		(name) => {
			const saved = { secret: 'whsec_1', format: 'custom', timestampHeader: 'X-Time' };
			const { properties } = new PayrollPaymentsWebhookApi();
			expect(faultOf(() => readWebhookCredentials({ ...saved, [name]: 'x' }))).toBe(
				listed(properties, name),
			);
		},
	);

	const trigger = new PayrollPaymentsTrigger().description.properties;
	const options = (trigger.find(({ name }) => name === 'options')?.options ?? []).flatMap(
		(option) => ('type' in option ? [option] : []),
	);
	const parameters = {
		events: ['*'],
		depositStatuses: ['complete'],
		filters: {},
		output: 'event',
		options: {},
	};

	it('of the trigger', () => {
		expect(faultOf(() => readSettings({ ...parameters, output: 'x' }, undefined))).toBe(
			listed(trigger, 'output'),
		);
		const invalid = { ...parameters, options: { invalidPayload: 'x' } };
		expect(faultOf(() => readSettings(invalid, undefined))).toBe(listed(options, 'invalidPayload'));
		expect(faultOf(() => readAcknowledge({ acknowledge: 'x' }))).toBe(
			listed(options, 'acknowledge'),
		);
	});
});
