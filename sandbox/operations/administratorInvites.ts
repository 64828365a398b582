import type { Account } from '../accounts';
import type { SetRolesForwardRequest } from '../administratorInvites';
import { ServiceFailure } from '../failure';
import type { Organisation } from '../organisation';
import { existing, requireRole } from '../roles';
import type { Settings } from '../settings';
import { addPendingInvite, workspaceFor } from './invites';
import { defineOperation } from './operation';

interface CreateRequest {
	readonly body: {
		readonly emails: readonly string[];
		readonly role: string;
		readonly nanoid: string;
	};
}

/** Endpoint 6: administrator invites and the typed data to sign. */
export const createAdministratorInvites = defineOperation<CreateRequest>(
	'createAdministratorInvites',
	({ body: { emails, role, nanoid } }, { service, caller }) => {
		const { organisation, settings, administratorInvites } = service;
		const workspace = workspaceFor(service, nanoid, caller, administratorsOf(nanoid, organisation));
		if (!caller) throw new ServiceFailure(401, 'A token is needed', 'TOKEN_MISSING');
		const invites = emails.map((email) =>
			addPendingInvite(organisation, workspace, { email, name: '', role, caller }),
		);
		for (const invite of invites) organisation.unexecutedInvites.add(invite);
		const typedData = administratorInvites.issue(
			{ invites, role, from: fromOf(caller, settings), to: workspace.account },
			settings,
			organisation.randomness,
		);
		return { invites, typed_data: typedData };
	},
);

interface ExecuteRequest {
	readonly body: {
		readonly invites: readonly string[];
		readonly signer: string;
		readonly typed_data: SetRolesForwardRequest;
		readonly signature: string;
	};
}

/** Endpoint 7: executes a batch of administrator invites, once. */
export const executeAdministratorInvites = defineOperation<ExecuteRequest>(
	'executeAdministratorInvites',
	({ body }, { service: { organisation, administratorInvites, settings }, caller }) => {
		if (!caller) throw new ServiceFailure(401, 'A token is needed', 'TOKEN_MISSING');
		const found = [organisation.company, ...organisation.teams].find(({ invites }) =>
			body.invites.every((id) => invites.some(({ nanoid }) => nanoid === id)),
		);
		const nanoid = found?.nanoid ?? organisation.company.nanoid;
		existing(
			found,
			new ServiceFailure(404, 'An invite does not exist', 'INVITE_NOT_FOUND'),
			() => requireRole(caller, nanoid, administratorsOf(nanoid, organisation), organisation),
			settings,
		);
		administratorInvites.execute({
			...body,
			typedData: body.typed_data,
			caller: caller.address,
			from: fromOf(caller, settings),
		});
		for (const invite of body.invites) organisation.unexecutedInvites.delete(invite);
		return { invites: body.invites, transaction: organisation.randomness.identifier('tx') };
	},
);

function fromOf(caller: Account, { typedDataFrom }: Settings): string {
	return typedDataFrom === 'platformId' ? caller.platformId : caller.address;
}

function administratorsOf(nanoid: string, organisation: Organisation): string[] {
	return nanoid === organisation.company.nanoid ? ['org_admin'] : ['team_admin', 'org_admin'];
}
