import { Wallet } from 'ethers';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	startSandbox,
	type Account,
	type AccountName,
	type Sandbox,
	type WireLogEntry,
} from '../../../sandbox/server';
import { Organisation, type Team } from '../../../sandbox/organisation';
import { processedKeys, SavedCredentials } from '../../support/actionHost';

/** More than the largest payment, so that the balance never gets in the way. */
const FULL_PURSE = 10n ** 12n;

/** The same seed gives the same organization, also before the sandbox runs. */
const SEED = 'conformance';

/** A sandbox with what the cases need from it. */
export class World {
	private readonly blueprint = new Organisation(SEED, 30);
	private running?: Sandbox;
	/** Signed in by the first case, so that the others needn't. */
	private shared?: SavedCredentials;

	async start(): Promise<void> {
		this.running = await startSandbox({ seed: SEED });
	}

	async stop(): Promise<void> {
		await this.sandbox.close();
	}

	get sandbox(): Sandbox {
		if (this.running === undefined) throw new Error('The sandbox has not been started');
		return this.running;
	}

	get signedIn(): SavedCredentials {
		return (this.shared ??= this.credentials());
	}

	/** Undoes what earlier cases did, settings included; takes a while. */
	reset(): void {
		this.service.reset(false);
		this.refresh();
	}

	/** Undoes what an earlier case did, apart from settings; tokens stay valid. */
	refresh(): void {
		for (const { balances, nameReviews } of this.service.organisation.teams) {
			balances.set('USD', FULL_PURSE);
			for (const review of nameReviews.values()) review.status = 'waiting';
		}
		this.service.wireLog.clear();
		processedKeys.clear();
	}

	get service(): Sandbox['service'] {
		return this.sandbox.service;
	}

	private get firstTeam(): Team {
		const [team] = this.blueprint.teams;
		if (team === undefined) throw new Error('The sandbox has no team');
		return team;
	}

	get team(): string {
		return this.firstTeam.nanoid;
	}

	get growingTeam(): string {
		return this.blueprint.growingTeam.nanoid;
	}

	get company(): string {
		return this.blueprint.company.nanoid;
	}

	get webhook(): string {
		return this.blueprint.firstWebhookId;
	}

	/** A user of the team, for the balance. */
	get user(): string {
		return this.firstTeam.users[0]?.nanoid ?? '';
	}

	/** A user of the team whose name is under review. */
	get reviewed(): string {
		const [user = ''] = this.firstTeam.nameReviews.keys();
		return user;
	}

	get emails(): string[] {
		return this.firstTeam.users.map(({ email }) => email);
	}

	account(name: AccountName = 'companyAdministrator'): Account {
		const account = this.blueprint.accounts.find((each) => each.name === name);
		if (account === undefined) throw new Error(`The sandbox has no account ${name}`);
		return account;
	}

	wallet(name?: AccountName): Wallet {
		return new Wallet(this.account(name).privateKey);
	}

	/** Credentials as n8n saves them, not signed in yet. */
	credentials(change: IDataObject = {}): SavedCredentials {
		const { privateKey, platformId } = this.account();
		return new SavedCredentials({
			baseUrl: this.sandbox.url,
			authentication: 'walletSignIn',
			access: 'everything',
			signer: 'privateKey',
			platformId,
			privateKey,
			walletAddress: '',
			signInDomain: '',
			signInChainId: '',
			sessionToken: '',
			...Object.fromEntries(Object.entries(change).map(([key, value]) => [key, String(value)])),
		});
	}

	/** Everything that reached the sandbox, signing in included. */
	get everythingSent(): readonly WireLogEntry[] {
		return this.service.wireLog.read().entries;
	}

	/** A token of the company's administrator. */
	async token(): Promise<string> {
		const { address: wallet, platformId } = this.account();
		return await this.service.tokens.issue({ wallet, platformId }, 3_600);
	}

	/** A sign-in message that the sandbox takes back. */
	signInMessage(): string {
		const { address, platformId } = this.account();
		return this.service.signIn.issue(
			{ wallet: address, platformId },
			this.sandbox.url,
			this.service.settings,
		);
	}

	/** A payment that is ready to be signed, as fields of the form. */
	payment(amountCents = 12_500, email = 'ana@example.com'): INodeParameters {
		const signable = this.service.instantPayments.prepare(
			{ team: this.firstTeam, amountCents, email, signer: this.account().address },
			this.service.settings,
			this.service.organisation.randomness,
		);
		return {
			teamId: this.team,
			amountUnit: 'cents',
			amountCents,
			recipientEmail: email,
			typedData: JSON.stringify(signable.typed_data),
			options: {
				domain: JSON.stringify(signable.domain),
				types: JSON.stringify(signable.types),
				primaryType: signable.primary_type,
			},
		};
	}
}
