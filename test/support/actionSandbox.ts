import { Wallet } from 'ethers';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import {
	startSandbox,
	type AccountName,
	type FaultInput,
	type Sandbox,
} from '../../sandbox/server';
import { ROLE_NUMBERS } from '../../sandbox/administratorInvites';
import type { SettingsInput } from '../../sandbox/settings';
import type { Organisation, Team } from '../../sandbox/organisation';
import { stopAfterFile } from '../../n8nHost/cleanups';
import { callControl } from '../../n8nHost/control';
import { processedKeys, runNode, SavedCredentials, type RunResult } from './actionHost';
import { without } from '../../n8nHost/sampleEvents';
import { walletCredentials } from '../../n8nHost/sandboxCredentials';
import { paymentForm } from '../../n8nHost/workflows';

export { without };

/** The request of a payment, for faults. */
export const PAYMENT = { method: 'PUT', path: 'instant' };

/** Everything that a signature covers, in the words of EIP-712. */
export interface Payload {
	readonly domain: Record<string, unknown>;
	readonly types: Record<string, Array<{ name: string; type: string }>>;
	readonly primaryType: string;
	readonly message: Record<string, unknown>;
}

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

	async start(settings: SettingsInput = {}, seed?: string): Promise<void> {
		this.running = await startSandbox({ settings, seed });
		stopAfterFile(this.running.close);
	}

	async reset(): Promise<void> {
		await this.control('POST', 'reset');
		processedKeys.clear();
	}

	get organisation(): Organisation {
		return this.service.organisation;
	}

	get firstTeam(): Team {
		const [team] = this.organisation.teams;
		if (team === undefined) throw new Error('The sandbox has no team.');
		return team;
	}

	get team(): string {
		return this.firstTeam.nanoid;
	}

	get company(): string {
		return this.organisation.company.nanoid;
	}

	/** The domain that this service's sign-in messages name. */
	get signInDomain(): string {
		return this.service.settings.signInDomain ?? new URL(this.url).host;
	}

	async control(method: string, route: string, body?: unknown): Promise<unknown> {
		return await callControl(this.url, method, route, body);
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
		const unset = { walletAddress: '', signInDomain: '', signInChainId: '', sessionToken: '' };
		const wallet = walletCredentials(this.url, this.account(name));
		const names = Object.entries(this.service.settings.fieldNames);
		const fieldNames = names.map((pair) => pair.join(' = ')).join('\n');
		return new SavedCredentials({ ...wallet, ...unset, fieldNames, ...change });
	}

	/** A token that the service takes from an account. */
	async token(name?: AccountName): Promise<string> {
		const { address: wallet, platformId } = this.account(name);
		return await this.service.tokens.issue({ wallet, platformId }, 3_600);
	}

	/** The same wallet at a signer; by default, at one that doesn't answer: whatever is signed fails. */
	remoteSigner(change: ICredentialDataDecryptedObject = {}): SavedCredentials {
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

	/** Parameters that read the balance of the first team, as the service sends it. */
	balance(change: INodeParameters = {}): INodeParameters {
		const output = 'asReceived';
		return { resource: 'balance', operation: 'get', entityId: this.team, output, ...change };
	}

	/** Parameters that list the users of the first team. */
	teamUsers(change: INodeParameters = {}): INodeParameters {
		const teamId = this.team;
		return { resource: 'teamUser', operation: 'getAll', teamId, returnAll: true, ...change };
	}

	/** Parameters that invite people to the first team as viewers, with signatures. */
	administratorInvites(emails: string, change: INodeParameters = {}): INodeParameters {
		const { role = 'team_viewer' } = change;
		const entity = { entityId: this.team, role };
		const options = { ...this.roleOptions(String(role)), ...Object(change.options) };
		const form = { resource: 'administratorInvite', operation: 'send', ...entity, emails };
		return { ...form, ...change, options };
	}

	/** What a form needs under *Options* where this service writes the role as a number. */
	roleOptions(role: string): INodeParameters {
		if (this.service.settings.roleForm !== 'number') return {};
		return { expectedRoleCode: String(ROLE_NUMBERS[role]) };
	}

	/** Everything that reached the service, signing in included. */
	wire() {
		return this.service.wireLog.read().entries;
	}

	/** What reached the service, apart from signing in. */
	requests() {
		return this.wire().filter(({ path }) => !path.startsWith('/v2/auth/'));
	}

	/** The requests that change something, apart from signing in. */
	writes() {
		return this.requests().filter(({ method }) => method !== 'GET');
	}

	/** What the service's own system makes of a payment of $125.00 to Ana, or of another one. */
	async authorization({
		amount_cents: amountCents = 12_500,
		email = 'ana@example.com',
		team = this.firstTeam,
	}: { amount_cents?: number; email?: string; team?: Team } = {}): Promise<Payload> {
		const { domain, types, primary_type, typed_data } = this.service.authorize({
			team,
			amountCents,
			email,
			signer: this.wallet().address,
		});
		return { domain, types, primaryType: primary_type, message: { ...typed_data } };
	}

	/** Parameters of a payment of $125.00, with an authorization for it. */
	async payment(
		change: INodeParameters = {},
		of?: Parameters<ActionSandbox['authorization']>[0],
	): Promise<INodeParameters> {
		return this.paying(await this.authorization(of), change);
	}

	/** Parameters of a payment of $125.00 without an authorization. */
	paymentForm(change: INodeParameters = {}): INodeParameters {
		return paymentForm({ teamId: this.team, ...change });
	}

	/** The same with the given authorization: the message, and the rest under *Options*. */
	paying(payload: Payload, { options, ...change }: INodeParameters = {}): INodeParameters {
		return this.paymentForm({
			typedData: JSON.stringify(payload.message),
			...change,
			options: {
				domain: JSON.stringify(payload.domain),
				types: JSON.stringify(payload.types),
				primaryType: payload.primaryType,
				...Object(options),
			},
		});
	}

	/** A signature made outside n8n by another library, as fields of the form. */
	async signed(payload: Omit<Payload, 'primaryType'>, by?: AccountName): Promise<INodeParameters> {
		const types = without(payload.types, 'EIP712Domain');
		const wallet = this.wallet(by);
		return {
			signatureSource: 'provided',
			signer: wallet.address,
			signature: await wallet.signTypedData(payload.domain, types, payload.message),
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

/** Fails each test of the calling file that sends the sandbox what isn't documented. */
export function expectValidRequests(sandbox: ActionSandbox): void {
	afterEach(() => {
		const wrong = sandbox.wire().filter(({ valid }) => !valid);
		expect(wrong.map(({ path, problems }) => ({ path, problems }))).toEqual([]);
	});
}
