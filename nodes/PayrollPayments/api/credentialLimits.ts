import { asciiLowerCase, isEmail } from '../shared/email';
import { LruCache } from '../shared/lruCache';
import { dollarsAsCents } from '../shared/money';

/** What workflows may do with the credentials. Reading is always allowed. */
export const PERMISSIONS = [
	'invitePeople',
	'manageAdministrators',
	'resolveNameReviews',
	'sendPayments',
	'sendTestEvents',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** The names that the permissions have in the credentials' menu. */
export const PERMISSION_LABELS: Readonly<Record<Permission, string>> = {
	invitePeople: 'Invite People',
	manageAdministrators: 'Manage Administrators',
	resolveNameReviews: 'Resolve Name Reviews',
	sendPayments: 'Send Payments',
	sendTestEvents: 'Send Test Events',
};

/** What the credentials may be used for. */
export interface CredentialLimits {
	readonly permissions: ReadonlySet<Permission>;
	/** The most that one payment may be; without it, there is no limit. */
	readonly maximumPaymentCents?: number;
	/** Who may be paid, in lower case: addresses, and `@` with a domain. Without it, anyone. */
	readonly paymentRecipients?: ReadonlySet<string>;
}

/** A field that can't be read, and what is wrong with it. */
export interface LimitFault {
	readonly field: 'permissions' | 'maximumPayment' | 'paymentRecipients';
	readonly fault: string;
}

type Saved = Readonly<Record<string, unknown>>;

function isPermission(value: unknown): value is Permission {
	return PERMISSIONS.some((permission) => permission === value);
}

/** A missing key means credentials from before this field; an empty value allows reading only. */
function readPermissions(saved: Saved): ReadonlySet<Permission> | LimitFault {
	if (!('permissions' in saved)) return new Set(PERMISSIONS);
	const { permissions } = saved;
	if (permissions === undefined || permissions === null || permissions === '') return new Set();
	if (Array.isArray(permissions) && permissions.every(isPermission)) return new Set(permissions);
	return {
		field: 'permissions',
		fault: 'must contain only options from its menu',
	};
}

/**
 * A text field that sets a limit where it is filled in. A field that holds nothing, as an expression
 * without a value does, is a fault: it must not lift the limit.
 */
function limitText(saved: Saved, field: LimitFault['field']): string | undefined | LimitFault {
	if (!(field in saved)) return undefined;
	const value = saved[field];
	if (value === '') return undefined;
	if (value === undefined || value === null) return { field, fault: 'has no value' };
	if (typeof value !== 'string') return { field, fault: 'must be text' };
	return value.trim();
}

function readMaximumPayment(saved: Saved): number | undefined | LimitFault {
	const text = limitText(saved, 'maximumPayment');
	if (typeof text !== 'string') return text;
	return (
		dollarsAsCents(text) ?? {
			field: 'maximumPayment',
			fault: 'must be US dollars in digits, e.g. 2500 or 2500.50, or empty for no limit',
		}
	);
}

/**
 * An email address in lower case and its domain; undefined for anything else, such as several
 * addresses, a quoted name, or white space around it.
 */
export function addressParts(
	address: string,
): { readonly address: string; readonly domain: string } | undefined {
	const lowerCase = asciiLowerCase(address);
	if (!isEmail(lowerCase)) return undefined;
	return { address: lowerCase, domain: lowerCase.slice(lowerCase.indexOf('@') + 1) };
}

function isRecipient(entry: string): boolean {
	if (entry.startsWith('@')) return isEmail(`anyone${entry}`);
	return !entry.startsWith('*') && addressParts(entry) !== undefined;
}

function parseRecipients(text: string): ReadonlySet<string> | LimitFault {
	const entries = text
		.split(',')
		.map((entry) => asciiLowerCase(entry.trim()))
		.filter(Boolean);
	if (entries.length === 0) return { field: 'paymentRecipients', fault: 'names nobody' };
	const wrong = entries.findIndex((entry) => !isRecipient(entry));
	if (wrong === -1) return new Set(entries);
	return {
		field: 'paymentRecipients',
		fault: `must contain email addresses, or @ and a domain such as @example.com; entry ${wrong + 1} is neither`,
	};
}

/** Every request reads the credentials, and a list may be long, so parsed lists are kept. */
const parsedRecipients = new LruCache<ReturnType<typeof parseRecipients>>(100);

function readPaymentRecipients(saved: Saved): ReadonlySet<string> | undefined | LimitFault {
	const text = limitText(saved, 'paymentRecipients');
	if (typeof text !== 'string') return text;
	return parsedRecipients.getOrCreate(text, () => parseRecipients(text));
}

function isFault(value: unknown): value is LimitFault {
	return typeof value === 'object' && value !== null && 'fault' in value;
}

/** What the saved credentials may be used for, or the first field that can't be read. */
export function readLimits(saved: Saved): CredentialLimits | LimitFault {
	const permissions = readPermissions(saved);
	if (isFault(permissions)) return permissions;
	const maximumPaymentCents = readMaximumPayment(saved);
	if (isFault(maximumPaymentCents)) return maximumPaymentCents;
	const paymentRecipients = readPaymentRecipients(saved);
	if (isFault(paymentRecipients)) return paymentRecipients;
	return { permissions, maximumPaymentCents, paymentRecipients };
}
