import { additions } from './additions';
import type { ChangeKind } from './changeKind';
import { pendingInvites } from './pendingInvites';
import { observationsOf } from './records';

export const inviteAdded: ChangeKind = {
	...additions,
	observe: async (source) => observationsOf('an invite', await pendingInvites(source), () => ''),
};
