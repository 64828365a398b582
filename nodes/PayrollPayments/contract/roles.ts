import { hasPrefix } from './identifiers';

/** Every role that the service names (docs/api.md, Roles), and what forms and messages call it. */
export const ROLE_NAMES = {
	org_admin: 'Company: Admin',
	org_finance_admin: 'Company: Finance Admin',
	org_viewer: 'Company: Viewer',
	org_hr_admin: 'Company: HR Admin',
	org_delegate_admin: 'Company: Delegate Admin',
	org_non_delegate_admin: 'Company: Non-Delegate Admin',
	team_admin: 'Team: Admin',
	team_viewer: 'Team: Viewer',
	team_finance_admin: 'Team: Finance Admin',
	team_delegate_admin: 'Team: Delegate Admin',
	team_non_delegate_admin: 'Team: Non-Delegate Admin',
	team_payment_initiator: 'Team: Payment Initiator',
	team_invite_initiator: 'Team: Invite Initiator',
	contractor: 'Contractor',
	team_employee: 'Employee',
	aor_contractor: 'AOR Contractor',
	team_hr_admin: 'Team: HR Admin',
} as const;

export type Role = keyof typeof ROLE_NAMES;

/** A role as errors write it: "Team: Admin (team_admin)". */
export function roleLabel(role: Role): string {
	return `${ROLE_NAMES[role]} (${role})`;
}

export const ROLES = Object.keys(ROLE_NAMES).filter((name): name is Role => name in ROLE_NAMES);

export const ADMINISTRATOR_ROLES = [
	'team_admin',
	'team_finance_admin',
	'team_viewer',
	'team_payment_initiator',
	'team_invite_initiator',
	'org_admin',
	'org_finance_admin',
	'org_viewer',
	'org_hr_admin',
] as const;

/** Roles that an employee or contractor may be invited with. */
export const INVITE_ROLES = ['contractor', 'team_employee', 'aor_contractor'] as const;

export type InviteRole = (typeof INVITE_ROLES)[number];
export type AdministratorRole = (typeof ADMINISTRATOR_ROLES)[number];

/** Whether an administrator's role belongs to the kind of entity that the identifier names. */
export function roleSuitsEntity(role: AdministratorRole, entityId: string): boolean {
	return role.startsWith('team_') === hasPrefix(entityId, 'te');
}
