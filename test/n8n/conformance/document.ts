import {
	address,
	anyObject,
	digits,
	email,
	filledText,
	flag,
	identifier,
	integer,
	isoTimestamp,
	listOf,
	number,
	object,
	oneOf,
	optional,
	orNull,
	required,
	signature,
	text,
	timestamp,
	unclear,
	type Fields,
	type Kind,
} from './kinds';

/*
 * The service's own document, written down once more by hand. Neither the node nor openapi.yaml reads
 * this file, so that a wrong value in either of them shows.
 */

export const TEAM_ADMINISTRATOR_ROLES = [
	'team_admin',
	'team_finance_admin',
	'team_viewer',
	'team_payment_initiator',
	'team_invite_initiator',
] as const;
export const COMPANY_ADMINISTRATOR_ROLES = [
	'org_admin',
	'org_finance_admin',
	'org_viewer',
	'org_hr_admin',
] as const;
export const WORKER_ROLES = ['contractor', 'team_employee', 'aor_contractor'] as const;
const ROLES_OF_NO_INVITE = [
	'org_delegate_admin',
	'org_non_delegate_admin',
	'team_delegate_admin',
	'team_non_delegate_admin',
	'team_hr_admin',
] as const;
export const ROLES = [
	...TEAM_ADMINISTRATOR_ROLES,
	...COMPANY_ADMINISTRATOR_ROLES,
	...WORKER_ROLES,
	...ROLES_OF_NO_INVITE,
] as const;

export const FILTER_CURRENCIES = ['BTC', 'CAD', 'EUR', 'GBP', 'USD', 'USDC', 'USDT'] as const;
export const BALANCE_CURRENCIES = [
	'AED',
	'AUD',
	'CAD',
	'CHF',
	'DKK',
	'EUR',
	'GBP',
	'HKD',
	'JPY',
	'MXN',
	'NOK',
	'PHP',
	'PLN',
	'RON',
	'SEK',
	'SGD',
	'USD',
	'ZAR',
	'CZK',
	'NZD',
	'COP',
] as const;

export const EVENT_TYPES = [
	'withdraw_account.duplicated_detected',
	'invite.accepted',
	'payment.sent',
	'deposit.received',
	'payment.group.created',
	'invite.expired',
	'invite.rejected',
	'onboarding.step_updated.basic_data',
	'onboarding.step_updated.kyc.accepted',
	'onboarding.step_updated.kyc.rejected',
	'onboarding.step_updated.kyc.pending',
	'onboarding.step_updated.rsk',
	'onboarding.step_updated.documents',
	'onboarding.completed',
	'team.member_blocked',
	'team.member_added',
	'team.member_removed',
	'document.signed',
	'document.expired',
	'document.closed',
	'payment.subscription.created',
	'payment.subscription.paid',
	'payment.chargeback.created',
	'payment.chargeback.paid',
	'payment.cash_requirement.created',
	'payment.cash_requirement.due',
	'payment.canceled',
	'payment.failed',
	'invoice.created',
	'invoice.canceled',
	'token.transfer',
	'deposit.crypto',
	'deposit.crosschain',
	'deposit.bitcoin',
	'deposit.fiat',
	'swap.token',
	'action_item.created',
	'action_item.completed',
	'action_item.finished',
] as const;

export const DEPOSIT_STATUSES = ['pending', 'complete', 'failed', 'rejected', 'reverted'] as const;
export const PROVIDERS = ['manual', 'wirepartner', 'bitcoin', 'internal_pay_handler'] as const;
export const NETWORKS = [
	'ethereum',
	'arbitrum',
	'base',
	'polygon',
	'avalanche',
	'optimism',
] as const;

export const PREFILL_FIELDS = [
	'first_name',
	'middle_name',
	'last_name',
	'phone',
	'company_name',
	'job_title',
	'company_size',
	'company_website',
	'company_industry',
	'company_address',
	'company_city',
	'company_state',
	'company_zip',
	'company_country',
] as const;

export const LEAST_CENTS = 100;
export const MOST_CENTS = 10_000_000_000;
export const MOST_ADMINISTRATORS = 100;
export const MOST_EMAILS_IN_FILTER = 100;
export const LARGEST_PAGE = 500;
export const LEAST_VERSION = 1;
export const MOST_VERSION = 10;

