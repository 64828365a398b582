import { createHash } from 'node:crypto';

import { pendingInvites, teamUsers } from '../api/pagination';
import type { Change, ChangeKind, Source } from './changeKind';
import { observationsOf } from './records';

/** Characters of a fingerprint: 96 bits. */
const FINGERPRINT_LENGTH = 16;

/** An email address as it is remembered: comparable, but not readable. Empty if there is none. */
function fingerprintIn(entityId: string): (record: { readonly email?: unknown }) => string {
	return ({ email }) =>
		typeof email === 'string' && email !== ''
			? createHash('sha256')
					.update(JSON.stringify([entityId, email.trim().toLowerCase()]))
					.digest('base64url')
					.slice(0, FINGERPRINT_LENGTH)
			: '';
}

/** The fingerprints of the team's users. A company's invites don't say which team they are for. */
async function members({ call, settings: { entityId } }: Source): Promise<ReadonlySet<string>> {
	if (!entityId.startsWith('te-')) return new Set();
	const users = await teamUsers(call, { teamId: entityId });
	return new Set(users.map(fingerprintIn(entityId)).filter((fingerprint) => fingerprint !== ''));
}

export const inviteEnded: ChangeKind = {
	observe: async ({ call, settings: { entityId } }) =>
		observationsOf('an invite', await pendingInvites(call, entityId), fingerprintIn(entityId)),
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
