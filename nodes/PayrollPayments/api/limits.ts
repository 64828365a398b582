import { emailKey, isEmail } from '../shared/email';
import { UserError } from '../shared/errors';
import { centsAsDollars, dollarsAsCents } from '../shared/money';

/** What an administrator can allow one by one: its name in the menu, and in a sentence. */
export const PERMISSIONS = {
	invitePeople: { label: 'Invite People', activity: 'inviting people' },
	manageAdministrators: { label: 'Manage Administrators', activity: 'managing administrators' },
	resolveNameReviews: { label: 'Resolve Name Reviews', activity: 'resolving name reviews' },
	sendPayments: { label: 'Send Payments', activity: 'sending payments' },
	sendTestEvents: { label: 'Send Test Events', activity: 'sending test events' },
} as const;

export type Permission = keyof typeof PERMISSIONS;

/** The permission that a change needs; `none` for signing in. */
export type NeededPermission = Permission | 'none';

/** What the credentials may be used for. Reading is always allowed. */
export interface CredentialLimits {
	readonly access: 'readOnly' | 'everything' | 'selected';
	readonly permissions: ReadonlySet<Permission>;
	/** Whether every change must name the check that a person approved. */
	readonly requireApproval: boolean;
	/** The most that one payment may be; without it, there is no limit. */
	readonly maximumPaymentCents?: number;
	/** Who may be paid, in lower case: addresses, and `@` with a domain. Without it, anyone. */
	readonly paymentRecipients?: ReadonlySet<string>;
}

/** The credentials as far as a decision about their use needs them. */
export interface CredentialsInUse {
	readonly limits: CredentialLimits;
	/** The name of the saved credentials, if known. */
	readonly name?: string;
}

/** A field that can't be read. */
export class LimitFault extends Error {
	constructor(
		readonly field: string,
		fault: string,
	) {
		super(fault);
	}
}

type Saved = Readonly<Record<string, unknown>>;

function isPermission(value: unknown): value is Permission {
	return typeof value === 'string' && Object.hasOwn(PERMISSIONS, value);
}

const ALL_PERMISSIONS: ReadonlySet<Permission> = new Set(
	Object.keys(PERMISSIONS).filter(isPermission),
);

/** A missing value is read-only, and so is a list of permissions that holds nothing. */
function readAccess({
	access = 'readOnly',
	permissions,
}: Saved): Pick<CredentialLimits, 'access' | 'permissions'> {
	switch (access) {
		case 'readOnly':
			return { access, permissions: new Set() };
		case 'everything':
			return { access, permissions: ALL_PERMISSIONS };
		case 'selected': {
			const list: unknown = permissions ?? '';
			if (list === '') return { access, permissions: new Set() };
			if (Array.isArray(list) && list.every(isPermission)) {
				return { access, permissions: new Set(list) };
			}
			throw new LimitFault('permissions', 'must contain only options from its menu');
		}
		default:
			throw new LimitFault('access', 'must be Read Only, Everything or Choose…');
	}
}

/**
 * A text field that sets a limit where it is filled in. A field that holds nothing, as an expression
 * without a value does, is a fault: it must not lift the limit.
 */
function limitText(saved: Saved, field: string): string | undefined {
	const value = saved[field];
	if (value === '' || !(field in saved)) return undefined;
	if (value === undefined || value === null) throw new LimitFault(field, 'has no value');
	if (typeof value !== 'string') throw new LimitFault(field, 'must be text');
	return value.trim();
}

function readMaximumPayment(saved: Saved): number | undefined {
	const text = limitText(saved, 'maximumPayment');
	const cents = text === undefined ? undefined : dollarsAsCents(text);
	if (text === undefined || cents !== undefined) return cents;
	throw new LimitFault(
		'maximumPayment',
		'must be US dollars in digits, e.g. 2500 or 2500.50, or empty for no limit',
	);
}

/**
 * An email address in lower case and its domain; undefined for anything else, such as several
 * addresses, a quoted name, or white space around it.
 */
function addressParts(address: string) {
	const lowerCase = emailKey(address);
	if (!isEmail(lowerCase)) return undefined;
	return { address: lowerCase, domain: lowerCase.slice(lowerCase.indexOf('@') + 1) };
}

function isRecipient(entry: string): boolean {
	if (entry.startsWith('@')) return isEmail(`anyone${entry}`);
	return !entry.startsWith('*') && isEmail(entry);
}

