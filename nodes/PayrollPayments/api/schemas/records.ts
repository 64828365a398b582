import { z } from 'zod';

/*
 * Records that the node passes on as they are: for the output schemas of n8n's editor, not for parsing.
 * Whatever a record lacks or has in addition, it must suit its schema.
 */

function texts<const Name extends string>(...names: readonly Name[]) {
	const members = names.map((name) => [name, z.string().nullish()] as const);
	return z.object(Object.fromEntries(members)).passthrough();
}

/* Some services have numbers where the document shows texts. */
const textOrNumber = z.union([z.string(), z.number(), z.null()]).optional();
const flag = z.union([z.boolean(), z.string(), z.number(), z.null()]).optional();

/** A user of a team (docs/api.md, Team user record). */
export const teamUserRecord = texts(
	...['nanoid', 'first_name', 'middle_name', 'last_name', 'email'],
	...['platform_account', 'platformid', 'avatar'],
).extend({
	address: texts('line_1', 'line_2', 'city', 'state', 'country', 'zip_code').nullish(),
	onboarding: texts('step', 'role', 'moderation_status').extend({ onboarded: flag }).nullish(),
	role: textOrNumber,
	payable: flag,
});

const organization = texts('name', 'avatar').nullish();

/** A pending invite (docs/api.md, Invite record). */
export const inviteRecord = texts(
	...['nanoid', 'invitee_name', 'email', 'inviter_name', 'inviter_email'],
).extend({ role: textOrNumber, company: organization, team: organization });

const typedDataMembers = z.array(texts('name', 'type')).optional();

/** What the wallet signs for administrator invites (docs/api.md, Typed data for administrator invites). */
export const administratorTypedData = texts('primary_type').extend({
	domain: texts('name', 'version', 'verifyingContract').extend({
		chainId: textOrNumber,
	}),
	types: z
		.object({ SetRolesForwardRequest: typedDataMembers, SetRole: typedDataMembers })
		.passthrough(),
	typed_data: texts('from', 'to').extend({
		salt: textOrNumber,
		expires: textOrNumber,
		data: z.array(texts('account').extend({ role: textOrNumber })),
	}),
});
