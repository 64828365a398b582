import { randomBytes, randomUUID } from 'node:crypto';

import { hasEnded, readExecution, type Execution, type StoredExecution } from './executions';
import { OWN_CONNECTION, textAt, waitFor, waitUntil } from './waiting';
import type { Workflow } from './workflows';

/** The owner of every n8n that is started here; it listens on this machine only. */
export const OWNER = {
	email: 'owner@payroll-payments.example',
	password: 'Payroll-Payments-1',
	firstName: 'Payroll',
	lastName: 'Owner',
};

const { email, password } = OWNER;
export const LOGIN = { emailOrLdapLoginId: email, email, password };

export interface Credentials {
	readonly id: string;
	readonly name: string;
	readonly type: string;
}

export interface SavedWorkflow extends Workflow {
	readonly id: string;
	readonly active: boolean;
	readonly versionId: string;
}

/** What proves a sign-in; n8n allows only a few sign-ins a minute. */
export interface Session {
	readonly browserId: string;
	readonly cookie: string;
}

/** Whether nothing listened at the address, so that a request may be sent again. */
function isRefused(error: unknown): boolean {
	return error instanceof TypeError && Object(error.cause).code === 'ECONNREFUSED';
}

/**
 * Whether n8n refuses everything because its database didn't answer a ping in time, as on a busy
 * machine; the next one is seconds away.
 */
function lacksDatabase(status: number, text: string): boolean {
	return status === 503 && text.includes('Database is not ready');
}

/** What a person does in n8n's editor, by the REST interface that the editor itself uses. */
export class N8nRest {
	private readonly browserId: string;
	private cookie: string;

	/** @param session of another instance that has signed in */
	constructor(
		readonly url: string,
		session: Session = { browserId: randomBytes(16).toString('hex'), cookie: '' },
	) {
		this.browserId = session.browserId;
		this.cookie = session.cookie;
	}

	get session(): Session {
		return { browserId: this.browserId, cookie: this.cookie };
	}

	/** Signs in to the owner's account, and creates it if there is none. */
	async signIn(): Promise<void> {
		// An n8n without its editor doesn't say whether it has an owner.
		await this.request('POST', '/rest/login', LOGIN).catch(async () => {
			await this.request('POST', '/rest/owner/setup', OWNER);
			await this.request('POST', '/rest/login', LOGIN);
		});
	}

	/** Signs in as a browser does, and returns the cookie, which any browser may use. */
	async signInCookie(): Promise<string> {
		const response = await fetch(`${this.url}/rest/login`, {
			method: 'POST',
			// Without a browser-id, which would tie the cookie to it.
			headers: { 'content-type': 'application/json', ...OWN_CONNECTION },
			body: JSON.stringify(LOGIN),
		});
		const [cookie] = response.headers.getSetCookie();
		if (cookie === undefined) throw new Error(`n8n answered the sign-in with ${response.status}`);
		return cookie;
	}

