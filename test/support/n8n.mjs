import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm, pause, run, Service } from '../../scripts/lib/processes.mjs';
import { freePort } from './ports.mjs';

/** The owner of every n8n that is started here; it listens on this machine only. */
export const OWNER = {
	email: 'owner@payroll-payments.example',
	password: 'Payroll-Payments-1',
	firstName: 'Payroll',
	lastName: 'Owner',
};

/** No calls home, no questions, this machine only. */
const SETTINGS = {
	NODE_ENV: 'production',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_SECURE_COOKIE: 'false',
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
	GENERIC_TIMEZONE: 'Etc/UTC',
};

/**
 * @typedef {object} Item
 * @property {Record<string, unknown>} json
 *
 * @typedef {object} NodeRun one run of a node within an execution
 * @property {{ main?: (Item[] | null)[] }} [data]
 * @property {{ message: string; description?: string | null }} [error]
 *
 * @typedef {object} Execution
 * @property {string} id
 * @property {string} status
 * @property {string} mode
 * @property {Record<string, NodeRun[]>} runs each node's runs, by the node's name
 * @property {{ message: string; description?: string | null } | undefined} error
 *
 * @typedef {object} WorkflowNode
 * @property {string} name
 * @property {string} type
 * @property {number} typeVersion
 * @property {number[]} position
 * @property {Record<string, unknown>} parameters
 * @property {string} [webhookId]
 * @property {boolean} [executeOnce]
 * @property {boolean} [retryOnFail]
 * @property {'continueRegularOutput' | 'continueErrorOutput' | 'stopWorkflow'} [onError]
 * @property {Record<string, { id: string | null; name: string }>} [credentials]
 *
 * @typedef {object} Workflow
 * @property {string} name
 * @property {WorkflowNode[]} nodes
 * @property {Record<string, unknown>} connections
 * @property {Record<string, unknown>} [settings]
 *
 * @typedef {Workflow & { id: string; active: boolean; versionId: string }} SavedWorkflow
 *
 * @typedef {object} Credentials
 * @property {string} id
 * @property {string} name
 * @property {string} type
 */

/**
 * n8n stores an execution as "flatted" JSON: one array, its members naming each other by index.
 *
 * @param {string} text
 * @returns {unknown}
 */
function unflatten(text) {
	/** @type {unknown[]} */
	const table = JSON.parse(text);
	/** @type {Map<number, unknown>} */
	const built = new Map();
	/** @param {unknown} reference */
	const resolve = (reference) => {
		if (typeof reference !== 'string') return reference;
		const index = Number(reference);
		if (built.has(index)) return built.get(index);
		const stored = table[index];
		if (typeof stored !== 'object' || stored === null) return stored;
		if (Array.isArray(stored)) {
			/** @type {unknown[]} */
			const list = [];
			built.set(index, list);
			for (const entry of stored) list.push(resolve(entry));
			return list;
		}
		/** @type {Record<string, unknown>} */
		const object = {};
		built.set(index, object);
		for (const [key, entry] of Object.entries(stored)) object[key] = resolve(entry);
		return object;
	};
	return resolve('0');
}

/** A real n8n with SQLite and a data folder of its own, and what a person does in it. */
export class N8n {
	#browserId = randomBytes(16).toString('hex');
	#cookie = '';
	/** @type {Service | undefined} */
	#service;

	/**
	 * @param {import('../../scripts/lib/installations.mjs').N8nInstallation} installation
	 * @param {object} options
	 * @param {string} options.dataFolder the folder that holds n8n's `.n8n`
	 * @param {number} options.port
	 * @param {number} options.brokerPort for n8n's task runners
	 * @param {Record<string, string>} [options.env] further settings
	 */
	constructor(installation, { dataFolder, port, brokerPort, env = {} }) {
		this.installation = installation;
		this.dataFolder = dataFolder;
		this.port = port;
		this.url = `http://127.0.0.1:${port}`;
		this.logFile = path.join(dataFolder, 'n8n.log');
		this.database = path.join(dataFolder, '.n8n', 'database.sqlite');
		this.env = {
			...installation.env,
			...SETTINGS,
			N8N_USER_FOLDER: dataFolder,
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			...env,
		};
	}

