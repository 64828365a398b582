import { PayrollPaymentsWebhookApi } from '../../credentials/PayrollPaymentsWebhookApi.credentials';

/** The fields of the credential, by their labels. */
const FIELDS = new Map(
	new PayrollPaymentsWebhookApi().properties.map((field) => [field.displayName, field]),
);

/** What a person saves who fills in a field as it is shown, as its name and its value. */
export function settingOf(label: string, shown: string): [string, string] {
	const field = FIELDS.get(label);
	if (field === undefined) throw new Error(`The credential has no field ${label}.`);
	if (field.type !== 'options') return [field.name, shown];
	const option = field.options?.find(({ name }) => name === shown);
	if (option === undefined || !('value' in option)) throw new Error(`${label} has no ${shown}.`);
	return [field.name, String(option.value)];
}

/** Follows the advice of the trigger's error like a person in front of the form. */
export function settingsFrom(advice: string): Record<string, string> {
	const [, list = ''] = /In the credential, set (.+)\.$/.exec(advice) ?? [];
	const changes = list.split(/, | and /).map((each) => each.split(' to '));
	return Object.fromEntries(changes.map(([label = '', shown = '']) => settingOf(label, shown)));
}
