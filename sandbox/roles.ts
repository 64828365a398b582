import type { Account } from './accounts';
import { ServiceFailure } from './failure';
import type { Organisation } from './organisation';
import type { Settings } from './settings';

/** Accepts any role. */
export const ANY_ROLE = 'any';

/**
 * Requires a role on an entity. A role on the company also counts on its teams if `wanted` lists it.
 * Throws {@link ServiceFailure} 403.
 */
export function requireRole(
	caller: Account | undefined,
	entityId: string,
	wanted: readonly string[] | typeof ANY_ROLE,
	organisation: Organisation,
): void {
	const held = [
		...(caller?.roles[entityId] ?? []),
		...(caller?.roles[organisation.company.nanoid] ?? []),
	];
	const enough = wanted === ANY_ROLE ? held.length > 0 : held.some((role) => wanted.includes(role));
	if (enough) return;
	const which = wanted === ANY_ROLE ? 'a role' : wanted.join(' or ');
	throw new ServiceFailure(403, `The caller needs ${which} on ${entityId}`, 'ROLE_MISSING');
}

/**
 * Checks that what a request names exists (404) and that the caller has a role on it (403), in the
 * order of the setting `roleBeforeExistence`.
 */
export function existing<Found>(
	found: Found | undefined,
	missing: ServiceFailure,
	checkRole: () => void,
	{ roleBeforeExistence }: Settings,
): Found {
	if (roleBeforeExistence) checkRole();
	if (found === undefined) throw missing;
	checkRole();
	return found;
}
