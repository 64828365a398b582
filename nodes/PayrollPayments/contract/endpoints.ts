/** The operations of the service, in the order of docs/api.md, Endpoints. */
export const ENDPOINTS = {
	/** 1 */
	getSignInMessage: { method: 'GET', path: '/v2/auth/siwe' },
	/** 2 */
	verifySignIn: { method: 'POST', path: '/v2/auth/verify' },
	/** 3 */
	getBalance: { method: 'GET', path: '/v2/balance' },
	/** 4 */
	listInvites: { method: 'GET', path: '/v2/invites' },
	/** 5 */
	createInvites: { method: 'POST', path: '/v2/invites' },
	/** 6 */
	createAdministratorInvites: { method: 'POST', path: '/v2/invites/manager' },
	/** 7 */
	executeAdministratorInvites: { method: 'PUT', path: '/v2/invites/manager' },
	/** 8 */
	resolveNameReview: {
		method: 'POST',
		path: '/v2/payments/teams/{team_nanoid}/external_entity/{user_nanoid}/name_review',
	},
	/** 9 */
	sendTestDelivery: { method: 'POST', path: '/v2/webhooks/test/{webhook_nanoid}' },
	/** 10 */
	createInstantPayment: { method: 'PUT', path: '/v2/payments/external_entity/instant' },
	/** 11 */
	listTeamUsers: { method: 'GET', path: '/v2/teams/{team_nanoid}/users' },
} as const;

type Placeholder<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
	? Name | Placeholder<Rest>
	: never;

/** An operation's method, and its path with these identifiers in place of the names in braces. */
export function endpoint<Name extends keyof typeof ENDPOINTS>(
	name: Name,
	ids: Readonly<Record<Placeholder<(typeof ENDPOINTS)[Name]['path']>, string>>,
): { readonly method: (typeof ENDPOINTS)[Name]['method']; readonly path: string } {
	const { method, path } = ENDPOINTS[name];
	const values = new Map<string, string>(Object.entries(ids));
	const filled = path.replace(/\{(\w+)\}/g, (_, id: string) =>
		encodeURIComponent(values.get(id) ?? ''),
	);
	return { method, path: filled };
}
