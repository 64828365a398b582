import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
} from 'n8n-workflow';

import type { IdentifierPrefix } from '../contract/identifiers';

/** Lists, as choices, what *Teams and Companies* of the credentials names; the service isn't asked. */
function searchOf(...prefixes: IdentifierPrefix[]) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		/* Loaded when a list is opened, not with the nodes. */
		const { entityLabel, readEntities } = await import('../api/credentials');
		const { hasPrefix } = await import('../contract/identifiers');
		const { CREDENTIALS } = await import('../api/n8nTransport');
		const { UserError } = await import('../shared/errors');
		const nodeError = (message: string, description?: string) =>
			new NodeOperationError(this.getNode(), message, { description });
		const listed = await this.getCredentials(CREDENTIALS)
			.then(readEntities)
			.catch((error: unknown) => {
				throw error instanceof UserError ? nodeError(error.message, error.hint) : error;
			});
		const suitable = listed.filter(({ id }) => hasPrefix(id, ...prefixes));
		if (suitable.length === 0) {
			const what = prefixes.length === 1 ? 'teams' : 'teams or companies';
			throw nodeError(
				`Select By ID, because the credentials list no ${what} yet`,
				'To select from a list, open the Payroll Payments API credentials and enter one per line under Teams and Companies, e.g. te-a1B2c3D4e5F6 Engineering.',
			);
		}
		const wanted = filter.trim().toLowerCase();
		const results = suitable.map(({ id }) => ({ name: entityLabel(id, listed), value: id }));
		return { results: results.filter(({ name }) => name.toLowerCase().includes(wanted)) };
	};
}

/** The methods that the team and company fields of both nodes name (forms/serviceFields.ts). */
export const entitySearches = {
	searchTeams: searchOf('te'),
	searchEntities: searchOf('te', 'co'),
	searchUserEntities: searchOf('te', 'co', 'us'),
};
