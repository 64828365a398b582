import { pendingInvites } from '../api/pagination';
import { additions } from './additions';
import type { ChangeKind } from './changeKind';
import { observationsOf } from './records';

export const inviteAdded: ChangeKind = {
	...additions,
	observe: async ({ call, settings: { entityId } }) =>
		observationsOf('an invite', await pendingInvites(call, entityId), () => ''),
};
