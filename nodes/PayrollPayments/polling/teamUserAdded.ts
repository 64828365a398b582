import { teamUsers } from '../api/pagination';
import { additions } from './additions';
import type { ChangeKind } from './changeKind';
import { observationsOf } from './records';

/** docs/api.md, Endpoint 11. Everyone comes in one response: pages could shift between requests. */
export const teamUserAdded: ChangeKind = {
	...additions,
	observe: async ({ call, settings: { entityId } }) =>
		observationsOf('a user', await teamUsers(call, { teamId: entityId }), () => ''),
};
