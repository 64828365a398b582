import { createHash } from 'node:crypto';

import { pendingInvites, teamUsers } from '../api/pagination';
import { readFields, type ParameterSource } from '../forms/field';
import { entityId } from '../forms/serviceFields';
import {
	additions,
	described,
	observationsOf,
	type Change,
	type ChangeKind,
	type Source,
} from './snapshots';

const fields = { entityId: described(entityId('te', 'co'), 'Whose pending invites to watch') };

const readWatch = (source: ParameterSource) => readFields(fields, source);

export const inviteAdded: ChangeKind = {
	...additions,
	name: 'Invite Added',
	description: 'A team or company has a new pending invite',
	fields,
	readWatch,
	observe: async ({ call, watch }) =>
		observationsOf('an invite', await pendingInvites(call, watch.entityId), () => ''),
};

/** Characters of a fingerprint: 96 bits. */
const FINGERPRINT_LENGTH = 16;

/** An email address as it is remembered: emailKey, but not readable. Empty if there is none. */
function fingerprintIn(entity: string): (record: { readonly email?: unknown }) => string {
	return ({ email }) =>
		typeof email === 'string' && email !== ''
			? createHash('sha256')
					.update(JSON.stringify([entity, email.trim().toLowerCase()]))
					.digest('base64url')
					.slice(0, FINGERPRINT_LENGTH)
			: '';
}

/** The fingerprints of the team's users. A company's invites don't say which team they are for. */
async function members({ call, watch }: Source): Promise<ReadonlySet<string>> {
	if (!watch.entityId.startsWith('te-')) return new Set();
	const users = await teamUsers(call, { teamId: watch.entityId });
	const fingerprints = users.map(fingerprintIn(watch.entityId));
	return new Set(fingerprints.filter((fingerprint) => fingerprint !== ''));
}

export const inviteEnded: ChangeKind = {
	name: 'Invite Ended',
	description: 'An invite is no longer pending: it was accepted, rejected or withdrawn, or expired',
	fields,
	notice:
		'For an invite to a team, <b>outcome</b> is <b>member</b> if the team now lists the invite’s email address, and <b>gone</b> if not. For an invite to a company it’s always <b>gone</b>.',
	readWatch,
	observe: async ({ call, watch: { entityId: id } }) =>
		observationsOf('an invite', await pendingInvites(call, id), fingerprintIn(id)),
	compare: (before, now) => {
		const changes: Change[] = [];
		before.forEach(({ compared }, id) => {
			if (!now.has(id)) changes.push({ id, before: compared, now: undefined });
		});
		return { changes, remembered: now };
	},
	describe: async (changes, source) => {
		const joined = await members(source);
		return changes.map(({ id, before = '' }) => ({
			nanoid: id,
			outcome: joined.has(before) ? 'member' : 'gone',
		}));
	},
};
