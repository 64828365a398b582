import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

import { HookContext, WebhookContext, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	resolveWebhookDescriptionField,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IWebhookData,
	type IWorkflowSettings,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { PayrollPaymentsWebhookApi } from '../../credentials/PayrollPaymentsWebhookApi.credentials';
import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { deliver, sendEvent, type Answer, type Sending } from './deliveries';
import {
	additionalData,
	EngineCredentials,
	engineNode,
	engineWorkflow,
	executionHooks,
	nodeTypeOf,
	NodeTypes,
	notHere,
} from '../../n8nHost/engine';
import { listen, type HttpServer } from './httpServer';
import { processedKeys as store } from './processedKeys';
import { validateOutput } from './outputSchemas';

export { DUPLICATE, FILTERED, GENUINE } from './deliveries';
export { store };

/** The saved credentials; undefined: they were deleted. */
class WebhookCredentials extends EngineCredentials {
	constructor(private readonly saved: ICredentialDataDecryptedObject | undefined) {
		super(new PayrollPaymentsWebhookApi(), saved ?? {});
	}

	override async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		if (this.saved === undefined) throw new Error('Credential with ID "1" does not exist');
		return { ...this.saved };
	}
}

/** The secret of the webhook credentials, unless a test says otherwise. */
export const SECRET = 'whsec_1';

export const NOT_SET_UP = {
	status: 500,
	body: { error: 'The receiving workflow is not set up correctly' },
};

export interface Setup {
	/** The name of the trigger's row in n8n's store; by default another one each time. */
	readonly nodeId?: string;
	readonly parameters?: INodeParameters;
	readonly node?: Partial<INode>;
	readonly settings?: IWorkflowSettings;
	/** Parameters of the node after the trigger. */
	readonly afterParameters?: INodeParameters;
	/** The type of a tool that the node after the trigger uses. */
	readonly toolType?: string;
	/** By default {@link SECRET}, timestamped; undefined: they were deleted. */
	readonly credentials?: ICredentialDataDecryptedObject;
	readonly mode?: WorkflowExecuteMode;
	/** What n8n makes of a sender behind its proxies. */
	readonly address?: string;
	/** Of a process that remembers nothing of the others; by default all share one memory. */
	readonly trigger?: PayrollPaymentsTrigger;
}

export interface Execution {
	readonly started: INodeExecutionData[];
	/** What the trigger put out; without any, nothing ran after it. */
	readonly output: INodeExecutionData[];
	readonly error?: string;
	readonly hint?: string | null;
}

/**
 * The trigger in n8n's own contexts and engine, behind HTTP as in n8n 2.41.3: `webhook` first; then
 * the execution is saved and started; then the answer leaves, or after the execution if the trigger
 * asks for it (webhook-helpers.ts).
 */
export class TriggerHost {
	readonly executions: Execution[] = [];
	/** How many deliveries n8n is to fail with 500 before the execution is saved. */
	failures = 0;
	/** What n8n waits for before it answers. */
	hold: Promise<unknown> = Promise.resolve();
	/** Deliveries that ended in an error of `webhook` itself. */
	crashes = 0;
	private readonly running = new Set<Promise<Execution>>();
	private readonly trigger: PayrollPaymentsTrigger;
	private readonly setup: Setup;

	private constructor(
		setup: Setup,
		server: Server,
		private readonly address: HttpServer,
	) {
		this.setup = { nodeId: randomUUID(), credentials: { secret: SECRET }, ...setup };
		this.trigger = setup.trigger ?? new PayrollPaymentsTrigger();
		server.on('request', (request, response) => {
			void this.receive(request, response).catch(() => {
				this.crashes += 1;
				response.writeHead(500).end('{"message":"Workflow could not be started!"}');
			});
		});
	}

	static async start(setup: Setup = {}): Promise<TriggerHost> {
		const server = createServer();
		return new TriggerHost(setup, server, await listen(server));
	}

	async stop(): Promise<void> {
		await this.address.stop();
	}

	get url(): string {
		return `${this.address.url}/`;
	}

	async deliver(
		body: string | Uint8Array<ArrayBuffer>,
		headers: Record<string, string>,
	): Promise<Answer> {
		return await deliver(this.url, body, headers);
	}

	/** Delivers an event with a timestamped signature. */
	async send(event: object | string, how: Sending = {}): Promise<Answer> {
		return await sendEvent(this.url, event, { secret: SECRET, ...how });
	}

	/** Resolves when every execution has ended. */
	async idle(): Promise<void> {
		while (this.running.size > 0) await Promise.all(this.running);
	}

	/** What each execution put out, when all have ended. */
	async outputs(): Promise<IDataObject[][]> {
		await this.idle();
		return this.executions.map(({ output }) => output.map(({ json }) => json));
	}

	/** Runs the first execution again from where it began, as *Retry* in n8n's list of executions does. */
	async retry(): Promise<Execution> {
		await this.idle();
		return await this.run('retry', this.executions[0]?.started ?? []);
	}

	/** Calls one of the trigger's webhook methods, as activating and deactivating do. */
	async hook(method: 'checkExists' | 'create' | 'delete'): Promise<boolean> {
		const { workflow, node, data, webhookData } = this.context('trigger');
		const context = new HookContext(workflow, node, data, 'trigger', 'activate', webhookData);
		return await this.trigger.webhookMethods.default[method].call(context);
	}

	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { mode = 'webhook', address: ip = '127.0.0.1' } = this.setup;
		const read = { rawBody: await buffer(request), ip, body: {}, params: {}, query: {} };
		const { workflow, node, data, webhookData } = this.context(mode);
		const send = (status: number, body: unknown) => {
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		};

