import { AdministratorInvites } from './administratorInvites';
import { Deliveries } from './deliveries';
import { Description } from './description';
import { Faults } from './faults';
import { eventVersionOf, makeEvent } from './events';
import { Inbox } from './inbox';
import { preparePayment, type PaymentOrder, type SignablePayment } from './instantPayments';
import { Organisation } from './organisation';
import { Payments } from './payments';
import { withSettings, type Settings, type SettingsInput } from './settings';
import { RateLimit } from './rateLimit';
import { Resets } from './resets';
import { practiceTabs, Sheet } from './sheet';
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
	readonly rateLimit = new RateLimit();
	administratorInvites = new AdministratorInvites();
	readonly inbox = new Inbox();
	payments = new Payments();
	sheet: Sheet;
	settings: Settings;
	description: Description;
	organisation: Organisation;

	readonly resets = new Resets();
	private failures = 0;

	constructor(
		private readonly seed: string,
		private readonly initialSettings: SettingsInput,
	) {
		this.settings = withSettings(initialSettings);
		this.description = Description.with(this.settings);
		this.organisation = this.newOrganisation();
		this.sheet = new Sheet(practiceTabs(this.organisation));
		this.deliveries.register({ nanoid: this.organisation.firstWebhookId });
	}

	/** Changes some settings; throws ZodError for an unknown or invalid one. */
	change(input: unknown): Settings {
		this.settings = withSettings(input, this.settings);
		this.description = Description.with(this.settings);
		this.organisation.grow(this.settings.growingTeamSize);
		return this.settings;
	}

	/** Resets settings, organization, faults, tricks, logs, inbox, sheet and payments. Tokens stay valid. */
	reset(keepEndpoints: boolean): void {
		this.settings = withSettings(this.initialSettings);
		this.description = Description.with(this.settings);
		this.organisation = this.newOrganisation();
		this.administratorInvites = new AdministratorInvites();
		this.payments.stop();
		this.payments = new Payments();
		this.sheet = new Sheet(practiceTabs(this.organisation));
		this.inbox.clear();
		this.resets.add();
		this.failures = 0;
		this.faults.clear();
		this.signIn.clear();
		this.rateLimit.clear();
		this.wireLog.clear();
		this.deliveries.clear();
		if (keepEndpoints) return;
		this.deliveries.forgetEndpoints();
		this.deliveries.register({ nanoid: this.organisation.firstWebhookId });
	}

	/** Authorizes a payment: typed data for its signer, with a new salt. */
	authorize(order: Omit<PaymentOrder, 'platformId'>, reference = ''): SignablePayment {
		const { organisation, settings } = this;
		const { platformId } = organisation.account(order.signer) ?? {};
		const { randomness } = organisation;
		const signable = preparePayment({ ...order, platformId }, settings, randomness);
		const { team, amountCents: amount_cents, email } = order;
		const noted = { team: team.nanoid, amount_cents, email, reference };
		this.payments.authorize(signable.typed_data, noted);
		return signable;
	}

	/** Sends an event to all endpoints; doesn't wait for their answers. */
	announce(eventType: string, content: object, requestId?: string): void {
		const event = makeEvent(eventType, this.organisation, {
			eventVersion: eventVersionOf(this.settings),
			content: { ...content },
			envelope: requestId === undefined ? {} : { request_id: requestId },
		});
		this.deliveries.send(event, {}, this.settings);
	}

	/** Cancels everything that would happen later. */
	stop(): void {
		this.deliveries.clear();
		this.payments.stop();
	}

	/** Whether the next failure has an `error_code`, as its setting says; counts that failure. */
	nextFailureHasCode(): boolean {
		const { errorCodes } = this.settings;
		this.failures++;
		return errorCodes === 'always' || (errorCodes === 'sometimes' && this.failures % 2 === 1);
	}

	private newOrganisation(): Organisation {
		const { growingTeamSize, onboardingNulls } = this.settings;
		return new Organisation(this.seed, growingTeamSize, onboardingNulls);
	}
}
