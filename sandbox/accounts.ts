import { dataSlice, getAddress, id, Wallet } from 'ethers';

/** The wallets that the sandbox knows, named by their role. */
export type AccountName = 'companyAdministrator' | 'teamAdministrator' | 'viewer' | 'stranger';

/** A wallet with its key, which is derived from a label and worthless outside the sandbox. */
export interface Account {
	readonly name: AccountName;
	readonly fullName: string;
	readonly email: string;
	/** EIP-55 spelling. */
	readonly address: string;
	readonly privateKey: string;
	/** Identifier of the person as a user, `us-…`. */
	readonly userId: string;
	/** The address of the user's account contract. */
	readonly platformId: string;
	/** A short text, which the service takes in its place. */
	readonly shortPlatformId: string;
	/** Main role; null for the stranger. */
	readonly role: string | null;
	/** Roles by entity identifier. */
	readonly roles: Readonly<Record<string, readonly string[]>>;
}

/** Makes the wallets, with their roles in the organization. */
export function makeAccounts(companyId: string, teamIds: readonly string[]): Account[] {
	const [firstTeam = ''] = teamIds;
	return [
		{
			...wallet('company administrator'),
			name: 'companyAdministrator',
			fullName: 'Ada Lindqvist',
			email: 'ada.lindqvist@example.com',
			userId: 'us-AdaLindqvist',
			...platform('10000001'),
			role: 'org_admin',
			roles: {
				[companyId]: ['org_admin'],
				...Object.fromEntries(teamIds.map((team) => [team, ['team_admin']])),
			},
		},
		{
			...wallet('team administrator'),
			name: 'teamAdministrator',
			fullName: 'Tomás Ferreira',
			email: 'tomas.ferreira@example.com',
			userId: 'us-TFerreira001',
			...platform('10000002'),
			role: 'team_admin',
			roles: { [firstTeam]: ['team_admin'] },
		},
		{
			...wallet('viewer'),
			name: 'viewer',
			fullName: 'Vera Okafor',
			email: 'vera.okafor@example.com',
			userId: 'us-VeraOkafor01',
			...platform('10000003'),
			role: 'org_viewer',
			roles: { [companyId]: ['org_viewer'] },
		},
		{
			// A wallet that uses the viewer's platform identifier but has no role on it.
			...wallet('stranger'),
			name: 'stranger',
			fullName: 'Sam Stranger',
			email: 'nobody@example.com',
			userId: 'us-SamStranger1',
			...platform('10000003'),
			role: null,
			roles: {},
		},
	];
}

const platform = (number: string): Pick<Account, 'platformId' | 'shortPlatformId'> => ({
	platformId: addressFor(`account contract ${number}`),
	shortPlatformId: `PLT-${number}`,
});

/** Whether a platform identifier, in either form, is an account's. */
export function isPlatformOf(account: Account, identifier: string): boolean {
	return (
		identifier === account.shortPlatformId ||
		identifier.toLowerCase() === account.platformId.toLowerCase()
	);
}

/** Derives an address from a label; nobody holds its key. */
export function addressFor(label: string): string {
	return getAddress(dataSlice(id(`payroll sandbox: ${label}`), 12));
}

const wallets = new Map<string, { address: string; privateKey: string }>();

/** Cached by label: deriving an address takes milliseconds, and every reset needs it again. */
function wallet(label: string): { address: string; privateKey: string } {
	const cached = wallets.get(label);
	if (cached) return cached;
	const { address, privateKey } = new Wallet(id(`payroll sandbox: ${label}`));
	wallets.set(label, { address, privateKey });
	return { address, privateKey };
}
