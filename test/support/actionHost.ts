import {
	NodeConnectionTypes,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
} from 'n8n-workflow';

import { PayrollPaymentsApi } from '../../credentials/PayrollPaymentsApi.credentials';
import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { processedKeys } from './processedKeys';
import {
	additionalData,
	EngineCredentials,
	engineNode,
	engineWorkflow,
	nodeTypeOf,
	NodeTypes,
	runInEngine,
	type EngineWorkflow,
} from '../../n8nHost/engine';
import { validateActionOutput } from './outputSchemas';

/** Puts out given items, so that the action node has an input. */
const inputItems = nodeTypeOf(
	'inputItems',
	async function () {
		const items = JSON.parse(String(this.getNodeParameter('items', 0))) as IDataObject[];
		return [items.map((json) => ({ json }))];
	},
	{
		inputs: [],
		properties: [{ displayName: 'Items', name: 'items', type: 'json', default: '[]' }],
	},
);

type RequestFunction = 'httpRequestWithAuthentication' | 'requestWithAuthentication';

/** What a node of the type rawRequest sends next: options may hold what no parameter can, such as a stream. */
const rawRequest: { via: RequestFunction; options: object } = {
	via: 'requestWithAuthentication',
	options: {},
};

/** Sends one request for each item at the same time, as n8n's HTTP Request node and others do. */
const sendRawRequest = nodeTypeOf(
	'rawRequest',
	async function () {
		const { via, options } = rawRequest;
		const items = this.getInputData().map(async () => {
			const request = Object.assign({ url: '' }, { url: undefined }, options);
			await this.helpers[via].call(this, 'payrollPaymentsApi', request);
			return { json: {} };
		});
		return [await Promise.all(items)];
	},
	{ credentials: [{ name: 'payrollPaymentsApi', required: true }] },
);

/** The node as n8n offers it to AI agents: the same, under a name that ends in Tool. */
function asTool(type: PayrollPayments): PayrollPayments {
	type.description = { ...type.description, name: `${type.description.name}Tool` };
	return type;
}

const nodeTypes = new NodeTypes({
	inputItems,
	payrollPayments: new PayrollPayments(),
	payrollPaymentsTool: asTool(new PayrollPayments()),
	rawRequest: sendRawRequest,
});

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

/** The settings of a node whose failed items go on as output. */
export const CONTINUE = { node: { onError: 'continueRegularOutput' as const } };

/** The settings of a node that n8n tries a second time. */
export const TWICE = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

export const recordsOf = (items: ReadonlyArray<{ readonly json: IDataObject }>): IDataObject[] =>
	items.map(({ json }) => json);

export const outcomesOf = (items: ReadonlyArray<{ readonly json: IDataObject }>) =>
	items.map(({ json }) => json.outcome);

const inputNode = (name: string, items: readonly IDataObject[]) =>
	engineNode({ name, type: 'inputItems', parameters: { items: JSON.stringify(items) } });

const actionNode = (parameters: INodeParameters, changes: Partial<INode> = {}) =>
	engineNode({
		name: 'Payroll',
		type: 'payrollPayments',
		parameters,
		credentials: { payrollPaymentsApi: { id: '1', name: 'saved' } },
		...changes,
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
		/** Nothing is connected before the node, as where n8n's assistant runs it. */
		readonly isAlone?: boolean;
		/** How n8n runs it, and the ID of the workflow. */
		readonly host?: Pick<EngineWorkflow, 'id' | 'mode'>;
	} = {},
): Promise<RunResult> {
	executions += 1;
	const executionId = options.executionId ?? `execution-${executions}`;
	const node = actionNode(parameters, options.node);
	const connected: INode[] = [
		inputNode('Start', [{}]),
		inputNode('Input', options.items ?? [{}]),
		inputNode('Later', options.secondRun ?? []),
		node,
	];
	const connections = {
		Start: options.secondRun === undefined ? to('Input') : to('Input', 'Later'),
		Input: to('Payroll'),
		Later: to('Payroll'),
	};
	const isAlone = options.isAlone === true;
	const workflow = {
		nodes: isAlone ? [node] : connected,
		connections: isAlone ? {} : connections,
		...options.host,
	};
	const run = await runInEngine(workflow, nodeTypes, credentials, {
		executionId,
		stop: options.stop,
	});
	const { resultData } = run.data;
	const outputs = resultData.runData.Payroll?.at(-1)?.data?.main ?? [];
	const error = resultData.runData.Payroll?.at(-1)?.error ?? resultData.error;
	/* Whatever any test makes the node put out must suit the schema that n8n's editor reads. */
	if (node.type.startsWith('payrollPayments')) {
		const items = outputs.flatMap((each) => each ?? []);
		validateActionOutput(node.parameters, items);
	}
	return {
		output: outputs[0] ?? [],
		errorOutput: outputs[1] ?? [],
		error: error && {
			message: error.message,
			description: error.description,
			data: 'context' in error ? error.context.data : undefined,
		},
		stored: JSON.stringify(resultData),
	};
}

/** Runs another node that sends a request with the credentials, once for each of so many items. */
export async function sendRaw(
	credentials: SavedCredentials,
	via: RequestFunction,
	options: object,
	count = 1,
): Promise<RunResult> {
	Object.assign(rawRequest, { via, options });
	const items = Array.from({ length: count }, () => ({}));
	return await runNode(credentials, {}, { items, node: { type: 'rawRequest' } });
}

/** Runs the credential test with the request function that n8n gives it. */
export async function testSaved(
	credentials: SavedCredentials,
): Promise<{ status: string; message: string }> {
	const { CredentialTestContext } = await import('n8n-core');
	const context = new CredentialTestContext(additionalData(credentials, 'test'));
	const { testPayrollPaymentsApi } = new PayrollPayments().methods.credentialTest;
	return await testPayrollPaymentsApi.call(context, {
		...{ id: '1', name: 'saved', type: 'payrollPaymentsApi' },
		data: credentials.data,
	});
}

/** Looks for users as the picker of the field User does, with the parameters filled in so far. */
export async function searchUsers(
	credentials: SavedCredentials,
	parameters: INodeParameters,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const { LoadOptionsContext } = await import('n8n-core');
	const node = actionNode(parameters);
	const data = { ...additionalData(credentials, 'search'), currentNodeParameters: parameters };
	const context = new LoadOptionsContext(engineWorkflow([node], nodeTypes), node, data, '');
	const { searchTeamUsers } = new PayrollPayments().methods.listSearch;
	return await searchTeamUsers.call(context, filter, paginationToken);
}
