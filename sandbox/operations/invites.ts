import type { Account } from '../accounts';
import { ServiceFailure } from '../failure';
import { pendingInvite, type Organisation, type Workspace } from '../organisation';
import { existing, requireRole } from '../roles';
import type { SimulatedService } from '../simulatedService';
import { defineOperation } from './operation';

interface ListRequest {
	readonly query: { readonly nanoid: string };
}

/** Endpoint 4: pending invites; team_admin for a team, org_admin for a company. */
export const listInvites = defineOperation<ListRequest>(
	'listInvites',
	({ query: { nanoid } }, { service, caller }) => {
		const wanted = nanoid.startsWith('co-') ? 'org_admin' : 'team_admin';
		const { invites } = workspaceFor(service, nanoid, caller, [wanted]);
		const { recordFields } = service.settings;
		if (recordFields === 'full') return invites;
		const absent = recordFields === 'nulls' ? null : undefined;
		return invites.map((invite) => ({ ...invite, company: absent, team: absent }));
	},
);

interface CreateRequest {
	readonly body: {
		readonly nanoid: string;
		readonly invites: ReadonlyArray<{
			readonly email: string;
			readonly prefill?: { readonly first_name: string; readonly last_name: string };
		}>;
		readonly role: string;
		readonly anonymous?: boolean;
	};
}

const MAY_INVITE = ['team_admin', 'team_invite_initiator', 'org_admin', 'org_hr_admin'];

/** Endpoint 5: invites for employees and contractors. */
export const createInvites = defineOperation<CreateRequest>(
	'createInvites',
	({ body: { nanoid, invites, role, anonymous } }, { service, caller }) => {
		const { organisation } = service;
		const team = workspaceFor(service, nanoid, caller, MAY_INVITE);
		const nanoids = invites.map(({ email, prefill }) => {
			const name = prefill ? `${prefill.first_name} ${prefill.last_name}`.trim() : '';
			return addPendingInvite(organisation, team, { email, name, role, caller });
		});
		if (anonymous) for (const each of nanoids) organisation.anonymousInvites.add(each);
		return { nanoids };
	},
);

/** A company or team on which the caller has a role; throws ServiceFailure 404 or 403. */
export function workspaceFor(
	{ organisation, settings }: SimulatedService,
	nanoid: string,
	caller: Account | undefined,
	wanted: readonly string[],
): Workspace {
	return existing(
		organisation.workspace(nanoid),
		new ServiceFailure(404, `${nanoid} does not exist`, 'ENTITY_NOT_FOUND'),
		() => requireRole(caller, nanoid, wanted, organisation),
		settings,
	);
}

/** Adds a pending invite and returns its identifier. Without a name, uses the email's local part. */
export function addPendingInvite(
	organisation: Organisation,
	workspace: Workspace,
	{ email, name, role, caller }: { email: string; name: string; role: string; caller?: Account },
): string {
	const nanoid = organisation.randomness.identifier('in');
	const invite = { nanoid, role, invitee_name: name || (email.split('@')[0] ?? email), email };
	workspace.invites.push(pendingInvite(invite, caller, workspace, organisation.company));
	return nanoid;
}
