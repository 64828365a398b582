import { z } from 'zod';

/*
 * Records that the node passes on as they are: for the output schemas of n8n's editor, not for parsing.
 * Whatever a record lacks or has in addition, it must suit its schema.
 */

function texts<const Name extends string>(...names: readonly Name[]) {
	const members = names.map((name) => [name, z.string().nullish()] as const);
	return z.object(Object.fromEntries(members)).passthrough();
}

/** A user of a team (docs/api.md, Team user record). */
export const teamUserRecord = texts(
	...['nanoid', 'first_name', 'middle_name', 'last_name', 'email', 'role'],
	...['platform_account', 'platformid', 'avatar'],
).extend({
	address: texts('line_1', 'line_2', 'city', 'state', 'country', 'zip_code').nullish(),
	onboarding: texts('step', 'role', 'moderation_status')
		.extend({ onboarded: z.boolean().nullish() })
		.nullish(),
	payable: z.boolean().nullish(),
});

const organization = texts('name', 'avatar').nullish();

/** A pending invite (docs/api.md, Invite record). */
export const inviteRecord = texts(
	...['nanoid', 'role', 'invitee_name', 'email', 'inviter_name', 'inviter_email'],
).extend({ company: organization, team: organization });

const typedDataMembers = z.array(texts('name', 'type')).optional();

/** What the wallet signs for administrator invites (docs/api.md, Typed data for administrator invites). */
export const administratorTypedData = texts('primary_type').extend({
	domain: texts('name', 'version', 'verifyingContract').extend({
		chainId: z.union([z.number(), z.string()]).nullish(),
	}),
	types: z
		.object({ SetRolesForwardRequest: typedDataMembers, SetRole: typedDataMembers })
		.passthrough(),
	typed_data: texts('from', 'to', 'salt', 'expires').extend({
		data: z.array(texts('role', 'account')),
	}),
});
