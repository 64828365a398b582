import { Wallet } from 'ethers';

import type { Account, AccountName, Sandbox } from '../../sandbox/server';
import type { Payload } from './actionSandbox';

type Authorization = Omit<Payload, 'primaryType'>;

type RunningSandbox = Pick<Sandbox, 'url' | 'service' | 'accounts'>;

export interface Reply {
	readonly status: number;
	readonly text: string;
	/** The parsed body; undefined if it isn't JSON. */
	readonly body: unknown;
}

/** A client of the sandbox that uses only HTTP and an independent wallet. */
export class SandboxClient {
	private token?: string;
	readonly wallet: Wallet;

	private constructor(
		private readonly sandbox: RunningSandbox,
		readonly account: Account,
	) {
		this.wallet = new Wallet(account.privateKey);
	}

	static of(sandbox: RunningSandbox, name: AccountName): SandboxClient {
		const account = sandbox.accounts.find((each) => each.name === name);
		if (!account) throw new Error(`The sandbox has no account ${name}`);
		return new SandboxClient(sandbox, account);
	}

	async signIn(): Promise<this> {
		const message = await this.signInMessage();
		const reply = await this.verify(message, await this.wallet.signMessage(message));
		this.token = dataOf<{ jwt: string }>(this.sandbox, reply, 'verifySignIn').jwt;
		return this;
	}

	useToken(token: string): this {
		this.token = token;
		return this;
	}

	async signInMessage(): Promise<string> {
		const { address, platformId } = this.account;
		const query = new URLSearchParams({ wallet: address, platformid: platformId });
		const reply = await this.get(`/v2/auth/siwe?${query}`);
		return dataOf<{ siwe: string }>(this.sandbox, reply, 'getSignInMessage').siwe;
	}

	async verify(
		message: string,
		sig: string,
		nonce = /^Nonce: (.*)$/m.exec(message)?.[1] ?? '',
	): Promise<Reply> {
		return await this.post('/v2/auth/verify', { message, sig, nonce });
	}

	/** The body that asks for a payment of $125.00 to Ana, as a wallet signs it. */
	async signedPayment({ domain, types, message }: Authorization, wallet = this.wallet) {
		return {
			from: this.sandbox.service.organisation.teams[0]?.nanoid,
			amount_cents: 12_500,
			signer: wallet.address,
			typed_data: message,
			signature: await wallet.signTypedData(domain, types, message),
			external_recipient_email: 'ana@example.com',
			currency_symbol: 'USD',
			network: 'arbitrum',
		};
	}

	/** Signs a payment of $125.00 to Ana, and asks for it with these changes. */
	async pay(authorization: Authorization, changes: object = {}): Promise<Reply> {
		const body = { ...(await this.signedPayment(authorization)), ...changes };
		return await this.put('/v2/payments/external_entity/instant', body);
	}

	readonly get = async (path: string) => await this.send('GET', path);
	readonly post = async (path: string, body: unknown) => await this.send('POST', path, body);
	readonly put = async (path: string, body: unknown) => await this.send('PUT', path, body);

	/** Sends a request; doesn't follow redirects. */
	private async send(method: string, path: string, body?: unknown): Promise<Reply> {
		const response = await fetch(this.sandbox.url + path, {
			method,
			redirect: 'manual',
			headers: {
				...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			body: JSON.stringify(body),
		});
		const text = await response.text();
		return { status: response.status, text, body: parse(text) };
	}
}

/** The data of a successful answer; fails the test if the answer doesn't match openapi.yaml. */
export function dataOf<Data>(sandbox: RunningSandbox, reply: Reply, operationId: string): Data {
	const check = sandbox.service.description.answerCheck<{ data: Data }>(operationId, 200);
	if (reply.status === 200 && check(reply.body)) return reply.body.data;
	const problems = JSON.stringify(check.errors ?? []);
	throw new Error(`${operationId} answered ${reply.status} ${reply.text} ${problems}`);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