	/**
	 * An n8n on free ports, not yet started.
	 *
	 * @param {import('../../scripts/lib/installations.mjs').N8nInstallation} installation
	 * @param {{ dataFolder: string; port?: number; env?: Record<string, string> }} options `port` is
	 * taken if it is free
	 */
	static async prepare(installation, { dataFolder, port, env }) {
		return new N8n(installation, {
			dataFolder,
			port: await freePort(port),
			brokerPort: await freePort(),
			env,
		});
	}

	/**
	 * Installs a packed community package, the way n8n itself does.
	 *
	 * @param {string} tarball
	 */
	async installPackage(tarball) {
		const folder = path.join(this.dataFolder, '.n8n', 'nodes');
		mkdirSync(folder, { recursive: true });
		const manifest = path.join(folder, 'package.json');
		if (!existsSync(manifest)) writeFileSync(manifest, '{ "name": "installed-nodes", "private": true }');
		// n8n provides n8n-workflow itself, so the peer dependency is not fetched.
		const options = ['--offline', '--ignore-scripts', '--legacy-peer-deps', '--package-lock=false'];
		await npm(['install', ...options, '--no-audit', '--no-fund', tarball], { cwd: folder });
	}

	/** Starts n8n and resolves when it serves its editor and its webhooks. */
	async start() {
		const { node, cli } = this.installation;
		mkdirSync(this.dataFolder, { recursive: true });
		this.#service = new Service('n8n', node, [cli, 'start'], {
			cwd: this.dataFolder,
			env: this.env,
			logFile: this.logFile,
		});
		// n8n 1.x says that it is ready before it serves the editor.
		const isReady = async () =>
			(await fetch(`${this.url}/healthz/readiness`)).ok &&
			(await fetch(`${this.url}/rest/settings`)).ok;
		await this.#service.ready(isReady, 120_000);
	}

	/** Resolves when n8n has ended, for whatever reason. */
	get ended() {
		return this.#running().ended;
	}

	async stop() {
		await this.#service?.stop();
	}

	/** Ends n8n as a power cut would; `start` brings it back with the same data. */
	async kill() {
		await this.#service?.kill();
	}

	get log() {
		return this.#running().log;
	}

	#running() {
		if (this.#service === undefined) throw new Error('This n8n was not started.');
		return this.#service;
	}

	/**
	 * Runs one of n8n's own commands on the data folder, e.g. `import:workflow`.
	 *
	 * @param {string[]} args
	 */
	async command(args) {
		const { node, cli } = this.installation;
		return await run(node, [cli, ...args], { cwd: this.dataFolder, env: this.env });
	}

	/**
	 * What one run of a node put out, or nothing if it did not run.
	 *
	 * @param {Execution} execution
	 * @param {string} node
	 * @returns {Record<string, unknown>[]}
	 */
	static output({ runs }, node) {
		return (runs[node]?.[0]?.data?.main?.[0] ?? []).map(({ json }) => json);
	}

	/** Makes the owner's account if there is none, and signs in to it. */
	async signIn() {
		/** @type {{ userManagement: { showSetupOnFirstLoad: boolean } }} */
		const settings = await this.request('GET', '/rest/settings');
		if (settings.userManagement.showSetupOnFirstLoad) {
			await this.request('POST', '/rest/owner/setup', OWNER);
		}
		const { email, password } = OWNER;
		await this.request('POST', '/rest/login', { emailOrLdapLoginId: email, email, password });
	}

	/**
	 * Calls n8n's own REST interface, as the editor does, and gives back the answer's `data`,
	 * or the answer itself where it is a list.
	 *
	 * @template T
	 * @param {'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'} method
	 * @param {string} route
	 * @param {unknown} [body]
	 * @returns {Promise<T>}
	 */
	async request(method, route, body) {
		const response = await fetch(`${this.url}${route}`, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': this.#browserId,
				cookie: this.#cookie,
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const [cookie] = response.headers.getSetCookie();
		if (cookie !== undefined) this.#cookie = cookie.split(';', 1)[0] ?? '';
		const text = await response.text();
		if (!response.ok) {
			throw new Error(`n8n answered ${method} ${route} with ${response.status}: ${text}`);
		}
		/** @type {any} */
		const answer = JSON.parse(text);
		return answer.data ?? answer;
	}

	/**
	 * Saves credentials; those of the same name and type are replaced.
	 *
	 * @param {string} type
	 * @param {string} name
	 * @param {Record<string, unknown>} data
	 * @returns {Promise<Credentials>}
	 */
	async saveCredentials(type, name, data) {
		/** @type {Credentials[]} */
		const existing = await this.request('GET', '/rest/credentials');
		const same = existing.find((one) => one.type === type && one.name === name);
		return same === undefined
			? await this.request('POST', '/rest/credentials', { name, type, data })
			: await this.request('PATCH', `/rest/credentials/${same.id}`, { name, type, data });
	}

	/**
	 * What n8n's *Test* button says of saved credentials.
	 *
	 * @param {Credentials} credentials
	 * @param {Record<string, unknown>} data
	 * @returns {Promise<{ status: 'OK' | 'Error'; message: string }>}
	 */
	async testCredentials({ id, name, type }, data) {
		return await this.request('POST', '/rest/credentials/test', {
			credentials: { id, name, type, data },
		});
	}

	/**
	 * Saves a workflow, its nodes using the given credentials; one of the same name is replaced.
	 *
	 * @param {Workflow} workflow
	 * @param {Credentials[]} [credentials] at most one of each type
	 * @returns {Promise<SavedWorkflow>}
	 */
	async saveWorkflow({ name, nodes, connections, settings = {} }, credentials = []) {
		const byType = new Map(credentials.map((one) => [one.type, { id: one.id, name: one.name }]));
		const body = {
			name,
			connections,
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
		const same = (await this.workflows()).find((one) => one.name === name);
		return same === undefined
			? await this.request('POST', '/rest/workflows', { ...body, active: false })
			: await this.request('PATCH', `/rest/workflows/${same.id}?forceSave=true`, {
					...body,
					versionId: same.versionId,
				});
	}

	/** @returns {Promise<SavedWorkflow[]>} without their nodes */
	async workflows() {
		return await this.request('GET', '/rest/workflows');
	}

	/**
	 * Activates a workflow; n8n registers its webhooks a moment later.
	 *
	 * @param {string} id
	 */
	async activate(id) {
		const { versionId } = await this.request('GET', `/rest/workflows/${id}`);
		if (this.installation.version === '1.123.81') {
			await this.request('PATCH', `/rest/workflows/${id}`, { active: true, versionId });
		} else {
			await this.request('POST', `/rest/workflows/${id}/activate`, { versionId });
		}
	}

	/**
	 * Waits until n8n answers at a production webhook of an activated workflow.
	 *
	 * @param {string} url
	 * @param {number} [milliseconds]
	 */
	async listening(url, milliseconds = 30_000) {
		const deadline = Date.now() + milliseconds;
		// Asked with a wrong method, n8n says whether it knows the path; nothing is executed.
		while (!/did you mean/i.test(await (await fetch(url)).text())) {
			if (Date.now() > deadline) throw new Error(`n8n does not listen at ${url}.`);
			await pause(100);
		}
	}

	/** @param {string} id */
	async deactivate(id) {
		if (this.installation.version === '1.123.81') {
			await this.request('PATCH', `/rest/workflows/${id}`, { active: false });
		} else {
			await this.request('POST', `/rest/workflows/${id}/deactivate`);
		}
	}

	/**
	 * Runs a workflow from its first trigger, as *Execute workflow* does, and waits for its end.
	 *
	 * @param {string} id
	 * @param {number} [milliseconds] how long it may take
	 * @returns {Promise<Execution>}
	 */
	async runWorkflow(id, milliseconds = 60_000) {
		/** @type {SavedWorkflow} */
		const workflowData = await this.request('GET', `/rest/workflows/${id}`);
		const trigger = workflowData.nodes.find(({ type }) => /trigger/i.test(type));
		if (trigger === undefined) throw new Error(`Workflow ${workflowData.name} has no trigger.`);
		/** @type {{ executionId: string }} */
		const { executionId } = await this.request('POST', `/rest/workflows/${id}/run`, {
			workflowData,
			triggerToStartFrom: { name: trigger.name },
		});
		return await this.finished(executionId, milliseconds);
	}

	/**
	 * Waits for an execution to end.
	 *
	 * @param {string} id
	 * @param {number} [milliseconds]
	 */
	async finished(id, milliseconds = 60_000) {
		const deadline = Date.now() + milliseconds;
		for (;;) {
			const execution = await this.execution(id);
			const { status, runs, error } = execution;
			// n8n 1.x writes how an execution ended, and a moment later what it did.
			const isWritten =
				!['success', 'error'].includes(status) ||
				Object.keys(runs).length > 0 ||
				error !== undefined;
			if (!['new', 'running', 'waiting'].includes(status) && isWritten) return execution;
			if (Date.now() > deadline) throw new Error(`Execution ${id} is still ${execution.status}.`);
			await pause(100);
		}
	}

	/**
	 * @param {string} id
	 * @returns {Promise<Execution>}
	 */
	async execution(id) {
		/** @type {{ status: string; mode: string; data: string }} */
		const { status, mode, data } = await this.request('GET', `/rest/executions/${id}`);
		// While it runs, n8n stores an empty list.
		const stored =
			/** @type {{ resultData?: { runData?: Execution['runs']; error?: Execution['error'] } }} */ (
				unflatten(data) ?? {}
			);
		const { runData = {}, error } = stored.resultData ?? {};
		return { id, status, mode, runs: runData, error };
	}

	/**
	 * The executions of a workflow, oldest first, without their data.
	 *
	 * @param {string} workflowId
	 * @returns {Promise<{ id: string; status: string; mode: string }[]>}
	 */
	async executions(workflowId) {
		const rows = await this.query(
			`select id, status, mode from execution_entity where workflowId = '${workflowId}' order by id`,
		);
		return rows.map(({ id, status, mode }) => ({
			id: String(id),
			status: String(status),
			mode: String(mode),
		}));
	}

	/**
	 * Runs a query on n8n’s database file, also while n8n runs and 1.x locks it for a moment.
	 *
	 * @param {string} query
	 * @returns {Promise<Record<string, unknown>[]>}
	 */
	async query(query) {
		const script = `
			const { DatabaseSync } = require('node:sqlite');
			const [, file, query] = process.argv;
			const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
			console.log(JSON.stringify(database.prepare(query).all()));`;
		const { node, env } = this.installation;
		return JSON.parse(await run(node, ['--no-warnings', '-e', script, this.database, query], { env }));
	}

	/**
	 * Where a text stands in n8n's database or log: `table.column` or the log's name, each once.
	 *
	 * @param {string} text
	 * @returns {Promise<string[]>}
	 */
	async placesOf(text) {
		const script = `
			const { DatabaseSync } = require('node:sqlite');
			const [, file, text] = process.argv;
			const database = new DatabaseSync(file, { readOnly: true });
			const places = [];
			const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
			for (const { name: table } of tables) {
				for (const { name: column } of database.prepare(\`pragma table_info("\${table}")\`).all()) {
					const found = database
						.prepare(\`select 1 from "\${table}" where instr("\${column}", ?) > 0 limit 1\`)
						.get(text);
					if (found !== undefined) places.push(\`\${table}.\${column}\`);
				}
			}
			console.log(JSON.stringify(places));`;
		const { node, env } = this.installation;
		/** @type {string[]} */
		const places = JSON.parse(
			await run(node, ['--no-warnings', '-e', script, this.database, text], { env }),
		);
		return this.log.includes(text) ? [...places, 'n8n.log'] : places;
	}
}
