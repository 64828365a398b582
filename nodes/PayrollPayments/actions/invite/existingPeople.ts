import { createHash } from 'node:crypto';

import { z } from 'zod';

import type { SendCall } from '../../api/client';
import { EMAILS_PER_REQUEST, pendingInvites, teamUsers } from '../../api/pagination';
import { Refusal, wrapError } from '../../shared/errors';
import { inBatches } from '../batches';
import { runBounded } from '../concurrency';
import { call, type Service } from '../service';

import { comparable } from './invitees';

/** Someone who is in the team or has a pending invite to it, as the service lists them. */
export interface KnownPerson {
	readonly outcome: 'member' | 'pending';
	readonly nanoid: string | null;
}

/** The people of one team who are known, by {@link comparable} address. */
export type KnownPeople = ReadonlyMap<string, KnownPerson>;

/** Who of a team is known; incomplete if reading it failed. */
export interface LookUp {
	readonly known: KnownPeople;
	readonly failure?: Refusal;
}

const remembered = z.map(
	z.string(),
	z.object({ outcome: z.enum(['member', 'pending']), nanoid: z.string().nullable() }),
);

/** What a record of an invite or a user says about a person. Others have no usable address. */
const listed = z.object({ email: z.string(), nanoid: z.string().nullable().catch(null) });

/** What was found out about one team so far. */
interface Search extends LookUp {
	readonly known: Map<string, KnownPerson>;
	failure?: Refusal;
}

/**
 * Which of the addresses each team lists as members or in pending invites (docs/api.md, Endpoints 4
 * and 11). In one execution a team is read once: *Retry On Fail* then plans the same requests, so
 * that those that were sent are answered from memory.
 * @param addressesOf the addresses to look up, by team
 * @returns by team, who is known or why the team couldn't be read
 */
export async function lookUpPeople(
	service: Service,
	addressesOf: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, LookUp>> {
	const outcomes = service.outcomes();
	const found = new Map<string, LookUp>();
	const reads: Array<() => Promise<void>> = [];
	for (const [teamId, addresses] of addressesOf) {
		const earlier = outcomes.get(keyOf(teamId, addresses));
		if (earlier !== undefined && 'answer' in earlier) {
			found.set(teamId, { known: remembered.parse(earlier.answer) });
		} else {
			const search: Search = { known: new Map() };
			found.set(teamId, search);
			for (const read of readsOf(service, teamId, addresses, search)) reads.push(read);
		}
	}
	await runBounded(reads, service.sending.concurrency);
	for (const [teamId, addresses] of addressesOf) {
		const search = found.get(teamId);
		if (search?.failure === undefined) {
			outcomes.set(keyOf(teamId, addresses), { answer: search?.known });
		}
	}
	return found;
}

function keyOf(teamId: string, addresses: readonly string[]): string {
	return createHash('sha256')
		.update(JSON.stringify(['existingPeople', teamId, addresses]))
		.digest('hex');
}

/** The reads for one team, none of which rejects. After one fails, the others do nothing. */
function readsOf(
	service: Service,
	teamId: string,
	addresses: readonly string[],
	search: Search,
): Array<() => Promise<void>> {
	const wanted = new Set(addresses.map(comparable));
	const note = (records: readonly unknown[], outcome: KnownPerson['outcome']) => {
		for (const record of records) {
			const person = listed.safeParse(record).data;
			const address = comparable(person?.email ?? '');
			/* A member may have an invite to another role; being in the team is what counts. */
			if (person === undefined || !wanted.has(address)) continue;
			if (search.known.get(address)?.outcome === 'member') continue;
			search.known.set(address, { outcome, nanoid: person.nanoid });
		}
	};
	const step = (what: string, read: () => Promise<void>) => async () => {
		if (search.failure !== undefined) return;
		await read().catch((error: unknown) => {
			search.failure = unreadable(what, teamId, error);
		});
	};
	const callService: SendCall = async (request) => await call(service, request);
	return [
		step('pending invites', async () => note(await pendingInvites(callService, teamId), 'pending')),
		...inBatches(addresses.flatMap(spellings), EMAILS_PER_REQUEST).map((emails) =>
			step('users', async () => note(await teamUsers(callService, { teamId, emails }), 'member')),
		),
	];
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
