import { ExecutionLifecycleHooks, ExternalSecretsProxy, WorkflowExecute } from 'n8n-core';
import {
	getCredentialOwnRequestAllowedDomains,
	ICredentialsHelper,
	NodeConnectionTypes,
	setSafeRegexEngine,
	Workflow,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeType,
	type INodeTypeDescription,
	type INodeTypes,
	type IPinData,
	type IRun,
	type IWorkflowExecuteAdditionalData,
	type IWorkflowSettings,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

/* n8n's own gives a regular expression 250 ms, which a busy machine needs for any. */
setSafeRegexEngine({
	exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
	test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
	replace: (pattern, input, flags, by) => input.replace(new RegExp(pattern, flags), by),
	matchAll: (pattern, input, flags) => [...input.matchAll(new RegExp(pattern, flags))],
	split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
});

/** What an engine without a server doesn't offer. */
export function notHere(): never {
	throw new Error('not available without a server');
}

/** The node types that an engine knows, by name. */
export class NodeTypes implements INodeTypes {
	constructor(private readonly types: Readonly<Record<string, INodeType>>) {}

	getByName(name: string): INodeType {
		return this.getByNameAndVersion(name);
	}

	getByNameAndVersion(name: string): INodeType {
		const type = this.types[name];
		if (type === undefined) throw new Error(`no node type ${name}`);
		return type;
	}

	getKnownTypes(): IDataObject {
		return {};
	}
}

/** A node of a workflow that an engine runs. */
export function engineNode(node: Pick<INode, 'name' | 'type'> & Partial<INode>): INode {
	const id = node.name.toLowerCase();
	return { id, typeVersion: 1, position: [0, 0], parameters: {}, ...node };
}

/** A workflow of these nodes; by default nothing connects them, and it isn't active. */
export function engineWorkflow(
	nodes: INode[],
	nodeTypes: INodeTypes,
	more: Partial<ConstructorParameters<typeof Workflow>[0]> = {},
): Workflow {
	const usual = { id: 'workflow', connections: {}, active: false };
	return new Workflow({ ...usual, nodes, nodeTypes, ...more });
}

/** A node type that is nothing but what it does. */
export function nodeTypeOf(
	name: string,
	execute: NonNullable<INodeType['execute']>,
	more: Partial<INodeTypeDescription> = {},
): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
			...more,
		},
		execute,
	};
}

/** One saved credential, with n8n's rules for when a sign-in is made and where it is kept. */
export class EngineCredentials extends ICredentialsHelper {
	constructor(
		private readonly type: ICredentialType,
		public data: ICredentialDataDecryptedObject,
	) {
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
		const { authenticate } = this.type;
		return typeof authenticate === 'function'
			? await authenticate.call(this.type, credentials, options)
			: options;
	}

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		_type: string,
		_node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		if (credentials.sessionToken !== '' && !credentialsExpired) return undefined;
		const restricted: IHttpRequestHelper = {
			helpers: {
				httpRequest: async (request): Promise<unknown> => {
					const allowedDomains = getCredentialOwnRequestAllowedDomains(credentials);
					return await helpers.helpers.httpRequest({ ...request, allowedDomains });
				},
			},
		};
		const answer = await this.type.preAuthentication?.call(restricted, credentials);
		const sessionToken = answer?.sessionToken;
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

/** What n8n's server gives its engine for an execution. */
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

/** What n8n's server listens to an execution with. */
export function executionHooks(
	mode: WorkflowExecuteMode,
	executionId: string,
	nodes: INode[],
): ExecutionLifecycleHooks {
	return new ExecutionLifecycleHooks(mode, executionId, {
		id: 'workflow',
		name: 'workflow',
		active: false,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
		nodes,
		connections: {},
	});
}

/** A workflow for {@link runInEngine}; it starts at the first node. */
export interface EngineWorkflow {
	readonly nodes: INode[];
	readonly connections: IConnections;
	readonly pinData?: IPinData;
	/** Among others, in which order n8n runs branches. */
	readonly settings?: IWorkflowSettings;
	/** By default, that of a saved workflow. */
	readonly id?: string;
	/** By default, that of a trigger. */
	readonly mode?: WorkflowExecuteMode;
}

interface Execution {
	readonly executionId: string;
	/** Cancels the execution as n8n's Stop button does. */
	readonly stop?: AbortSignal;
	/** An execution that failed, and goes on at the node that failed, as n8n's Retry does. */
	readonly retryOf?: IRun;
}

/** Runs a workflow once in n8n's own engine, without a server. */
export async function runInEngine(
	{ nodes, connections, pinData, settings, id = 'workflow', mode = 'trigger' }: EngineWorkflow,
	nodeTypes: INodeTypes,
	credentials: ICredentialsHelper,
	{ executionId, stop, retryOf }: Execution,
): Promise<IRun> {
	const workflow = engineWorkflow(nodes, nodeTypes, { connections, settings, id });
	const data = additionalData(credentials, executionId);
	Object.assign(data, { hooks: executionHooks(mode, executionId, nodes) });
	if (retryOf !== undefined) {
		const { resultData } = retryOf.data;
		resultData.error = undefined;
		resultData.runData[resultData.lastNodeExecuted ?? '']?.pop();
		return await new WorkflowExecute(data, 'retry', retryOf.data).processRunExecutionData(workflow);
	}
	const execution = new WorkflowExecute(data, mode);
	const running = execution.run({ workflow, startNode: nodes[0], pinData });
	stop?.addEventListener('abort', () => {
		running.cancel();
	});
	return await running;
}
