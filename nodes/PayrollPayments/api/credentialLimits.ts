import { z } from 'zod';

import { labelOf, shownWhen, type InputOf, type Schema } from '../forms/field';
import { choice, choices, flag, keysOf, listOf, menu, menuOf, text } from '../forms/fieldTypes';
import { UserError } from '../shared/errors';
import { emailKey, isEmail } from '../contract/formats';
import type { SheetPlace } from '../shared/sheetPlace';
import { trimmed } from '../shared/text';
import { centsAsDollars, dollarsAsCents } from '../shared/money';
import { PAYMENT_CENTS } from '../contract/limits';
import { otherRequests } from './otherRequests';

/** What an administrator can allow one by one: its name in the menu, and in a sentence. */
export const PERMISSIONS = {
	invitePeople: { label: 'Invite People', activity: 'inviting people' },
	manageAdministrators: { label: 'Manage Administrators', activity: 'managing administrators' },
	resolveNameReviews: { label: 'Resolve Name Reviews', activity: 'resolving name reviews' },
	sendPayments: { label: 'Send Payments', activity: 'sending payments' },
	sendTestEvents: { label: 'Send Test Events', activity: 'sending test events' },
} as const;

type Permission = keyof typeof PERMISSIONS;

/** The permission that an operation needs; `none` for reads and for signing in. */
export type NeededPermission = Permission | 'none';

/** US dollars, in cents. */
const dollarLimit: Schema<number> = trimmed.transform(dollarsAsCents).pipe(
	z
		.number({
			required_error: 'must be US dollars in digits, e.g. 2500 or 2500.50, or empty for no limit',
		})
		.min(PAYMENT_CENTS.least, 'must be $1.00 or more, the least that a payment may move'),
);

/** An address, or `@` and a domain. */
const recipient = trimmed
	.transform(emailKey)
	.refine(
		(entry) => !entry.startsWith('*') && isEmail(`anyone${entry}`),
		'must be an email address, or @ and a domain such as @example.com',
	);

export const limitFields = {
	access: choice(
		{
			label: 'Workflows May',
			description: 'What workflows may do with these credentials',
			empty: 'preset',
			expressions: 'never',
		},
		menu({
			selected: {
				name: 'Choose…',
				description: 'Read everything, and make the changes that you select',
			},
			everything: 'Read everything, make every change, and send payments',
			readOnly: 'Read everything, and change nothing but what Other Nodes May Also Send lists',
		}),
		'readOnly',
	),
	permissions: shownWhen(
		{ access: ['selected'] },
		choices(
			{
				label: 'Permissions',
				description: 'The changes that workflows may make. Reading is always allowed.',
				empty: 'unset',
				expressions: 'never',
			},
			menuOf(keysOf(PERMISSIONS), (permission) => PERMISSIONS[permission].label),
		),
	),
	requireApproval: flag({
		label: 'Require Approved Check',
		description:
			'Whether changes need the approval from Check Only as Approved Check. It doesn’t prove that a person approved.',
		expressions: 'never',
	}),
	maximumPayment: text(
		{
			label: 'Maximum Payment',
			description: 'The most that one payment may move, in US dollars; leave empty for no limit',
			example: '2500.00',
			empty: 'unset',
			expressions: 'never',
		},
		dollarLimit,
	),
	maximumPerRun: text(
		{
			label: 'Maximum per Run',
			description:
				'The most that one run of a node may move in all, in US dollars; leave empty for no limit',
			example: '20000.00',
			empty: 'unset',
			expressions: 'never',
		},
		dollarLimit,
	),
	paymentRecipients: text(
		{
			label: 'Payment Recipients',
			description:
				'Who may be paid: email addresses and @domain entries, separated by commas. Leave empty to allow anyone.',
			example: 'ana@example.com, @example.org',
			empty: 'unset',
			expressions: 'never',
		},
		listOf(recipient).transform((list) => new Set(list)),
	),
	otherRequests: text(
		{
			label: 'Other Nodes May Also Send',
			description:
				'What HTTP Request and other nodes may send besides reads, whatever the limits say. One per line: method and path, which may end in *.',
			example: 'POST /v2/payments/prepare',
			empty: 'preset',
			expressions: 'never',
		},
		otherRequests,
		{ rows: 2 },
	),
};

/**
 * What the credentials may be used for; reading is always allowed. A limit that is undefined doesn't
 * limit anything. `paymentRecipients` are in lower case: addresses, and `@` with a domain. With
 * `requireApproval`, every change must name the check that a person approved.
 */
export function limitsOf({
	permissions: selected = [],
	maximumPayment: maximumPaymentCents,
	maximumPerRun: maximumPerRunCents,
	...rest
}: InputOf<typeof limitFields>) {
	const allowed = { readOnly: [], everything: keysOf(PERMISSIONS), selected }[rest.access];
	const permissions = new Set<Permission>(allowed);
	return { ...rest, permissions, maximumPaymentCents, maximumPerRunCents };
}

