// The output schemas that n8n's editor reads before a node has run, from the definitions that
// validate what the service sends and shape what the nodes put out. gulpfile.js writes them.
import { z } from 'zod';
import { zodToJsonSchema } from 'zod-to-json-schema';

import { CATALOGUE } from '../../nodes/PayrollPayments/actions/catalogue';
import { version } from '../../nodes/PayrollPayments/actions/description';
import { failureOutput } from '../../nodes/PayrollPayments/api/nodeErrors';
import { checkOutput } from '../../nodes/PayrollPayments/actions/plannedWrite';
import { triggerOutput } from '../../nodes/PayrollPayments/trigger/output';

/** A JSON Schema (draft 7), as far as these have one. */
export interface JsonSchema {
	readonly description?: string;
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, JsonSchema>>;
	readonly items?: JsonSchema;
	readonly required?: readonly string[];
	readonly anyOf?: readonly JsonSchema[];
}

const TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'];

/**
 * The same documentation, but any JSON value is valid. n8n's editor shows the first type (its
 * useDataSchema.ts) and, like here, `properties` and `items` only.
 */
function loosened({ type, properties, items }: JsonSchema): JsonSchema {
	const documented = [type ?? TYPES].flat().map((each) => (each === 'integer' ? 'number' : each));
	return {
		type: [...new Set([...documented, ...TYPES])],
		...(properties && {
			properties: Object.fromEntries(
				Object.entries(properties).map(([name, member]) => [name, loosened(member)]),
			),
		}),
		...(items && { items: loosened(items) }),
	};
}

/** The documented part of a union with `unknown`, which is what is passed on unchecked. */
function uncheckedPart(definition: z.ZodTypeDef): z.ZodTypeAny | undefined {
	if (!('options' in definition) || !Array.isArray(definition.options)) return undefined;
	const [documented, other]: unknown[] = definition.options;
	return documented instanceof z.ZodType && other instanceof z.ZodUnknown ? documented : undefined;
}

/** The members that are always there once parsed, also those that get a default. */
function requiredMembers(members: z.ZodRawShape): string[] {
	return Object.keys(members).filter(
		(name) =>
			members[name]?.safeParse(undefined).data !== undefined || !members[name]?.isOptional(),
	);
}

function jsonSchemaOf(definition: z.ZodTypeAny): JsonSchema {
	const schema = zodToJsonSchema(definition, {
		$refStrategy: 'none',
		postProcess: (json, each) => {
			const documented = uncheckedPart(each);
			return documented === undefined ? json : loosened(jsonSchemaOf(documented));
		},
	});
	const plain: JsonSchema = JSON.parse(JSON.stringify({ ...schema, $schema: undefined }));
	if (!(definition instanceof z.ZodObject)) return plain;
	return { ...plain, required: requiredMembers(definition.shape) };
}

/**
 * All fields of the alternatives. A field that not all of them have is valid with any value, because
 * the service may add a field of that name to the others.
 */
function mergedProperties(alternatives: readonly JsonSchema[]): Record<string, JsonSchema> {
	const merged: Record<string, JsonSchema> = {};
	for (const { properties = {} } of alternatives) {
		for (const [name, member] of Object.entries(properties)) {
			const isShared = alternatives.every(
				(other) => JSON.stringify(other.properties?.[name]) === JSON.stringify(member),
			);
			merged[name] ??= isShared ? member : loosened(member);
		}
	}
	return merged;
}

/**
 * A schema of what n8n's editor shows (`properties`) and of what is really valid (`anyOf`).
 * @param output the fields of an item, or a union of alternatives with the usual one first
 * @param others what else an item can be, which the editor doesn't show
 */
function outputSchema(output: z.ZodTypeAny, ...others: readonly z.ZodTypeAny[]): JsonSchema {
	const options: readonly z.ZodTypeAny[] = output instanceof z.ZodUnion ? output.options : [output];
	const usual = options.map(jsonSchemaOf);
	return {
		type: 'object',
		properties: mergedProperties(usual),
		anyOf: [...usual, ...others.map(jsonSchemaOf)],
	};
}

/** A folder for each version of the action node. The editor asks only for the version that it has. */
const ACTION_FOLDERS = version.map((each) => `v${`${each}.0.0`.split('.').slice(0, 3).join('.')}`);

/** Every schema by its path below `__schema__/`, as n8n-core's output-schema-resolver.js expects it. */
export function outputSchemas(): Record<string, JsonSchema> {
	return Object.fromEntries([
		...CATALOGUE.flatMap(({ resource, operation, output, effect }) => {
			const others = effect === 'write' ? [checkOutput, failureOutput] : [failureOutput];
			const schema = outputSchema(output, ...others);
			return ACTION_FOLDERS.map((folder) => [`${folder}/${resource}/${operation}.json`, schema]);
		}),
		['v1.0.0.json', outputSchema(triggerOutput)],
	]);
}
