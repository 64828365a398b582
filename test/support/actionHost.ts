import { ExecutionLifecycleHooks, ExternalSecretsProxy, WorkflowExecute } from 'n8n-core';
import {
	ICredentialsHelper,
	NodeConnectionTypes,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { PayrollPaymentsApi } from '../../credentials/PayrollPaymentsApi.credentials';
import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { processedKeys } from './processedKeys';

/** A node that puts out given items, so that the action node has an input. */
class InputItems implements INodeType {
	description = {
		displayName: 'Input Items',
		name: 'inputItems',
		group: [],
		version: 1,
		description: '',
		defaults: {},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'Items', name: 'items', type: 'json' as const, default: '[]' }],
	};

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
	description = {
		displayName: 'Plain Requests',
		name: 'plainRequests',
		group: [],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'payrollPaymentsApi', required: true }],
		properties: [{ displayName: 'URL', name: 'url', type: 'string' as const, default: '' }],
	};

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
	description = {
		displayName: 'Raw Request',
		name: 'rawRequest',
		group: [],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'payrollPaymentsApi', required: true }],
		properties: [],
	};

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

class NodeTypes implements INodeTypes {
	getByName(name: string): INodeType {
		return this.getByNameAndVersion(name);
	}

	getByNameAndVersion(name: string): INodeType {
		const type = TYPES[name];
		if (type === undefined) throw new Error(`no node type ${name}`);
		return type;
	}

	getKnownTypes(): IDataObject {
		return {};
	}
}

/** One saved credential, with n8n's rules for when a sign-in is made and where it is kept. */
export class SavedCredentials extends ICredentialsHelper {
	private readonly type = new PayrollPaymentsApi();

	constructor(public data: ICredentialDataDecryptedObject) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_type: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return await this.type.authenticate(credentials, options);
	}

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		_type: string,
		_node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		if (credentials.sessionToken !== '' && !credentialsExpired) return undefined;
		const { sessionToken } = await this.type.preAuthentication.call(helpers, credentials);
		if (typeof sessionToken !== 'string') return undefined;
		this.data = { ...this.data, sessionToken };
		return Object.assign(credentials, { sessionToken });
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async getCredentials(): Promise<never> {
		return notHere();
	}

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		return { ...this.data };
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties() {
		return this.type.properties;
	}
}

export { processedKeys };

let executions = 0;

function notHere(): never {
	throw new Error('not available in this test');
}

export function additionalData(
	credentialsHelper: ICredentialsHelper,
	executionId: string,
): IWorkflowExecuteAdditionalData {
	return {
		credentialsHelper,
		executionId,
		executeWorkflow: notHere,
		getRunExecutionData: notHere,
		getRuntimeCredential: notHere,
		startRunnerTask: notHere,
		logAiEvent: () => undefined,
		currentNodeExecutionIndex: 0,
		restApiUrl: 'http://localhost/',
		instanceBaseUrl: 'http://localhost/',
		formBaseUrl: 'http://localhost/',
		formWaitingBaseUrl: 'http://localhost/',
		formTestBaseUrl: 'http://localhost/',
		webhookBaseUrl: 'http://localhost/',
		webhookWaitingBaseUrl: 'http://localhost/',
		webhookTestBaseUrl: 'http://localhost/',
		mcpBaseUrl: 'http://localhost/',
		mcpTestBaseUrl: 'http://localhost/',
		variables: {},
		externalSecretsProxy: new ExternalSecretsProxy(),
	};
}

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
	} = {},
): Promise<RunResult> {
	executions += 1;
	const executionId = options.executionId ?? `execution-${executions}`;
	const nodes: INode[] = [
		inputNode('Start', [{}]),
		inputNode('Input', options.items ?? [{}]),
		inputNode('Later', options.secondRun ?? []),
		{
			id: 'payroll',
			name: 'Payroll',
			type: 'payrollPayments',
			typeVersion: 1,
			position: [200, 0],
			parameters,
			credentials: { payrollPaymentsApi: { id: '1', name: 'saved' } },
			...options.node,
		},
	];
	const workflow = new Workflow({
		id: 'workflow',
		nodes,
		connections: {
			Start: options.secondRun === undefined ? to('Input') : to('Input', 'Later'),
			Input: to('Payroll'),
			Later: to('Payroll'),
		},
		active: false,
		nodeTypes: new NodeTypes(),
	});
	const data = additionalData(credentials, executionId);
	Object.assign(data, {
		hooks: new ExecutionLifecycleHooks('trigger', executionId, {
			id: 'workflow',
			name: 'workflow',
			active: false,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			activeVersionId: null,
			nodes,
			connections: {},
		}),
	});
	const run = await new WorkflowExecute(data, 'trigger').run({ workflow, startNode: nodes[0] });
	const { resultData } = run.data;
	const outputs = resultData.runData.Payroll?.at(-1)?.data?.main ?? [];
	const error = resultData.runData.Payroll?.at(-1)?.error ?? resultData.error;
	return {
		output: outputs[0] ?? [],
		errorOutput: outputs[1] ?? [],
		...(error === undefined
			? {}
			: {
					error: {
						message: error.message,
						description: error.description,
						data: 'context' in error ? error.context.data : undefined,
					},
				}),
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
	const node: INode = {
		id: 'payroll',
		name: 'Payroll',
		type: 'payrollPayments',
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { payrollPaymentsApi: { id: '1', name: 'saved' } },
	};
	const workflow = new Workflow({
		id: 'workflow',
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: new NodeTypes(),
	});
	const data = { ...additionalData(credentials, 'search'), currentNodeParameters: parameters };
	const context = new LoadOptionsContext(workflow, node, data, '');
	const { searchTeamUsers } = new PayrollPayments().methods.listSearch;
	return await searchTeamUsers.call(context, filter, paginationToken);
}
