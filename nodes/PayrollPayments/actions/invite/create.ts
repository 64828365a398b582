import { invitesCreatedAnswer } from '../../api/schemas/answers';
import { Refusal } from '../../shared/errors';
import { ROLE_NAMES, type InviteRole } from '../../shared/roles';
import { optional, readFields, shownWhen, type InputItem } from '../fields/field';
import { choice, flag, wholeNumber } from '../fields/kinds';
import { teamId } from '../fields/serviceFields';
import { readOptions, sendingOptions } from '../commonOptions';
import { defineOperation } from '../defineOperation';
import { planEach, type Job, type Plan } from '../plan';
import { perform, planCall, type PlannedWrite } from '../plannedWrite';
import { inBatches, nameList, planBatches } from '../batches';

import { inviteeOfRow, inviteesAsJson, inviteesOnForm, type Invitee } from './invitees';

/** What all invitees of a request share. */
interface Invitation {
	readonly teamId: string;
	readonly role: InviteRole;
	readonly anonymous?: boolean;
}

const invitationFields = {
	teamId: teamId(),
	role: choice<InviteRole>(
		{ label: 'Role', description: 'Role of the people to invite' },
		[
			{ name: 'AOR Contractor', value: 'aor_contractor' },
			{ name: 'Contractor', value: 'contractor' },
			{ name: 'Employee', value: 'team_employee' },
		],
		'contractor',
	),
};

const anonymous = optional(
	flag({
		label: 'Anonymous',
		description: 'Whether to create the invites anonymously',
	}),
);

const options = {
	inviteesPerRequest: optional(
		wholeNumber(
			{
				label: 'Invitees per Request',
				description:
					"Maximum number of invitees in a request, or 0 to send all in one; the service doesn't document its limit",
			},
			{ least: 0, preset: 0 },
		),
	),
};

/** Plans one request, which invites all its invitees or none (docs/api.md, Endpoint 5). */
function planInvites(invitation: Invitation, invitees: readonly Invitee[]): PlannedWrite {
	const { teamId: team, role, anonymous: isAnonymous } = invitation;
	const body = {
		nanoid: team,
		invites: invitees.map((invitee) => ({ ...invitee })),
		role,
		...(isAnonymous === true ? { anonymous: true } : {}),
	};
	const people = invitees.length === 1 ? '1 person' : `${invitees.length} people`;
	const names = nameList(invitees.map(({ email }) => email));
	const how = isAnonymous === true ? ', anonymously' : '';
	return planCall({
		method: 'POST',
		path: '/v2/invites',
		once: { identity: body, isRepeatable: false },
		prepare: async () => ({
			summary: `Invite ${people} (${names}) to team ${team} as ${ROLE_NAMES[role]}${how}`,
			body,
		}),
		answer: invitesCreatedAnswer,
	});
}

interface Row extends Invitation {
	readonly item: InputItem;
	readonly invitee: Invitee;
}

/** False if the expression fails; reading the form then reports it. */
function isRow(item: InputItem): boolean {
	try {
		return item.read('inviteesSource') === 'items';
	} catch {
		return false;
	}
}

function readRow(item: InputItem): Row {
	const invitation = readFields({ ...invitationFields, anonymous }, item);
	return { ...invitation, item, invitee: inviteeOfRow(item.json) };
}

function jobFor(rows: readonly Row[], first: Row): Job {
	return {
		items: rows.map(({ item }) => item.index),
		sending: sendingOptions('write', first.item),
		run: async (service) => {
			const invitees = rows.map(({ invitee }) => invitee);
			return await perform([planInvites(first, invitees)], service);
		},
	};
}

/**
 * One request for all rows with the same team, role and `anonymous` flag. Rows that aren't valid are
 * refused one by one; run.ts decides whether the others continue.
 */
function planRows(items: readonly InputItem[]): Plan {
	const groups = new Map<string, { rows: Row[]; itemOf: Map<string, number> }>();
	const refusals: Array<{ item: number; error: unknown }> = [];
	for (const item of items) {
		try {
			const row = readRow(item);
			const name = JSON.stringify([row.teamId, row.role, row.anonymous === true]);
			const group = groups.get(name) ?? { rows: [], itemOf: new Map<string, number>() };
			const address = row.invitee.email.toLowerCase();
			const before = group.itemOf.get(address);
			if (before !== undefined) {
				throw new Refusal(`Column email repeats the address of item ${before}`, {
					field: 'email',
					hint: 'Remove one of the two rows. Nothing was sent.',
				});
			}
			group.itemOf.set(address, item.index);
			group.rows.push(row);
			groups.set(name, group);
		} catch (error) {
			refusals.push({ item: item.index, error });
		}
	}
	const jobs = [...groups.values()].flatMap(({ rows }) => {
		const [first] = rows;
		if (first === undefined) return [];
		try {
			const { inviteesPerRequest = 0 } = readOptions(options, first.item);
			return inBatches(rows, inviteesPerRequest).map((batch) => jobFor(batch, batch[0] ?? first));
		} catch (error) {
			for (const { item } of rows) refusals.push({ item: item.index, error });
			return [];
		}
	});
	return { jobs, refusals };
}

/** docs/api.md, Endpoint 5. */
export const createInvites = defineOperation({
	resource: 'invite',
	operation: 'create',
	name: 'Create',
	action: 'Create invites',
	description: 'Invite employees or contractors to a team',
	effect: 'write',
	permission: 'invitePeople',
	fields: {
		...invitationFields,
		inviteesSource: choice(
			{ label: 'Invitees From', description: 'Where the list of people to invite comes from' },
			[
				{ name: 'Form', value: 'fields', description: 'Fill in a form for each invitee' },
				{
					name: 'Input Rows',
					value: 'items',
					description:
						'One invitee per input item. Required column: email. Optional: first_name, last_name, phone, company_name and the other prefill fields.',
				},
				{ name: 'JSON', value: 'json', description: 'A list in the format of the API' },
			],
			'fields',
		),
		invitees: shownWhen({ inviteesSource: ['fields'] }, inviteesOnForm()),
		inviteesJson: shownWhen({ inviteesSource: ['json'] }, inviteesAsJson()),
		anonymous,
	},
	options,
	writes: async (input, _service, { inviteesPerRequest = 0 }) => {
		const invitees = input.invitees ?? input.inviteesJson ?? [];
		return planBatches(
			invitees,
			inviteesPerRequest,
			(batch) => planInvites(input, batch),
			(done) =>
				`The first ${done.length} of ${invitees.length} people were invited (${nameList(done.map(({ email }) => email))}). Remove them before you run the node again, or they are invited twice. Retry On Fail continues after them.`,
		);
	},
	plan: (items, planOne) => {
		const rows = planRows(items.filter(isRow));
		const others = planEach(
			items.filter((item) => !isRow(item)),
			planOne,
		);
		return {
			jobs: [...rows.jobs, ...others.jobs],
			refusals: [...rows.refusals, ...others.refusals],
		};
	},
});
