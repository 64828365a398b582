import { Wallet } from 'ethers';

import type { Account, AccountName, Sandbox } from '../../sandbox/server';

type RunningSandbox = Pick<Sandbox, 'url' | 'service' | 'accounts'>;

/** The sandbox's answer. */
export interface Reply {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** The parsed body; undefined if it isn't JSON. */
	readonly body: unknown;
}

/** A client of the sandbox that uses only HTTP and an independent wallet. */
export class SandboxClient {
	private token?: string;
	readonly wallet: Wallet;

	constructor(
		readonly sandbox: RunningSandbox,
		readonly account: Account,
	) {
		this.wallet = new Wallet(account.privateKey);
	}

	/** The client of one of the sandbox's accounts. */
	static of(sandbox: RunningSandbox, name: AccountName): SandboxClient {
		const account = sandbox.accounts.find((each) => each.name === name);
		if (!account) throw new Error(`The sandbox has no account ${name}`);
		return new SandboxClient(sandbox, account);
	}

	/** Signs in and keeps the token. */
	async signIn(): Promise<this> {
		const message = await this.signInMessage();
		const reply = await this.verify(message, await this.wallet.signMessage(message));
		this.token = dataOf<{ jwt: string }>(this.sandbox, reply, 'verifySignIn').jwt;
		return this;
	}

	/** Uses this token from now on, or no token. */
	useToken(token: string | undefined): this {
		this.token = token;
		return this;
	}

	async signInMessage(): Promise<string> {
		const { address, platformId } = this.account;
		const query = new URLSearchParams({ wallet: address, platformid: platformId });
		const reply = await this.send('GET', `/v2/auth/siwe?${query.toString()}`);
		return dataOf<{ siwe: string }>(this.sandbox, reply, 'getSignInMessage').siwe;
	}

	async verify(message: string, sig: string, nonce = nonceOf(message)): Promise<Reply> {
		return await this.send('POST', '/v2/auth/verify', { message, sig, nonce });
	}

	async get(path: string): Promise<Reply> {
		return await this.send('GET', path);
	}

	async post(path: string, body: unknown): Promise<Reply> {
		return await this.send('POST', path, body);
	}

	async put(path: string, body: unknown): Promise<Reply> {
		return await this.send('PUT', path, body);
	}

	/** Sends a request; doesn't follow redirects. */
	async send(
		method: string,
		path: string,
		body?: unknown,
		headers: Record<string, string> = {},
	): Promise<Reply> {
		const response = await fetch(this.sandbox.url + path, {
			method,
			redirect: 'manual',
			headers: {
				...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...headers,
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		return { status: response.status, headers: response.headers, text, body: parse(text) };
	}
}

/** The data of a successful answer; fails the test if the answer doesn't match openapi.yaml. */
export function dataOf<Data>(sandbox: RunningSandbox, reply: Reply, operationId: string): Data {
	const check = sandbox.service.description.answerCheck<{ data: Data }>(operationId, 200);
	if (reply.status === 200 && check(reply.body)) return reply.body.data;
	const problems = JSON.stringify(check.errors ?? []);
	throw new Error(`${operationId} answered ${reply.status} ${reply.text} ${problems}`);
}

function nonceOf(message: string): string {
	return /^Nonce: (.*)$/m.exec(message)?.[1] ?? '';
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
