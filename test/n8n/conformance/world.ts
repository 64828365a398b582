import { Organisation } from '../../../sandbox/organisation';
import { letterOfTheDocument } from '../../../sandbox/server';
import { ActionSandbox } from '../../support/actionSandbox';
import { processedKeys, type SavedCredentials } from '../../support/actionHost';

/** More than the largest payment, so that the balance never gets in the way. */
const FULL_PURSE = 10n ** 12n;

/** The same seed gives the same organization, also before the sandbox runs. */
const SEED = 'conformance';

/** A sandbox with what the cases need from it. */
export class World extends ActionSandbox {
	private readonly blueprint = new Organisation(SEED, 30);
	/** Signed in by the first case, so that the others needn't. */
	private shared?: SavedCredentials;

	override async start(): Promise<void> {
		await super.start(letterOfTheDocument, SEED);
	}

	override get organisation(): Organisation {
		return this.blueprint;
	}

	override get accounts() {
		return this.blueprint.accounts;
	}

	get signedIn(): SavedCredentials {
		return (this.shared ??= this.credentials());
	}

	/** Undoes what earlier cases did, settings included; takes a while. */
	startOver(): void {
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

	/** A user of the team whose name is under review. */
	get reviewed(): string {
		const [user = ''] = this.firstTeam.nameReviews.keys();
		return user;
	}

	get emails(): string[] {
		return this.firstTeam.users.map(({ email }) => email);
	}
}