const fieldsOf = (names: readonly string[], kind: Kind): Fields =>
	Object.fromEntries(names.map((name) => [name, required(kind)]));

const balanceEntry: Fields = {
	currency: required(oneOf(BALANCE_CURRENCIES, ['BTC', 'USDC', 'USDT', 'usd'])),
	balance_cents: required(digits),
};

/** Some of the roles, and none of the others. */
function onlyOf(roles: readonly [string, ...string[]]): Kind {
	return oneOf(
		roles,
		ROLES.filter((role) => !roles.includes(role)),
	);
}

const nameAndAvatar: Fields = { name: required(filledText), avatar: required(text) };

const inviteRecord: Fields = {
	nanoid: required(identifier('in')),
	role: required(orNull(oneOf(ROLES, ['org_owner', 'team_contractor']))),
	invitee_name: required(filledText),
	email: required(email),
	inviter_name: required(filledText),
	inviter_email: required(email),
	company: optional(object(nameAndAvatar)),
	team: optional(object(nameAndAvatar)),
};

const prefill: Fields = {
	...fieldsOf(PREFILL_FIELDS, text),
	middle_name: optional(text),
};

const setRolesRequest: Fields = {
	from: required(address),
	to: required(address),
	salt: required(text),
	expires: required(text),
	data: required(listOf(object({ role: required(text), account: required(address) }))),
};

const typeMembers = listOf(object({ name: required(text), type: required(text) }));

const typedData: Fields = {
	domain: required(
		object({
			name: required(text),
			version: required(text),
			chainId: required(number),
			verifyingContract: required(address),
		}),
	),
	types: required(
		object({ SetRolesForwardRequest: required(typeMembers), SetRole: required(typeMembers) }),
	),
	typed_data: required(object(setRolesRequest)),
	primary_type: required(text),
};

const paymentTypedData: Fields = {
	from: unclear(text),
	to: unclear(text),
	salt: unclear(text),
	expires: unclear(text),
	data: unclear(
		object(
			Object.fromEntries(
				[
					'id',
					'groupID',
					'payAtTime',
					'validMinutes',
					'payType',
					'token',
					'recipient',
					'amount',
					'data',
				].map((name) => [name, unclear(text)]),
			),
		),
	),
};

/** Which fields are always there isn't documented. */
const teamUser: Fields = {
	nanoid: unclear(identifier('us')),
	first_name: unclear(text),
	middle_name: unclear(text),
	last_name: unclear(text),
	/* The document calls it text; only the sandbox insists on an address. */
	email: unclear(email),
	role: unclear(text),
	platform_account: unclear(address),
	platformid: unclear(text),
	avatar: unclear(text),
	address: unclear(
		object(
			Object.fromEntries(
				['line_1', 'line_2', 'city', 'state', 'country', 'zip_code'].map((name) => [
					name,
					unclear(text),
				]),
			),
		),
	),
	onboarding: unclear(
		object({
			onboarded: unclear(flag),
			step: unclear(text),
			role: unclear(text),
			moderation_status: unclear(text),
		}),
	),
	payable: unclear(flag),
};

const pagination: Fields = {
	...fieldsOf(['page', 'count', 'offset', 'next_page', 'next_offset'], number),
	has_more: required(flag),
};

const deposit: Fields = {
	nanoid: required(text),
	entity_nanoid: required(identifier('co', 'te')),
	entity_deposit_account_id: required(number),
	provider_deposit_id: required(text),
	provider_entity_id: optional(text),
	provider_wallet_id: optional(text),
	provider_name: required(oneOf(PROVIDERS, ['stripe', 'Manual'])),
	source_currency: required(text),
	source_amount_cents: required(number),
	destination_currency: required(text),
	destination_amount_cents: required(number),
	transaction_date: required(isoTimestamp),
	purpose_of_payment: optional(text),
	reference: optional(text),
	trace: optional(text),
	funding_blockchain_txn: optional(text),
	blockchain_reference: required(text),
	deposit_bank_account_seen: optional(number),
	status: required(oneOf(DEPOSIT_STATUSES, ['completed', 'refunded'])),
	created_at: required(isoTimestamp),
	updated_at: required(isoTimestamp),
	token: required(
		object({
			address: required(text),
			name: required(text),
			symbol: required(text),
			decimals: required(number),
		}),
	),
	network: required(oneOf(NETWORKS, ['bitcoin', 'solana', 'bsc'])),
};

