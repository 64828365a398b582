import { makeAccounts, type Account } from './accounts';
import { makePerson, type Person } from './people';
import { Randomness } from './randomness';

/** A team user record (docs/api.md, Team user record). */
export interface TeamUser {
	readonly nanoid: string;
	readonly first_name: string;
	readonly middle_name: string;
	readonly last_name: string;
	readonly email: string;
	readonly role: string;
	readonly platform_account: string;
	readonly platformid: string;
	readonly avatar: string;
	readonly address: Person['home'];
	readonly onboarding: {
		readonly onboarded: boolean;
		readonly step: string | null;
		readonly role: string | null;
		readonly moderation_status: string | null;
	};
	readonly payable: boolean;
}

/** Fields of a user that can be changed later. */
export interface UserChanges {
	readonly role?: string;
	readonly payable?: boolean;
	readonly onboarding?: Partial<TeamUser['onboarding']>;
	readonly first_name?: string;
}

/** A pending invite (docs/api.md, Invite record). */
interface InviteRecord {
	readonly nanoid: string;
	readonly role: string | null;
	readonly invitee_name: string;
	readonly email: string;
	readonly inviter_name: string;
	readonly inviter_email: string;
	readonly company?: NameAndAvatar;
	readonly team?: NameAndAvatar;
}

/** An invite that is no longer pending. */
interface EndedInvite {
	readonly invite: InviteRecord;
	readonly workspace: Workspace;
	/** Who joined a team. */
	readonly user?: TeamUser;
}

interface NameAndAvatar {
	readonly name: string;
	readonly avatar: string;
}

/** A company or team with its account. */
export interface Workspace extends NameAndAvatar {
	readonly nanoid: string;
	/** Platform account, an EVM address. */
	readonly account: string;
	/** Cents by currency. */
	readonly balances: Map<string, bigint>;
	/** Currencies that the balance doesn't list at all. */
	readonly unlisted: Set<string>;
	readonly invites: InviteRecord[];
}

/** A workspace in the company, with its users. */
export interface Team extends Workspace {
	readonly users: TeamUser[];
	/** Open and resolved name reviews by user identifier. */
	readonly nameReviews: Map<string, NameReview>;
}

/** A review of a recipient whose names don't match. */
interface NameReview {
	readonly reviewVersion: string;
	status: 'waiting' | 'approved' | 'cancelled';
}

/** How many users of each team have a name review. */
const NAME_REVIEWS_PER_TEAM = 10;
const TEAMS = [
	{ name: 'Engineering', size: 140 },
	{ name: 'Field Operations', size: 80 },
	{ name: 'Growing Team', size: 30 },
] as const;
const COMPLETE = { onboarded: true, step: 'complete', moderation_status: 'approved' } as const;
const ONBOARDING = [
	COMPLETE,
	COMPLETE,
	COMPLETE,
	COMPLETE,
	COMPLETE,
	COMPLETE,
	{ onboarded: false, step: 'initial', moderation_status: 'pending' },
	{ onboarded: false, step: 'details', moderation_status: 'pending' },
	{ onboarded: false, step: 'security', moderation_status: 'pending' },
	{ onboarded: false, step: 'signing', moderation_status: 'submitted' },
	{ onboarded: false, step: 'compliance_process', moderation_status: 'submitted' },
	{ onboarded: false, step: 'compliance_process', moderation_status: 'rejected' },
] as const;
const WORKER_ROLES = ['contractor', 'team_employee', 'aor_contractor'] as const;
const INVITE_ROLES = [...WORKER_ROLES, 'team_viewer', null] as const;
const CURRENCIES_HELD = ['USD', 'EUR', 'GBP', 'CAD', 'MXN', 'PLN'] as const;

/** One company with its teams, users, invites and balances; the same seed gives the same one. */
export class Organisation {
	readonly company: Workspace;
	readonly teams: readonly Team[];
	readonly accounts: readonly Account[];
	/** The webhook endpoint that exists from the start; it gets its URL at registration. */
	readonly firstWebhookId: string;
	/** For identifiers and salts that are made later. */
	readonly randomness: Randomness;
	/** Administrator invites that weren't executed yet, which nobody can accept. */
	readonly unexecutedInvites = new Set<string>();
	readonly anonymousInvites = new Set<string>();
	/** The cents that each deposit added to a balance, by its identifier; 0 once it is reverted. */
	readonly credits = new Map<string, bigint>();
	private readonly growth: Randomness;
	private readonly users = new Map<string, { user: TeamUser; team: Team }>();
	/** Who was removed, so that the same user can come back. */
	private readonly former = new Map<string, { user: TeamUser; team: Team }>();
	private personCount = 0;

