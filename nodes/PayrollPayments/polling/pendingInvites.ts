import { inviteListAnswer } from '../api/schemas/answers';
import type { OutputRecord, Source } from './changeKind';

/** docs/api.md, Endpoint 4. */
export async function pendingInvites({
	call,
	settings: { entityId: nanoid },
}: Source): Promise<readonly OutputRecord[]> {
	return await call({
		method: 'GET',
		path: '/v2/invites',
		query: { nanoid },
		answer: inviteListAnswer,
		roleNeeded: nanoid.startsWith('te-') ? 'team_admin' : 'org_admin',
	});
}