const envelope: Fields = {
	object: required(oneOf(['event'], ['Event', 'message'])),
	created: required(number),
	event_type: required(oneOf(EVENT_TYPES, ['deposit.receive', 'invite.created', '*'])),
	event_version: required(text),
	request_id: optional(text),
	idempotency_key: required(text),
};

/** Records with a section in docs/api.md, by its anchor. */
export const RECORDS = {
	'balance-entry': balanceEntry,
	'invite-record': inviteRecord,
	'invite-prefill': prefill,
	'typed-data-for-administrator-invites': typedData,
	'team-user-record': teamUser,
	pagination,
	'deposit-record': deposit,
	'event-envelope': envelope,
} satisfies Record<string, Fields>;

/** Any event but deposit.received may carry more fields than the envelope. */
export const eventEnvelope = object(
	{
		...envelope,
		event_type: required(
			oneOf(
				EVENT_TYPES.filter((type) => type !== 'deposit.received'),
				['deposit.receive', 'invite.created', '*'],
			),
		),
	},
	true,
);
export const depositReceived = object({
	...envelope,
	event_type: required(oneOf(['deposit.received'], ['deposit.fiat'])),
	deposit: required(object(deposit)),
});

export const failure = object({
	success: required({
		allowed: [{ what: 'false', value: false }],
		forbidden: [{ what: 'true', value: true }],
		sparse: false,
		bare: false,
	}),
	data: required(text),
	error_code: optional(text),
});

/** What one operation takes and answers with. */
export interface DocumentedOperation {
	/** Its number in docs/api.md. */
	readonly number: number;
	readonly method: 'GET' | 'POST' | 'PUT';
	readonly path: string;
	/** `unclear`: the document doesn't say. */
	readonly token: 'none' | 'needed' | 'unclear';
	readonly pathParameters?: Fields;
	/** The ways to ask; with more than one, they exclude each other. */
	readonly query?: readonly Fields[];
	readonly body?: readonly Fields[];
	/** `data` of the answer. */
	readonly answer: Kind;
	/** The statuses that the document lists for failures. */
	readonly failures: readonly number[];
}

const FAILURES = [400, 401, 403, 404, 500];

export type OperationId =
	| 'getSignInMessage'
	| 'verifySignIn'
	| 'getBalance'
	| 'listInvites'
	| 'createInvites'
	| 'createAdministratorInvites'
	| 'executeAdministratorInvites'
	| 'resolveNameReview'
	| 'sendTestDelivery'
	| 'createInstantPayment'
	| 'listTeamUsers';

