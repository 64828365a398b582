// The output schemas that n8n's editor reads before a node has run, from the definitions that
// validate what the service sends and shape what the nodes put out. gulpfile.js writes them.
import { z } from 'zod';
import { zodToJsonSchema } from 'zod-to-json-schema';

import { CATALOGUE } from '../nodes/PayrollPayments/operations/catalogue';
import { checkRecord } from '../nodes/PayrollPayments/run/checkRecord';
import { triggerOutput } from '../nodes/PayrollPayments/trigger/triggerOutput';

/** What a failed item outputs with *Continue On Fail*. Details of the error are further fields. */
const failureOutput = z
	.object({
		error: z.string(),
		error_code: z.string().optional(),
		http_status: z.number().optional(),
	})
	.passthrough();

/** What a failed item of a change outputs in addition. */
const failedChangeOutput = failureOutput.extend({
	outcome: z.enum(['refused', 'unknown', 'not_sent']),
	/** What lets exactly this payment be sent once more, as Confirmed Not Paid. */
	attempt_code: z.string().optional(),
	/** What to do next. */
	hint: z.string().optional(),
});

/** The same in n8n's error output. */
const errorOutput = z
	.object({ error: z.string(), details: z.record(z.unknown()).optional() })
	.passthrough();

/** A JSON Schema (draft 7), as far as these have one. */
export interface JsonSchema {
	readonly description?: string;
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, JsonSchema>>;
	readonly items?: JsonSchema;
	readonly required?: readonly string[];
	readonly anyOf?: readonly JsonSchema[];
}

/** The members that are always there once parsed, also those that get a default. */
function requiredMembers(members: z.ZodRawShape): string[] {
	return Object.keys(members).filter(
		(name) =>
			members[name]?.safeParse(undefined).data !== undefined || !members[name]?.isOptional(),
	);
}

function jsonSchemaOf(definition: z.ZodTypeAny): JsonSchema {
	const options = {
		$refStrategy: 'none',
		/* What comes out at the end of a pipe. */
		pipeStrategy: 'output',
		/* Further members pass anyway. */
		allowedAdditionalProperties: undefined,
	} as const;
	const schema = zodToJsonSchema(definition, options);
	const plain: JsonSchema = JSON.parse(JSON.stringify({ ...schema, $schema: undefined }));
	if (!(definition instanceof z.ZodObject)) return plain;
	return { ...plain, required: requiredMembers(definition.shape) };
}

/**
 * What n8n's editor shows of a field: the first type (its useDataSchema.ts) and what is inside.
 * @param others the same field in other items, which may have other types and values
 */
function shown(schema: JsonSchema, others: readonly JsonSchema[]): JsonSchema {
	const [filled] = schema.anyOf ?? [];
	const { type, properties, items } =
		filled === undefined ? schema : { ...filled, type: [filled.type ?? [], 'null'].flat() };
	const all = [type, ...others.map((other) => other.type)];
	const types = [...new Set(all.flatMap((each) => each ?? []))];
	return {
		...(all.includes(undefined) ? {} : { type: types.length === 1 ? types[0] : types }),
		...(properties && {
			properties: Object.fromEntries(
				Object.entries(properties).map(([name, member]) => [name, shown(member, [])]),
			),
		}),
		...(items && { items: shown(items, []) }),
	};
}

/**
 * A schema of what n8n's editor shows (`properties`: the usual item) and of what is valid (`anyOf`).
 * @param output the fields of an item, or a union of alternatives with the usual one first
 * @param others what else an item can be
 */
function outputSchema(output: z.ZodTypeAny, ...others: readonly z.ZodTypeAny[]): JsonSchema {
	const options: readonly z.ZodTypeAny[] = output instanceof z.ZodUnion ? output.options : [output];
	const [usual = {}, ...rest] = [...options, ...others].map(jsonSchemaOf);
	const preview = Object.entries(usual.properties ?? {}).map(([name, member]) => {
		const alike = rest.flatMap(({ properties }) => properties?.[name] ?? []);
		return [name, shown(member, alike)];
	});
	return { type: 'object', properties: Object.fromEntries(preview), anyOf: [usual, ...rest] };
}

const ANY_TYPE = ['string', 'number', 'boolean', 'object', 'array', 'null'];

/**
 * The same fields with any type, the documented one first: an event goes out exactly as it was received,
 * and n8n's editor shows the first. It looks into objects and lists only if that is their one type
 * (useDataSchema.ts), so theirs stays, without null.
 */
function ofAnyType({ type, properties, items }: JsonSchema): JsonSchema {
	if (properties === undefined && items === undefined) {
		return { type: [...new Set([type ?? [], ANY_TYPE].flat())] };
	}
	const members = Object.entries(properties ?? {}).map(
		([name, member]) => [name, ofAnyType(member)] as const,
	);
	return {
		type: [type ?? []].flat().find((each) => each !== 'null'),
		...(properties && { properties: Object.fromEntries(members) }),
		...(items && { items: ofAnyType(items) }),
	};
}

/** Every schema by its path below `__schema__/`, as n8n-core's output-schema-resolver.js expects it. */
export function outputSchemas(): Record<string, JsonSchema> {
	const events = outputSchema(triggerOutput);
	return Object.fromEntries([
		...CATALOGUE.flatMap(({ resource, operation, output, otherOutputs = [], effect }) => {
			const others =
				effect === 'write'
					? [checkRecord, ...otherOutputs, failedChangeOutput, errorOutput]
					: [failureOutput];
			return [[`v1.0.0/${resource}/${operation}.json`, outputSchema(output, ...others)]];
		}),
		['v1.0.0.json', { ...events, ...ofAnyType(events), type: 'object' }],
	]);
}
