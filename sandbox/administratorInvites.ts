import { getAddress, id, verifyTypedData, type TypedDataField } from 'ethers';

import { addressFor } from './accounts';
import { ServiceFailure } from './failure';
import type { Randomness } from './randomness';
import { chainIdOf, type Settings } from './settings';
import { isCanonical } from './signatures';
import { Tampering } from './tampering';

/** The part that is signed (docs/api.md, Typed data for administrator invites). */
export interface SetRolesForwardRequest {
	readonly from: string;
	readonly to: string;
	/** A small number in digits, or bytes32 as hex. */
	readonly salt: string;
	/** Unix seconds, as a string. */
	readonly expires: string;
	readonly data: readonly RoleGrant[];
}

interface RoleGrant {
	/** The role's number, its value, or the value's keccak-256 hash. */
	readonly role: string;
	readonly account: string;
}

/** The whole structure that Endpoint 6 returns. */
export interface AdministratorInviteTypedData {
	readonly domain: {
		readonly name: string;
		readonly version: string;
		readonly chainId: number | string;
		readonly verifyingContract: string;
	};
	readonly types: Record<string, TypedDataField[]>;
	readonly typed_data: SetRolesForwardRequest;
	readonly primary_type: string;
}

/** Ways in which a hostile or broken service can tamper with the typed data. */
export const TYPED_DATA_TRICKS = [
	'anotherPrimaryType',
	'addedType',
	'addedMember',
	'missingMember',
	'anotherRole',
	'anotherFrom',
	'extraAccount',
	'missingAccount',
	'mixedRoles',
	'expired',
] as const;
export type TypedDataTrick = (typeof TYPED_DATA_TRICKS)[number];

/** This service's own numbers for roles; they aren't published. */
export const ROLE_NUMBERS: Readonly<Record<string, number>> = {
	org_admin: 1,
	team_admin: 2,
	org_viewer: 3,
	team_viewer: 4,
	org_finance_admin: 5,
	team_finance_admin: 6,
	org_hr_admin: 8,
	team_payment_initiator: 11,
	team_invite_initiator: 12,
};

const GRANT_TYPES = { number: 'uint8', name: 'string', hash: 'bytes32' } as const;

/** Seconds until the typed data expires. */
const LIFETIME_SECONDS = 24 * 60 * 60;

interface Batch {
	readonly invites: readonly string[];
	readonly issued: AdministratorInviteTypedData;
	executed: boolean;
}

/** A request to execute invites. */
export interface Execution {
	readonly invites: readonly string[];
	readonly signer: string;
	readonly typedData: SetRolesForwardRequest;
	readonly signature: string;
	/** The wallet of the caller's token. */
	readonly caller: string;
	/** What stands for the caller in typed data. */
	readonly from: string;
}

/** Batches of administrator invites, from creation to execution. */
export class AdministratorInvites {
	readonly tampering = new Tampering<TypedDataTrick>();
	private readonly batches: Batch[] = [];

	/** Makes and stores the typed data of a new batch, with one account for each invite. */
	issue(
		batch: {
			readonly invites: readonly string[];
			readonly role: string;
			readonly from: string;
			/** Address of the company or team. */
			readonly to: string;
		},
		settings: Settings,
		randomness: Randomness,
	): AdministratorInviteTypedData {
		const original = makeTypedData(batch, settings, randomness);
		const trick = this.tampering.take();
		const issued = trick ? tamper(original, trick, settings) : original;
		this.batches.push({ invites: batch.invites, issued, executed: false });
		return issued;
	}

	/** Executes a batch; throws {@link ServiceFailure} 400, 403 or 404. */
	execute({ invites, signer, typedData, signature, caller, from }: Execution): void {
		const batch = this.batches.find((each) => sameMembers(each.invites, invites));
		if (!batch) {
			const known = invites.every((invite) =>
				this.batches.some((each) => each.invites.includes(invite)),
			);
			if (!known) throw new ServiceFailure(404, 'An invite does not exist', 'INVITE_NOT_FOUND');
			throw new ServiceFailure(400, 'These invites were not created together', 'INVITES_MISMATCH');
		}
		if (batch.executed) {
			throw new ServiceFailure(400, 'The invites were already executed', 'ALREADY_EXECUTED');
		}
		if (!sameRequest(batch.issued.typed_data, typedData)) {
			throw new ServiceFailure(
				400,
				'typed_data differs from the issued typed data',
				'TYPED_DATA_MISMATCH',
			);
		}
		if (Number(typedData.expires) * 1000 <= Date.now()) {
			throw new ServiceFailure(400, 'The typed data has expired', 'EXPIRED_TYPED_DATA');
		}
		const recovered = recover(batch.issued, typedData, signature);
		if (recovered !== getAddress(signer.toLowerCase())) {
			throw new ServiceFailure(
				400,
				'The signature was not made by the signer',
				'INVALID_SIGNATURE',
			);
		}
		if (recovered !== caller) {
			throw new ServiceFailure(403, 'The signer is not the caller', 'SIGNER_MISMATCH');
		}
		if (typedData.from !== from) {
			throw new ServiceFailure(400, 'typed_data.from is not the caller', 'SENDER_MISMATCH');
		}
		batch.executed = true;
	}
}

