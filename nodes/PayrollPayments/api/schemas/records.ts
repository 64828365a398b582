import { z } from 'zod';

/* Records that the node passes on as they are: for the output schemas of n8n's editor, not for parsing. */

function texts<const Name extends string>(...names: readonly Name[]) {
	return z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
}

/** A user of a team (docs/api.md, Team user record). Which fields are required isn't documented. */
export const teamUserRecord = z
	.object({
		nanoid: z.string(),
		first_name: z.string(),
		middle_name: z.string(),
		last_name: z.string(),
		email: z.string(),
		role: z.string(),
		platform_account: z.string(),
		platformid: z.string(),
		avatar: z.string(),
		address: texts('line_1', 'line_2', 'city', 'state', 'country', 'zip_code').partial(),
		onboarding: z
			.object({
				onboarded: z.boolean(),
				step: z.string(),
				role: z.string(),
				moderation_status: z.string(),
			})
			.partial(),
		payable: z.boolean(),
	})
	.partial()
	.passthrough();

const organisation = texts('name', 'avatar').optional();

/** A pending invite (docs/api.md, Invite record). */
export const inviteRecord = z
	.object({
		nanoid: z.string(),
		role: z.string().nullable(),
		invitee_name: z.string(),
		email: z.string(),
		inviter_name: z.string(),
		inviter_email: z.string(),
		company: organisation,
		team: organisation,
	})
	.passthrough();

const typedDataMembers = z.array(z.object({ name: z.string(), type: z.string() }));

/** What the wallet signs for administrator invites (docs/api.md, Typed data for administrator invites). */
export const administratorTypedData = z
	.object({
		domain: z.object({
			name: z.string(),
			version: z.string(),
			chainId: z.number(),
			verifyingContract: z.string(),
		}),
		types: z.object({ SetRolesForwardRequest: typedDataMembers, SetRole: typedDataMembers }),
		typed_data: z.object({
			from: z.string(),
			to: z.string(),
			salt: z.string(),
			expires: z.string(),
			data: z.array(z.object({ role: z.string(), account: z.string() })),
		}),
		primary_type: z.string(),
	})
	.passthrough();

/**
 * An ISO 8601 UTC date-time ending in Z; seconds optional, fractions allowed, valid on the calendar
 * (docs/api.md, Common formats). Kept byte for byte: the service may compare it as text.
 */
export const utcTimestamp = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.datetime('must be a date and time in ISO 8601 that ends in Z, e.g. 2026-03-31T09:30:00Z');
