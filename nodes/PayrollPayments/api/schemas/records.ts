import { z } from 'zod';

/* Records that the node passes on as they are: for the output schemas of n8n's editor, not for parsing. */

function texts<const Name extends string>(...names: readonly Name[]) {
	return z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
}

/** A user of a team (docs/api.md, Team user record). Which fields are required isn't documented. */
export const teamUserRecord = texts(
	...['nanoid', 'first_name', 'middle_name', 'last_name', 'email', 'role'],
	...['platform_account', 'platformid', 'avatar'],
)
	.extend({
		address: texts('line_1', 'line_2', 'city', 'state', 'country', 'zip_code').partial(),
		onboarding: z
			.object({ onboarded: z.boolean() })
			.merge(texts('step', 'role', 'moderation_status'))
			.partial(),
		payable: z.boolean(),
	})
	.partial()
	.passthrough();

const organisation = texts('name', 'avatar').optional();

/** A pending invite (docs/api.md, Invite record). */
export const inviteRecord = z
	.object({ nanoid: z.string(), role: z.string().nullable() })
	.merge(texts('invitee_name', 'email', 'inviter_name', 'inviter_email'))
	.extend({ company: organisation, team: organisation })
	.passthrough();

const typedDataMembers = z.array(texts('name', 'type'));

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
		typed_data: texts('from', 'to', 'salt', 'expires').extend({
			data: z.array(texts('role', 'account')),
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
