import type { z } from 'zod';

import { invitesCreatedAnswer } from '../../api/schemas/answers';
import { ROLE_NAMES, type InviteRole } from '../../shared/roles';
import { nameList } from '../batches';
import { planCall, type PlannedWrite } from '../plannedWrite';

import type { Invitee } from './invitees';

/** What all invitees of a request share. */
export interface Invitation {
	readonly teamId: string;
	readonly role: InviteRole;
	readonly anonymous?: boolean;
}

/** "1 person" or "38 people". */
export function people(count: number): string {
	return count === 1 ? '1 person' : `${count} people`;
}

/** "to team te-… as Contractor". */
export function inviteTarget({ teamId, role, anonymous }: Invitation): string {
	return `to team ${teamId} as ${ROLE_NAMES[role]}${anonymous === true ? ', anonymously' : ''}`;
}

/**
 * Plans one request, which invites all its invitees or none (docs/api.md, Endpoint 5).
 * @param remark what the summary says after it
 */
export function planInvites(
	invitation: Invitation,
	invitees: readonly Invitee[],
	remark = '',
): PlannedWrite<z.infer<typeof invitesCreatedAnswer>> {
	const { teamId, role, anonymous } = invitation;
	const body = {
		nanoid: teamId,
		invites: invitees.map((invitee) => ({ ...invitee })),
		role,
		...(anonymous === true ? { anonymous: true } : {}),
	};
	const names = nameList(invitees.map(({ email }) => email));
	return planCall({
		method: 'POST',
		path: '/v2/invites',
		once: { identity: body, isRepeatable: false },
		prepare: async () => ({
			summary: `Invite ${people(invitees.length)} (${names}) ${inviteTarget(invitation)}${remark}`,
			body,
		}),
		answer: invitesCreatedAnswer,
	});
}
