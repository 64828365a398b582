import { getAddress, id, verifyTypedData } from 'ethers';

import { addressFor } from './accounts';
import { ServiceFailure } from './failure';
import type { Randomness } from './randomness';
import type { Settings } from './settings';
import { Tampering } from './tampering';

/** The part that is signed (docs/api.md, Typed data for administrator invites). */
export interface SetRolesForwardRequest {
	readonly from: string;
	readonly to: string;
	/** bytes32 as hex. */
	readonly salt: string;
	/** Unix seconds, as a string. */
	readonly expires: string;
	readonly data: readonly RoleGrant[];
}

interface RoleGrant {
	/** A role value, or its keccak-256 hash. */
	readonly role: string;
	readonly account: string;
}

interface Member {
	readonly name: string;
	readonly type: string;
}

/** The whole structure that Endpoint 6 returns. */
export interface AdministratorInviteTypedData {
	readonly domain: {
		readonly name: string;
		readonly version: string;
		readonly chainId: number;
		readonly verifyingContract: string;
	};
	readonly types: Record<string, Member[]>;
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
			readonly caller: string;
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
	execute({ invites, signer, typedData, signature, caller }: Execution): void {
		const batch = this.batches.find((each) => sameMembers(each.invites, invites));
		if (!batch) {
			const known = invites.every((invite) =>
				this.batches.some((each) => each.invites.includes(invite)),
			);
			if (!known) throw new ServiceFailure(404, 'An invite does not exist', 'invite_not_found');
			throw new ServiceFailure(400, 'These invites were not created together', 'invites_mismatch');
		}
		if (batch.executed) {
			throw new ServiceFailure(400, 'The invites were already executed', 'already_executed');
		}
		if (!sameRequest(batch.issued.typed_data, typedData)) {
			throw new ServiceFailure(
				400,
				'typed_data differs from the issued typed data',
				'typed_data_mismatch',
			);
		}
		if (Number(typedData.expires) * 1000 <= Date.now()) {
			throw new ServiceFailure(400, 'The typed data has expired', 'typed_data_expired');
		}
		const recovered = recover(batch.issued, typedData, signature);
		if (recovered !== getAddress(signer.toLowerCase())) {
			throw new ServiceFailure(
				400,
				'The signature was not made by the signer',
				'signature_invalid',
			);
		}
		if (recovered !== getAddress(caller)) {
			throw new ServiceFailure(403, 'The signer is not the caller', 'signer_mismatch');
		}
		batch.executed = true;
	}
}

function makeTypedData(
	batch: { invites: readonly string[]; role: string; caller: string; to: string },
	settings: Settings,
	randomness: Randomness,
): AdministratorInviteTypedData {
	const hashed = settings.roleForm === 'hash';
	const role = hashed ? id(batch.role) : batch.role;
	return {
		domain: {
			name: 'PayrollRoles',
			version: '1',
			chainId: settings.chainId,
			verifyingContract: addressFor('roles contract'),
		},
		types: {
			SetRolesForwardRequest: [
				{ name: 'from', type: 'address' },
				{ name: 'to', type: 'address' },
				{ name: 'salt', type: 'bytes32' },
				{ name: 'expires', type: 'uint256' },
				{ name: 'data', type: 'SetRole[]' },
			],
			SetRole: [
				{ name: 'role', type: hashed ? 'bytes32' : 'string' },
				{ name: 'account', type: 'address' },
			],
		},
		typed_data: {
			from: batch.caller,
			to: batch.to,
			salt: randomness.bytes32(),
			expires: String(Math.floor(Date.now() / 1000) + LIFETIME_SECONDS),
			data: batch.invites.map(() => ({ role, account: randomness.address() })),
		},
		primary_type: 'SetRolesForwardRequest',
	};
}

function recover(
	{ domain, types }: AdministratorInviteTypedData,
	typedData: SetRolesForwardRequest,
	signature: string,
): string {
	try {
		return verifyTypedData(domain, types, typedData, signature);
	} catch {
		throw new ServiceFailure(400, 'The signature is malformed', 'signature_invalid');
	}
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
	const higherRole = settings.roleForm === 'hash' ? id('org_admin') : 'org_admin';
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