	/** @param onboardingNulls whether those who have not begun to onboard have null there */
	constructor(
		seed: string,
		growingTeamSize: number,
		private readonly onboardingNulls = true,
	) {
		const randomness = new Randomness(seed);
		this.company = makeWorkspace(randomness, 'co', 'Meridian Harbour');
		this.teams = TEAMS.map(({ name }) => ({
			...makeWorkspace(randomness, 'te', name),
			users: [],
			nameReviews: new Map<string, NameReview>(),
		}));
		this.firstWebhookId = randomness.identifier('wh');
		this.accounts = makeAccounts(
			this.company.nanoid,
			this.teams.map(({ nanoid }) => nanoid),
		);
		TEAMS.forEach(({ size }, index) => {
			const team = this.teams[index];
			if (team) this.fill(team, size, randomness);
		});
		for (const workspace of [this.company, ...this.teams]) this.invitePeople(workspace, randomness);
		this.growth = new Randomness(`${seed}: growth`);
		this.randomness = new Randomness(`${seed}: later`);
		this.grow(growingTeamSize);
	}

	/** The last team, whose size is a setting. */
	get growingTeam(): Team {
		const team = this.teams.at(-1);
		if (!team) throw new Error('The organization has no team');
		return team;
	}

	/** Adds users to the growing team until it has `size`; it never shrinks. */
	grow(size: number): void {
		this.fill(this.growingTeam, size, this.growth);
	}

	team(nanoid: string): Team | undefined {
		return this.teams.find((team) => team.nanoid === nanoid);
	}

	/** A company or team. */
	workspace(nanoid: string): Workspace | undefined {
		return nanoid === this.company.nanoid ? this.company : this.team(nanoid);
	}

	user(nanoid: string): { user: TeamUser; team: Team } | undefined {
		return this.users.get(nanoid);
	}

	/** Who was removed from a team and can be restored, oldest first. */
	formerUsers(team: Team): TeamUser[] {
		return [...this.former.values()].filter((each) => each.team === team).map(({ user }) => user);
	}

	/** Adds a new user to a team, invented except for what is known. */
	addUser(team: Team, known: Partial<TeamUser> = {}): TeamUser {
		return this.enter({ ...this.makeUser(this.randomness), ...known }, team);
	}

	/** Brings a removed user back, unchanged; undefined if there is no such user. */
	restoreUser(nanoid: string): TeamUser | undefined {
		const found = this.former.get(nanoid);
		this.former.delete(nanoid);
		return found && this.enter(found.user, found.team);
	}

	/** Replaces some fields of a user; undefined if there is no such user. */
	changeUser(nanoid: string, { onboarding, ...fields }: UserChanges): TeamUser | undefined {
		const found = this.users.get(nanoid);
		if (!found) return undefined;
		const { user, team } = found;
		const changed = { ...user, ...fields, onboarding: { ...user.onboarding, ...onboarding } };
		team.users.splice(team.users.indexOf(user), 1, changed);
		this.users.set(nanoid, { user: changed, team });
		return changed;
	}

	/** Removes a user from the team; false if there is no such user. */
	removeUser(nanoid: string): boolean {
		const found = this.users.get(nanoid);
		if (!found) return false;
		found.team.users.splice(found.team.users.indexOf(found.user), 1);
		this.users.delete(nanoid);
		this.former.set(nanoid, found);
		return true;
	}

	/** Ends a pending invite. If accepted, the invited person joins the team; undefined if there is none. */
	endInvite(nanoid: string, isAccepted: boolean): EndedInvite | undefined {
		for (const workspace of [this.company, ...this.teams]) {
			const index = workspace.invites.findIndex((invite) => invite.nanoid === nanoid);
			const [invite] = index < 0 ? [] : workspace.invites.splice(index, 1);
			if (!invite) continue;
			const team = this.team(workspace.nanoid);
			const user = isAccepted && team ? this.addUser(team, invitedPerson(invite)) : undefined;
			return { invite, workspace, user };
		}
		return undefined;
	}

