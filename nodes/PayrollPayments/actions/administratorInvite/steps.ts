import type { z } from 'zod';
import {
	ADMINISTRATOR_ROLES,
	type AdministratorRole,
	ROLE_NAMES,
	roleSuitsEntity,
} from '../../shared/roles';
import {
	administratorInvitesAnswer,
	administratorInvitesExecutedAnswer,
} from '../../api/schemas/answers';
import { UserError } from '../../shared/errors';
import { setRolesRequest, type SetRolesRequest } from '../../signing/payloads';
import { refusalOf } from '../../forms/field';
import { administratorRole, emails, entityId, TEAM_OR_COMPANY_ID } from '../../forms/serviceFields';
import { entityLabel } from '../../api/credentials';
import { nameList } from '../batches';
import { checkedCall, type CheckedWrite } from '../checkedWrite';
import type { RunContext } from '../runContext';
import type { GuardedTypedData } from '../../signing';

/** How many email addresses a request may contain (docs/api.md, Limits). */
export const EMAILS_PER_REQUEST = 100;

/** The fields of *create* and *createAndExecute*. */
export const creationFields = {
	entityId: entityId('te', 'co'),
	role: administratorRole(),
	emails: emails({
		label: 'Emails',
		description:
			'Email addresses of the new administrators, separated by commas; more than 100 are split into several requests',
	}),
};

interface Creation {
	readonly entityId: string;
	readonly role: AdministratorRole;
	readonly emails: readonly string[];
}

type CreatedInvites = z.infer<typeof administratorInvitesAnswer>;
type ExecutedInvites = z.infer<typeof administratorInvitesExecutedAnswer>;

/** Checks that the role suits the entity and that nobody is invited twice. */
export function checkCreation({ entityId: entity, role, emails: addresses }: Creation) {
	if (!roleSuitsEntity(role, entity)) {
		const suited = ADMINISTRATOR_ROLES.filter((each) => roleSuitsEntity(each, entity));
		return new UserError(
			`The role ${ROLE_NAMES[role]} (${role}) doesn't fit ${TEAM_OR_COMPANY_ID}, which is a ${entity.startsWith('te-') ? 'team' : 'company'}`,
			{
				field: 'role',
				hint: `Under Role, select one of these: ${suited.map((each) => ROLE_NAMES[each]).join(', ')}. Nothing was sent.`,
			},
		);
	}
	const seen = new Set<string>();
	const repeated = addresses.findIndex(
		(address) => seen.size === seen.add(address.toLowerCase()).size,
	);
	if (repeated === -1) return undefined;
	return new UserError(`Emails, entry ${repeated + 1} repeats an earlier entry`, {
		field: 'emails',
		hint: 'Remove one of the two. Nothing was sent.',
	});
}

/** "Invite 2 people (ana@example.com, ben@example.com) to team te-… as Team: Viewer". */
export function creationSummary(
	{ entityId: entity, role, emails: addresses }: Creation,
	{ credentials }: RunContext,
): string {
	const people = addresses.length === 1 ? '1 person' : `${addresses.length} people`;
	const kind = entity.startsWith('te-') ? 'team' : 'company';
	const label = entityLabel(entity, credentials.entities);
	return `Invite ${people} (${nameList(addresses)}) to ${kind} ${label} as ${ROLE_NAMES[role]}`;
}

/** The invites of one batch, created once per execution (docs/api.md, Endpoint 6). */
export function checkedCreation(
	context: RunContext,
	creation: Creation,
): CheckedWrite<CreatedInvites> {
	const { entityId: nanoid, role, emails: addresses } = creation;
	const body = { emails: [...addresses], role, nanoid };
	return checkedCall(context, {
		method: 'POST',
		path: '/v2/invites/manager',
		once: { identity: body, isRepeatable: false },
		summary: `${creationSummary(creation, context)}; Execute then sets the role`,
		body,
		answer: administratorInvitesAnswer,
	});
}

/** The invites to execute, and who signs. */
interface Execution {
	readonly invites: readonly string[];
	readonly structure: Readonly<Record<string, unknown>>;
	readonly signer: string;
	/** Set if the signature is provided. If not, the wallet signs. */
	readonly signature?: string;
	readonly expected: Expected;
}

