import { execFileSync } from 'node:child_process';
import path from 'node:path';

import { z } from 'zod';

import { repository } from '../../../tooling/paths.mjs';
import { CREDENTIALS, NODES } from '../../support/forms';

/*
 * n8n's linter sees only literals, and our forms are derived from the operations. So they are written
 * out as TypeScript and linted with the rules of n8n's scanner. formRules.test.ts has the guidelines
 * that no rule of the linter covers.
 */

/** A value as a literal: names without quotes, texts in single ones. */
function literal(value: unknown): string {
	return JSON.stringify(value, undefined, '\t')
		.replace(/^(\t*)"([A-Za-z_]\w*)":/gm, '$1$2:')
		.replace(/(inputs|outputs): \[\s*"main"\s*\]/g, '$1: [NodeConnectionTypes.Main]')
		.replace(
			/"((?:[^"\\]|\\.)*)"/g,
			(_, text: string) => `'${text.replace(/\\"/g, '"').replace(/'/g, "\\'")}'`,
		);
}

/** The trigger checks, activates and deactivates its webhook. */
const WEBHOOK_METHODS = ['checkExists', 'create', 'delete']
	.map((method) => `\t\t\tasync ${method}() { return true; },`)
	.join('\n');

function nodeFile(description: (typeof NODES)[number]): [string, string] {
	const name = description.name.replace(/^p/, 'P');
	/* The rule knows no entry in front of the others: formRules.test.ts has the order of this menu. */
	const properties = description.properties.map(({ options, ...property }) => ({
		...property,
		...(options && {
			options:
				property.name === 'events'
					? [...options].sort((a, b) => a.name.localeCompare(b.name, 'en'))
					: options,
		}),
	}));
	const methods =
		description.webhooks && `\twebhookMethods = { default: {\n${WEBHOOK_METHODS}\n\t} };`;
	return [
		`nodes/PayrollPayments/${name}.node.ts`,
		`import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

export class ${name} implements INodeType {
	description: INodeTypeDescription = ${literal({ ...description, properties })};
${methods ?? ''}
}
`,
	];
}

/** The rules of nodes hold for the forms of credentials, too, but for {id} as the name of a placeholder. */
function credentialFile({ name, properties }: (typeof CREDENTIALS)[number]): [string, string] {
	return [
		`nodes/PayrollPayments/${name}.ts`,
		`import type { INodeProperties } from 'n8n-workflow';\n\nexport const properties: INodeProperties[] = ${literal(properties).replaceAll('{id}', '{…}')};\n`,
	];
}

function findings(files: ReadonlyArray<[string, string]>): string[] {
	const script = path.join(__dirname, 'lintForms.mjs');
	const input = JSON.stringify(Object.fromEntries(files));
	/* In a test of their own, n8n's rules take every file for a node. */
	const env = { ...process.env, NODE_ENV: 'production' };
	const options = { cwd: repository, env, input, encoding: 'utf8' } as const;
	return z.array(z.string()).parse(JSON.parse(execFileSync(process.execPath, [script], options)));
}

it('n8n’s linter finds nothing in the generated forms, and finds what is wrong', () => {
	const wrong = nodeFile({
		...Object(NODES[0]),
		properties: [{ displayName: 'returned ids', name: 'ids', type: 'boolean', default: '' }],
	});
	const found = findings([
		...NODES.map(nodeFile),
		...CREDENTIALS.map(credentialFile),
		['nodes/PayrollPayments/Wrong.ts', wrong[1]],
	]);
	expect(found.filter((each) => !each.includes('/Wrong.ts'))).toEqual([]);
	expect(found.join('\n')).toContain('node-param-display-name-miscased');
	expect(found.join('\n')).toContain('node-param-default-wrong-for-boolean');
});
