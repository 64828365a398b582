import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyMode,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { PayrollPaymentsApi } from '../../credentials/PayrollPaymentsApi.credentials';
import { PayrollPaymentsWebhookApi } from '../../credentials/PayrollPaymentsWebhookApi.credentials';
import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { PayrollPaymentsPollingTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsPollingTrigger.node';
import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';

export const NODES = [
	new PayrollPayments(),
	new PayrollPaymentsTrigger(),
	new PayrollPaymentsPollingTrigger(),
].map(({ description }) => description);

export const CREDENTIALS = [new PayrollPaymentsApi(), new PayrollPaymentsWebhookApi()];

/** The forms of the nodes and the credentials, by the name of the type. */
export const FORMS: Readonly<Record<string, readonly INodeProperties[]>> = Object.fromEntries(
	[...NODES, ...CREDENTIALS].map(({ name, properties }) => [name, properties]),
);

/** The fields that n8n shows for these values, from top to bottom, by n8n's own rules. */
export function shownFields(type: string, given: INodeParameters): INodeProperties[] {
	const properties = [...(FORMS[type] ?? [])];
	const description = NODES.find(({ name }) => name === type) ?? null;
	const node = { typeVersion: 1 };
	const values =
		NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {};
	return properties.filter(
		(field) =>
			field.type !== 'hidden' && NodeHelpers.displayParameter(values, field, node, description),
	);
}

/** A part of a form that has a text, and where it is, e.g. "options > columnNames > column". */
export type FormPart = { readonly path: string } & (
	| { readonly kind: 'field'; readonly part: INodeProperties }
	| { readonly kind: 'group'; readonly part: INodePropertyCollection }
	| { readonly kind: 'mode'; readonly part: INodePropertyMode }
	| { readonly kind: 'option'; readonly part: INodePropertyOptions }
);

/** All fields of a form with what they contain, from top to bottom. */
export function partsOf(fields: readonly INodeProperties[], parent = ''): FormPart[] {
	return fields.flatMap((field) => {
		const { resource, operation } = field.displayOptions?.show ?? {};
		const shown = parent === '' && resource !== undefined ? `${resource}.${operation} ` : '';
		const path = `${parent}${shown}${field.name}`;
		const inside = (field.options ?? []).flatMap((option): FormPart[] => {
			const below = `${path} > ${option.name}`;
			if ('type' in option) return partsOf([option], `${path} > `);
			return 'values' in option
				? [{ kind: 'group', path: below, part: option }, ...partsOf(option.values, `${below} > `)]
				: [{ kind: 'option', path: `${path} = ${option.value}`, part: option }];
		});
		const modes = (field.modes ?? []).map(
			(part): FormPart => ({ kind: 'mode', path: `${path} > ${part.name}`, part }),
		);
		return [{ kind: 'field', path, part: field }, ...inside, ...modes];
	});
}
