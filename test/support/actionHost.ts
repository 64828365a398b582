import {
	NodeConnectionTypes,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { PayrollPaymentsApi } from '../../credentials/PayrollPaymentsApi.credentials';
import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { processedKeys } from './processedKeys';
import { additionalData, EngineCredentials, NodeTypes, runInEngine } from './engine';
import { validateActionOutput } from './outputSchemas';

const MAIN = [NodeConnectionTypes.Main];

/** The description of a node with these properties, and with one more thing or another. */
function described(
	name: string,
	properties: INodeProperties[],
	more: Partial<INodeTypeDescription>,
): INodeTypeDescription {
	return {
		name,
		displayName: name,
		description: '',
		group: [],
		version: 1,
		defaults: {},
		inputs: MAIN,
		outputs: MAIN,
		properties,
		...more,
	};
}

const WITH_CREDENTIALS = { credentials: [{ name: 'payrollPaymentsApi', required: true }] };

/** A node that puts out given items, so that the action node has an input. */
class InputItems implements INodeType {
	description = described(
		'inputItems',
		[{ displayName: 'Items', name: 'items', type: 'json', default: '[]' }],
		{ inputs: [] },
	);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = JSON.parse(String(this.getNodeParameter('items', 0))) as IDataObject[];
		return [items.map((json) => ({ json }))];
	}
}

/**
 * Sends one GET for each item at the same time, as n8n's HTTP Request node does: with the request
 * function that it uses, and without telling anybody what came of it.
 */
class PlainRequests implements INodeType {
	description = described(
		'plainRequests',
		[{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
		WITH_CREDENTIALS,
	);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const answers = await Promise.all(
			this.getInputData().map(
				async (_item, index): Promise<unknown> =>
					await this.helpers.requestWithAuthentication.call(
						this,
						'payrollPaymentsApi',
						{ method: 'GET', uri: String(this.getNodeParameter('url', index)), json: true },
						undefined,
						index,
					),
			),
		);
		return [answers.map((answer) => ({ json: { answer: JSON.stringify(answer) } }))];
	}
}

/** What {@link RawRequest} sends next: options may hold what no parameter can, such as a stream. */
export const rawRequest: {
	via: 'httpRequestWithAuthentication' | 'requestWithAuthentication';
	options: Readonly<Record<string, unknown>>;
} = { via: 'requestWithAuthentication', options: {} };

/** Sends one request with the credentials, as n8n's HTTP Request node and others do. */
class RawRequest implements INodeType {
	description = described('rawRequest', [], WITH_CREDENTIALS);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { via, options } = rawRequest;
		const request = Object.assign({ url: '' }, { url: undefined }, options);
		await this.helpers[via].call(this, 'payrollPaymentsApi', request);
		return [[{ json: {} }]];
	}
}

/** The node as n8n offers it to AI agents: the same, under a name that ends in Tool. */
function asTool(type: PayrollPayments): PayrollPayments {
	type.description = { ...type.description, name: `${type.description.name}Tool` };
	return type;
}

const TYPES: Readonly<Record<string, INodeType>> = {
	inputItems: new InputItems(),
	plainRequests: new PlainRequests(),
	payrollPayments: new PayrollPayments(),
	payrollPaymentsTool: asTool(new PayrollPayments()),
	rawRequest: new RawRequest(),
};

const nodeTypes = new NodeTypes(TYPES);

/** Saved credentials of the action node. */
export class SavedCredentials extends EngineCredentials {
	constructor(data: ICredentialDataDecryptedObject) {
		super(new PayrollPaymentsApi(), data);
	}
}

export { processedKeys };

let executions = 0;

/** What came of one run: the items of each output, or the error that the user sees. */
export interface RunResult {
	readonly output: INodeExecutionData[];
	readonly errorOutput: INodeExecutionData[];
	readonly error?: {
		readonly message: string;
		readonly description?: string | null;
		/** What n8n's editor shows as “Error data”. */
		readonly data?: unknown;
	};
	/** Everything that n8n would store of the execution, as text. */
	readonly stored: string;
}

