import { z } from 'zod';

import type { invitesCreatedAnswer } from '../../api/schemas/answers';
import { inBatches, nameList } from '../batches';
import type { FailedItems, Job, OutputRecord, Plan, Unit } from '../plan';
import { checkRecord, checkWrites, sendWrites, type PlannedWrite } from '../plannedWrite';
import type { Service } from '../service';

import { lookUpPeople, type KnownPeople, type LookUp } from './existingPeople';
import type { Group, Guest } from './groups';
import { comparable } from './invitees';
import { inviteTarget, people, planInvites } from './request';

/** What became of one person, in the order of the rows. */
export const personOutcome = z.object({
	email: z.string(),
	outcome: z.enum(['invited', 'pending', 'member']),
	nanoid: z.string().nullable(),
});

type PersonOutcome = z.infer<typeof personOutcome>;

/** Reads who is known in all teams, then plans the invites for everybody else. */
export async function planNewcomers(
	groups: readonly Group[],
	open: (unit: Unit) => Promise<Service>,
): Promise<Plan> {
	const [first] = groups;
	if (first === undefined) return { jobs: [], refusals: [] };
	const items = groups.flatMap((group) => itemsOf(group));
	let lookUps: ReadonlyMap<string, LookUp>;
	try {
		const service = await open({ items, sending: first.reading });
		lookUps = await lookUpPeople(service, addressesByTeam(groups), !first.sending.checkOnly);
	} catch (error) {
		return { jobs: [], refusals: [{ items, error }] };
	}
	const jobs: Job[] = [];
	const refusals: FailedItems[] = [];
	for (const group of groups) {
		const { known, failure } = lookUps.get(group.invitation.teamId) ?? {};
		if (known === undefined) refusals.push({ items: itemsOf(group), error: failure });
		else for (const job of jobsFor(group, known)) jobs.push(job);
	}
	return { jobs, refusals };
}

/** The items of a group, or of some of its guests. */
function itemsOf(group: Group, guests: readonly Guest[] = group.guests): number[] {
	const items = guests.map(({ item }) => item);
	return group.isSheet ? items : items.slice(0, 1);
}

function addressesByTeam(groups: readonly Group[]): Map<string, string[]> {
	const byTeam = new Map<string, string[]>();
	for (const { invitation, guests } of groups) {
		const addresses = byTeam.get(invitation.teamId) ?? [];
		for (const { invitee } of guests) addresses.push(invitee.email);
		byTeam.set(invitation.teamId, addresses);
	}
	return byTeam;
}

/** What is known of a guest, or undefined if they are new. */
function knownRecord({ invitee: { email } }: Guest, known: KnownPeople): PersonOutcome | undefined {
	const person = known.get(comparable(email));
	return person && { email, ...person };
}

/** A request, and the guests that it invites. */
interface Request {
	readonly guests: readonly Guest[];
	readonly write: PlannedWrite<z.infer<typeof invitesCreatedAnswer>>;
}

function requestsFor(group: Group, known: KnownPeople): Request[] {
	const { guests: all, inviteesPerRequest, invitation } = group;
	const newcomers = all.filter((guest) => knownRecord(guest, known) === undefined);
	const done = (index: number) => newcomers.slice(0, index * inviteesPerRequest);
	return inBatches(newcomers, inviteesPerRequest).map((guests, index) => ({
		guests,
		write: {
			...planInvites(
				invitation,
				guests.map(({ invitee }) => invitee),
				index === 0 ? skipRemark(all.length - newcomers.length) : '',
			),
			doneBefore: () =>
				`The first ${done(index).length} of ${newcomers.length} new people were invited (${nameList(done(index).map(({ invitee }) => invitee.email))}). Run the node again to invite the others; it skips those who were invited.`,
		},
	}));
}

function skipRemark(count: number): string {
	if (count === 0) return '';
	return `; skips ${people(count)} who ${count === 1 ? 'is a member' : 'are members'} or already invited`;
}

function jobsFor(group: Group, known: KnownPeople): Job[] {
	const requests = requestsFor(group, known);
	if (group.sending.checkOnly) return checkJobs(group, requests);
	return group.isSheet ? sheetJobs(group, known, requests) : [listJob(group, known, requests)];
}

/** What *Check Only* puts out: the requests, or one record that says that there are none. */
function checkJobs(group: Group, requests: readonly Request[]): Job[] {
	const { guests, invitation, sending } = group;
	if (requests.length > 0) {
		return requests.map((request) => ({
			items: itemsOf(group, request.guests),
			sending,
			run: async () => await checkWrites([request.write]),
		}));
	}
	const all = guests.length === 1 ? 'this person is a member' : `all ${guests.length} are members`;
	const record = checkRecord({
		summary: `Invite nobody ${inviteTarget(invitation)}: ${all} or already invited`,
		request: null,
	});
	return [{ items: itemsOf(group), sending, run: async () => [record] }];
}

/** One job per request for the new rows, and one that puts out what is known of the others. */
function sheetJobs(group: Group, known: KnownPeople, requests: readonly Request[]): Job[] {
	const shared = { sending: group.sending, isRecordPerItem: true };
	const jobs = requests.map(
		({ guests, write }): Job => ({
			...shared,
			items: itemsOf(group, guests),
			run: async (service) => invitedRecords(guests, await write.send(service)),
		}),
	);
	const items: number[] = [];
	const records: OutputRecord[] = [];
	for (const guest of group.guests) {
		const record = knownRecord(guest, known);
		if (record === undefined) continue;
		items.push(guest.item);
		records.push(record);
	}
	if (items.length === 0) return jobs;
	return [...jobs, { ...shared, items, isReport: true, run: async () => records }];
}

/** The job for one item's list. Its records are in the order of the list. */
function listJob(group: Group, known: KnownPeople, requests: readonly Request[]): Job {
	return {
		items: itemsOf(group),
		sending: group.sending,
		run: async (service) => {
			const answers = await sendWrites(
				requests.map(({ write }) => write),
				service,
			);
			const invited = requests
				.flatMap(({ guests }, index) => invitedRecords(guests, answers[index]))
				.values();
			const recordOf = (guest: Guest) => knownRecord(guest, known) ?? invited.next().value;
			return group.guests.map(recordOf).filter((record) => record !== undefined);
		},
	};
}

/** What was done for the guests of one request. */
function invitedRecords(
	guests: readonly Guest[],
	{ nanoids }: z.infer<typeof invitesCreatedAnswer> = { nanoids: [] },
): PersonOutcome[] {
	/* The order isn't documented; it can only be theirs if there is one for each. */
	const ordered = nanoids.length === guests.length ? nanoids : [];
	return guests.map(({ invitee: { email } }, index) => ({
		email,
		outcome: 'invited',
		nanoid: ordered[index] ?? null,
	}));
}
