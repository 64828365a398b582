import type { z } from 'zod';

import { entityLabel } from '../../api/credentials';
import { invitesCreatedAnswer } from '../../api/schemas/answers';
import { ENDPOINTS } from '../../contract/endpoints';
import { emailKey } from '../../contract/formats';
import { ROLE_NAMES, type InviteRole } from '../../contract/roles';
import { inBatches, listed, quantity } from '../../shared/lists';
import type { Row } from '../../run/rows';
import { stepOf, takeInOrder, type ShownWrite } from '../../run/write';
import type { RunContext } from '../../run/runContext';

import type { KnownPeople, PersonOutcome } from './existingPeople';
import type { Invitee } from './invitees';

/** A person to invite, and the index of the item that names them. */
interface Guest {
	readonly item: number;
	readonly invitee: Invitee;
}

/** Guests who share an invitation: the rows of a sheet with the same settings, or one item's list. */
export interface Group {
	readonly teamId: string;
	readonly role: InviteRole;
	readonly anonymous: boolean;
	/** Whether to leave out people who are in the team or have a pending invite. */
	readonly skipsExisting: boolean;
	/** Whether every guest has an item to themselves. */
	readonly isSheet: boolean;
	readonly guests: Guest[];
	readonly inviteesPerRequest: number;
}

export function numbersOf(guests: readonly Guest[]): number[] {
	return [...new Set(guests.map(({ item }) => item))];
}

/** One row per request for the rows of a sheet, one in all for a list. */
export function rowsFor(group: Group, known: KnownPeople, run: RunContext): Row[] {
	const { guests, isSheet, skipsExisting } = group;
	const { checkOnly } = run.settings;
	/* The guests who are members or already invited, with what the output says of them. */
	const before = new Map<Guest, PersonOutcome>();
	for (const guest of guests) {
		const { email } = guest.invitee;
		const person = known.get(emailKey(email));
		if (person !== undefined) before.set(guest, { ...person, email });
	}
	const newcomers = guests.filter((guest) => !before.has(guest));
	const requests = requestsFor(group, newcomers, run);
	const recordsOf = (some: readonly Guest[], invited?: ReadonlyMap<Guest, PersonOutcome>) =>
		some.flatMap((guest) => invited?.get(guest) ?? before.get(guest) ?? []);
	const rowFor = (some: readonly Guest[], own: typeof requests): Row => ({
		numbers: numbersOf(some),
		writes: own.map(({ write }) => write),
		state: {
			is: 'ready',
			act: async (perform) => {
				const steps = own.map(({ step }) => step);
				const answers = await takeInOrder(steps, perform);
				if (!skipsExisting) return answers;
				const invited = answers.flatMap((answer, index) =>
					outcomesOf(own[index]?.guests ?? [], answer),
				);
				return recordsOf(some, new Map(invited));
			},
		},
	});
	const knownRow = (some: readonly Guest[], writes: Row['writes'] = []): Row => ({
		numbers: numbersOf(some),
		writes,
		state: { is: 'done', when: 'earlierRun', records: recordsOf(some) },
	});
	if (requests.length === 0) return [knownRow(guests, checkOnly ? [nobody(group, run)] : [])];
	if (!isSheet) return [rowFor(guests, requests)];
	const rows = requests.map((request) => rowFor(request.guests, [request]));
	return before.size === 0 || checkOnly ? rows : [...rows, knownRow([...before.keys()])];
}

/** What a check shows where everyone is a member or already invited. */
function nobody(group: Group, run: RunContext): ShownWrite {
	const { length } = group.guests;
	const all = length === 1 ? 'this person is a member' : `all ${length} are members`;
	const summary = `Invite nobody ${targetOf(group, run)}: ${all} or already invited`;
	return { summary, request: null, signs: null };
}

/** The requests (docs/api.md, Endpoint 5) that invite everyone of a group who is new. */
function requestsFor(group: Group, newcomers: readonly Guest[], run: RunContext) {
	const { teamId, role, anonymous, inviteesPerRequest } = group;
	const skipped = group.guests.length - newcomers.length;
	const who = quantity(skipped, 'person who is a member', 'people who are members');
	return inBatches(newcomers, inviteesPerRequest).map((guests, index) => {
		const remark = index > 0 || skipped === 0 ? '' : `; skips ${who} or already invited`;
		const count = quantity(guests.length, 'person', 'people');
		const people = guests.map(({ invitee }) => invitee.email);
		const write = run.write(numbersOf(guests), {
			entityId: teamId,
			...ENDPOINTS.createInvites,
			isUnrepeatable: true,
			summary: `Invite ${count} (${listed(people)}) ${targetOf(group, run)}${remark}`,
			body: {
				nanoid: teamId,
				invites: guests.map(({ invitee }) => ({ ...invitee })),
				role,
				...(anonymous ? { anonymous } : {}),
			},
			answer: invitesCreatedAnswer,
		});
		return { guests, write, step: stepOf(write, people) };
	});
}

/** What became of the guests of one request, given its answer. */
function outcomesOf(
	guests: readonly Guest[],
	{ nanoids }: z.infer<typeof invitesCreatedAnswer>,
): Array<readonly [Guest, PersonOutcome]> {
	const outcome = new Set(nanoids).size < guests.length ? 'unknown' : 'invited';
	/* The order isn't documented; it can only be theirs if there is one for each. */
	const ordered = outcome === 'invited' && nanoids.length === guests.length ? nanoids : [];
	return guests.map((guest, index) => {
		const { email } = guest.invitee;
		return [guest, { email, outcome, nanoid: ordered[index] ?? null }];
	});
}

/** "to team te-… as Contractor". */
function targetOf({ teamId, role, anonymous }: Group, { credentials }: RunContext): string {
	const team = entityLabel(teamId, credentials.entities);
	return `to team ${team} as ${ROLE_NAMES[role]}${anonymous ? ', anonymously' : ''}`;
}