function inputNode(name: string, items: readonly IDataObject[]): INode {
	return {
		id: name.toLowerCase(),
		name,
		type: 'inputItems',
		typeVersion: 1,
		position: [0, 0],
		parameters: { items: JSON.stringify(items) },
	};
}

/** The action node. */
const payroll = (parameters: INodeParameters): INode => ({
	id: 'payroll',
	name: 'Payroll',
	type: 'payrollPayments',
	typeVersion: 1,
	position: [200, 0],
	parameters,
	credentials: { payrollPaymentsApi: { id: '1', name: 'saved' } },
});

const to = (...names: string[]) => ({
	main: [names.map((node) => ({ node, type: NodeConnectionTypes.Main, index: 0 }))],
});

/** Runs the action node once in n8n's own engine, with the given parameters and input items. */
export async function runNode(
	credentials: SavedCredentials,
	parameters: INodeParameters,
	options: {
		readonly items?: readonly IDataObject[];
		/** What reaches the node in a second run of the same execution, as in a loop. */
		readonly secondRun?: readonly IDataObject[];
		readonly node?: Partial<INode>;
		readonly executionId?: string;
		/** Stops the execution as a person does. */
		readonly stop?: AbortSignal;
	} = {},
): Promise<RunResult> {
	executions += 1;
	const executionId = options.executionId ?? `execution-${executions}`;
	const nodes: INode[] = [
		inputNode('Start', [{}]),
		inputNode('Input', options.items ?? [{}]),
		inputNode('Later', options.secondRun ?? []),
		{ ...payroll(parameters), ...options.node },
	];
	const connections = {
		Start: options.secondRun === undefined ? to('Input') : to('Input', 'Later'),
		Input: to('Payroll'),
		Later: to('Payroll'),
	};
	const workflow = { nodes, connections };
	const run = await runInEngine(workflow, nodeTypes, credentials, executionId, options.stop);
	const { resultData } = run.data;
	const outputs = resultData.runData.Payroll?.at(-1)?.data?.main ?? [];
	const error = resultData.runData.Payroll?.at(-1)?.error ?? resultData.error;
	/* Whatever any test makes the node put out must suit the schema that n8n's editor reads. */
	const type = options.node?.type ?? 'payrollPayments';
	if (type.startsWith('payrollPayments')) {
		const items = outputs.flatMap((each) => each ?? []);
		validateActionOutput({ ...parameters, ...options.node?.parameters }, items);
	}
	const shown = error && {
		message: error.message,
		description: error.description,
		data: 'context' in error ? error.context.data : undefined,
	};
	return {
		output: outputs[0] ?? [],
		errorOutput: outputs[1] ?? [],
		...(shown && { error: shown }),
		stored: JSON.stringify(resultData),
	};
}

/** Runs the credential test with the request function that n8n gives it. */
export async function testSaved(
	credentials: SavedCredentials,
): Promise<{ status: string; message: string }> {
	const { CredentialTestContext } = await import('n8n-core');
	const context = new CredentialTestContext(additionalData(credentials, 'test'));
	const decrypted: ICredentialsDecrypted = {
		id: '1',
		name: 'saved',
		type: 'payrollPaymentsApi',
		data: credentials.data,
	};
	return await new PayrollPayments().methods.credentialTest.testPayrollPaymentsApi.call(
		context,
		decrypted,
	);
}

/** Looks for users as the picker of the field User does, with the parameters filled in so far. */
export async function searchUsers(
	credentials: SavedCredentials,
	parameters: INodeParameters,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const { LoadOptionsContext } = await import('n8n-core');
	const node = payroll(parameters);
	const workflow = new Workflow({
		id: 'workflow',
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes,
	});
	const data = { ...additionalData(credentials, 'search'), currentNodeParameters: parameters };
	const context = new LoadOptionsContext(workflow, node, data, '');
	const { searchTeamUsers } = new PayrollPayments().methods.listSearch;
	return await searchTeamUsers.call(context, filter, paginationToken);
}
