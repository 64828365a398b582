import { forEachBatch, inBatches, nameList } from '../batches';
import type { FailedItems, Job, OutputRecord, Plan, Unit } from '../plan';
import type { Service } from '../service';

import { lookUpPeople, type KnownPeople, type LookUp } from './existingPeople';
import type { Group, Guest } from './groups';
import { comparable } from './invitees';
import { invite } from './request';

/** Reads who is known in all teams, then plans the invites for everybody else. */
export async function planNewcomers(
	groups: readonly Group[],
	open: (unit: Unit) => Promise<Service>,
): Promise<Plan> {
	const [first] = groups;
	if (first === undefined) return { jobs: [], refusals: [] };
	const items = groups.flatMap(itemsOf);
	let lookUps: ReadonlyMap<string, LookUp>;
	try {
		const service = await open({ items, sending: first.reading });
		lookUps = await lookUpPeople(service, addressesByTeam(groups));
	} catch (error) {
		return { jobs: [], refusals: [{ items, error }] };
	}
	const jobs: Job[] = [];
	const refusals: FailedItems[] = [];
	for (const group of groups) {
		const { known = new Map(), failure } = lookUps.get(group.invitation.teamId) ?? {};
		if (failure !== undefined) refusals.push({ items: itemsOf(group), error: failure });
		else jobs.push(...(group.isSheet ? sheetJobs(group, known) : [listJob(group, known)]));
	}
	return { jobs, refusals };
}

function itemsOf({ guests, isSheet }: Group): number[] {
	const items = guests.map(({ item }) => item);
	return isSheet ? items : items.slice(0, 1);
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
function knownRecord({ invitee: { email } }: Guest, known: KnownPeople): OutputRecord | undefined {
	const person = known.get(comparable(email));
	return person && { email, ...person };
}

/** Invites guests with one request, and says of each what was done. */
async function inviteGuests(
	service: Service,
	{ invitation }: Group,
	guests: readonly Guest[],
): Promise<OutputRecord[]> {
	const invitees = guests.map(({ invitee }) => invitee);
	const { nanoids } = await invite(service, invitation, invitees);
	/* The order isn't documented; it can only be theirs if there is one for each. */
	const ordered = nanoids.length === guests.length ? nanoids : [];
	return invitees.map(({ email }, index) => ({
		email,
		outcome: 'invited',
		nanoid: ordered[index] ?? null,
	}));
}

/** One job per request for the new rows, and one that puts out what is known of the others. */
function sheetJobs(group: Group, known: KnownPeople): Job[] {
	const { guests, inviteesPerRequest, sending } = group;
	const newcomers: Guest[] = [];
	const report = { items: new Array<number>(), records: new Array<OutputRecord>() };
	for (const guest of guests) {
		const record = knownRecord(guest, known);
		if (record === undefined) {
			newcomers.push(guest);
		} else {
			report.items.push(guest.item);
			report.records.push(record);
		}
	}
	const jobs = inBatches(newcomers, inviteesPerRequest).map(
		(batch): Job => ({
			items: batch.map(({ item }) => item),
			sending,
			isRecordPerItem: true,
			run: async (service) => await inviteGuests(service, group, batch),
		}),
	);
	if (report.items.length === 0) return jobs;
	const { items, records } = report;
	return [
		...jobs,
		{ items, sending, isRecordPerItem: true, isReport: true, run: async () => records },
	];
}

/** The job for one item's list. Its records are in the order of the list. */
function listJob(group: Group, known: KnownPeople): Job {
	const { guests, inviteesPerRequest, sending } = group;
	const newcomers = guests.filter((guest) => knownRecord(guest, known) === undefined);
	return {
		items: itemsOf(group),
		sending,
		run: async (service) => {
			const batches = await forEachBatch(
				newcomers,
				inviteesPerRequest,
				async (batch) => await inviteGuests(service, group, batch),
				(done) =>
					`The first ${done.length} of ${newcomers.length} new people were invited (${nameList(done.map(({ invitee }) => invitee.email))}). Run the node again to invite the others; it skips those who were invited.`,
			);
			const invited = batches.flat().values();
			const recordOf = (guest: Guest) => knownRecord(guest, known) ?? invited.next().value;
			return guests.map(recordOf).filter((record) => record !== undefined);
		},
	};
}