interface CredentialsInUse {
	readonly limits: ReturnType<typeof limitsOf>;
	readonly name?: string;
}

const ASK = 'Ask the person who manages them.';

/** "the credentials “Payroll, read only”", or without a name "these credentials". */
export function credentialLabel({ name }: Pick<CredentialsInUse, 'name'>): string {
	return name === undefined || name === '' ? 'these credentials' : `the credentials “${name}”`;
}

/** Whether other nodes may send anything with the credentials: every change is allowed, and nothing is limited. */
export function isUnlimited({ limits }: CredentialsInUse): boolean {
	return (
		limits.access === 'everything' &&
		!limits.requireApproval &&
		limits.maximumPaymentCents === undefined &&
		limits.maximumPerRunCents === undefined &&
		limits.paymentRecipients === undefined
	);
}

/** @throws {UserError} if the credentials don't allow changes of this kind */
export function requirePermission(credentials: CredentialsInUse, needed: NeededPermission): void {
	if (needed === 'none' || credentials.limits.permissions.has(needed)) return;
	const { label, activity } = PERMISSIONS[needed];
	const reason =
		credentials.limits.access === 'readOnly'
			? `Workflows May is Read Only in ${credentialLabel(credentials)}. Set it to Choose… and select “${label}”.`
			: `“${label}” isn’t selected under Permissions in ${credentialLabel(credentials)}.`;
	throw new UserError(`These credentials don’t allow ${activity}`, {
		hint: `${reason} ${ASK}`,
		page: 'credentials.md#workflows-may',
	});
}

type Cents = number | bigint;

/** The error of each limit, with what it allows and what would move. */
const TOO_MUCH = {
	maximumPayment: (allowed: string, found: string) =>
		`These credentials allow payments up to ${allowed}, and this one is ${found}`,
	maximumPerRun: (allowed: string, found: string) =>
		`These credentials allow runs up to ${allowed}, and this one would move ${found}`,
};

/** @param amounts those that would move, undefined where the unit isn't known */
function requireAtMost(
	credentials: CredentialsInUse,
	limit: keyof typeof TOO_MUCH,
	amounts: ReadonlyArray<Cents | undefined>,
): void {
	const most = credentials.limits[`${limit}Cents`];
	if (most === undefined) return;
	const where = `${labelOf(limitFields[limit])} in ${credentialLabel(credentials)}`;
	const known = amounts.filter((cents) => cents !== undefined);
	if (known.length < amounts.length) {
		throw new UserError('The signed amount can’t be compared with the limit of these credentials', {
			hint: `Under Typed Amount Unit, choose the unit of the authorization. ${where} needs it.`,
		});
	}
	/* Also refuses what isn't a number. */
	const found = known.find((cents) => !(cents <= most));
	if (found === undefined) return;
	throw new UserError(TOO_MUCH[limit](centsAsDollars(most), centsAsDollars(found)), {
		hint: `The limit is ${where}. ${ASK}`,
	});
}

/**
 * Refuses a payment of more than the credentials allow. Call it before the wallet is asked to sign, with
 * the amount that is entered, and with the one that is signed: undefined where its unit isn't known.
 */
export function requireAllowedAmount(
	credentials: CredentialsInUse,
	cents: Cents | undefined,
): void {
	requireAtMost(credentials, 'maximumPayment', [cents]);
}

/**
 * Refuses a recipient whom the credentials don't allow. Call it before the wallet is asked to sign.
 * @param row the row that the payment is in, if there are several
 */
export function requireAllowedRecipient(
	credentials: CredentialsInUse,
	recipientEmail: string,
	row?: SheetPlace,
): void {
	const { paymentRecipients } = credentials.limits;
	if (paymentRecipients === undefined) return;
	const address = emailKey(recipientEmail);
	const isAddress = isEmail(address);
	const domain = address.slice(address.indexOf('@'));
	if (isAddress && [address, domain].some((each) => paymentRecipients.has(each))) return;
	throw new UserError(
		`These credentials don’t allow paying ${isAddress ? address : 'this recipient'}`,
		{
			row,
			hint: `Payment Recipients in ${credentialLabel(credentials)} doesn’t list this address or its domain. ${ASK}`,
		},
	);
}

/**
 * Refuses a run that would move more than the credentials allow. Call it with the sums of what would
 * be sent, before anything is signed.
 * @param signedTotalCents what is signed in all; undefined where the unit of one isn't known
 */
export function requireAllowedRun(
	credentials: CredentialsInUse,
	totalCents: Cents,
	signedTotalCents: Cents | undefined,
): void {
	requireAtMost(credentials, 'maximumPerRun', [totalCents, signedTotalCents]);
}
