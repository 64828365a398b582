import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import type { Field, FieldSet } from './field';

/**
 * A field as n8n shows it.
 * @param show values of other parameters, in addition to the field's own condition
 */
export function propertyOf(
	name: string,
	{ form, required, shownWhen = {} }: Field<unknown>,
	show: IDisplayOptions['show'] = {},
): INodeProperties {
	const conditions = Object.entries(shownWhen).map(([other, values]) => [other, [...values]]);
	const all = { ...show, ...Object.fromEntries(conditions) };
	return {
		...form,
		name,
		...(required ? { required: true } : {}),
		...(Object.keys(all).length > 0 ? { displayOptions: { show: all } } : {}),
	};
}

/** Fields that a person adds as needed, in the order of their labels. */
export function collectionOf(
	name: string,
	texts: Pick<INodeProperties, 'displayName' | 'placeholder' | 'description'>,
	fields: FieldSet,
): INodeProperties {
	const options = Object.entries(fields)
		.map(([each, { form }]): INodeProperties => ({ ...form, name: each }))
		.sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
	return { ...texts, name, type: 'collection', default: {}, options };
}
