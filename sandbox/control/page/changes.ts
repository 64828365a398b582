import { call } from './control';
import {
	button,
	byId,
	input,
	onSubmit,
	report,
	select,
	setIfChanged,
	setOptions,
} from './elements';
import { fromCents, toCents } from './money';

/** A company or team, as `GET /sandbox/organisation` shows it. */
interface Workspace {
	readonly nanoid: string;
	readonly name: string;
	/** Cents by currency. */
	readonly balances: Readonly<Record<string, string>>;
}

export interface Overview {
	readonly company: Workspace;
	readonly teams: readonly Workspace[];
	/** This service’s numbers for roles in typed data. */
	readonly role_numbers: Readonly<Record<string, number>>;
}

interface User {
	readonly nanoid: string;
	readonly first_name: string;
	readonly last_name: string;
	readonly email: string;
	readonly role: string;
	readonly payable: boolean;
}

interface Members {
	readonly users: readonly User[];
	readonly former_users: readonly User[];
	readonly invites: readonly { readonly nanoid: string; readonly email: string }[];
}

const ROLES = ['contractor', 'team_employee', 'aor_contractor'];

let workspaces: readonly Workspace[] = [];
let members: Members = { users: [], former_users: [], invites: [] };

const nameOf = (user: User): string => `${user.first_name} ${user.last_name} (${user.email})`;
const userOption = (user: User) =>
	[user.nanoid, `${nameOf(user)}, ${user.role}${user.payable ? '' : ', not payable'}`] as const;
const chosenUser = (): User | undefined =>
	members.users.find(({ nanoid }) => nanoid === select('user').value);

function showBalance(): void {
	const currency = select('balance-currency').value;
	const workspace = workspaces.find(({ nanoid }) => nanoid === select('workspace').value);
	const cents = workspace?.balances[currency] ?? '0';
	byId('balance-now', HTMLElement).textContent = `${fromCents(cents)} ${currency}`;
}

/** Shows the organization as it is now. */
export async function refreshChanges(): Promise<void> {
	const { company, teams } = await call<Overview>('GET', 'organisation');
	workspaces = [...teams, company];
	const named = workspaces.map(({ nanoid, name }) => [nanoid, name] as const);
	if (select('workspace').options.length !== named.length) setOptions(select('workspace'), named);
	setIfChanged(
		select('payment-team'),
		teams.map((team) => [team.nanoid, team.name] as const),
	);
	setIfChanged(
		select('currency'),
		Object.keys(company.balances).map((each) => [each, each] as const),
	);
	const nanoid = select('workspace').value;
	const chosen = workspaces.find((each) => each.nanoid === nanoid);
	const currencies = Object.keys(chosen?.balances ?? {});
	setIfChanged(
		select('balance-currency'),
		currencies.map((each) => [each, each] as const),
	);
	showBalance();

	members = await call<Members>('GET', `members?nanoid=${encodeURIComponent(nanoid)}`);
	const isTeam = nanoid !== company.nanoid;
	byId('people', HTMLElement).hidden = !isTeam;
	setIfChanged(select('user'), members.users.map(userOption));
	setIfChanged(select('former-user'), members.former_users.map(userOption));
	setIfChanged(
		select('invite'),
		members.invites.map((invite) => [invite.nanoid, invite.email] as const),
	);
	for (const id of ['change-role', 'change-payable', 'remove-user']) {
		button(id).disabled = members.users.length === 0;
	}
	button('restore-user').disabled = members.former_users.length === 0;
	for (const end of outcomeButtons()) end.disabled = members.invites.length === 0;
}

const outcomeButtons = (): NodeListOf<HTMLButtonElement> =>
	document.querySelectorAll<HTMLButtonElement>('button[data-outcome]');

async function setBalance(): Promise<string> {
	const cents = toCents(input('balance-amount').value);
	if (cents === undefined) throw new Error('New balance isn’t an amount like 1,250.00.');
	const nanoid = select('workspace').value;
	const currency = select('balance-currency').value;
	await call('POST', 'balances', { nanoid, currency, balance_cents: cents });
	return `The balance is ${fromCents(cents)} ${currency} now.`;
}

async function changeRole(): Promise<string> {
	const user = chosenUser();
	if (!user) throw new Error('Choose a user.');
	const role = ROLES[(ROLES.indexOf(user.role) + 1) % ROLES.length];
	await call('POST', 'users/change', { nanoid: user.nanoid, role });
	return `${nameOf(user)} has the role ${role} now.`;
}

async function changePayable(): Promise<string> {
	const user = chosenUser();
	if (!user) throw new Error('Choose a user.');
	await call('POST', 'users/change', { nanoid: user.nanoid, payable: !user.payable });
	return `${nameOf(user)} is ${user.payable ? 'not payable' : 'payable'} now.`;
}

/** Sets up the forms that change balances, users and invites. */
export function setUpChanges(refresh: () => Promise<void>): void {
	const change = (work: () => Promise<string>): void => void report('changed', work).then(refresh);
	const workspace = (): string => select('workspace').value;
	select('workspace').addEventListener('change', () => void refresh());
	select('balance-currency').addEventListener('change', showBalance);

	onSubmit('balance', () => change(setBalance));
	onSubmit('add-user', () =>
		change(async () => {
			const email = input('user-email').value;
			const added = await call<User>('POST', 'users', {
				nanoid: workspace(),
				...(email !== '' && { email }),
			});
			input('user-email').value = '';
			return `Added ${nameOf(added)}.`;
		}),
	);
	button('change-role').addEventListener('click', () => change(changeRole));
	button('change-payable').addEventListener('click', () => change(changePayable));
	button('remove-user').addEventListener('click', () =>
		change(async () => {
			const user = chosenUser();
			await call('POST', 'users/remove', { nanoid: select('user').value });
			return user ? `Removed ${nameOf(user)}.` : 'Removed.';
		}),
	);
	button('restore-user').addEventListener('click', () =>
		change(async () => {
			const nanoid = select('former-user').value;
			return `Restored ${nameOf(await call<User>('POST', 'users/restore', { nanoid }))}.`;
		}),
	);
	onSubmit('add-invite', () =>
		change(async () => {
			const email = input('invite-email').value;
			await call('POST', 'invites', { nanoid: workspace(), email });
			input('invite-email').value = '';
			return `Invited ${email}.`;
		}),
	);
	for (const end of outcomeButtons()) {
		end.addEventListener('click', () =>
			change(async () => {
				const email = select('invite').selectedOptions[0]?.text ?? '';
				const { outcome } = end.dataset;
				await call('POST', 'invites/end', { nanoid: select('invite').value, outcome });
				return `The invite of ${email} is ${outcome}.`;
			}),
		);
	}
}

/** Sets up the buttons that make the service fail. */
export function setUpFailures(refresh: () => Promise<void>): void {
	const perform = (work: () => Promise<string>): void => void report('failed', work).then(refresh);
	onSubmit('fail', () =>
		perform(async () => {
			await call('POST', 'faults', JSON.parse(select('fault').value));
			return `Planned: the next call from n8n ${select('fault').selectedOptions[0]?.text.trim()}.`;
		}),
	);
	button('expire').addEventListener('click', () =>
		perform(async () => {
			await call('POST', 'tokens/expire');
			return 'All tokens have expired. The next call from n8n is refused once, then signs in again.';
		}),
	);
}
