import Ajv from 'ajv';
import type { INodeExecutionData } from 'n8n-workflow';

import { outputSchemas } from '../../tooling/outputSchemas';

const schemas = outputSchemas();

/** The names of the fields that n8n's editor shows before an operation has run. */
export function previewOf(file: string): string[] {
	return Object.keys(schemas[file]?.properties ?? {});
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

/** What a node said with an item: its normal output, a check, or why the item failed. */
function kindOf({ json }: INodeExecutionData): 'check' | 'failure' | 'output' {
	if (json.check === 'passed') return 'check';
	return typeof json.error === 'string' ? 'failure' : 'output';
}

/** Every kind of output that was validated, as `file kind`. */
export const validated = new Set<string>();

/** Called by the hosts for everything that a node puts out: it must suit the schema that ships. */
export function validateOutput(file: string, items: readonly INodeExecutionData[]): void {
	const schema = schemas[file];
	if (schema === undefined) throw new Error(`There is no output schema ${file}.`);
	/* Compiled once for each schema. */
	const validator = ajv.compile(schema);
	for (const item of items) {
		/* As n8n saves and shows it. */
		const json: unknown = JSON.parse(JSON.stringify(item.json));
		if (!validator(json)) {
			throw new Error(
				`${file} doesn't allow ${JSON.stringify(json)}: ${ajv.errorsText(validator.errors)}`,
			);
		}
		validated.add(`${file} ${kindOf(item)}`);
	}
}

export function validateActionOutput(
	{ resource, operation }: Readonly<Record<string, unknown>>,
	items: readonly INodeExecutionData[],
): void {
	if (items.length === 0) return;
	validateOutput(`v1.0.0/${String(resource)}/${String(operation)}.json`, items);
}
