import type { Account } from '../../accounts';
import { call } from './control';
import { byId, copyable, element } from './elements';
import type { Overview } from './changes';

const WALLET_NAMES: Readonly<Record<Account['name'], string>> = {
	companyAdministrator: 'Company administrator',
	teamAdministrator: 'Team administrator',
	viewer: 'Viewer',
	stranger: 'Stranger, without a role',
};

function wallet({ name, role, platformId, address, privateKey }: Account): HTMLElement {
	const title = WALLET_NAMES[name];
	const line = (label: string, value: string): HTMLElement[] => [
		element('dt', '', label),
		element('dd', '', copyable(`${label} of ${title}`, value)),
	];
	return element(
		'div',
		'wallet',
		element('h3', '', role === null ? title : `${title} (${role})`),
		element(
			'dl',
			'',
			...line('Platform ID', platformId),
			...line('Private Key', privateKey),
			...line('Address', address),
		),
	);
}

/** Shows what the credentials and fields in n8n need. It never changes. */
export async function showIdentifiers(): Promise<void> {
	byId('base-url', HTMLElement).replaceChildren(copyable('Base URL', location.origin));
	const { company, teams, role_numbers } = await call<Overview>('GET', 'organisation');
	byId('workspaces', HTMLElement).replaceChildren(
		...[...teams, company].map(({ name, nanoid }) =>
			element(
				'tr',
				'',
				element('td', '', name),
				element('td', '', copyable(`ID of ${name}`, nanoid)),
			),
		),
	);
	byId('role-numbers', HTMLElement).replaceChildren(
		...Object.entries(role_numbers).map(([role, number]) =>
			element(
				'tr',
				'',
				element('td', '', role),
				element('td', '', copyable(`the number of ${role}`, String(number))),
			),
		),
	);
	const { accounts } = await call<{ accounts: Account[] }>('GET', 'accounts');
	byId('wallets', HTMLElement).replaceChildren(...accounts.map(wallet));
}
