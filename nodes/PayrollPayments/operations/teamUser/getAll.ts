import { z } from 'zod';

import { isRecord } from '../../shared/json';
import { ROLES, ROLE_NAMES } from '../../contract/roles';
import { shownWhen, titleOf, type InputOf } from '../../forms/field';
import {
	choice,
	choices,
	collection,
	filledText,
	flag,
	keysOf,
	listOf,
	menu,
	menuOf,
	text,
} from '../../forms/fieldTypes';
import { emails, returnAllOrLimit, teamId } from '../../forms/serviceFields';
import { inBatches } from '../../shared/lists';
import { EMAILS_PER_REQUEST } from '../../contract/limits';
import { teamUsers, type TeamUser, type UsersRequest } from '../../api/pagination';
import { teamUserRecord } from '../../api/schemas/records';
import { defineRead } from '../../run/operation';
import type { RunContext } from '../../run/runContext';
import type { OutputRecord } from '../../run/write';

/* Which fields a record has isn't documented, so any of them may be missing. */
const textColumn = z.string().nullable().catch(null);
/* Some services number their roles. */
const roleColumn = z.union([z.string(), z.number()]).transform(String).nullable().catch(null);
/* Some services write flags as numbers or text. */
const FLAGS = new Map<string, boolean>([
	['1', true],
	['true', true],
	['0', false],
	['false', false],
]);
const flagColumn = z.preprocess(
	(value) => FLAGS.get(String(value).toLowerCase()) ?? value,
	z.boolean().nullable().catch(null),
);

/** One item of the output *Simplified*: always all columns. */
const simplifiedUser = z.object({
	nanoid: textColumn,
	first_name: textColumn,
	last_name: textColumn,
	email: textColumn,
	role: roleColumn,
	payable: flagColumn,
	onboarded: flagColumn,
	onboarding_step: textColumn,
	moderation_status: textColumn,
	country: textColumn,
});

function simplify(user: TeamUser): z.infer<typeof simplifiedUser> {
	const onboarding = isRecord(user.onboarding) ? user.onboarding : {};
	const address = isRecord(user.address) ? user.address : {};
	return simplifiedUser.parse({
		...user,
		onboarded: onboarding.onboarded,
		onboarding_step: onboarding.step,
		moderation_status: onboarding.moderation_status,
		country: address.country,
	});
}

/** What *Selected Fields* offers: the columns of *Simplified*, and the documented fields of a record. */
const OUTPUT_FIELDS = [
	...new Set([...keysOf(simplifiedUser.shape), ...keysOf(teamUserRecord.shape)]),
];

const FIELD_NAMES = new Map<string, string>([
	['nanoid', 'User ID'],
	['platformid', 'Platform ID'],
]);

/* Which roles a user can have isn't documented, so an expression may give others than the menu. */
const roles = {
	...choices(
		{ label: 'Roles', description: 'Only users with one of these roles', empty: 'refuse' },
		menuOf(ROLES, (role) => ROLE_NAMES[role]),
	),
	schema: listOf(filledText),
};

const filterFields = {
	name: text(
		{
			label: 'Name',
			description: 'Only users whose name contains these words, in any order and case',
			example: 'Silva',
			empty: 'refuse',
		},
		filledText,
	),
	onboarded: flag(
		{
			label: 'Onboarded',
			description: 'Whether the users have completed their onboarding',
			empty: 'refuse',
		},
		true,
	),
	payable: flag(
		{ label: 'Payable', description: 'Whether the users can be paid', empty: 'refuse' },
		true,
	),
	roles,
};

function wordsOf(...texts: readonly unknown[]): string[] {
	const text = texts.filter((each) => typeof each === 'string').join(' ');
	return text.normalize('NFKC').toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether a user passes all filters that were added. */
function passes(
	user: TeamUser,
	{ name, onboarded, payable, roles: wanted }: Partial<InputOf<typeof filterFields>>,
): boolean {
	const { first_name, middle_name, last_name, role, onboarding } = user;
	const fullName = wordsOf(first_name, middle_name, last_name).join(' ');
	return (
		wordsOf(name).every((word) => fullName.includes(word)) &&
		(onboarded === undefined ||
			(isRecord(onboarding) && flagColumn.parse(onboarding.onboarded) === onboarded)) &&
		(payable === undefined || flagColumn.parse(user.payable) === payable) &&
		(wanted === undefined || wanted.some((each) => each === roleColumn.parse(role)))
	);
}

/** Whether the service's filter ignores case isn't documented, so each spelling is asked for, and in small letters. */
async function usersWith(
	emails: readonly string[],
	{ read }: RunContext,
	{ most, ...request }: UsersRequest,
): Promise<readonly TeamUser[]> {
	const found = new Map<unknown, TeamUser>();
	const spellings = emails.flatMap((each) => [each, each.toLowerCase()]);
	for (const batch of inBatches([...new Set(spellings)], EMAILS_PER_REQUEST)) {
		for (const user of await teamUsers(read, { ...request, most, emails: batch })) {
			found.set(user.nanoid ?? user, user);
		}
		if (most !== undefined && found.size >= most) break;
	}
	return [...found.values()].slice(0, most);
}

/** docs/api.md, Endpoint 11. */
export const getTeamUsers = defineRead({
	resource: 'teamUser',
	operation: 'getAll',
	name: 'Get Many',
	action: 'Get many team users',
	description:
		'List the users of a team with name, email address, onboarding status and payment eligibility',
	emptyNotice: 'No users found; check Team ID, Emails and Filters',
	fields: {
		teamId: teamId(),
		...returnAllOrLimit,
		emails: emails({
			label: 'Emails',
			description:
				'Only users with these email addresses, separated by commas. Limit still applies; unknown addresses are ignored.',
			empty: 'unset',
		}),
		filters: collection(
			{
				displayName: 'Filters',
				placeholder: 'Add filter',
				description: 'Applied by this node after reading',
			},
			filterFields,
		),
		output: choice(
			{ label: 'Output', description: 'What each item contains' },
			menu({
				asReceived: 'All fields of the record',
				selected: { name: 'Selected Fields', description: 'Only the fields that you select' },
				simplified: 'One flat row of ten columns',
			}),
			'simplified',
		),
		outputFields: shownWhen(
			{ output: ['selected'] },
			choices(
				{
					label: 'Output Fields',
					description: 'The fields of each item, null where a user has none',
				},
				menuOf(OUTPUT_FIELDS, (field) => FIELD_NAMES.get(field) ?? titleOf(field)),
				/* Where Output is an expression, n8n shows this field and wants it filled in. */
				['first_name', 'last_name', 'email'],
			),
		),
	},
	options: {},
	output: z.union([simplifiedUser, teamUserRecord]),
	request: async ({ teamId: team, emails: wanted, filters, limit, ...input }, run) => {
		const isFiltered = Object.keys(filters).length > 0;
		const request = { teamId: team, most: isFiltered ? undefined : limit };
		const users =
			wanted === undefined
				? await teamUsers(run.read, request)
				: await usersWith(wanted, run, request);
		const chosen = isFiltered
			? users.filter((user) => passes(user, filters)).slice(0, limit)
			: users;
		const { output, outputFields = [] } = input;
		if (output === 'asReceived') return chosen;
		if (output === 'simplified') return chosen.map(simplify);
		return chosen.map((user) => {
			const all: OutputRecord = { ...user, ...simplify(user) };
			return Object.fromEntries(outputFields.map((field) => [field, all[field] ?? null]));
		});
	},
});