		Object.assign(data, {
			httpRequest: Object.assign(request, read),
			httpResponse: Object.assign(response, {
				status: (code: number) => ({ json: (body: unknown) => send(code, body) }),
			}),
		});
		const context = new WebhookContext(workflow, node, data, mode, webhookData, [], null);
		const result = await this.trigger.webhook.call(context);
		if (result.workflowData === undefined) {
			if (result.noWebhookResponse !== true) send(200, result.webhookResponse);
			return;
		}
		await this.hold;
		if (this.failures > 0) {
			this.failures -= 1;
			send(500, { message: 'There was a problem executing the workflow' });
			return;
		}
		const run = this.run(mode, result.workflowData[0] ?? []);
		this.running.add(run);
		void run.finally(() => this.running.delete(run));
		if (result.noWebhookResponse === true) return;
		const described = (name: 'responseMode' | 'responseData') => {
			const { webhookDescription } = webhookData;
			const native = resolveWebhookDescriptionField(node, webhookDescription, name);
			const template = webhookDescription[name];
			const evaluated = workflow.expression.getSimpleParameterValue(node, template, mode, {});
			/* n8n takes the first if there is one; older versions know only the second. */
			if (native.resolved && native.value !== evaluated) throw new Error(`two values of ${name}`);
			return evaluated;
		};
		const responseData = described('responseData');
		if (described('responseMode') === 'lastNode') {
			const { error, output } = await run;
			if (response.closed) return;
			if (error !== undefined) send(500, { message: 'Error in workflow' });
			else if (responseData === 'noData') response.writeHead(200).end();
			else send(200, output);
		} else if (!response.closed) {
			send(200, responseData === '' ? result.webhookResponse : responseData);
		}
	}

	private async run(mode: WorkflowExecuteMode, items: INodeExecutionData[]): Promise<Execution> {
		const { workflow, node, data, hooks } = this.context(mode);
		Object.assign(data, { hooks });
		const started = structuredClone(items);
		const runExecutionData = createRunExecutionData({
			executionData: { nodeExecutionStack: [{ node, data: { main: [items] }, source: null }] },
		});
		const execute = new WorkflowExecute(data, mode, runExecutionData);
		const { data: ended } = await execute.processRunExecutionData(workflow);
		const { runData, error: failure } = ended.resultData;
		const error = runData.Trigger?.at(-1)?.error ?? failure;
		const output = runData.After?.flatMap((one) => one.data?.main?.[0] ?? []) ?? [];
		validateOutput('v1.0.0.json', output);
		const failed = error && { error: error.message, hint: error.description };
		const execution: Execution = { started, output, ...failed };
		this.executions.push(execution);
		return execution;
	}

	private context(mode: WorkflowExecuteMode) {
		const { nodeId = '', parameters, credentials, node: changes, settings } = this.setup;
		const { afterParameters = {}, toolType } = this.setup;
		const { trigger } = this;
		const executionId = randomUUID();
		const node = engineNode({
			id: nodeId,
			name: 'Trigger',
			type: 'trigger',
			parameters: { events: ['*'], ...parameters },
			credentials: { payrollPaymentsWebhookApi: { id: '1', name: 'saved' } },
			webhookId: 'webhook-id',
			...changes,
		});
		const nodes = [
			node,
			engineNode({ name: 'After', type: 'after', parameters: afterParameters }),
			...(toolType === undefined ? [] : [engineNode({ name: 'Tool', type: toolType })]),
		];
		const after = nodeTypeOf(
			'after',
			async function () {
				return [this.getInputData()];
			},
			{
				properties: [{ displayName: 'Operation', name: 'operation', type: 'string', default: '' }],
			},
		);
		const nodeTypes = new NodeTypes({ trigger, after, [toolType ?? 'tool']: after });
		const connections = {
			Trigger: { main: [[{ node: 'After', type: NodeConnectionTypes.Main, index: 0 }]] },
			...(toolType !== undefined && {
				Tool: { ai_tool: [[{ node: 'After', type: NodeConnectionTypes.AiTool, index: 0 }]] },
			}),
		};
		const workflow = engineWorkflow(nodes, nodeTypes, {
			connections,
			active: mode !== 'manual',
			settings: { executionOrder: 'v1', ...settings },
		});
		const data = additionalData(new WebhookCredentials(credentials), executionId);
		const [webhookDescription = notHere()] = trigger.description.webhooks ?? [];
		const webhookData: IWebhookData = {
			httpMethod: 'POST',
			node: node.name,
			path: 'webhook',
			webhookDescription,
			workflowId: 'workflow',
			workflowExecuteAdditionalData: data,
		};
		const hooks = executionHooks(mode, executionId, nodes);
		return { workflow, node, data, webhookData, hooks };
	}
}

/** Starts triggers for the tests of the calling file, which are stopped after each of them. */
export function useTriggerHosts(): (setup?: Setup) => Promise<TriggerHost> {
	const hosts: TriggerHost[] = [];
	afterEach(async () => {
		store.isBroken = false;
		await Promise.all(hosts.splice(0).map(async (started) => await started.stop()));
	});
	return async (setup) => {
		const started = await TriggerHost.start(setup);
		hosts.push(started);
		return started;
	};
}
