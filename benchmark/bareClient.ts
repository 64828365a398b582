import { Agent, request } from 'node:http';

import { Wallet } from 'ethers';

import { z } from 'zod';
import type { TestEnvironment } from '../n8nHost/testEnvironment';

const success = z.object({ success: z.literal(true), data: z.unknown() });
const message = z.object({ siwe: z.string() });
const session = z.object({ jwt: z.string() });

/** A minimal client of the service: one token, keep-alive connections. */
export class BareClient {
	private readonly agent: Agent;
	private token = '';

	constructor(
		private readonly environment: TestEnvironment,
		private readonly concurrency: number,
	) {
		this.agent = new Agent({ keepAlive: true, maxSockets: concurrency });
	}

	async signIn(): Promise<void> {
		const { account } = this.environment;
		const query = new URLSearchParams({ wallet: account.address, platformid: account.platformId });
		const { siwe } = message.parse(await this.send('GET', `/v2/auth/siwe?${query}`));
		const sig = await new Wallet(account.privateKey).signMessage(siwe);
		const nonce = /^Nonce: (\S+)$/m.exec(siwe)?.[1];
		const verified = await this.send('POST', '/v2/auth/verify', { message: siwe, sig, nonce });
		this.token = session.parse(verified).jwt;
	}

	/** Requests all paths with the client's concurrency; returns their data in order. */
	async getAll(paths: readonly string[]): Promise<unknown[]> {
		const found: unknown[] = [];
		let next = 0;
		const worker = async () => {
			for (let index = next++; index < paths.length; index = next++) {
				found[index] = await this.send('GET', paths[index] ?? '');
			}
		};
		await Promise.all(Array.from({ length: this.concurrency }, worker));
		return found;
	}

	close(): void {
		this.agent.destroy();
	}

	private async send(method: string, path: string, body?: object): Promise<unknown> {
		const text = await new Promise<string>((resolve, reject) => {
			const sent = request(
				`${this.environment.sandbox.url}${path}`,
				{
					method,
					agent: this.agent,
					headers: {
						accept: 'application/json',
						...(body === undefined ? {} : { 'content-type': 'application/json' }),
						...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
					},
				},
				(response) => {
					const chunks: Buffer[] = [];
					response.on('data', (chunk: Buffer) => chunks.push(chunk));
					response.on('end', () => resolve(Buffer.concat(chunks).toString()));
				},
			);
			sent.on('error', reject);
			sent.end(body === undefined ? undefined : JSON.stringify(body));
		});
		return success.parse(JSON.parse(text)).data;
	}
}
