import type { INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { outputSchemas, type JsonSchema } from '../../tooling/outputSchemas';
import { CONTINUE, runNode } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { formFor } from '../support/sandboxForms';
import { previewOf, validateActionOutput, validated } from '../support/outputSchemas';

/*
 * The hosts validate every item that any test makes a node put out against its output schema. These
 * tests make sure that every operation, output mode and kind of item occurs, and that the editor's
 * preview names what the sandbox, which shares no code with the node, really sends.
 */

const sandbox = useActionSandbox();

/** What differs from the usual form, one change for each output mode, the default first. */
const MODES: Readonly<Record<string, readonly INodeParameters[]>> = {
	'balance.get': [{ output: 'perCurrency' }, { output: 'asReceived' }],
	'invite.create': [{ existingPeople: 'skip' }, { existingPeople: 'invite' }],
	'payment.create': [{}, { options: { ifAlreadyPaid: 'skip', checkOutput: 'run' } }],
	'teamUser.getAll': [
		{},
		{ output: 'asReceived' },
		{ output: 'selected', outputFields: ['email', 'onboarded', 'address'] },
	],
};

async function formIn(name: string, { options, ...change }: INodeParameters = {}) {
	const form = await formFor(sandbox, name);
	return { ...form, ...change, options: { ...Object(form.options), ...Object(options) } };
}

/** Fields that can be either: chain, salt, expiry and role of typed data, roles of people, flags. */
const EITHER = ['string', 'number'];
const SEVERAL_TYPES: Readonly<Record<string, string[][]>> = {
	'administratorInvite.create': Array(4).fill(EITHER),
	...{ 'invite.getAll': [EITHER], 'teamUser.getAll': [EITHER, ['boolean', ...EITHER]] },
};

/** Fields that only some items have. */
const OCCASIONAL: Record<string, string[]> = { 'payment.create': ['already_sent', 'run_message'] };

/** The types of each field in a schema, at any depth, without null. */
function typesIn({ properties = {}, items }: JsonSchema): string[][] {
	const fields = [...Object.values(properties), ...(items === undefined ? [] : [items])];
	return fields.flatMap((field) => [
		[field.type ?? []].flat().filter((type) => type !== 'null'),
		...typesIn(field),
	]);
}

describe.each(CATALOGUE.map((each) => [`${each.resource}.${each.operation}`, each] as const))(
	'%s',
	(pair, { resource, operation, effect }) => {
		const file = `v1.0.0/${resource}/${operation}.json`;

		it('shows in the editor the fields that it puts out by default', async () => {
			const { output, error } = await sandbox.run(await formIn(pair, MODES[pair]?.[0]));
			expect(error).toBeUndefined();
			expect(output.length).toBeGreaterThan(0);
			const names = new Set(output.flatMap(({ json }) => Object.keys(json)));
			expect([...names, ...(OCCASIONAL[pair] ?? [])].sort()).toEqual(previewOf(file).sort());
		});

		it('has one type for each field, which a value of another one violates', async () => {
			const several = typesIn(outputSchemas()[file] ?? {}).filter(({ length }) => length !== 1);
			expect(several).toEqual(SEVERAL_TYPES[pair] ?? []);
			const { output } = await sandbox.run(await formIn(pair, MODES[pair]?.[0]));
			const json = output[0]?.json ?? {};
			for (const name of previewOf(file).filter((each) => each in json)) {
				const other = typeof json[name] === 'object' && json[name] !== null ? 7 : {};
				const deviating = [{ json: { ...json, [name]: other } }];
				expect(() => validateActionOutput({ resource, operation }, deviating)).toThrow(name);
			}
		});

		it('suits its schema in every mode, when checked and when it fails', async () => {
			for (const mode of MODES[pair] ?? [{}]) {
				const parameters = await formIn(pair, mode);
				if (effect === 'write') {
					const options = { ...parameters.options, checkOnly: true };
					const checked = (await sandbox.run({ ...parameters, options })).output[0]?.json ?? {};
					for (const name of ['signs', 'request']) {
						const shown: object = Object(checked[name]);
						for (const member of Object.keys(shown)) {
							const deviating = [{ json: { ...checked, [name]: { ...shown, [member]: 7 } } }];
							expect(() => validateActionOutput({ resource, operation }, deviating)).toThrow(name);
						}
					}
				}
				const nowhere = sandbox.credentials({ baseUrl: 'http://127.0.0.1:1' });
				const { output } = await runNode(nowhere, parameters, CONTINUE);
				expect(output.map(({ json }) => typeof json.error)).toEqual(['string']);
				await sandbox.run(parameters);
				await sandbox.reset();
			}
			const kinds = effect === 'write' ? ['check', 'failure', 'output'] : ['failure', 'output'];
			const seen = [...validated].filter((each) => each.startsWith(`${file} `)).sort();
			expect(seen).toEqual(kinds.map((kind) => `${file} ${kind}`));
		});
	},
);

it('of an event shows the fields inside a deposit, which n8n’s editor finds in plain objects only', () => {
	const { properties } = outputSchemas()['v1.0.0.json'] ?? {};
	const { type, properties: fields } = properties?.deposit ?? {};
	expect([type, fields?.token?.type]).toEqual(['object', 'object']);
	expect(fields?.reference?.type).toContain('number');
});
