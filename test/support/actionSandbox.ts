import { Wallet } from 'ethers';
import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';

import {
	startSandbox,
	type AccountName,
	type FaultInput,
	type Sandbox,
} from '../../sandbox/server';
import type { SettingsInput } from '../../sandbox/settings';
import { stopAfterFile } from './cleanups';
import { processedKeys, runNode, SavedCredentials, type RunResult } from './actionHost';

/** The sandbox of a test file, with what the action node needs to use it. */
export class ActionSandbox {
	private running?: Sandbox;

	get sandbox(): Sandbox {
		if (this.running === undefined) throw new Error('The sandbox has not started.');
		return this.running;
	}

	get service(): Sandbox['service'] {
		return this.sandbox.service;
	}

	get url(): string {
		return this.sandbox.url;
	}

	get accounts(): Sandbox['accounts'] {
		return this.sandbox.accounts;
	}

	async start(settings: SettingsInput = {}): Promise<void> {
		this.running = await startSandbox({ settings });
		stopAfterFile(async () => await this.stop());
	}

	async stop(): Promise<void> {
		const { running } = this;
		this.running = undefined;
		await running?.close();
	}

	async reset(): Promise<void> {
		await this.control('POST', 'reset');
		processedKeys.clear();
	}

	get team(): string {
		return this.service.organisation.teams[0]?.nanoid ?? '';
	}

	get company(): string {
		return this.service.organisation.company.nanoid;
	}

	async control(method: string, route: string, body?: unknown): Promise<unknown> {
		const answer = await fetch(`${this.url}/sandbox/${route}`, {
			method,
			...(body === undefined
				? {}
				: { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
		});
		if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
		return await answer.json();
	}

	async fault(input: FaultInput): Promise<void> {
		await this.control('POST', 'faults', input);
	}

	account(name: AccountName = 'companyAdministrator') {
		const found = this.accounts.find((each) => each.name === name);
		if (found === undefined) throw new Error(`no account ${name}`);
		return found;
	}

	wallet(name?: AccountName): Wallet {
		return new Wallet(this.account(name).privateKey);
	}

	credentials(change: ICredentialDataDecryptedObject = {}, name?: AccountName): SavedCredentials {
		const { privateKey, platformId } = this.account(name);
		return new SavedCredentials({
			baseUrl: this.url,
			authentication: 'walletSignIn',
			signer: 'privateKey',
			platformId,
			privateKey,
			walletAddress: '',
			signInDomain: '',
			signInChainId: '',
			access: 'everything',
			sessionToken: '',
			...change,
		});
	}

	/** The same wallet at a signer that doesn't answer: whatever is signed fails. */
	unreachableSigner(change: ICredentialDataDecryptedObject = {}): SavedCredentials {
		return this.credentials({
			signer: 'remoteSigner',
			remoteSignerUrl: 'http://127.0.0.1:1',
			walletAddress: this.wallet().address,
			...change,
		});
	}

	async run(
		parameters: INodeParameters,
		options: Parameters<typeof runNode>[2] = {},
	): Promise<RunResult> {
		return await runNode(this.credentials(), parameters, options);
	}

	/** Everything that reached the service, signing in included. */
	wire() {
		return this.service.wireLog.read().entries;
	}

	/** The requests that change something, apart from signing in. */
	writes() {
		return this.wire().filter(({ method, path }) => method !== 'GET' && path !== '/v2/auth/verify');
	}

	/** Parameters of a payment of $125.00, with typed data for it. */
	async payment(change: INodeParameters = {}, of: IDataObject = {}): Promise<INodeParameters> {
		const query = new URLSearchParams({
			from: this.team,
			amount_cents: '12500',
			email: 'ana@example.com',
			signer: this.wallet().address,
			...Object.fromEntries(Object.entries(of).map(([key, value]) => [key, String(value)])),
		});
		const ready = Object(await this.control('GET', `payment-typed-data?${query.toString()}`));
		const { options, ...others } = change;
		return {
			resource: 'payment',
			operation: 'create',
			teamId: this.team,
			amountUnit: 'cents',
			amountCents: 12_500,
			recipientEmail: 'ana@example.com',
			typedData: JSON.stringify(ready.typed_data),
			signatureSource: 'wallet',
			currency: 'USD',
			network: 'arbitrum',
			...others,
			options: {
				domain: JSON.stringify(ready.domain),
				types: JSON.stringify(ready.types),
				primaryType: String(ready.primary_type),
				...Object(options),
			},
		};
	}
}

/** A sandbox for the tests of the calling file, reset before each of them. */
export function useActionSandbox(settings: SettingsInput = {}): ActionSandbox {
	const shared = new ActionSandbox();
	beforeAll(async () => await shared.start(settings));
	beforeEach(async () => await shared.reset());
	return shared;
}
