/**
 * How a version of n8n behaves where the versions differ.
 *
 * @typedef {object} N8nTraits
 * @property {NodeMajor} node the Node.js that it runs on; its compiled parts are for this one only
 * @property {boolean} activatesInBackground whether the answer to an activation comes before n8n has
 * tried it, so that it can't say what went wrong
 * @property {readonly string[]} spareModules of n8n, which most tests don't need; it starts sooner
 * without them, and not at all without one that it doesn't know
 *
 * @typedef {'20' | '22' | '24'} NodeMajor
 */

/* All that n8n 2.35 has but `community-packages`. */
const spareModules = [
	...['agents', 'agent-evals', 'breaking-changes', 'chat-hub', 'data-table', 'dynamic-credentials'],
	...['encryption-key-manager', 'external-secrets', 'favorites', 'insights', 'instance-ai'],
	...['instance-registry', 'instance-version-history', 'ldap', 'log-streaming', 'mcp'],
	...['mcp-registry', 'n8n-packages', 'oauth-jwe', 'oauth-server', 'otel', 'provisioning'],
	...['quick-connect', 'redaction', 'runtime-credentials', 'source-control', 'sso-oidc'],
	...['sso-saml', 'token-exchange', 'workflow-builder', 'workflow-reviews'],
];

/** @type {N8nTraits} */
const n8n2 = {
	node: '24',
	activatesInBackground: true,
	spareModules,
};

/**
 * The versions of n8n that the package is tested with: the newest; the newest with all of its
 * libraries as released, where tooling/hosts has to replace some of the former's; the one before;
 * and the oldest that the package runs in, which is the last for Node.js 22.
 *
 * @satisfies {Record<string, N8nTraits>}
 */
export const N8N_VERSIONS = {
	'2.41.3': n8n2,
	'2.41.1': n8n2,
	'2.40.7': n8n2,
	'2.35.7': { ...n8n2, node: '22', activatesInBackground: false },
	/* The newest release on the registry, which a weekly job tests. */
	latest: { ...n8n2, spareModules: [] },
};

/** @typedef {keyof typeof N8N_VERSIONS} N8nVersion */

/**
 * @param {string} version
 * @returns {version is N8nVersion}
 */
export const isN8nVersion = (version) => Object.hasOwn(N8N_VERSIONS, version);

/**
 * The n8n that `npm start` runs, and by default the tests.
 *
 * @satisfies {N8nVersion}
 */
export const DEFAULT_N8N_VERSION = '2.41.3';

/**
 * The n8n that the tests run: PAYROLL_PAYMENTS_N8N, e.g. 2.35.7, or the default.
 *
 * @returns {N8nVersion}
 */
export function n8nVersionUnderTest() {
	const wanted = process.env.PAYROLL_PAYMENTS_N8N ?? DEFAULT_N8N_VERSION;
	if (isN8nVersion(wanted)) return wanted;
	const known = Object.keys(N8N_VERSIONS).join(', ');
	throw new Error(`PAYROLL_PAYMENTS_N8N is ${wanted}; choose one of ${known}.`);
}
