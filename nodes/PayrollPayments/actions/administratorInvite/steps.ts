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
import { Refusal } from '../../shared/errors';
import { setRolesRequest, type SetRolesRequest } from '../../api/schemas/typedData';
import { refusalOf } from '../fields/field';
import { administratorRole, emails, entityId, TEAM_OR_COMPANY_ID } from '../fields/serviceFields';
import { callOnce, type Service } from '../service';

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

/** A signature and the address of the wallet that made it. */
export interface Signed {
	readonly signer: string;
	readonly signature: string;
}

export type CreatedInvites = z.infer<typeof administratorInvitesAnswer>;
export type ExecutedInvites = z.infer<typeof administratorInvitesExecutedAnswer>;

/** Checks that the role suits the entity and that nobody is invited twice. */
export function checkCreation({ entityId: entity, role, emails: addresses }: Creation) {
	if (!roleSuitsEntity(role, entity)) {
		const suited = ADMINISTRATOR_ROLES.filter((each) => roleSuitsEntity(each, entity));
		return new Refusal(
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
	return new Refusal(`Emails, entry ${repeated + 1} repeats an earlier entry`, {
		field: 'emails',
		hint: 'Remove one of the two. Nothing was sent.',
	});
}

/** Creates the invites of one batch, once per execution (docs/api.md, Endpoint 6). */
export async function create(
	service: Service,
	{ entityId: nanoid, role, emails: addresses }: Creation,
): Promise<CreatedInvites> {
	const body = { emails: addresses, role, nanoid };
	return await callOnce(service, {
		method: 'POST',
		path: '/v2/invites/manager',
		identity: body,
		isRepeatable: false,
		body: async () => body,
		answer: administratorInvitesAnswer,
	});
}

/**
 * Executes invites with a signature, once per execution (docs/api.md, Endpoint 7).
 * @param sign called only if they weren't executed before
 */
export async function execute(
	service: Service,
	execution: {
		readonly invites: readonly string[];
		readonly structure: Readonly<Record<string, unknown>>;
	},
	sign: () => Promise<Signed>,
): Promise<ExecutedInvites> {
	const { invites, structure } = execution;
	return await callOnce(service, {
		method: 'PUT',
		path: '/v2/invites/manager',
		identity: [invites, structure],
		isRepeatable: true,
		body: async () => {
			const signed = await sign();
			return { invites, typed_data: requestIn(structure), ...signed };
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
 * Checks a provided signature as strictly as the wallet's own, if the structure says what it covers.
 * With the inner typed_data alone, only the role can be checked.
 * @throws {Refusal} if the typed data isn't what was expected, or the signature isn't the signer's
 */
export async function checkProvided(
	structure: Readonly<Record<string, unknown>>,
	signed: Signed,
	expected: Expected,
): Promise<void> {
	const isAlone = isMessageAlone(structure);
	if (isAlone && expected.role === undefined) return;
	const { administratorInviteTypedData, checkProvidedRoles, checkSigner } = await import(
		'../../signing'
	);
	if (isAlone) {
		checkProvidedRoles(requestIn(structure).data, expected);
		return;
	}
	const typedData = administratorInviteTypedData(structure, {
		walletAddress: signed.signer,
		signatureSource: 'provided',
		...expected,
	});
	await checkSigner(typedData, signed);
}

/**
 * Signs with the wallet in the credentials, if the signing guard permits it (SECURITY.md, What is
 * never signed).
 * @throws {Refusal} if the typed data isn't what was expected; then nothing is signed
 */
export async function signWithWallet(
	service: Service,
	structure: Readonly<Record<string, unknown>>,
	expected: Expected,
): Promise<Signed> {
	const [{ administratorInviteTypedData }, wallet] = await Promise.all([
		import('../../signing'),
		service.wallet(),
	]);
	const typedData = administratorInviteTypedData(structure, {
		walletAddress: wallet.address,
		...expected,
	});
	return { signer: wallet.address, signature: await wallet.signTypedData(typedData) };
}