/** The roles that the typed data gives, by their names where they are written as text. */
function rolesIn(request: SetRolesRequest, { role: wanted }: Expected): string {
	const names = [...new Set(request.data.map(({ role }) => role))].map((given) => {
		const known = ADMINISTRATOR_ROLES.find((each) => each === given);
		if (known !== undefined) return ROLE_NAMES[known];
		return wanted === undefined ? given : `${ROLE_NAMES[wanted]} (${given})`;
	});
	return nameList(names);
}

/** The execution of invites with a signature, once per execution (docs/api.md, Endpoint 7). */
export async function checkedExecution(
	context: RunContext,
	execution: Execution,
): Promise<CheckedWrite<ExecutedInvites>> {
	const { invites, structure, signer, signature, expected } = execution;
	const count = invites.length === 1 ? '1 invite' : `${invites.length} invites`;
	const typedData = await guardExecution(execution);
	const request = requestIn(structure);
	return checkedCall(context, {
		method: 'PUT',
		path: '/v2/invites/manager',
		once: { identity: [invites, structure], isRepeatable: true },
		summary: `Execute ${count} (${nameList(invites)}) with the role ${rolesIn(request, expected)}, signed by ${signer}`,
		body: { invites: [...invites], typed_data: typedData?.message ?? request, signer },
		signs: typedData && {
			domain: typedData.domain,
			primaryType: typedData.primaryType,
			message: typedData.message,
		},
		sign: async () => {
			if (signature !== undefined) return { signature };
			if (typedData === undefined) throw new Error('Nothing to sign');
			return { signature: await (await context.wallet()).signTypedData(typedData) };
		},
		answer: administratorInvitesExecutedAnswer,
	});
}

/** The properties that say how typed data is signed. */
const DESCRIPTION = ['domain', 'types', 'primary_type'];

/** Which of domain, types and primary type are missing. */
export function missingIn(structure: Readonly<Record<string, unknown>>): string[] {
	return DESCRIPTION.filter((name) => structure[name] === undefined);
}

/** Whether only the inner `typed_data` was given, without domain, types and primary type. */
export function isMessageAlone(structure: Readonly<Record<string, unknown>>): boolean {
	return missingIn(structure).length === DESCRIPTION.length;
}

/** The `typed_data` to send to Endpoint 7, from the structure that Endpoint 6 returns. */
export function requestIn(structure: Readonly<Record<string, unknown>>): SetRolesRequest {
	const request = setRolesRequest.safeParse(structure.typed_data ?? structure);
	if (request.success) return request.data;
	throw refusalOf('typedData', 'Typed Data', request.error);
}

/** What typed data must match before it, or a signature of it, is used. */
interface Expected {
	readonly accounts: number;
	readonly role?: AdministratorRole;
	readonly allowUnknownRoleHash: boolean;
}

/**
 * Checks typed data before it, or a signature of it, is used. A provided signature is checked as
 * strictly as the wallet's own, if the structure says what it covers. With the inner typed_data alone,
 * only the role can be checked (SECURITY.md, What is never signed).
 * @returns what is signed; undefined if it isn't known what a provided signature covers
 * @throws {UserError} if the typed data isn't what was expected, or the signature isn't the signer's;
 * then nothing is signed
 */
async function guardExecution(execution: Execution): Promise<GuardedTypedData | undefined> {
	const { structure, signer, signature, expected } = execution;
	const { administratorInviteTypedData, checkProvidedRoles, checkSigner } = await import(
		'../../signing'
	);
	if (signature !== undefined && isMessageAlone(structure)) {
		if (expected.role !== undefined) checkProvidedRoles(requestIn(structure).data, expected);
		return undefined;
	}
	const typedData = administratorInviteTypedData(structure, {
		walletAddress: signer,
		signatureSource: signature === undefined ? 'wallet' : 'provided',
		...expected,
	});
	if (signature !== undefined) await checkSigner(typedData, { signer, signature });
	return typedData;
}
