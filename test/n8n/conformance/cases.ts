import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SIGNED_ELSEWHERE } from '../../support/operationForms';
import { forbiddenTexts } from './examples';
import type { World } from './world';

type Output = readonly IDataObject[];

/** What differs from the complete form of the operation. */
type Change = INodeParameters | ((world: World) => INodeParameters | Promise<INodeParameters>);

/** A form filled in in a way that the document allows. */
export interface Accepted {
	readonly form?: Change;
	readonly items?: readonly IDataObject[];
	/** What goes over the wire, if not what the operation says. */
	readonly requests?: (form: INodeParameters, world: World) => readonly ExpectedRequest[];
	/** Prepares the sandbox. */
	readonly prepare?: (world: World) => void;
	/** `data` of the answers, if the output doesn't hold them as the operation says. */
	readonly answers?: OperationCases['answers'];
}

/** A form that the document rules out, and the field that the error names. */
export interface Refused {
	readonly form: Change;
	readonly label: string;
	readonly items?: readonly IDataObject[];
}

/** A request as the wire log shows it, exactly. */
export interface ExpectedRequest {
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	readonly query: Readonly<Record<string, string | readonly string[]>>;
	readonly body?: unknown;
}

/** A request that reads. */
export const get = (path: string, query: ExpectedRequest['query']): ExpectedRequest => ({
	method: 'GET',
	path,
	query,
});

/** A request that writes. */
export const post = (path: string, body: object): ExpectedRequest => ({
	method: 'POST',
	path,
	query: {},
	body,
});

export const put = (path: string, body: object): ExpectedRequest => ({
	...post(path, body),
	method: 'PUT',
});

/** Cases for one field: one line of the table in docs/api.md. */
export interface Group {
	readonly what: string;
	readonly accepted?: readonly Accepted[];
	readonly refused?: readonly Refused[];
}

/** How one operation of the node is asked, and what that must look like on the wire. */
export interface OperationCases {
	/** Resource and operation of the node, e.g. `balance.get`. */
	readonly name: string;
	/** The service's operations, in the order of their requests. */
	readonly calls: readonly string[];
	/** What differs from the form that all tests use, where a case is easier to tell so. */
	readonly form?: (world: World) => INodeParameters | Promise<INodeParameters>;
	readonly requests: (form: INodeParameters, world: World) => readonly ExpectedRequest[];
	/** `data` of the answers, as far as the output tells; by default, each item is one. */
	readonly answers?: (output: Output) => readonly unknown[];
	readonly groups: (world: World) => readonly Group[];
}

/** One refused form for each value of a parameter. */
export function refusing(
	label: string,
	parameter: string,
	values: readonly INodeParameters[string][],
	others: INodeParameters = {},
): Array<{ label: string; form: INodeParameters }> {
	return values.map((value) => ({ label, form: { ...others, [parameter]: asExpression(value) } }));
}

/** The same for a member of Options. */
export function refusingOption(...given: Parameters<typeof refusing>): Refused[] {
	return refusing(...given).map(({ label, form: options }) => ({ label, form: { options } }));
}

/** n8n itself refuses an empty field that is required, but no expression that finds nothing. */
const asExpression = (value: INodeParameters[string]) =>
	typeof value === 'string' && /^(=|$)/.test(value) ? `={{ ${JSON.stringify(value)} }}` : value;

/** One accepted form for each value of a parameter. */
export function accepting(
	parameter: string,
	values: readonly INodeParameters[string][],
	others: INodeParameters = {},
): Accepted[] {
	return values.map((value) => ({ form: { ...others, [parameter]: value } }));
}

/** A field with the values that it takes, and those that it refuses. */
export const field = (
	label: string,
	parameter: string,
	taken: readonly INodeParameters[string][],
	wrong: readonly INodeParameters[string][],
): Group => ({
	what: label,
	accepted: accepting(parameter, taken),
	refused: refusing(label, parameter, wrong),
});

/** Another name for a field of the body, which the service has, too. */
export function renamed(
	label: string,
	option: 'decisionFieldName' | 'eventTypeFieldName',
	taken: string,
	requestWith: (name: string) => ExpectedRequest,
): Group {
	const longest = `d${'x'.repeat(63)}`;
	return {
		what: `another name for a field, as ${label} says`,
		accepted: ['another', longest].map((name) => ({
			form: { options: { [option]: name } },
			prepare: ({ service }) => void service.change({ [option]: name }),
			requests: () => [requestWith(name)],
		})),
		refused: refusingOption(label, option, ['', taken, '1st', 'a-b', `${longest}x`]),
	};
}

/** Addresses of different people. */
export const people = (count: number, name = 'person'): string[] =>
	Array.from({ length: count }, (_, index) => `${name}${index}@example.com`);

export const WRONG_ADDRESSES = forbiddenTexts('EvmAddress').filter(Boolean);
export const WRONG_EMAILS = forbiddenTexts('Email').filter(Boolean);

/** Provided signatures that can't be any, and signers that are none. */
export const WRONG_SIGNERS: readonly Refused[] = [
	...refusing('Signature', 'signature', forbiddenTexts('EcdsaSignature'), SIGNED_ELSEWHERE),
	...refusing('Signer', 'signer', ['', ...WRONG_ADDRESSES], SIGNED_ELSEWHERE),
];

export const SIGNATURE = /^0x[0-9a-f]{130}$/;

/** A list as the wire log shows it in a query: a single value isn't an array. */
export function repeated(values: readonly string[]): string | readonly string[] {
	const [only = ''] = values;
	return values.length === 1 ? only : values;
}
