import { AdministratorInvites } from './administratorInvites';
import { Deliveries } from './deliveries';
import { Description } from './description';
import { Faults } from './faults';
import { InstantPayments } from './instantPayments';
import { Organisation } from './organisation';
import { withSettings, type Settings, type SettingsInput } from './settings';
import { SignInMessages } from './signInMessages';
import { Tokens } from './tokens';
import { WireLog } from './wireLog';

/** The state and behavior of the simulated service, without HTTP. */
export class SimulatedService {
	/** The sandbox's base URL without a trailing slash; set once it listens. */
	url = '';
	readonly tokens = new Tokens();
	readonly faults = new Faults();
	readonly wireLog = new WireLog();
	readonly signIn = new SignInMessages();
	readonly deliveries = new Deliveries();
	administratorInvites = new AdministratorInvites();
	instantPayments = new InstantPayments();
	settings: Settings;
	description: Description;
	organisation: Organisation;

	private failures = 0;

	constructor(
		private readonly seed: string,
		private readonly initialSettings: SettingsInput,
	) {
		this.settings = withSettings(initialSettings);
		this.description = Description.with(this.settings);
		this.organisation = this.newOrganisation();
		this.deliveries.register({ nanoid: this.organisation.firstWebhookId });
	}

	/** Changes some settings; throws ZodError for an unknown or invalid one. */
	change(input: unknown): Settings {
		this.settings = withSettings(input, this.settings);
		this.description = Description.with(this.settings);
		this.organisation.grow(this.settings.growingTeamSize);
		return this.settings;
	}

	/** Resets settings, organization, faults, tricks and logs. Tokens stay valid. */
	reset(keepEndpoints: boolean): void {
		this.settings = withSettings(this.initialSettings);
		this.description = Description.with(this.settings);
		this.organisation = this.newOrganisation();
		this.administratorInvites = new AdministratorInvites();
		this.instantPayments = new InstantPayments();
		this.failures = 0;
		this.faults.clear();
		this.signIn.clear();
		this.wireLog.clear();
		this.deliveries.clear();
		if (keepEndpoints) return;
		this.deliveries.forgetEndpoints();
		this.deliveries.register({ nanoid: this.organisation.firstWebhookId });
	}

	/** Whether the next failure has an `error_code`, as its setting says. */
	hasErrorCode(): boolean {
		const { errorCodes } = this.settings;
		this.failures++;
		return errorCodes === 'always' || (errorCodes === 'sometimes' && this.failures % 2 === 1);
	}

	private newOrganisation(): Organisation {
		return new Organisation(this.seed, this.settings.growingTeamSize);
	}
}
