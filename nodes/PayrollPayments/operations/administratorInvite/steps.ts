import {
	ADMINISTRATOR_ROLES,
	administratorInvitesAnswer,
	administratorInvitesExecutedAnswer,
	Refusal,
	roleSuitsEntity,
	setRolesRequest,
	type AdministratorRole,
	type SetRolesRequest,
	type z,
} from '../../contract';
import { refusalOf } from '../../form/field';
import { administratorRole, emails, entityId } from '../../form/serviceFields';
import type { Service } from '../../transport/service';

/** E-mail addresses that one request may hold (service-api.md, Limits). */
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
interface Signed {
	readonly signer: string;
	readonly signature: string;
}

export type CreatedInvites = z.infer<typeof administratorInvitesAnswer>;
export type ExecutedInvites = z.infer<typeof administratorInvitesExecutedAnswer>;

/** Team roles go with teams and company roles with companies; nobody is invited twice. */
export function checkCreation({ entityId: entity, role, emails: addresses }: Creation) {
	if (!roleSuitsEntity(role, entity)) {
		const suited = ADMINISTRATOR_ROLES.filter((each) => roleSuitsEntity(each, entity));
		return new Refusal(`Role ${role} does not suit the Entity ID, which names a ${entity.startsWith('te-') ? 'team' : 'company'}`, {
			field: 'role',
			hint: `Choose one of ${suited.join(', ')}. Nothing was sent.`,
		});
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

/** Creates the invites of one batch, once an execution (service-api.md, Endpoints 6). */
export async function create(
	service: Service,
	{ entityId: nanoid, role, emails: addresses }: Creation,
): Promise<CreatedInvites> {
	const body = { emails: addresses, role, nanoid };
	return await service.callOnce({
		method: 'POST',
		path: '/v2/invites/manager',
		identity: body,
		isRepeatable: false,
		body: async () => body,
		answer: administratorInvitesAnswer,
	});
}

/**
 * Executes invites with a signature, once an execution (service-api.md, Endpoints 7).
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
	return await service.callOnce({
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

/** The `typed_data` that operation 7 takes back, out of the structure that operation 6 gives. */
export function requestIn(structure: Readonly<Record<string, unknown>>): SetRolesRequest {
	const request = setRolesRequest.safeParse(structure.typed_data ?? structure);
	if (request.success) return request.data;
	throw refusalOf('typedData', 'Typed Data', request.error);
}

/**
 * Signs with the credentials' wallet what the signing guard lets pass (interface.md, Signing guard).
 * @throws {Refusal} where the typed data is not what was asked for; then nothing is signed
 */
export async function signAsAsked(
	service: Service,
	structure: Readonly<Record<string, unknown>>,
	asked: { readonly accounts: number; readonly role?: AdministratorRole },
): Promise<Signed> {
	const [{ administratorInviteTypedData }, wallet] = await Promise.all([
		import('../../wallet'),
		service.wallet(),
	]);
	const typedData = administratorInviteTypedData(structure, {
		walletAddress: wallet.address,
		...asked,
	});
	return { signer: wallet.address, signature: await wallet.signTypedData(typedData) };
}
