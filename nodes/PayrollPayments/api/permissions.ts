import { addressParts, type Permission, PERMISSION_LABELS, PERMISSIONS } from './credentialLimits';
import { centsAsDollars } from '../shared/money';
import { Refusal } from '../shared/errors';
import type { ServiceCredentials } from './credentials';

/** The permission that a change needs; `none` for signing in. */
export type NeededPermission = Permission | 'none';

/** The credentials as far as a decision about their use needs them. */
export type CredentialsInUse = Pick<ServiceCredentials, 'limits' | 'name'>;

interface DocumentedWrite {
	readonly method: 'POST' | 'PUT';
	/** Below the base URL, in the one spelling that the package itself sends. */
	readonly path: RegExp;
	readonly permission: NeededPermission;
}

/** Every operation in docs/api.md, Endpoints, that is not a GET. */
const DOCUMENTED_WRITES: readonly DocumentedWrite[] = [
	{ method: 'POST', path: /^\/v2\/auth\/verify$/, permission: 'none' },
	{ method: 'POST', path: /^\/v2\/invites$/, permission: 'invitePeople' },
	{ method: 'POST', path: /^\/v2\/invites\/manager$/, permission: 'manageAdministrators' },
	{ method: 'PUT', path: /^\/v2\/invites\/manager$/, permission: 'manageAdministrators' },
	{
		method: 'POST',
		path: /^\/v2\/payments\/teams\/te-[\w-]{12}\/external_entity\/us-[\w-]{12}\/name_review$/,
		permission: 'resolveNameReviews',
	},
	{
		method: 'PUT',
		path: /^\/v2\/payments\/external_entity\/instant$/,
		permission: 'sendPayments',
	},
	{ method: 'POST', path: /^\/v2\/webhooks\/test\/wh-[\w-]{12}$/, permission: 'sendTestEvents' },
];

/**
 * The permission of a documented write; undefined for anything else, other spellings of the same
 * path included.
 * @param path below the base URL, beginning with /v2
 */
export function permissionOf(method: string, path: string): NeededPermission | undefined {
	return DOCUMENTED_WRITES.find((write) => write.method === method && write.path.test(path))
		?.permission;
}

const ACTIVITIES: Readonly<Record<Permission, string>> = {
	invitePeople: 'inviting people',
	manageAdministrators: 'managing administrators',
	resolveNameReviews: 'resolving name reviews',
	sendPayments: 'sending payments',
	sendTestEvents: 'sending test events',
};

const ASK = 'Ask the person who manages them. Nothing was signed or sent.';

/** "the credentials “Payroll, read only”", or without a name "these credentials". */
function named({ name }: CredentialsInUse): string {
	return name === undefined || name === '' ? 'these credentials' : `the credentials “${name}”`;
}

/** The labels of the permissions that the credentials lack. */
export function missingPermissions({ limits }: CredentialsInUse): readonly string[] {
	return PERMISSIONS.filter((permission) => !limits.permissions.has(permission)).map(
		(permission) => PERMISSION_LABELS[permission],
	);
}

/** Whether the credentials set a limit on what one payment moves or on who is paid. */
export function limitsPayments({ limits }: CredentialsInUse): boolean {
	return limits.maximumPaymentCents !== undefined || limits.paymentRecipients !== undefined;
}

/** Whether the credentials may be used for everything. */
export function isUnlimited(credentials: CredentialsInUse): boolean {
	return credentials.limits.permissions.size === PERMISSIONS.length && !limitsPayments(credentials);
}

/**
 * Refuses what the credentials don't allow.
 * @param needed undefined for a change whose permission is not known: it needs all of them
 * @throws {Refusal} that names the permission and the credentials
 */
export function requirePermission(
	credentials: CredentialsInUse,
	needed: NeededPermission | undefined,
): void {
	if (needed === 'none') return;
	if (needed === undefined) {
		if (isUnlimited(credentials)) return;
		throw new Refusal("These credentials don't allow this change", { hint: ASK });
	}
	if (credentials.limits.permissions.has(needed)) return;
	throw new Refusal(`These credentials don't allow ${ACTIVITIES[needed]}`, {
		field: 'permissions',
		hint: `“${PERMISSION_LABELS[needed]}” isn't selected under Permissions in ${named(credentials)}. ${ASK}`,
	});
}

/** A payment as far as the limits of the credentials judge it. */
export interface LimitedPayment {
	readonly amountCents: number;
	readonly recipientEmail: string;
	/** What the signed amount counts; `notChecked` would let the wallet sign any amount. */
	readonly typedAmountUnit?: string;
}

/**
 * Refuses a payment that the credentials don't allow. Call it before the wallet is asked to sign.
 * @throws {Refusal} that names the permission or the limit, and the credentials
 */
export function requireAllowedPayment(
	credentials: CredentialsInUse,
	{ amountCents, recipientEmail, typedAmountUnit }: LimitedPayment,
): void {
	requirePermission(credentials, 'sendPayments');
	const { maximumPaymentCents, paymentRecipients } = credentials.limits;
	if (maximumPaymentCents !== undefined) {
		if (!(amountCents <= maximumPaymentCents)) {
			throw new Refusal(
				`These credentials allow payments up to ${centsAsDollars(maximumPaymentCents)}, and this one is ${centsAsDollars(amountCents)}`,
				{
					field: 'maximumPayment',
					hint: `The limit is Maximum Payment in ${named(credentials)}. ${ASK}`,
				},
			);
		}
		if (typedAmountUnit === 'notChecked') {
			throw new Refusal('These credentials limit payments, so the signed amount must be checked', {
				field: 'typedAmountUnit',
				hint: `Choose a unit under Typed Amount Unit: Maximum Payment in ${named(credentials)} can't be kept to without it. Nothing was signed or sent.`,
			});
		}
	}
	if (paymentRecipients === undefined) return;
	const parts = addressParts(recipientEmail);
	const isAllowed =
		parts !== undefined &&
		(paymentRecipients.has(parts.address) || paymentRecipients.has(`@${parts.domain}`));
	if (isAllowed) return;
	throw new Refusal(`These credentials don't allow paying ${parts?.address ?? 'this recipient'}`, {
		field: 'paymentRecipients',
		hint: `Payment Recipients in ${named(credentials)} doesn't list this address or its domain. ${ASK}`,
	});
}
