import { z } from 'zod';

import { invitesCreatedAnswer } from '../../api/schemas/answers';
import { shownWhen, type InputOf } from '../../forms/field';
import { choice, flag, menu, menuOf, wholeNumber } from '../../forms/fieldTypes';
import { teamId } from '../../forms/serviceFields';
import { emailKey } from '../../contract/formats';
import { INVITE_ROLES, ROLE_NAMES } from '../../contract/roles';
import { defineWrite, repeated } from '../../run/operation';
import { eachOrRefused, type Form } from '../../run/rows';
import { checkColumnNames, requireKnownColumn, sheetOf } from '../../run/sheetRows';
import type { RunContext } from '../../run/runContext';
import { placeName, type SheetPlace } from '../../shared/sheetPlace';

import { columnNames, readRow, RECOGNITION, type InviteeRow } from './inviteeRow';
import { compareWithForm } from './formColumns';
import { lookUpPeople, personOutcome, type KnownPeople } from './existingPeople';
import { inviteesAsJson, inviteesOnForm, type Invitee } from './invitees';
import { numbersOf, rowsFor, type Group } from './requests';

const fields = {
	teamId: teamId(),
	role: choice(
		{ label: 'Role', description: 'Role of the people to invite' },
		menuOf(INVITE_ROLES, (role) => ROLE_NAMES[role]),
		'contractor',
	),
	inviteesSource: choice(
		{ label: 'Invitees From', description: 'Where the list of people to invite comes from' },
		menu({
			fields: { name: 'Form', description: 'Fill in a form for each invitee' },
			items: {
				name: 'Input Rows',
				description:
					'One invitee per input item. Required column: email. Optional: first_name, last_name, phone, company_name and the other prefill fields. Case, spaces, _ and - make no difference.',
			},
			json: { name: 'JSON', description: 'A list in the format of the API' },
		}),
		'fields',
	),
	invitees: shownWhen({ inviteesSource: ['fields'] }, inviteesOnForm),
	inviteesJson: shownWhen({ inviteesSource: ['json'] }, inviteesAsJson),
	anonymous: flag({
		label: 'Anonymous',
		description: 'Whether to create the invites anonymously',
	}),
	existingPeople: choice(
		{
			label: 'Existing People',
			description:
				'What to do with people who are already in the team or invited to it. Skip may miss anonymous invites, because the service doesn’t document whether it lists their emails.',
		},
		menu({
			invite: 'Invite everyone, without looking them up',
			skip: 'Read the team’s members and pending invites, invite only those who are new, and output one item per person',
		}),
		'skip',
	),
};

const options = {
	columnNames,
	inviteesPerRequest: wholeNumber(
		{
			label: 'Invitees per Request',
			description:
				'Maximum number of invitees in a request, or 0 to send all in one; the service doesn’t document its limit',
			empty: 'unset',
		},
		{ least: 0, preset: 0 },
	),
};

type InviteItem = Form<InputOf<typeof fields>, InputOf<typeof options>>;

/** Where somebody was named: the group, and the item or row as errors call it. */
interface Mention {
	readonly group: Group;
	readonly name: string;
}

/**
 * The keys of an item's people, by team and address.
 * @param named who was named by the items before, by these keys
 * @throws {UserError} if somebody is named twice in the group or, if one of the two groups skips existing
 *   people, for the team
 */
function newKeys(
	people: readonly Invitee[],
	group: Group,
	named: ReadonlyMap<string, readonly Mention[]>,
	row?: SheetPlace,
): ReadonlySet<string> {
	const keys = new Set<string>();
	for (const { email } of people) {
		const key = `${group.teamId} ${emailKey(email)}`;
		if (keys.has(key)) throw repeated(email);
		const earlier = named
			.get(key)
			?.find((one) => one.group === group || one.group.skipsExisting || group.skipsExisting);
		if (earlier !== undefined) throw repeated(email, earlier.name, row);
		keys.add(key);
	}
	return keys;
}

/**
 * Reads all people, and groups those whom one request can invite. Nobody may be named twice in a group.
 * With *Existing People: Skip*, nobody may be named twice for a team, whatever the group: the first invite
 * would make the second one superfluous.
 * @throws {UserError} if Column Names names a column that no row has
 */
async function groupGuests(items: readonly InviteItem[], run: RunContext) {
	const rows: ReadonlyMap<InviteItem, InviteeRow> = sheetOf(
		items.filter(({ input }) => input.inviteesSource === 'items'),
	);
	const sheet = [...rows.values()];
	checkColumnNames(sheet);
	requireKnownColumn(sheet, RECOGNITION, {
		where: 'The input',
		advice:
			'If the input is the answer of another node, set Invitees From to JSON and take the rows from an earlier node.',
	});
	const refuseOther = compareWithForm(rows, run);
	const groups = new Map<string, Group>();
	const mentions = new Map<string, readonly Mention[]>();
	const refusals = await eachOrRefused(items, (each) => {
		const [item] = each.numbers;
		const { invitees, inviteesJson, teamId, role, anonymous, existingPeople } = each.input;
		const row = rows.get(each);
		const isSheet = row !== undefined;
		const people = isSheet ? [readRow(row)] : (invitees ?? inviteesJson ?? []);
		/* A list on an item is a group by itself; all rows of a sheet with the same settings are one. */
		const groupKey = JSON.stringify([teamId, role, anonymous, existingPeople, isSheet || item]);
		const group = groups.get(groupKey) ?? {
			teamId,
			role,
			anonymous,
			skipsExisting: existingPeople === 'skip',
			isSheet,
			guests: [],
			inviteesPerRequest: each.options.inviteesPerRequest ?? 0,
		};
		const keys = newKeys(people, group, mentions, row?.place);
		if (isSheet) refuseOther(row);
		/* Merge only after all of them passed, so that a refused item doesn't block its addresses. */
		const mention = { group, name: isSheet ? placeName(row.place) : `item ${item}` };
		for (const key of keys) mentions.set(key, [...(mentions.get(key) ?? []), mention]);
		groups.set(groupKey, group);
		for (const invitee of people) group.guests.push({ item, invitee });
		return [];
	});
	return { groups: [...groups.values()], refusals };
}

/** docs/api.md, Endpoint 5. Rows become people, people groups, and groups requests. */
export const createInvites = defineWrite({
	resource: 'invite',
	operation: 'create',
	name: 'Create',
	action: 'Create invites',
	description: 'Invite employees or contractors to a team',
	permission: 'invitePeople',
	fields,
	options,
	sheet: { source: 'inviteesSource' },
	output: z.union([personOutcome, invitesCreatedAnswer]),
	check: async (forms, run) => {
		const { groups, refusals } = await groupGuests(forms, run);
		if (refusals.length > 0 && !run.continues) return refusals;
		/* Each team is looked up once. */
		const lookUps = new Map<string, Promise<KnownPeople>>();
		const knownIn = async ({ skipsExisting, teamId: team }: Group): Promise<KnownPeople> => {
			if (!skipsExisting) return new Map();
			const before = lookUps.get(team);
			if (before !== undefined) return await before;
			const skipping = groups.filter((each) => each.skipsExisting && each.teamId === team);
			const emails = skipping.flatMap(({ guests }) => guests.map(({ invitee }) => invitee.email));
			const lookUp = lookUpPeople(run, team, emails);
			lookUps.set(team, lookUp);
			return await lookUp;
		};
		const entries = groups.map((group) => ({ group, numbers: numbersOf(group.guests) }));
		const rows = await eachOrRefused(entries, async ({ group }) =>
			rowsFor(group, await knownIn(group), run),
		);
		return [...refusals, ...rows];
	},
});