	/** The account of a wallet; the address may have any casing. */
	account(address: string): Account | undefined {
		return this.accounts.find((each) => each.address.toLowerCase() === address.toLowerCase());
	}

	private enter(user: TeamUser, team: Team): TeamUser {
		team.users.push(user);
		this.users.set(user.nanoid, { user, team });
		return user;
	}

	private fill(team: Team, size: number, randomness: Randomness): void {
		while (team.users.length < size) {
			const user = this.enter(this.makeUser(randomness), team);
			if (team.users.length <= NAME_REVIEWS_PER_TEAM) {
				const day = String(team.users.length).padStart(2, '0');
				const reviewVersion = `2026-02-${day}T09:30:00.000Z`;
				team.nameReviews.set(user.nanoid, { reviewVersion, status: 'waiting' });
			}
		}
	}

	private invitePeople(workspace: Workspace, randomness: Randomness): void {
		const [inviter] = this.accounts;
		for (let count = 4 + randomness.below(6); count > 0; count--) {
			const person = this.nextPerson(randomness);
			const invite = {
				nanoid: randomness.identifier('in'),
				role: workspace === this.company ? 'org_viewer' : randomness.pick(INVITE_ROLES),
				invitee_name: `${person.firstName} ${person.lastName}`,
				email: person.email,
			};
			workspace.invites.push(pendingInvite(invite, inviter, workspace, this.company));
		}
	}

	private makeUser(randomness: Randomness): TeamUser {
		const user = makeUser(randomness, this.nextPerson(randomness));
		if (!this.onboardingNulls || user.onboarding.step !== 'initial') return user;
		const nothing = { step: null, role: null, moderation_status: null };
		return { ...user, onboarding: { ...user.onboarding, ...nothing } };
	}

	private nextPerson(randomness: Randomness): Person {
		this.personCount++;
		return makePerson(randomness, this.personCount);
	}
}

/** What an invite says of the person who accepts it. */
function invitedPerson({ email, invitee_name, role }: InviteRecord): Partial<TeamUser> {
	const [first_name, ...others] = invitee_name.split(' ');
	const person = { email, first_name, middle_name: '', last_name: others.join(' ') };
	return role === null ? person : { ...person, role };
}

/** The record of a pending invite; without an inviter, the service itself invites. */
export function pendingInvite(
	invite: Pick<InviteRecord, 'nanoid' | 'role' | 'invitee_name' | 'email'>,
	inviter: Account | undefined,
	workspace: Workspace,
	company: Workspace,
): InviteRecord {
	const nameAndAvatar = ({ name, avatar }: Workspace): NameAndAvatar => ({ name, avatar });
	return {
		...invite,
		inviter_name: inviter?.fullName ?? 'Payroll',
		inviter_email: inviter?.email ?? 'payroll@example.com',
		company: nameAndAvatar(company),
		...(workspace !== company && { team: nameAndAvatar(workspace) }),
	};
}

function makeWorkspace(randomness: Randomness, prefix: string, name: string): Workspace {
	const nanoid = randomness.identifier(prefix);
	const balances = new Map<string, bigint>();
	for (const currency of CURRENCIES_HELD) {
		balances.set(currency, BigInt(5_000_000 + randomness.below(90_000_000)));
	}
	const avatar = avatarOf(nanoid);
	return {
		nanoid,
		name,
		avatar,
		account: randomness.address(),
		balances,
		unlisted: new Set(),
		invites: [],
	};
}

function makeUser(randomness: Randomness, person: Person): TeamUser {
	const nanoid = randomness.identifier('us');
	const { onboarded, step, moderation_status } = randomness.pick(ONBOARDING);
	const role = randomness.pick(WORKER_ROLES);
	const platform_account = randomness.address();
	return {
		nanoid,
		first_name: person.firstName,
		middle_name: person.middleName,
		last_name: person.lastName,
		email: person.email,
		role,
		platform_account,
		platformid: platform_account,
		avatar: avatarOf(nanoid),
		address: person.home,
		onboarding: {
			onboarded,
			step,
			role: randomness.below(12) === 0 ? 'payer' : 'payee',
			moderation_status,
		},
		payable: onboarded,
	};
}

function avatarOf(nanoid: string): string {
	return `https://avatars.example.com/${nanoid}.png`;
}
