/** Every role that the service names (service-api.md, Roles). */
export const ROLES = [
	'org_admin',
	'org_finance_admin',
	'org_viewer',
	'org_hr_admin',
	'org_delegate_admin',
	'org_non_delegate_admin',
	'team_admin',
	'team_viewer',
	'team_finance_admin',
	'team_delegate_admin',
	'team_non_delegate_admin',
	'team_payment_initiator',
	'team_invite_initiator',
	'contractor',
	'team_employee',
	'aor_contractor',
	'team_hr_admin',
] as const;

/** Roles that an employee or contractor may be invited with. */
export const INVITE_ROLES = ['contractor', 'team_employee', 'aor_contractor'] as const;

/** Roles of administrators of a team (te-). */
export const TEAM_ADMINISTRATOR_ROLES = [
	'team_admin',
	'team_finance_admin',
	'team_viewer',
	'team_payment_initiator',
	'team_invite_initiator',
] as const;

/** Roles of administrators of a company (co-). */
export const COMPANY_ADMINISTRATOR_ROLES = [
	'org_admin',
	'org_finance_admin',
	'org_viewer',
	'org_hr_admin',
] as const;

/** Roles of administrators, of teams and of companies. */
export const ADMINISTRATOR_ROLES = [
	...TEAM_ADMINISTRATOR_ROLES,
	...COMPANY_ADMINISTRATOR_ROLES,
] as const;

export type InviteRole = (typeof INVITE_ROLES)[number];
export type AdministratorRole = (typeof ADMINISTRATOR_ROLES)[number];

/** Whether an administrator's role belongs to the kind of entity that the identifier names. */
export function roleSuitsEntity(role: AdministratorRole, entityId: string): boolean {
	const roles: readonly string[] = entityId.startsWith('te-')
		? TEAM_ADMINISTRATOR_ROLES
		: COMPANY_ADMINISTRATOR_ROLES;
	return roles.includes(role);
}
