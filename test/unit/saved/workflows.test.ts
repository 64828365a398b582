import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { NodeHelpers, type INode, type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { FORMS, NODES } from '../../support/forms';

/*
 * Workflows that were saved with version 0.1.0. The two files were written by its code: the forms
 * from its descriptions (without the texts), the nodes from its example workflows. n8n saves only
 * values that differ from the default, so a saved node is complete only with the form's defaults.
 */

interface SavedNode {
	readonly example: string;
	readonly name: string;
	readonly type: string;
	readonly typeVersion: number;
	readonly parameters: INodeParameters;
}

function read<Content>(file: string): Content {
	return JSON.parse(readFileSync(join(__dirname, 'v0.1.0', file), 'utf8'));
}

const OLD_FORMS = read<Readonly<Record<string, INodeProperties[]>>>('forms.json');
const EXAMPLE_NODES = read<SavedNode[]>('nodes.json');

/** A node of each operation with nothing filled in, as n8n saves it. */
const UNTOUCHED_NODES = (OLD_FORMS.payrollPayments ?? [])
	.filter(({ name }) => name === 'operation')
	.flatMap(({ displayOptions, options = [] }): SavedNode[] => {
		const resource = String(displayOptions?.show?.resource?.[0]);
		return options.flatMap((option) =>
			'value' in option
				? [
						{
							example: 'untouched',
							name: `${resource}.${option.value}`,
							type: 'payrollPayments',
							typeVersion: 1,
							parameters: { resource, operation: option.value },
						},
					]
				: [],
		);
	});

const SAVED_NODES = [
	...EXAMPLE_NODES,
	...UNTOUCHED_NODES,
	{
		example: 'untouched',
		name: 'trigger',
		type: 'payrollPaymentsTrigger',
		typeVersion: 1,
		parameters: {},
	},
];

function nodeOf({ name, type, typeVersion, parameters }: SavedNode): INode {
	return { id: 'saved', name, type, typeVersion, position: [0, 0], parameters };
}

function todayOf(type: string) {
	const description = NODES.find(({ name }) => name === type);
	if (description === undefined) throw new Error(`There is no node ${type}.`);
	return description;
}

/** All parameters of a saved node, as n8n completes them when it opens or runs the workflow. */
function opened(saved: SavedNode, properties: readonly INodeProperties[]): INodeParameters {
	const node = nodeOf(saved);
	return (
		NodeHelpers.getNodeParameters(
			[...properties],
			node.parameters,
			true,
			false,
			node,
			todayOf(saved.type),
		) ?? {}
	);
}

it('covers every operation and both nodes', () => {
	expect(UNTOUCHED_NODES).toHaveLength(12);
	expect(new Set(EXAMPLE_NODES.map(({ type }) => type))).toEqual(
		new Set(['payrollPayments', 'payrollPaymentsTrigger']),
	);
	expect(EXAMPLE_NODES.length).toBeGreaterThan(10);
});

describe.each(SAVED_NODES)('$example: $name', (saved) => {
	const today = todayOf(saved.type);

	it('opens with every value that it had', () => {
		const before = opened(saved, OLD_FORMS[saved.type] ?? []);
		expect(Object.keys(before).length).toBeGreaterThan(3);
		expect(opened(saved, today.properties)).toMatchObject(before);
	});

	it('has no more issues than it had', () => {
		const issues = (properties: readonly INodeProperties[]) =>
			Object.keys(
				NodeHelpers.getNodeParametersIssues(
					[...properties],
					{ ...nodeOf(saved), parameters: opened(saved, properties) },
					today,
				)?.parameters ?? {},
			).sort();
		expect(issues(today.properties)).toEqual(issues(OLD_FORMS[saved.type] ?? []));
	});

	it('runs with a version that the node still has', () => {
		expect([today.version].flat()).toContain(saved.typeVersion);
	});
});

/** Fields by what decides where they are shown; version 1 of the node is what was saved. */
function fieldsOf(
	properties: readonly INodeProperties[],
	parent = '',
): Map<string, INodeProperties> {
	const fields = new Map<string, INodeProperties>();
	for (const field of properties) {
		const { '@version': versions, ...show } = field.displayOptions?.show ?? {};
		if (versions !== undefined && !versions.includes(1)) continue;
		const pairs = (show.resource ?? ['']).flatMap((resource) =>
			(show.operation ?? ['']).map((operation) => `${resource}.${operation}`),
		);
		const inner = (field.options ?? []).flatMap((option) => {
			if ('values' in option) return [...fieldsOf(option.values, `${option.name}.`)];
			return 'type' in option ? [...fieldsOf([option])] : [];
		});
		for (const pair of parent === '' ? pairs : ['']) {
			const path = `${pair} ${parent}${field.name}`;
			fields.set(path, field);
			for (const [below, each] of inner) fields.set(`${path}${below}`, each);
		}
	}
	return fields;
}

const valuesOf = ({ options = [] }: INodeProperties) =>
	options.flatMap((option) => ('value' in option ? [option.value] : []));

describe.each(Object.entries(OLD_FORMS))('the form of %s', (type, before) => {
	const old = [...fieldsOf(before)].filter(([, { type: kind }]) => kind !== 'notice');
	const now = fieldsOf(FORMS[type] ?? []);

	it('has every parameter under its old name, of the same type', () => {
		expect(old.length).toBeGreaterThan(5);
		expect(old.map(([path]) => `${path}: ${now.get(path)?.type}`)).toEqual(
			old.map(([path, field]) => `${path}: ${field.type}`),
		);
	});

	it('still offers every value', () => {
		const withdrawn = old.flatMap(([path, field]) => {
			const today = now.get(path);
			const offered = today === undefined ? [] : valuesOf(today);
			return valuesOf(field)
				.filter((value) => !offered.includes(value))
				.map((value) => `${path}: ${value}`);
		});
		expect(withdrawn).toEqual([]);
	});

	it('has the defaults that saved workflows leave out', () => {
		const presets = (fields: ReadonlyArray<readonly [string, INodeProperties]>) =>
			fields.map(([path, { default: preset }]) => [path, preset]);
		expect(presets(old.map(([path, field]) => [path, now.get(path) ?? field]))).toEqual(
			presets(old),
		);
	});
});