function readPaymentRecipients(saved: Saved): ReadonlySet<string> | undefined {
	const text = limitText(saved, 'paymentRecipients');
	if (text === undefined) return undefined;
	const entries = text
		.split(',')
		.map((entry) => emailKey(entry.trim()))
		.filter(Boolean);
	if (entries.length === 0) throw new LimitFault('paymentRecipients', 'names nobody');
	const wrong = entries.findIndex((entry) => !isRecipient(entry));
	if (wrong === -1) return new Set(entries);
	throw new LimitFault(
		'paymentRecipients',
		`must contain email addresses, or @ and a domain such as @example.com; entry ${wrong + 1} is neither`,
	);
}

/** Off, on, or what n8n makes of them as text; anything else doesn't lift the demand. */
function readRequireApproval({ requireApproval = false }: Saved): boolean {
	if (typeof requireApproval === 'boolean') return requireApproval;
	throw new LimitFault('requireApproval', 'must be on or off');
}

/**
 * What the saved credentials may be used for.
 * @throws {LimitFault} for the first field that can't be read
 */
export function readLimits(saved: Saved): CredentialLimits {
	return {
		...readAccess(saved),
		requireApproval: readRequireApproval(saved),
		maximumPaymentCents: readMaximumPayment(saved),
		paymentRecipients: readPaymentRecipients(saved),
	};
}

const ASK = 'Ask the person who manages them. Nothing was signed or sent.';

/** "the credentials “Payroll, read only”", or without a name "these credentials". */
export function credentialLabel({ name }: Pick<CredentialsInUse, 'name'>): string {
	return name === undefined || name === '' ? 'these credentials' : `the credentials “${name}”`;
}

/** Whether the credentials may be used for everything, without any limit. */
export function isUnlimited({ limits }: CredentialsInUse): boolean {
	return (
		limits.access === 'everything' &&
		!limits.requireApproval &&
		limits.maximumPaymentCents === undefined &&
		limits.paymentRecipients === undefined
	);
}

/**
 * Refuses what the credentials don't allow.
 * @throws {UserError} that names the field, the permission and the credentials
 */
export function requirePermission(credentials: CredentialsInUse, needed: NeededPermission): void {
	if (needed === 'none' || credentials.limits.permissions.has(needed)) return;
	const { label, activity } = PERMISSIONS[needed];
	const reason =
		credentials.limits.access === 'readOnly'
			? `Workflows May is Read Only in ${credentialLabel(credentials)}. Choose Everything, or Choose… and “${label}”.`
			: `“${label}” isn't selected under Workflows May in ${credentialLabel(credentials)}.`;
	throw new UserError(`These credentials don't allow ${activity}`, {
		field: 'access',
		hint: `${reason} ${ASK}`,
		page: 'credentials.md',
	});
}

/** A payment as far as the limits of the credentials judge it. */
export interface LimitedPayment {
	readonly amountCents: number;
	readonly recipientEmail: string;
	/** The amount that is signed, in cents; undefined where its unit isn't known. */
	readonly signedCents: number | bigint | undefined;
}

/**
 * Refuses a payment that the credentials don't allow. Call it before the wallet is asked to sign.
 * @throws {UserError} that names the limit and the credentials
 */
export function requireAllowedPayment(
	credentials: CredentialsInUse,
	{ amountCents, recipientEmail, signedCents }: LimitedPayment,
): void {
	const { maximumPaymentCents: most, paymentRecipients } = credentials.limits;
	if (most !== undefined) {
		const label = credentialLabel(credentials);
		if (signedCents === undefined) {
			throw new UserError(
				'The signed amount can’t be compared with the limit of these credentials',
				{
					field: 'typedAmountUnit',
					hint: `Under Typed Amount Unit, choose the unit of the authorization. Maximum Payment in ${label} needs it. Nothing was signed or sent.`,
				},
			);
		}
		const larger = signedCents > amountCents ? signedCents : amountCents;
		if (!(larger <= most)) {
			throw new UserError(
				`These credentials allow payments up to ${centsAsDollars(most)}, and this one is ${centsAsDollars(larger)}`,
				{ field: 'maximumPayment', hint: `The limit is Maximum Payment in ${label}. ${ASK}` },
			);
		}
	}
	if (paymentRecipients === undefined) return;
	const parts = addressParts(recipientEmail);
	if (
		parts !== undefined &&
		(paymentRecipients.has(parts.address) || paymentRecipients.has(`@${parts.domain}`))
	) {
		return;
	}
	throw new UserError(
		`These credentials don't allow paying ${parts?.address ?? 'this recipient'}`,
		{
			field: 'paymentRecipients',
			hint: `Payment Recipients in ${credentialLabel(credentials)} doesn't list this address or its domain. ${ASK}`,
		},
	);
}
