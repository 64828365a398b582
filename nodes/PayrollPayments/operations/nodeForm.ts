import type { IBuilderHint, INodeProperties, NodeHint } from 'n8n-workflow';

import { noticeOf, propertiesOf, titleOf } from '../forms/field';
import { choice, collection, flag } from '../forms/fieldTypes';

import { CATALOGUE } from './catalogue';
import type { Operation } from '../run/operation';

const RESOURCES = [...new Set(CATALOGUE.map(({ resource }) => resource))];

const resourceMenu = choice<string>(
	{ label: 'Resource', expressions: 'never' },
	RESOURCES.map((value) => ({ name: titleOf(value), value })),
	'teamUser',
);

function operationMenu(resource: string): INodeProperties[] {
	const operations = CATALOGUE.filter((each) => each.resource === resource);
	/* n8n leaves out a value that is the default, so it is a read where there is one. */
	const preset = operations.find(({ effect }) => effect === 'read') ?? operations[0];
	const options = operations.map(({ operation: value, name, action, description }) => ({
		name,
		value,
		action,
		description,
	}));
	const wording = { label: 'Operation', expressions: 'never' } as const;
	const operation = choice<string>(wording, options, preset?.operation ?? '');
	return propertiesOf({ operation }, { resource: [resource] });
}

function formOf({ resource, operation, fields, notice, ...others }: Operation): INodeProperties[] {
	const show = { resource: [resource], operation: [operation] };
	const options = { ...others.runOptions, ...others.itemOptions };
	const all = {
		...fields,
		options: collection({ displayName: 'Options', placeholder: 'Add option' }, options),
	};
	const above = notice === undefined ? [] : [noticeOf('notice', notice, show)];
	return [...above, ...propertiesOf(all, show)];
}

/** Lets an AI agent make changes. Only the person who builds the workflow can set it. */
function toolWrites(): INodeProperties[] {
	const writes = CATALOGUE.filter(
		({ effect, isForPeople }) => effect === 'write' && isForPeople !== true,
	);
	const allowToolWrites = flag({
		label: 'Allow Writes by AI',
		description:
			'Whether the AI agent may run operations that invite people, set roles, resolve reviews, move money or send test events. Check Only works without it.',
		expressions: 'never',
	});
	return propertiesOf(
		{ allowToolWrites },
		{
			'@tool': [true],
			resource: [...new Set(writes.map(({ resource }) => resource))],
			operation: [...new Set(writes.map(({ operation }) => operation))],
		},
	);
}

/**
 * The expression for the line under the node on the canvas: "Pay $12,500.00" for a payment whose
 * amount is known, or else the operation as the menu names it. It doesn't use `toLocaleString`,
 * because one of n8n's expression engines doesn't support locales.
 */
function actionSubtitle(): string {
	const words = Object.fromEntries(
		CATALOGUE.map(({ resource, operation, name }) => [
			`${resource}.${operation}`,
			`${name}: ${titleOf(resource)}`,
		]),
	);
	const amount = String.raw`$rawParameter.amountUnit === "dollars" ? /^\d+(\.\d\d?)?$/.test($rawParameter.amountDollars) && +$rawParameter.amountDollars : $rawParameter.amountCents / 100`;
	const pay = String.raw`"Pay $" + (${amount}).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ",")`;
	return `={{ $parameter.operation === "create" && $parameter.resource === "payment" && !["items", "json"].includes($rawParameter.paymentsSource) && (${amount}) > 0 ? ${pay} : (${JSON.stringify(words)})[$parameter.resource + "." + $parameter.operation] }}`;
}

/*
 * The build evaluates this file and bundles only these values, so that n8n can load the node without
 * loading its operations.
 */
export const properties: INodeProperties[] = [
	...propertiesOf({ resource: resourceMenu }),
	...RESOURCES.flatMap(operationMenu),
	...toolWrites(),
	...CATALOGUE.flatMap(formOf),
];
export const subtitle = actionSubtitle();

export const hints: NodeHint[] = [
	{
		type: 'warning',
		message: 'This sends a payment for each input item, or for each row of its list',
		location: 'inputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition:
			'={{ $parameter["resource"] === "payment" && $parameter["options"]["checkOnly"] !== true && !$parameter["options"]["approvedCheck"] }}',
	},
	{
		type: 'info',
		message: 'Check Only is on, so nothing was signed or sent',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: '={{ $parameter["options"]["checkOnly"] === true }}',
	},
];

/** For n8n's own assistant when it builds a workflow. */
export const builderHint: IBuilderHint = {
	searchHint:
		'Payments can’t be undone. Before Payment: Create Instant, Administrator Invite: Execute and Name Review: Resolve, put the same node with options.checkOnly: true, then a step in which a person approves it (its message suits a chat, its html a form) and an If node that lets only a yes through, since n8n goes on after a no or no answer, and give the second node options.approvedCheck, the approval that the check put out. Never use Administrator Invite: Create and Execute where a person must approve. Amounts of payments are dollars as text (amountDollars: "125.00"), or amountCents: 12500 with amountUnit: cents; balance_cents is text. Set paymentReference to the invoice number, so that it is paid once. To pay a sheet, set paymentsSource: items (columns recipient_email, amount, reference, authorization), check it with options.checkOutput: run, and pay the same rows behind the approval with paymentsSource: json and paymentsJson, an expression for the list of their json; tell its run_message. To invite a sheet, set inviteesSource: items and existingPeople: skip, so that nobody is invited twice. Sign-in is automatic.',
};