	/**
	 * Waits while n8n starts, or has lost its database.
	 *
	 * @returns the answer's `data`, or the whole answer if it has none
	 */
	async request<Answer>(
		method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
		route: string,
		body?: unknown,
	): Promise<Answer> {
		const send = async () => {
			const response = await fetch(`${this.url}${route}`, {
				method,
				headers: {
					'content-type': 'application/json',
					'browser-id': this.browserId,
					cookie: this.cookie,
					...OWN_CONNECTION,
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			}).catch((error: unknown) => {
				if (isRefused(error)) return undefined;
				throw error;
			});
			if (response === undefined) return undefined;
			const text = await response.text();
			return lacksDatabase(response.status, text) ? undefined : { response, text };
		};
		const { response, text } = await waitFor(`n8n answers at ${this.url}`, send, {
			milliseconds: 60_000,
		});
		const [cookie] = response.headers.getSetCookie();
		if (cookie !== undefined) this.cookie = cookie.split(';', 1)[0] ?? '';
		if (!response.ok) {
			throw new Error(`n8n answered ${method} ${route} with ${response.status}: ${text}`);
		}
		const answer: Answer & { data?: Answer } = JSON.parse(text);
		return answer.data ?? answer;
	}

	/** Saves credentials; replaces those of the same name and type. */
	async saveCredentials(
		type: string,
		name: string,
		data: Record<string, unknown>,
	): Promise<Credentials> {
		const existing = await this.request<Credentials[]>('GET', '/rest/credentials');
		const same = existing.find((one) => one.type === type && one.name === name);
		return same === undefined
			? await this.request('POST', '/rest/credentials', { name, type, data })
			: await this.request('PATCH', `/rest/credentials/${same.id}`, { name, type, data });
	}

	/** What n8n's *Test* button says about saved credentials. */
	async testCredentials(
		{ id, name, type }: Credentials,
		data: Record<string, unknown>,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		return await this.request('POST', '/rest/credentials/test', {
			credentials: { id, name, type, data },
		});
	}

	/**
	 * Saves a workflow; replaces one of the same name.
	 *
	 * @param credentials for its nodes, at most one of each type
	 * @param replaced the ID of the one that it replaces instead; null for none
	 */
	async saveWorkflow(
		{ name, nodes, connections, settings = {}, pinData = {} }: Workflow,
		credentials: readonly Credentials[] = [],
		replaced?: string | null,
	): Promise<SavedWorkflow> {
		const byType = new Map(credentials.map((one) => [one.type, { id: one.id, name: one.name }]));
		const body = {
			name,
			connections,
			pinData,
			settings: { executionOrder: 'v1', ...settings },
			nodes: nodes.map((node) => ({
				id: randomUUID(),
				...node,
				credentials: Object.fromEntries(
					Object.entries(node.credentials ?? {}).map(([type, named]) => [
						type,
						byType.get(type) ?? named,
					]),
				),
			})),
		};
		const same = (await this.workflows()).find((one) =>
			replaced === undefined ? one.name === name : one.id === replaced,
		);
		return same === undefined
			? await this.request('POST', '/rest/workflows', { ...body, active: false })
			: await this.request('PATCH', `/rest/workflows/${same.id}?forceSave=true`, {
					...body,
					versionId: same.versionId,
				});
	}

	/** All workflows, without their nodes. */
	async workflows(): Promise<Omit<SavedWorkflow, 'nodes'>[]> {
		return await this.request('GET', '/rest/workflows');
	}

	/** Activates a workflow; n8n registers its webhooks a moment later. */
	async activate(id: string): Promise<void> {
		const workflow = `/rest/workflows/${id}`;
		const { versionId } = await this.request<SavedWorkflow>('GET', workflow);
		await this.request('POST', `${workflow}/activate`, { versionId });
	}

	/** Deactivates a workflow. */
	async deactivate(id: string): Promise<void> {
		await this.request('POST', `/rest/workflows/${id}/deactivate`);
	}

	/** Waits until n8n listens at the production URL of an active workflow's webhook. */
	async waitForWebhook(url: string, milliseconds = 30_000): Promise<void> {
		// To a wrong method n8n answers whether it knows the path; nothing is executed.
		await waitUntil(
			`n8n listens at ${url}`,
			async () => /did you mean/i.test((await textAt(url)) ?? ''),
			{ milliseconds },
		);
	}

	/** Runs a workflow from its first trigger, as *Execute workflow* does, and waits for its end. */
	async runWorkflow(id: string, milliseconds?: number): Promise<Execution> {
		return await this.waitForExecution(await this.startWorkflow(id), milliseconds);
	}

	/** Starts a workflow as {@link runWorkflow} does, and returns the execution's ID at once. */
	async startWorkflow(id: string): Promise<string> {
		const workflowData = await this.request<SavedWorkflow>('GET', `/rest/workflows/${id}`);
		const trigger = workflowData.nodes.find(({ type }) => /trigger/i.test(type));
		if (trigger === undefined) throw new Error(`Workflow ${workflowData.name} has no trigger.`);
		const { executionId } = await this.request<{ executionId: string }>(
			'POST',
			`/rest/workflows/${id}/run`,
			{ workflowData, triggerToStartFrom: { name: trigger.name } },
		);
		return executionId;
	}

	/** Retries an execution, like *Retry* in the list of executions. */
	async retry(executionId: string): Promise<void> {
		await this.request('POST', `/rest/executions/${executionId}/retry`, { loadWorkflow: false });
	}

	/** The first execution of a workflow that started within seconds after a time. */
	async firstExecution(workflowId: string, after: Date): Promise<string | undefined> {
		const startedAfter = after.toISOString();
		const startedBefore = new Date(after.getTime() + 15_000).toISOString();
		const filter = JSON.stringify({ workflowId, startedAfter, startedBefore });
		const { results } = await this.request<{ results: { id: string }[] }>(
			'GET',
			`/rest/executions?filter=${encodeURIComponent(filter)}&limit=100`,
		);
		return results.at(-1)?.id;
	}

	async execution(id: string): Promise<Execution> {
		return readExecution(id, await this.request<StoredExecution>('GET', `/rest/executions/${id}`));
	}

	/** Waits for an execution to end. */
	async waitForExecution(id: string, milliseconds = 60_000): Promise<Execution> {
		let execution: Execution;
		/* Each reading takes n8n about as long as a short execution, hence the interval. */
		return await waitFor(
			() => `Execution ${id} is still ${execution.status}.`,
			async () => {
				execution = await this.execution(id);
				return hasEnded(execution) ? execution : undefined;
			},
			{ milliseconds, interval: 250 },
		);
	}
}
