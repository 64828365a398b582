import { z } from 'zod';

import { entityLabel } from '../../api/credentials';
import { invitesCreatedAnswer } from '../../api/schemas/answers';
import { emailKey } from '../../shared/email';
import { ROLE_NAMES } from '../../shared/roles';
import { inBatches, nameList } from '../batches';
import { checkedCall, sendInOrder, type CheckedWrite } from '../checkedWrite';
import type { Job } from '../plan';
import type { RunContext } from '../runContext';

import type { KnownPeople } from './existingPeople';
import type { Group, Guest } from './groups';

/** What became of one person. */
export const personOutcome = z.object({
	email: z.string(),
	outcome: z.enum(['invited', 'pending', 'member', 'unknown']),
	nanoid: z.string().nullable(),
});

type Outcomes = ReadonlyMap<Guest, z.infer<typeof personOutcome>>;

type InvitesCreated = z.infer<typeof invitesCreatedAnswer>;

/** One request, which invites all its guests or none (docs/api.md, Endpoint 5). */
interface InviteRequest {
	readonly guests: readonly Guest[];
	readonly write: CheckedWrite<InvitesCreated>;
}

export function itemsOf(guests: readonly Guest[]): number[] {
	return [...new Set(guests.map(({ item }) => item))];
}

/** One job per request for the rows of a sheet, one in all for a list. */
export function jobsFor(group: Group, known: KnownPeople, context: RunContext): Job[] {
	const { guests, isSheet, skipsExisting } = group;
	const { isCheckOnly } = context.settings;
	const before: Outcomes = new Map(
		guests.flatMap((guest) => {
			const person = known.get(emailKey(guest.invitee.email));
			return person === undefined ? [] : [[guest, { email: guest.invitee.email, ...person }]];
		}),
	);
	const requests = requestsFor(group, before, context);
	const jobFor = (some: readonly Guest[], own: readonly InviteRequest[]): Job => ({
		items: itemsOf(some),
		writes: own.map(({ write }) => write),
		isRecordPerItem: skipsExisting && isSheet,
		isReport: own.length === 0,
		send: async () => {
			const answers = await sendInOrder(own.map(({ write }) => write));
			if (!skipsExisting) return answers;
			const invited = answers.flatMap((answer, index) => [
				...outcomesOf(own[index]?.guests ?? [], answer),
			]);
			const outcomes = new Map([...before, ...invited]);
			return some.flatMap((guest) => outcomes.get(guest) ?? []);
		},
	});
	if (isCheckOnly && requests.length === 0) {
		return [{ ...jobFor(guests, []), writes: [nobodyToInvite(group, context)] }];
	}
	if (!isSheet) return [jobFor(guests, requests)];
	const jobs = requests.map((request) => jobFor(request.guests, [request]));
	return before.size === 0 || isCheckOnly ? jobs : [...jobs, jobFor([...before.keys()], [])];
}

/** The requests that invite everyone of a group who is new. */
function requestsFor(group: Group, known: Outcomes, context: RunContext): InviteRequest[] {
	const { teamId, role, anonymous, inviteesPerRequest, skipsExisting } = group;
	const newcomers = group.guests.filter((guest) => !known.has(guest));
	const who =
		known.size === 1 ? '1 person who is a member' : `${known.size} people who are members`;
	return inBatches(newcomers, inviteesPerRequest).map((guests, index) => {
		const remark = index > 0 || known.size === 0 ? '' : `; skips ${who} or already invited`;
		const body = {
			nanoid: teamId,
			invites: guests.map(({ invitee }) => ({ ...invitee })),
			role,
			...(anonymous ? { anonymous } : {}),
		};
		const write = checkedCall(context, {
			method: 'POST',
			path: '/v2/invites',
			once: { identity: body, isRepeatable: false },
			summary: `Invite ${guests.length === 1 ? '1 person' : `${guests.length} people`} (${namesOf(guests)}) ${targetOf(group, context)}${remark}`,
			body,
			answer: invitesCreatedAnswer,
		});
		const done = newcomers.slice(0, index * inviteesPerRequest);
		const next = skipsExisting
			? 'Run the node again to invite the others; it skips those who were invited.'
			: 'Remove them before you run the node again, or they are invited twice. Retry On Fail continues after them.';
		const doneBefore = () =>
			`The first ${done.length} of ${newcomers.length} ${skipsExisting ? 'new ' : ''}people were invited (${namesOf(done)}). ${next}`;
		return { guests, write: { ...write, doneBefore } };
	});
}

/** What became of the guests of one request, given its answer. */
function outcomesOf(guests: readonly Guest[], { nanoids }: InvitesCreated): Outcomes {
	const outcome = new Set(nanoids).size < guests.length ? 'unknown' : 'invited';
	/* The order isn't documented; it can only be theirs if there is one for each. */
	const ordered = outcome === 'invited' && nanoids.length === guests.length ? nanoids : [];
	return new Map(
		guests.map((guest, index) => {
			const { email } = guest.invitee;
			return [guest, { email, outcome, nanoid: ordered[index] ?? null }];
		}),
	);
}

/** What the check of a group says in which everyone is known. */
function nobodyToInvite(group: Group, context: RunContext): CheckedWrite {
	const { length } = group.guests;
	const all = length === 1 ? 'this person is a member' : `all ${length} are members`;
	return {
		summary: `Invite nobody ${targetOf(group, context)}: ${all} or already invited`,
		request: null,
		signs: null,
		send: async () => ({}),
	};
}

function namesOf(guests: readonly Guest[]): string {
	return nameList(guests.map(({ invitee }) => invitee.email));
}

/** "to team te-… as Contractor". */
function targetOf({ teamId, role, anonymous }: Group, { credentials }: RunContext): string {
	const team = entityLabel(teamId, credentials.entities);
	return `to team ${team} as ${ROLE_NAMES[role]}${anonymous ? ', anonymously' : ''}`;
}