function makeTypedData(
	batch: { invites: readonly string[]; role: string; from: string; to: string },
	settings: Settings,
	randomness: Randomness,
): AdministratorInviteTypedData {
	const isNumber = settings.roleForm === 'number';
	const role = roleIn(batch.role, settings);
	return {
		domain: {
			name: 'PayrollRoles',
			version: '1.0.0',
			chainId: chainIdOf(settings),
			verifyingContract: addressFor('roles contract'),
		},
		types: {
			SetRolesForwardRequest: [
				{ name: 'from', type: 'address' },
				{ name: 'to', type: 'address' },
				{ name: 'salt', type: isNumber ? 'uint64' : 'bytes32' },
				{ name: 'expires', type: isNumber ? 'uint48' : 'uint256' },
				{ name: 'data', type: 'SetRole[]' },
			],
			SetRole: [
				{ name: 'role', type: GRANT_TYPES[settings.roleForm] },
				{ name: 'account', type: 'address' },
			],
		},
		typed_data: {
			from: batch.from,
			to: batch.to,
			salt: isNumber ? randomness.smallNumber() : randomness.bytes32(),
			expires: String(Math.floor(Date.now() / 1000) + LIFETIME_SECONDS),
			data: batch.invites.map(() => ({ role, account: randomness.address() })),
		},
		primary_type: 'SetRolesForwardRequest',
	};
}

function roleIn(role: string, { roleForm }: Settings): string {
	if (roleForm === 'number') return String(ROLE_NUMBERS[role]);
	return roleForm === 'hash' ? id(role) : role;
}

function recover(
	{ domain, types }: AdministratorInviteTypedData,
	typedData: SetRolesForwardRequest,
	signature: string,
): string {
	try {
		if (isCanonical(signature)) return verifyTypedData(domain, types, typedData, signature);
	} catch {
		// Falls through to the failure.
	}
	throw new ServiceFailure(400, 'The signature is malformed', 'INVALID_SIGNATURE');
}

function sameMembers(one: readonly string[], other: readonly string[]): boolean {
	return one.length === other.length && [...one].sort().join() === [...other].sort().join();
}

function sameRequest(one: SetRolesForwardRequest, other: SetRolesForwardRequest): boolean {
	const plain = ({ from, to, salt, expires, data }: SetRolesForwardRequest): string =>
		JSON.stringify([from, to, salt, expires, data.map(({ role, account }) => [role, account])]);
	return plain(one).toLowerCase() === plain(other).toLowerCase();
}

function tamper(
	original: AdministratorInviteTypedData,
	trick: TypedDataTrick,
	settings: Settings,
): AdministratorInviteTypedData {
	const { types, typed_data: request } = original;
	const { SetRolesForwardRequest: members = [], SetRole: grantMembers = [] } = types;
	const stranger = addressFor('another wallet');
	const higherRole = roleIn('org_admin', settings);
	const [first] = request.data;
	const withData = (data: readonly RoleGrant[]): AdministratorInviteTypedData => ({
		...original,
		typed_data: { ...request, data },
	});
	switch (trick) {
		case 'anotherPrimaryType':
			return {
				...original,
				types: { Permit: members, ...types },
				primary_type: 'Permit',
			};
		case 'addedType':
			return { ...original, types: { ...types, Permit: [{ name: 'spender', type: 'address' }] } };
		case 'addedMember':
			return {
				...original,
				types: { ...types, SetRole: [...grantMembers, { name: 'amount', type: 'uint256' }] },
				typed_data: {
					...request,
					data: request.data.map((grant) => ({ ...grant, amount: '1000000' })),
				},
			};
		case 'missingMember':
			return { ...original, types: { ...types, SetRole: grantMembers.slice(0, 1) } };
		case 'anotherRole':
			return withData(request.data.map((grant) => ({ ...grant, role: higherRole })));
		case 'anotherFrom':
			return { ...original, typed_data: { ...request, from: stranger } };
		case 'extraAccount':
			return withData([...request.data, { role: first?.role ?? higherRole, account: stranger }]);
		case 'missingAccount':
			return withData(request.data.slice(1));
		case 'mixedRoles':
			return withData([{ role: higherRole, account: stranger }, ...request.data.slice(1)]);
		case 'expired':
			return { ...original, typed_data: { ...request, expires: '1577836800' } };
	}
}
