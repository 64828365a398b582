import { z } from 'zod';

/** Ways to send several currencies (Endpoint 3); which one the service accepts isn't documented. */
const CURRENCIES_ENCODINGS = ['repeated', 'commaSeparated', 'brackets'] as const;

/** The operations that take a token, by `operationId`. */
const PROTECTED_OPERATIONS = [
	'getBalance',
	'listInvites',
	'createInvites',
	'createAdministratorInvites',
	'executeAdministratorInvites',
	'resolveNameReview',
	'sendTestDelivery',
	'createInstantPayment',
	'listTeamUsers',
] as const;

/** What `typed_data.data` of a payment may lack: all but who gets how much. */
const OPTIONAL_PAYMENT_MEMBERS = [
	'id',
	'groupID',
	'payAtTime',
	'validMinutes',
	'payType',
	'token',
	'data',
] as const;

/** The statuses with which services refuse a token that expired; 200 is one with success: false. */
const expiredTokenStatus = z.union([
	z.literal(401),
	z.literal(403),
	z.literal(400),
	z.literal(404),
	z.literal(500),
	z.literal(200),
]);

/** The defaults are a service as public material describes them; see {@link letterOfTheDocument}. */
const settingsShape = z
	.object({
		/** Whether requests, answers and events may have what openapi.yaml has as `x-in-practice`. */
		openapi: z.enum(['practice', 'letter']).default('practice'),

		/** Endpoint 8: name of the field for `approve` or `cancel`. */
		decisionFieldName: z.string().min(1).default('action'),
		/** Endpoint 8: whether `review_version` has to be the review's own. */
		reviewVersions: z.enum(['current', 'any']).default('current'),
		/** Endpoint 9: name of the field for the event type. */
		eventTypeFieldName: z.string().min(1).default('event_type'),
		/** Fields that this service names differently, e.g. `{ "platformid": "accountid" }`. */
		fieldNames: z.record(z.string().min(1)).default({}),
		/** Endpoint 3: how several currencies may be sent; anything else gets 400. */
		currenciesEncodings: z.array(z.enum(CURRENCIES_ENCODINGS)).nonempty().default(['repeated']),

		/** The domain in sign-in messages, which is the product's website; null is the API's own host. */
		signInDomain: z.string().min(1).nullable().default('app.payroll.example'),
		/** The chain in sign-in messages. */
		signInChainId: z.number().int().positive().default(1),
		/** Lifetime of a sign-in message in seconds. */
		signInMessageLifetimeSeconds: z.number().positive().default(300),

		/** Lifetime of a JWT in seconds. */
		tokenLifetimeSeconds: z
			.number()
			.positive()
			.default(24 * 60 * 60),
		/** The status that refuses a token that expired. */
		expiredTokenStatus: expiredTokenStatus.default(401),
		/** Operations that answer 401 to the header `X-Auth-Token`. */
		apiKeyRefusedBy: z.array(z.enum(PROTECTED_OPERATIONS)).default([]),
		/** Endpoint 10: whether it needs a token. */
		instantPaymentNeedsToken: z.boolean().default(true),
		/** Whether the role is checked (403) before the existence (404). */
		roleBeforeExistence: z.boolean().default(false),
		/** The most requests in a minute, after which they get 429; null is no limit. */
		requestsPerMinute: z.number().int().positive().nullable().default(null),

		/** The chain of typed data: Arbitrum's is 42161, its test network's 421614. */
		chainId: z.number().int().positive().default(421614),
		/** Whether typed data has that chain as a number or as decimal text. */
		chainIdForm: z.enum(['number', 'text']).default('number'),
		/** Who `from` of typed data is; a team's account only for payments. */
		typedDataFrom: z.enum(['wallet', 'platformId', 'teamAccount']).default('wallet'),
		/** Endpoint 6: roles as numbers, names, or the names' keccak-256 hashes (bytes32). */
		roleForm: z.enum(['number', 'name', 'hash']).default('number'),
		/** Endpoint 10: `data` in numbers, or with the team's identifier and the recipient's email. */
		paymentForm: z.enum(['numbers', 'texts']).default('numbers'),
		/** Endpoint 10: members that `data` doesn't have. */
		omittedPaymentMembers: z.array(z.enum(OPTIONAL_PAYMENT_MEMBERS)).default([]),

		/** Endpoint 3: how `balance_cents` is written. */
		balanceCents: z.enum(['number', 'text']).default('number'),
		/** Whether records have all fields, only those that are never missing, or null for the others. */
		recordFields: z.enum(['full', 'sparse', 'nulls']).default('full'),
		/** Whether some users' onboarding has null; read when the sandbox starts. */
		onboardingNulls: z.boolean().default(true),
		/** Members that aren't documented, added to `data` and its records, e.g. `{ "amount": 1 }`. */
		extraMembers: z.record(z.unknown()).default({}),
		/** Whether failures have an `error_code`; `sometimes` leaves out every second one. */
		errorCodes: z.enum(['always', 'sometimes', 'never']).default('always'),
		/** The member of a failure body with the validation issues; null puts them into the message. */
		issuesMember: z.string().min(1).nullable().default('zod'),

		/** `event_version` of events; null is the payload's major version. */
		eventVersion: z.string().min(1).nullable().default('1.0'),
		/** Whether payments and invites cause events by themselves. */
		automaticEvents: z.boolean().default(true),
		/** How payments end; `open` leaves them to a control endpoint. */
		paymentOutcome: z.enum(['sent', 'failed', 'canceled', 'open']).default('sent'),
		/** Milliseconds until a payment ends. */
		paymentDelay: z.number().nonnegative().default(2_000),
		/** The transaction that carries out a payment: the one that created it, another, or null. */
		processTransaction: z.enum(['same', 'another', 'null']).default('same'),

		/** How many users the growing team has. */
		growingTeamSize: z.number().int().min(30).max(200_000).default(30),
		/** Milliseconds before the second, third and fourth delivery attempt. */
		retryDelays: z.array(z.number().nonnegative()).default([60_000, 120_000, 300_000]),
		/** How many requests the wire log keeps; the counts include older ones. */
		logLimit: z.number().int().positive().default(20_000),
	})
	.strict();

/** Settings of the sandbox. */
export type Settings = z.infer<typeof settingsShape>;
/** Some of the settings, as a caller gives them. */
export type SettingsInput = z.input<typeof settingsShape>;

/** Merges settings into the current ones; throws ZodError for an unknown or invalid one. */
export function withSettings(input: unknown, current?: Settings): Settings {
	return settingsShape.parse({ ...current, ...z.record(z.unknown()).parse(input) });
}

/** The chain as typed data has it. */
export function chainIdOf({ chainId, chainIdForm }: Settings): number | string {
	return chainIdForm === 'text' ? String(chainId) : chainId;
}

/** A service that does only what docs/api.md says, and what the nodes once took for granted. */
export const letterOfTheDocument = {
	openapi: 'letter',
	reviewVersions: 'any',
	signInDomain: null,
	signInChainId: 42161,
	tokenLifetimeSeconds: 3_600,
	chainId: 42161,
	roleForm: 'name',
	paymentForm: 'texts',
	balanceCents: 'text',
	onboardingNulls: false,
	issuesMember: null,
	eventVersion: null,
	automaticEvents: false,
} as const satisfies SettingsInput;