export const OPERATIONS: Readonly<Record<OperationId, DocumentedOperation>> = {
	getSignInMessage: {
		number: 1,
		method: 'GET',
		path: '/v2/auth/siwe',
		token: 'none',
		query: [{ wallet: required(address), platformid: required(filledText) }],
		answer: object({ siwe: required(text) }),
		failures: FAILURES,
	},
	verifySignIn: {
		number: 2,
		method: 'POST',
		path: '/v2/auth/verify',
		token: 'none',
		body: [{ message: required(text), sig: required(text), nonce: required(text) }],
		answer: object({ jwt: required(text) }),
		failures: FAILURES,
	},
	getBalance: {
		number: 3,
		method: 'GET',
		path: '/v2/balance',
		token: 'needed',
		query: [
			{
				nanoid: required(identifier('te', 'co', 'us')),
				currencies: optional(listOf(oneOf(FILTER_CURRENCIES, ['AED', 'JPY', 'usd']))),
			},
		],
		answer: object({
			platform_account_address: required(address),
			balances: required(listOf(object(balanceEntry))),
		}),
		failures: FAILURES,
	},
	listInvites: {
		number: 4,
		method: 'GET',
		path: '/v2/invites',
		token: 'needed',
		query: [{ nanoid: required(identifier('te', 'co')) }],
		answer: listOf(object(inviteRecord)),
		failures: FAILURES,
	},
	createInvites: {
		number: 5,
		method: 'POST',
		path: '/v2/invites',
		token: 'needed',
		body: [
			{
				nanoid: required(identifier('te')),
				invites: required(
					listOf(object({ email: required(email), prefill: optional(object(prefill)) })),
				),
				role: required(onlyOf(WORKER_ROLES)),
				anonymous: optional(flag),
			},
		],
		answer: object({ nanoids: required(listOf(text)) }),
		failures: FAILURES,
	},
	createAdministratorInvites: {
		number: 6,
		method: 'POST',
		path: '/v2/invites/manager',
		token: 'needed',
		body: [
			{
				emails: required(listOf(email, 1, MOST_ADMINISTRATORS)),
				role: required(onlyOf(TEAM_ADMINISTRATOR_ROLES)),
				nanoid: required(identifier('te')),
			},
			{
				emails: required(listOf(email, 1, MOST_ADMINISTRATORS)),
				role: required(onlyOf(COMPANY_ADMINISTRATOR_ROLES)),
				nanoid: required(identifier('co')),
			},
		],
		answer: object({
			invites: required(listOf(identifier('in'))),
			typed_data: required(object(typedData)),
		}),
		failures: FAILURES,
	},
	executeAdministratorInvites: {
		number: 7,
		method: 'PUT',
		path: '/v2/invites/manager',
		token: 'needed',
		body: [
			{
				invites: required(listOf(identifier('in'))),
				signer: required(address),
				typed_data: required(object(setRolesRequest)),
				signature: required(signature),
			},
		],
		answer: object({
			invites: required(listOf(identifier('in'))),
			transaction: required(identifier('tx')),
		}),
		failures: FAILURES,
	},
	resolveNameReview: {
		number: 8,
		method: 'POST',
		path: '/v2/payments/teams/{team_nanoid}/external_entity/{user_nanoid}/name_review',
		token: 'needed',
		pathParameters: {
			team_nanoid: required(identifier('te')),
			user_nanoid: required(identifier('us')),
		},
		body: [
			{
				review_version: unclear(timestamp),
				/* The name isn't documented; this is the one that the node and the sandbox agree on. */
				action: unclear(oneOf(['approve', 'cancel'], ['approved', 'reject', 'Approve'])),
			},
		],
		answer: object({ status: required(text) }),
		failures: FAILURES,
	},
	sendTestDelivery: {
		number: 9,
		method: 'POST',
		path: '/v2/webhooks/test/{webhook_nanoid}',
		token: 'needed',
		pathParameters: { webhook_nanoid: required(identifier('wh')) },
		body: [
			{
				version: optional(integer(LEAST_VERSION, MOST_VERSION)),
				event_type: unclear(oneOf(EVENT_TYPES, ['deposit.receive', 'invite.created', '*'])),
			},
		],
		answer: object({
			delivery_nanoid: required(text),
			message: required(text),
			test_payload: required(anyObject),
			version: required(number),
		}),
		failures: FAILURES,
	},
	createInstantPayment: {
		number: 10,
		method: 'PUT',
		path: '/v2/payments/external_entity/instant',
		token: 'unclear',
		body: [
			{
				from: unclear(identifier('te')),
				amount_cents: unclear(integer(LEAST_CENTS, MOST_CENTS)),
				signer: unclear(address),
				typed_data: unclear(object(paymentTypedData)),
				signature: unclear(signature),
				external_recipient_email: unclear(email),
				currency_symbol: unclear(oneOf(['USD'], ['EUR', 'USDC', 'usd'])),
				network: unclear(
					oneOf(
						['arbitrum'],
						NETWORKS.filter((network) => network !== 'arbitrum'),
					),
				),
			},
		],
		answer: object({ transaction: required(identifier('tx')) }),
		failures: [],
	},
	listTeamUsers: {
		number: 11,
		method: 'GET',
		path: '/v2/teams/{team_nanoid}/users',
		token: 'needed',
		pathParameters: { team_nanoid: required(identifier('te')) },
		query: [
			{
				emails: optional(listOf(email, 0, MOST_EMAILS_IN_FILTER)),
				page: optional(integer(1)),
				count: optional(integer(1, LARGEST_PAGE)),
			},
			{ offset: optional(integer(0)), count: optional(integer(1, LARGEST_PAGE)) },
		],
		answer: object({
			users: required(listOf(object(teamUser))),
			pagination: required(object(pagination)),
		}),
		failures: FAILURES,
	},
};
