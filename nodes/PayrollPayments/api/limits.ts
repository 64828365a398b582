import { z } from 'zod';

import { emailKey, isEmail } from '../shared/formats';
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

interface CredentialsInUse {
	readonly limits: CredentialLimits;
	readonly name?: string;
}

function isPermission(value: unknown): value is Permission {
	return typeof value === 'string' && Object.hasOwn(PERMISSIONS, value);
}

const limitText = z
	.string({ invalid_type_error: 'must be text, or empty for no limit' })
	.optional()
	.transform((text) => (text === '' ? undefined : text));

const maximumPayment = limitText.transform((text, context) => {
	const cents = text === undefined ? undefined : dollarsAsCents(text.trim());
	if (cents !== undefined || text === undefined) return cents;
	const message = 'must be US dollars in digits, e.g. 2500 or 2500.50, or empty for no limit';
	context.addIssue({ code: 'custom', message });
	return z.NEVER;
});

function isRecipient(entry: string): boolean {
	return entry.startsWith('@')
		? isEmail(`anyone${entry}`)
		: !entry.startsWith('*') && isEmail(entry);
}

const paymentRecipients = limitText.transform((text, context) => {
	if (text === undefined) return undefined;
	const entries = text.split(',').flatMap((entry) => emailKey(entry.trim()) || []);
	const wrong = entries.findIndex((entry) => !isRecipient(entry));
	if (entries.length > 0 && wrong === -1) return new Set(entries);
	const where = entries.length === 0 ? 'it names nobody' : `entry ${wrong + 1} is neither`;
	const message = `must contain email addresses, or @ and a domain such as @example.com; ${where}`;
	context.addIssue({ code: 'custom', message });
	return z.NEVER;
});

/**
 * What the credentials may be used for; reading is always allowed. Without `maximumPaymentCents` there is
 * no limit, without `paymentRecipients` (lower case: addresses, and `@` with a domain) anyone may be
 * paid. With `requireApproval`, every change must name the check that a person approved.
 */
export const limitsSchema = z
	.object({
		access: z
			.enum(['readOnly', 'everything', 'selected'], {
				errorMap: () => ({ message: 'must be Read Only, Everything or Choose…' }),
			})
			.default('readOnly'),
		permissions: z.unknown(),
		requireApproval: z.boolean({ invalid_type_error: 'must be on or off' }).default(false),
		maximumPayment,
		paymentRecipients,
	})
	.transform(({ permissions, maximumPayment: maximumPaymentCents, ...rest }, context) => {
		const selected: unknown = (permissions ?? '') === '' ? [] : permissions;
		const list = { readOnly: [], everything: Object.keys(PERMISSIONS), selected }[rest.access];
		if (Array.isArray(list) && list.every(isPermission)) {
			return { ...rest, permissions: new Set(list), maximumPaymentCents };
		}
		const message = 'must contain only options from its menu';
		context.addIssue({ code: 'custom', path: ['permissions'], message });
		return z.NEVER;
	});

export type CredentialLimits = z.output<typeof limitsSchema>;

const ASK = 'Ask the person who manages them. Nothing was signed or sent.';

/** "the credentials “Payroll, read only”", or without a name "these credentials". */
export function credentialLabel({ name }: Pick<CredentialsInUse, 'name'>): string {
	return name === undefined || name === '' ? 'these credentials' : `the credentials “${name}”`;
}

export function isUnlimited({ limits }: CredentialsInUse): boolean {
	return (
		limits.access === 'everything' &&
		!limits.requireApproval &&
		limits.maximumPaymentCents === undefined &&
		limits.paymentRecipients === undefined
	);
}

export function requirePermission(credentials: CredentialsInUse, needed: NeededPermission): void {
	if (needed === 'none' || credentials.limits.permissions.has(needed)) return;
	const { label, activity } = PERMISSIONS[needed];
	const reason =
		credentials.limits.access === 'readOnly'
			? `Workflows May is Read Only in ${credentialLabel(credentials)}. Choose Everything, or Choose… and “${label}”.`
			: `“${label}” isn’t selected under Workflows May in ${credentialLabel(credentials)}.`;
	throw new UserError(`These credentials don’t allow ${activity}`, {
		hint: `${reason} ${ASK}`,
		page: 'credentials.md',
	});
}

export interface LimitedPayment {
	readonly amountCents: number;
	readonly recipientEmail: string;
	/** The amount that is signed, in cents; undefined where its unit isn't known. */
	readonly signedCents: number | bigint | undefined;
}

/** Refuses a payment that the credentials don't allow. Call it before the wallet is asked to sign. */
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
					hint: `Under Typed Amount Unit, choose the unit of the authorization. Maximum Payment in ${label} needs it. Nothing was signed or sent.`,
				},
			);
		}
		const larger = signedCents > amountCents ? signedCents : amountCents;
		if (!(larger <= most)) {
			throw new UserError(
				`These credentials allow payments up to ${centsAsDollars(most)}, and this one is ${centsAsDollars(larger)}`,
				{ hint: `The limit is Maximum Payment in ${label}. ${ASK}` },
			);
		}
	}
	if (paymentRecipients === undefined) return;
	const address = emailKey(recipientEmail);
	const isAddress = isEmail(address);
	const domain = address.slice(address.indexOf('@'));
	if (isAddress && [address, domain].some((each) => paymentRecipients.has(each))) return;
	throw new UserError(
		`These credentials don’t allow paying ${isAddress ? address : 'this recipient'}`,
		{
			hint: `Payment Recipients in ${credentialLabel(credentials)} doesn’t list this address or its domain. ${ASK}`,
		},
	);
}
