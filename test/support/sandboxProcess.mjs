import path from 'node:path';
import { repository } from '../../scripts/lib/paths.mjs';
import { freePort } from './ports.mjs';
import { Service } from '../../scripts/lib/processes.mjs';

/**
 * A wallet that the sandbox knows; its key is worthless anywhere else.
 *
 * @typedef {object} Account
 * @property {string} name
 * @property {string} address
 * @property {string} privateKey
 * @property {string} platformId
 */

/** The local service in a process of its own. */
export class Sandbox {
	#service;

	/**
	 * @param {Service} service
	 * @param {string} url
	 */
	constructor(service, url) {
		this.#service = service;
		this.url = url;
	}

	/**
	 * @param {{ logFile: string; port?: number }} options `port` is taken if it is free
	 */
	static async start({ logFile, port }) {
		const taken = await freePort(port);
		const service = new Service(
			'The sandbox',
			process.execPath,
			['--import', 'tsx', path.join('sandbox', 'main.ts'), '--port', String(taken)],
			{ cwd: repository, logFile },
		);
		const url = `http://127.0.0.1:${taken}`;
		try {
			await service.ready(async () => (await fetch(`${url}/sandbox/accounts`)).ok, 60_000);
		} catch (error) {
			await service.stop();
			throw error;
		}
		return new Sandbox(service, url);
	}

	/**
	 * Calls one of the control endpoints, e.g. `('GET', 'accounts')`.
	 *
	 * @template T
	 * @param {'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} method
	 * @param {string} route below /sandbox/
	 * @param {unknown} [body]
	 * @returns {Promise<T>}
	 */
	async control(method, route, body) {
		const response = await fetch(`${this.url}/sandbox/${route}`, {
			method,
			...(body === undefined
				? {}
				: { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
		});
		const text = await response.text();
		if (!response.ok) {
			throw new Error(`The sandbox answered ${method} ${route} with ${response.status}: ${text}`);
		}
		return JSON.parse(text);
	}

	/** Resolves when the sandbox has ended, for whatever reason. */
	get ended() {
		return this.#service.ended;
	}

	get log() {
		return this.#service.log;
	}

	async stop() {
		await this.#service.stop();
	}
}
