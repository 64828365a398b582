import { invitesCreatedAnswer } from '../../api/schemas/answers';
import type { InviteRole } from '../../shared/roles';
import { callOnce, type Service } from '../service';

import type { Invitee } from './invitees';

/** What all invitees of a request share. */
export interface Invitation {
	readonly teamId: string;
	readonly role: InviteRole;
	readonly anonymous?: boolean;
}

/** Sends one request, which invites all its invitees or none (docs/api.md, Endpoint 5). */
export async function invite(
	service: Service,
	invitation: Invitation,
	invitees: readonly Invitee[],
) {
	const body = {
		nanoid: invitation.teamId,
		invites: invitees,
		role: invitation.role,
		...(invitation.anonymous === true ? { anonymous: true } : {}),
	};
	return await callOnce(service, {
		method: 'POST',
		path: '/v2/invites',
		identity: body,
		isRepeatable: false,
		body: async () => body,
		answer: invitesCreatedAnswer,
	});
}
