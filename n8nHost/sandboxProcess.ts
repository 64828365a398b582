import path from 'node:path';

import { z } from 'zod';

import type { Account } from '../sandbox/server';
import type { SettingsInput } from '../sandbox/settings';
import { repository } from '../tooling/paths.mjs';
import { BackgroundProcess } from './backgroundProcess';
import { callControl } from './control';
import { freePort } from './ports';
import { isUp, waitUntil } from './waiting';

export type { Account };

/** The requests as the service received them. */
const wireLog = z.object({
	entries: z.array(
		z.object({
			operation: z.string(),
			/* Missing if there is no answer yet, or none went out. */
			status: z.number().optional(),
			body: z.unknown(),
		}),
	),
});

const wireCounts = z.object({ counts: z.record(z.number()) });

/** The sandbox as a separate process. */
export class SandboxProcess {
	private constructor(
		private readonly process: BackgroundProcess,
		readonly url: string,
		/** The wallet that asks a person, if one was started. */
		readonly signerUrl: string | undefined,
	) {}

	/** @param options `port` is used if it is free; without settings, the sandbox has its defaults */
	static async start(options: {
		logFile: string;
		port?: number;
		/** The port of a wallet that asks a person; without it, there is none. */
		signerPort?: number;
		settings?: SettingsInput;
	}): Promise<SandboxProcess> {
		const port = await freePort(options.port);
		const signerPort =
			options.signerPort === undefined ? undefined : await freePort(options.signerPort);
		const sandbox = new BackgroundProcess(
			'The sandbox',
			/* The Node.js that runs npm, as for `npm start`; the tests run in the one of n8n. */
			process.env.npm_node_execpath ?? process.execPath,
			[
				...['--import', 'tsx', path.join('sandbox', 'main.ts'), '--port', String(port)],
				...(signerPort === undefined ? [] : ['--signer-port', String(signerPort)]),
				...['--settings', JSON.stringify(options.settings ?? {})],
			],
			{ cwd: repository, logFile: options.logFile },
		);
		const url = `http://127.0.0.1:${port}`;
		try {
			await sandbox.ready(async () => await isUp(`${url}/sandbox/accounts`), 60_000);
		} catch (error) {
			await sandbox.stop();
			throw error;
		}
		const signerUrl = signerPort === undefined ? undefined : `http://127.0.0.1:${signerPort}`;
		return new SandboxProcess(sandbox, url, signerUrl);
	}

	/** Calls one of the control endpoints, e.g. `('GET', 'accounts')`. */
	async control<Answer>(
		method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
		route: string,
		body?: unknown,
	): Promise<Answer> {
		return await callControl(this.url, method, route, body);
	}

	/** The authorization of an instant payment from a team, ready to be signed by an account. */
	async authorization(
		teamId: string,
		{ address }: Account,
		email: string,
		cents = 12_500,
	): Promise<unknown> {
		const query = { from: teamId, amount_cents: String(cents), email, signer: address };
		return await this.control('GET', `payment-typed-data?${new URLSearchParams(query)}`);
	}

	/** How many requests of an operation have reached the service. */
	async count(operation: string): Promise<number> {
		const { counts } = wireCounts.parse(await this.control('GET', 'log?limit=1'));
		return counts[operation] ?? 0;
	}

	/** Waits until an operation was asked for so many times more. */
	async asked(operation: string, times: number): Promise<void> {
		const before = await this.count(operation);
		await waitUntil(
			`${operation} is asked for ${times} times`,
			async () => (await this.count(operation)) >= before + times,
			{ milliseconds: 300_000, interval: 150 },
		);
	}

	/** The requests of one operation so far, oldest first, whatever came of them. */
	async requests<Body>(operation: string, body: z.ZodType<Body, z.ZodTypeDef, unknown>) {
		const { entries } = wireLog.parse(await this.control('GET', 'log?limit=20000'));
		return entries
			.filter((entry) => entry.operation === operation)
			.map((entry) => ({ status: entry.status, body: body.parse(entry.body) }));
	}

	/** Resolves when the sandbox has ended, for whatever reason. */
	get ended(): Promise<number> {
		return this.process.ended;
	}

	async stop(): Promise<void> {
		await this.process.stop();
	}
}
