import { PayrollPaymentsWebhookApi } from '../../credentials/PayrollPaymentsWebhookApi.credentials';

/** The fields of the credential, by their labels. */
const FIELDS = new Map(
	new PayrollPaymentsWebhookApi().properties.map((field) => [field.displayName, field]),
);

/** Longer labels first, since “Header” ends “Timestamp Header”. */
const LABELS = [...FIELDS.keys()]
	.sort((one, other) => other.length - one.length)
	.map((label) => label.replace(/[()]/g, '\\$&'))
	.join('|');

/** Follows the advice of the trigger's error like a person in front of the form. */
export function settingsFrom(advice: string): Record<string, string> {
	const [, list = ''] = /In the credential, set (.+?)\.(?: [A-Z].*)?$/.exec(advice) ?? [];
	const entry = new RegExp(
		`(${LABELS}) to (.+?)(?=,? and (?:${LABELS}) to |, (?:${LABELS}) to |$)`,
		'g',
	);
	return Object.fromEntries(
		[...list.matchAll(entry)].map(([, label = '', value = '']) => {
			const field = FIELDS.get(label);
			const option = field?.options?.find(({ name }) => name === value);
			const isChosen = option !== undefined && 'value' in option;
			const entered = value.replace(/^nothing$/, '').replace(/^“(.*)”$/, '$1');
			return [field?.name ?? label, isChosen ? String(option.value) : entered];
		}),
	);
}
