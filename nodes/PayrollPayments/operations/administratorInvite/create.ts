import { entityLabel } from '../../api/credentials';
import { administratorInvitesAnswer } from '../../api/schemas/answers';
import { administratorTypedData } from '../../api/schemas/records';
import { ENDPOINTS } from '../../contract/endpoints';
import { hasPrefix } from '../../contract/identifiers';
import { EMAILS_PER_REQUEST } from '../../contract/limits';
import { labelOf, type InputOf } from '../../forms/field';
import { administratorRole, emails, entityId } from '../../forms/serviceFields';
import { emailKey } from '../../contract/formats';
import { UserError } from '../../shared/errors';
import { ADMINISTRATOR_ROLES, ROLE_NAMES, roleLabel, roleSuitsEntity } from '../../contract/roles';
import { inBatches, listed, quantity } from '../../shared/lists';
import { defineWrite, eachItem } from '../../run/operation';
import { stepOf } from '../../run/write';
import type { RunContext } from '../../run/runContext';

/** The fields of *Create* and *Create and Execute*. */
export const creationFields = {
	entityId: entityId('te', 'co'),
	role: administratorRole,
	emails: emails({
		label: 'Emails',
		description: `Email addresses of the new administrators, separated by commas; more than ${EMAILS_PER_REQUEST} are split into several requests`,
	}),
};

type Creation = InputOf<typeof creationFields>;

function kindOf(entity: string): string {
	return hasPrefix(entity, 'te') ? 'team' : 'company';
}

/** @throws {UserError} if the role doesn't suit the entity */
export function checkCreation({ entityId: entity, role }: Creation): void {
	if (roleSuitsEntity(role, entity)) return;
	const kind = kindOf(entity);
	const suited = ADMINISTRATOR_ROLES.filter((each) => roleSuitsEntity(each, entity));
	throw new UserError(
		`The role ${roleLabel(role)} is for ${kind === 'team' ? 'companies' : 'teams'}, and ${labelOf(creationFields.entityId)} is a ${kind}`,
		{
			hint: `Under Role, select one of these: ${suited.map((each) => ROLE_NAMES[each]).join(', ')}.`,
		},
	);
}

/** Who is invited to what, as the key that a run may have only once, and the name for errors. */
export function invitedBy({ entityId: entity, role, emails: addresses }: Creation) {
	return addresses.map(
		(each) =>
			[
				`${entity} ${role} ${emailKey(each)}`,
				`${labelOf(creationFields.emails)}: ${each}`,
			] as const,
	);
}

/** The invites, as many in a request as the service takes (docs/api.md, Endpoint 6). */
export function creationsOf(
	run: RunContext,
	numbers: readonly number[],
	{ entityId: entity, role, emails: all }: Creation,
	isOncePerExecution = false,
) {
	const label = entityLabel(entity, run.credentials.entities);
	return inBatches(all, EMAILS_PER_REQUEST).map((addresses) => {
		const people = quantity(addresses.length, 'person', 'people');
		/** "Invite 2 people (…) to team te-… as Team: Viewer" */
		const summary = `Invite ${people} (${listed(addresses, EMAILS_PER_REQUEST)}) to ${kindOf(entity)} ${label} as ${ROLE_NAMES[role]}`;
		const creation = run.write(numbers, {
			entityId: entity,
			...ENDPOINTS.createAdministratorInvites,
			isUnrepeatable: true,
			isOncePerExecution,
			summary: `${summary}; Execute then sets the role`,
			body: { emails: addresses, role, nanoid: entity },
			answer: administratorInvitesAnswer,
		});
		return { addresses, summary, creation };
	});
}

const ROLE_NOT_SET =
	'Their role isn’t set: run Execute with the invites and typed_data of each entry of completed.';

/** docs/api.md, Endpoint 6. */
export const createAdministratorInvites = defineWrite({
	resource: 'administratorInvite',
	operation: 'create',
	name: 'Create',
	action: 'Create administrator invites',
	description:
		'Invite administrators and get typed data for Execute; it exists only in this output',
	permission: 'manageAdministrators',
	fields: creationFields,
	output: administratorInvitesAnswer.extend({ typed_data: administratorTypedData }),
	options: {},
	checkForm: checkCreation,
	check: eachItem(
		async ({ numbers, input }, run) =>
			creationsOf(run, numbers, input).map(({ addresses, creation }) =>
				stepOf(creation, addresses, ROLE_NOT_SET),
			),
		invitedBy,
	),
});
