import type { z } from 'zod';
import { ADMINISTRATOR_ROLES, type AdministratorRole, roleSuitsEntity } from '../../shared/roles';
import {
	administratorInvitesAnswer,
	administratorInvitesExecutedAnswer,
} from '../../api/schemas/answers';
import { Refusal } from '../../shared/errors';
import { setRolesRequest, type SetRolesRequest } from '../../api/schemas/typedData';
import { refusalOf } from '../fields/field';
import { administratorRole, emails, entityId } from '../fields/serviceFields';
import { callOnce, type Service } from '../service';

/** E-mail addresses that one request may hold (docs/api.md, Limits). */
export const EMAILS_PER_REQUEST = 100;

/** What *create* and *createAndExecute* ask for. */
export const creationFields = {
	entityId: entityId('te', 'co'),
	role: administratorRole(),
	emails: emails({
		label: 'Emails',
		description:
			'Addresses of the new administrators, separated by commas; more than 100 go in several requests',
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

/** Team roles go with teams and company roles with companies; nobody is invited twice. */
export function checkCreation({ entityId: entity, role, emails: addresses }: Creation) {
	if (!roleSuitsEntity(role, entity)) {
		const suited = ADMINISTRATOR_ROLES.filter((each) => roleSuitsEntity(each, entity));
		return new Refusal(
			`Role ${role} does not suit the Entity ID, which names a ${entity.startsWith('te-') ? 'team' : 'company'}`,
			{
				field: 'role',
				hint: `Choose one of ${suited.join(', ')}. Nothing was sent.`,
			},
		);
	}
	const seen = new Set<string>();
	const repeated = addresses.findIndex(
		(address) => seen.size === seen.add(address.toLowerCase()).size,
	);
	if (repeated === -1) return undefined;
	return new Refusal(`Emails, entry ${repeated + 1} is the same as an entry before it`, {
		field: 'emails',
		hint: 'Remove one of the two. Nothing was sent.',
	});
}

/** Creates the invites of one batch, once an execution (docs/api.md, Endpoint 6). */
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
 * Executes invites with a signature, once an execution (docs/api.md, Endpoint 7).
 * @param sign called only where they were not executed before
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

/** What says how a typed_data is signed. */
const DESCRIPTION = ['domain', 'types', 'primary_type'];

/** What a structure lacks of domain, types and primary type. */
export function missingIn(structure: Readonly<Record<string, unknown>>): string[] {
	return DESCRIPTION.filter((name) => structure[name] === undefined);
}

/** Whether only the `typed_data` itself is given, so that nothing says how it is signed. */
export function isMessageAlone(structure: Readonly<Record<string, unknown>>): boolean {
	return missingIn(structure).length === DESCRIPTION.length;
}

/** The `typed_data` that operation 7 takes back, out of the structure that operation 6 gives. */
export function requestIn(structure: Readonly<Record<string, unknown>>): SetRolesRequest {
	const request = setRolesRequest.safeParse(structure.typed_data ?? structure);
	if (request.success) return request.data;
	throw refusalOf('typedData', 'Typed Data', request.error);
}

/** What typed data is held to before it is signed, or before a signature over it is used. */
interface Asked {
	readonly accounts: number;
	readonly role?: AdministratorRole;
	readonly allowUnknownRoleHash: boolean;
}

/**
 * Holds a signature that was made elsewhere to what the wallet would sign, where the structure says
 * what the signature covers. An inner typed_data alone is held to the role only.
 * @throws {Refusal} where the typed data isn't what was asked for, or the signature isn't the signer's
 */
export async function checkProvided(
	structure: Readonly<Record<string, unknown>>,
	signed: Signed,
	asked: Asked,
): Promise<void> {
	const isAlone = isMessageAlone(structure);
	if (isAlone && asked.role === undefined) return;
	const { administratorInviteTypedData, checkProvidedRoles, checkSigner } = await import(
		'../../signing'
	);
	if (isAlone) {
		checkProvidedRoles(requestIn(structure).data, asked);
		return;
	}
	const typedData = administratorInviteTypedData(structure, {
		walletAddress: signed.signer,
		signatureSource: 'provided',
		...asked,
	});
	await checkSigner(typedData, signed);
}

/**
 * Signs with the credentials' wallet what the signing guard lets pass (SECURITY.md, What is never
 * signed).
 * @throws {Refusal} where the typed data is not what was asked for; then nothing is signed
 */
export async function signAsAsked(
	service: Service,
	structure: Readonly<Record<string, unknown>>,
	asked: Asked,
): Promise<Signed> {
	const [{ administratorInviteTypedData }, wallet] = await Promise.all([
		import('../../signing'),
		service.wallet(),
	]);
	const typedData = administratorInviteTypedData(structure, {
		walletAddress: wallet.address,
		...asked,
	});
	return { signer: wallet.address, signature: await wallet.signTypedData(typedData) };
}
