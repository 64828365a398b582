import type { INodeProperties } from 'n8n-workflow';

import { z } from 'zod';

import { isRecord } from '../shared/json';
import type { Field, FieldSet, InputOf } from './field';
import { collectionOf } from './property';

type Texts = Pick<INodeProperties, 'displayName' | 'placeholder' | 'description'>;

/**
 * Fields that a person adds as needed, as one field. One that was added has to have a value: an
 * expression that finds nothing must not let everything through.
 */
export function collection<Fields extends FieldSet>(
	texts: Texts,
	fields: Fields,
): Field<Partial<InputOf<Fields>>>;
export function collection(
	texts: Texts,
	fields: FieldSet,
): Field<Readonly<Record<string, unknown>>> {
	const schema = z.unknown().transform((given, context) => {
		const values: Record<string, unknown> = {};
		const refuse = (path: string[], message: string) =>
			context.addIssue({ code: 'custom', path, message });
		if (!isRecord(given ?? {})) refuse([], 'must be an object');
		const members = new Map(isRecord(given) ? Object.entries(given) : []);
		for (const [name, { schema: member }] of Object.entries(fields)) {
			if (!members.has(name)) continue;
			const value = members.get(name);
			const read = member.safeParse(value);
			if (value === undefined || value === null) refuse([name], 'is empty');
			else if (read.success) values[name] = read.data;
			else refuse([name], read.error.issues[0]?.message ?? "isn't valid");
		}
		return values;
	});
	return { form: collectionOf('', texts, fields), schema, required: false };
}
