import { z } from 'zod';

/*
 * Fields that are documented but that the node passes on unchecked: their documentation, for the
 * output schemas that n8n's editor reads. What the service really sends may differ.
 */

/** A documented value that is passed on without a check, whatever the service sends. */
export function unchecked<Documented extends z.ZodTypeAny>(documented: Documented) {
	return z.union([documented, z.unknown()]);
}

function uncheckedTexts<const Name extends string>(...names: readonly Name[]) {
	return unchecked(z.object(Object.fromEntries(names.map((name) => [name, z.string()]))));
}

/** A user of a team (docs/api.md, Team user record). */
export const teamUserRecord = z
	.object({
		nanoid: unchecked(z.string()),
		first_name: unchecked(z.string()),
		middle_name: unchecked(z.string()),
		last_name: unchecked(z.string()),
		email: unchecked(z.string()),
		role: unchecked(z.string()),
		platform_account: unchecked(z.string()),
		platformid: unchecked(z.string()),
		avatar: unchecked(z.string()),
		address: uncheckedTexts('line_1', 'line_2', 'city', 'state', 'country', 'zip_code'),
		onboarding: unchecked(
			z.object({
				onboarded: z.boolean(),
				step: z.string(),
				role: z.string(),
				moderation_status: z.string(),
			}),
		),
		payable: unchecked(z.boolean()),
	})
	.passthrough();

/** A pending invite (docs/api.md, Invite record). */
export const inviteRecord = z
	.object({
		nanoid: unchecked(z.string()),
		role: unchecked(z.string().nullable()),
		invitee_name: unchecked(z.string()),
		email: unchecked(z.string()),
		inviter_name: unchecked(z.string()),
		inviter_email: unchecked(z.string()),
		company: uncheckedTexts('name', 'avatar'),
		team: uncheckedTexts('name', 'avatar'),
	})
	.passthrough();

const typedDataMembers = z.array(z.object({ name: z.string(), type: z.string() }));

/** What the wallet signs for administrator invites (docs/api.md, Typed data for administrator invites). */
export const administratorTypedData = z
	.object({
		domain: unchecked(
			z.object({
				name: z.string(),
				version: z.string(),
				chainId: z.number(),
				verifyingContract: z.string(),
			}),
		),
		types: unchecked(
			z.object({ SetRolesForwardRequest: typedDataMembers, SetRole: typedDataMembers }),
		),
		typed_data: unchecked(
			z.object({
				from: z.string(),
				to: z.string(),
				salt: z.string(),
				expires: z.string(),
				data: z.array(z.object({ role: z.string(), account: z.string() })),
			}),
		),
		primary_type: unchecked(z.string()),
	})
	.passthrough();
