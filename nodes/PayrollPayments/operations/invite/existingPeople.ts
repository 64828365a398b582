import { z } from 'zod';

import { entityLabel } from '../../api/credentials';
import { pendingInvites, teamUsers } from '../../api/pagination';
import { emailKey, isEmail } from '../../contract/formats';
import { messageOf, UserError, wrapError } from '../../shared/errors';
import type { JsonObject, JsonValue } from '../../shared/json';
import { asWord } from '../../shared/redaction';
import type { RunContext } from '../../run/runContext';

export const personOutcome = z.object({
	email: z.string(),
	outcome: z.enum(['invited', 'pending', 'member', 'unknown']),
	nanoid: z.string().nullable(),
});

export type PersonOutcome = z.infer<typeof personOutcome>;
/** Who is in a team or has a pending invite to it, as the service lists them, by {@link emailKey}. */
export type KnownPeople = ReadonlyMap<string, PersonOutcome>;

/** Text; null if there is none, also where the service lists an empty one. */
function filled(value: JsonValue | undefined): string | null {
	return (typeof value === 'string' && value.trim()) || null;
}

/**
 * Which of the addresses the team lists as members or in pending invites (docs/api.md, Endpoints 4
 * and 11). *Retry On Fail* is answered from memory: it then plans the same requests, so that those
 * that were sent aren't sent again.
 * @throws {UserError} if one of the lists can't be read whole
 */
export async function lookUpPeople(
	run: RunContext,
	teamId: string,
	addresses: readonly string[],
): Promise<KnownPeople> {
	const read = async () => await readKnown(run, teamId, new Set(addresses.map(emailKey)));
	const lookUp = {
		identity: ['existingPeople', teamId, addresses],
		isRead: true,
		answer: z.custom<KnownPeople>(),
	};
	const once = async () => await run.executionJournal().perform(lookUp, read);
	const { settings, mayRunAgain } = run;
	/* What is remembered stays for a day. */
	const look = settings.checkOnly === true || !mayRunAgain ? read : once;
	return await look().catch((error: unknown) => {
		const hint = error instanceof UserError && error.hint !== undefined ? `${error.hint} ` : '';
		const team = entityLabel(teamId, run.credentials.entities);
		throw wrapError(
			error,
			`Nobody was invited to ${team}, because its members and pending invites couldn’t be read. ${messageOf(error)}`,
			{
				hint: `${hint}To invite everyone without looking them up, set Existing People to Invite; people who are members or already invited may then be invited again.`,
			},
		);
	});
}

/** Names of members that are about someone else, or hold no address. */
const NOT_THE_INVITEE =
	/inviter|issuer|sender|creator|owner|admin|by(?:_?e?mail)?$|^(?:invitee_|company_|team_)?name$/i;

/** Anonymous invites may have no email address. But if none has one, and some have it under another name, nobody would be found. */
function refuseOtherName(invites: readonly JsonObject[]): void {
	if (invites.some((invite) => filled(invite.email) !== null)) return;
	const names = new Set(invites.flatMap((invite) => Object.keys(invite)));
	const other = [...names].find(
		(name) =>
			!NOT_THE_INVITEE.test(name) && invites.some((invite) => isEmail(filled(invite[name]) ?? '')),
	);
	if (other === undefined) return;
	throw new UserError(`No pending invite has an email, but some have ${asWord(other)}`, {
		hint: `If the service always uses that name for an invitee’s address, enter email = ${asWord(other)} as Field Names in the credentials.`,
	});
}

/**
 * Reads both lists whole, since the service doesn't document whether its filter by email ignores case.
 * The invites come first: someone who accepts an invite in between is then still seen as pending.
 */
async function readKnown(
	{ read }: RunContext,
	teamId: string,
	wanted: ReadonlySet<string>,
): Promise<KnownPeople> {
	const known = new Map<string, PersonOutcome>();
	const note = (person: PersonOutcome) => {
		const address = emailKey(person.email);
		if (wanted.has(address)) known.set(address, person);
	};
	const invites = await pendingInvites(read, teamId);
	refuseOtherName(invites);
	for (const invite of invites) {
		const [email, nanoid] = [filled(invite.email), filled(invite.nanoid)];
		if (email !== null) note({ email, outcome: 'pending', nanoid });
	}
	/* A member may have an invite to another role as well; being in the team is what counts. */
	for (const user of await teamUsers(read, { teamId })) {
		const [email, nanoid] = [filled(user.email), filled(user.nanoid)];
		if (email === null) {
			const who = nanoid === null ? 'a user who has neither an ID nor' : `user ${nanoid} without`;
			throw new UserError(`The service lists ${who} an email address`, {
				hint: 'Ask the service to add it. Or leave out the people who are already in the team, and set Existing People to Invite.',
			});
		}
		note({ email, outcome: 'member', nanoid });
	}
	return known;
}
