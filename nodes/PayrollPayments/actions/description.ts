import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Field } from './fields/field';

import { CATALOGUE, RESOURCE_NAMES } from './catalogue';
import type { Operation, ResourceName } from './defineOperation';

const RESOURCES: readonly ResourceName[] = [...new Set(CATALOGUE.map(({ resource }) => resource))];

function operationsOf(resource: ResourceName): readonly Operation[] {
	return CATALOGUE.filter((each) => each.resource === resource);
}

function firstOperation(resource: ResourceName): string {
	return operationsOf(resource)[0]?.operation ?? '';
}

function resourceMenu(): INodeProperties {
	return {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: RESOURCES.map((value) => ({ name: RESOURCE_NAMES[value], value })),
		default: 'teamUser',
	};
}

function operationMenu(resource: ResourceName): INodeProperties {
	const options = operationsOf(resource).map(
		({ operation, name, action, description }): INodePropertyOptions => ({
			name,
			value: operation,
			action,
			description,
		}),
	);
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options,
		default: firstOperation(resource),
	};
}

function property(
	name: string,
	field: Field<unknown>,
	show: Record<string, Array<string | boolean>>,
): INodeProperties {
	const conditions = Object.entries(field.shownWhen ?? {}).map(([other, values]) => [
		other,
		[...values],
	]);
	return {
		...field.form,
		name,
		...(field.required ? { required: true } : {}),
		displayOptions: { show: { ...show, ...Object.fromEntries(conditions) } },
	};
}

function formOf({ resource, operation, fields, options, notice }: Operation): INodeProperties[] {
	const show = { resource: [resource], operation: [operation] };
	const collection = Object.entries(options)
		.map(([name, { form }]): INodeProperties => ({ ...form, name }))
		.sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
	return [
		...(notice === undefined
			? []
			: [
					{
						displayName: notice,
						name: 'notice',
						type: 'notice',
						default: '',
						displayOptions: { show },
					} satisfies INodeProperties,
				]),
		...Object.entries(fields).map(([name, field]) => property(name, field, show)),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			displayOptions: { show },
			options: collection,
		},
	];
}

/** Lets an AI agent make changes. Only the person who builds the workflow can set it. */
function toolWrites(): INodeProperties {
	const writes = CATALOGUE.filter(({ asTool }) => asTool === 'withPermission');
	return {
		displayName: 'Allow Writes by AI',
		name: 'allowToolWrites',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description:
			'Whether the AI agent may run operations that invite people, set roles, resolve reviews or move money. Check Only works without it.',
		displayOptions: {
			show: {
				'@tool': [true],
				resource: [...new Set(writes.map(({ resource }) => resource))],
				operation: [...new Set(writes.map(({ operation }) => operation))],
			},
		},
	};
}

/** The action node's form, from the operations' definitions. */
function actionForm(): INodeProperties[] {
	return [
		resourceMenu(),
		...RESOURCES.map(operationMenu),
		toolWrites(),
		...CATALOGUE.flatMap(formOf),
	];
}

/**
 * The expression for the line under the node on the canvas: the operation as the menu names it, after
 * the dollar amount of a payment if it is known. It doesn't use `toLocaleString`, because one of n8n's
 * expression engines doesn't support locales.
 */
function actionSubtitle(): string {
	const words = Object.fromEntries(
		CATALOGUE.map(({ resource, operation, name }) => [
			`${resource}.${operation}`,
			`${name}: ${RESOURCE_NAMES[resource]}`,
		]),
	);
	const amount = String.raw`$rawParameter.amountUnit === "dollars" ? /^\d+(\.\d\d?)?$/.test($rawParameter.amountDollars) && +$rawParameter.amountDollars : $rawParameter.amountCents / 100`;
	const dollars = String.raw`"$" + (${amount}).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ",") + " "`;
	return `={{ ($parameter.operation === "createInstant" && (${amount}) > 0 ? ${dollars} : "") + (${JSON.stringify(words)})[$parameter.resource + "." + $parameter.operation] }}`;
}

/*
 * The build evaluates this file and bundles only these values, so that n8n can load the node without
 * loading its operations.
 */
export const properties = actionForm();
export const subtitle = actionSubtitle();
