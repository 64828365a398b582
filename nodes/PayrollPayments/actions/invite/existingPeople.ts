import { createHash } from 'node:crypto';

import { z } from 'zod';

import type { SendRead } from '../../api/client';
import { EMAILS_PER_REQUEST, pendingInvites, teamUsers } from '../../api/pagination';
import { Refusal, wrapError } from '../../shared/errors';
import { inBatches } from '../batches';
import { runBounded } from '../concurrency';
import { call, type Service } from '../service';

import { comparable } from './invitees';

/** Someone who is in the team or has a pending invite to it, as the service lists them. */
interface KnownPerson {
	readonly outcome: 'member' | 'pending';
	readonly nanoid: string | null;
}

/** The people of one team who are known, by {@link comparable} address. */
export type KnownPeople = ReadonlyMap<string, KnownPerson>;

/** Who of a team is known, or why it couldn't be read. */
export type LookUp =
	| { readonly known: KnownPeople; readonly failure?: undefined }
	| { readonly known?: undefined; readonly failure: Refusal };

const remembered = z.map(
	z.string(),
	z.object({ outcome: z.enum(['member', 'pending']), nanoid: z.string().nullable() }),
);

/** Text; null if there is none, also where the service lists an empty one. */
const filled = z.string().trim().min(1).nullable().catch(null);

/** What the record of an invite or a user says about a person. */
const listed = z.object({ email: filled, nanoid: filled });

/** What was found out about one team so far. */
interface Search {
	readonly known: Map<string, KnownPerson>;
	failure?: Refusal;
}

/**
 * Which of the addresses each team lists as members or in pending invites (docs/api.md, Endpoints 4
 * and 11). In one execution a team is read once: *Retry On Fail* then plans the same requests, so
 * that those that were sent are answered from memory.
 * @param addressesOf the addresses to look up, by team
 * @param remembers whether to keep what was read for this execution
 */
export async function lookUpPeople(
	service: Service,
	addressesOf: ReadonlyMap<string, readonly string[]>,
	remembers: boolean,
): Promise<ReadonlyMap<string, LookUp>> {
	const outcomes = service.outcomes();
	const found = new Map<string, LookUp>();
	const searches = new Map<string, Search>();
	const inviteReads: Read[] = [];
	const userReads: Read[] = [];
	for (const [teamId, addresses] of addressesOf) {
		const earlier = outcomes.get(keyOf(teamId, addresses));
		if (earlier !== undefined && 'answer' in earlier) {
			found.set(teamId, { known: remembered.parse(earlier.answer) });
			continue;
		}
		const search: Search = { known: new Map() };
		searches.set(teamId, search);
		const { invites, users } = readsOf(service, teamId, addresses, search);
		inviteReads.push(invites);
		for (const read of users) userReads.push(read);
	}
	/* One after the other, since whoever accepts an invite in between is then still seen as pending. */
	await runBounded(inviteReads, service.sending.concurrency);
	await runBounded(userReads, service.sending.concurrency);
	for (const [teamId, { known, failure }] of searches) {
		found.set(teamId, failure === undefined ? { known } : { failure });
		const addresses = addressesOf.get(teamId);
		if (failure === undefined && addresses !== undefined && remembers) {
			outcomes.set(keyOf(teamId, addresses), { answer: known });
		}
	}
	return found;
}

function keyOf(teamId: string, addresses: readonly string[]): string {
	return createHash('sha256')
		.update(JSON.stringify(['existingPeople', teamId, addresses]))
		.digest('hex');
}

type Read = () => Promise<void>;

/** The reads for one team, none of which rejects. After one fails, the others do nothing. */
function readsOf(
	service: Service,
	teamId: string,
	addresses: readonly string[],
	search: Search,
): { readonly invites: Read; readonly users: readonly Read[] } {
	const wanted = new Set(addresses.map(comparable));
	const note = (outcome: KnownPerson['outcome'], email: string, nanoid: string | null) => {
		const address = comparable(email);
		/* A member may have an invite to another role as well; being in the team is what counts. */
		if (!wanted.has(address) || search.known.get(address)?.outcome === 'member') return;
		search.known.set(address, { outcome, nanoid });
	};
	const step = (what: string, read: Read) => async () => {
		if (search.failure !== undefined) return;
		await read().catch((error: unknown) => {
			search.failure = unreadable(what, teamId, error);
		});
	};
	const sendRead: SendRead = async (request) => await call(service, request);
	return {
		invites: step('pending invites', async () => {
			for (const invite of await pendingInvites(sendRead, teamId)) {
				const { email, nanoid } = listed.parse(invite);
				if (email !== null) note('pending', email, nanoid);
			}
		}),
		users: inBatches(addresses.flatMap(spellings), EMAILS_PER_REQUEST).map((emails) =>
			step('users', async () => {
				for (const user of await teamUsers(sendRead, { teamId, emails })) {
					const { email, nanoid } = listed.parse(user);
					if (email === null) throw unnamedUser(nanoid);
					note('member', email, nanoid);
				}
			}),
		),
	};
}

/** Whoever the service found by email can't be told from the others who were asked for. */
function unnamedUser(nanoid: string | null): Refusal {
	return new Refusal(`The service lists user ${nanoid ?? 'without ID'} without an email`, {
		hint: 'To skip existing people, the node needs the email of each. Report this to the service.',
	});
}

/** The service doesn't document whether its filter heeds case: the address as written, and in lower case. */
function spellings(address: string): string[] {
	return [...new Set([address, comparable(address)])];
}

function unreadable(what: string, teamId: string, error: unknown): Refusal {
	const reason = error instanceof Error ? error.message : 'unknown error';
	const hint = error instanceof Refusal ? error.hint : undefined;
	return wrapError(
		error,
		`Nobody was invited to ${teamId}, because its ${what} couldn't be read to skip existing people. ${reason}`,
		{ hint },
	);
}
