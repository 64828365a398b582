/**
 * How a version of n8n behaves where the versions differ.
 *
 * @typedef {object} N8nTraits
 * @property {NodeMajor} node the Node.js that it runs on; its compiled parts are for this one only
 * @property {Activation} activation
 * @property {boolean} activatesInBackground whether the answer to an activation comes before n8n has
 * tried it, so that it can't say what went wrong
 * @property {boolean} savesBeforeAnswer whether the execution that a delivery started is saved when the
 * sender gets its answer
 * @property {boolean} servesOutputSchemas whether the editor can ask for those of a community node
 * @property {number} httpRequest the newest version of n8n's HTTP Request node
 * @property {readonly string[]} spareModules of n8n, which most tests don't need; it starts sooner
 * without them, and not at all without one that it doesn't know
 *
 * @typedef {'20' | '22' | '24'} NodeMajor
 *
 * @typedef {object} Activation the request that activates a workflow
 * @property {'POST' | 'PATCH'} method
 * @property {string} path below the workflow's own
 * @property {Record<string, unknown>} body in addition to the version of the workflow
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
	activation: { method: 'POST', path: '/activate', body: {} },
	activatesInBackground: true,
	savesBeforeAnswer: true,
	servesOutputSchemas: true,
	httpRequest: 4.5,
	spareModules,
};

/**
 * The versions of n8n that the package is tested with: the newest; the newest with all of its
 * libraries as released, where test/e2e/hosts has to replace some of the former's; the one before;
 * the last for Node.js 22; and the last 1.x.
 *
 * @satisfies {Record<string, N8nTraits>}
 */
export const N8N_VERSIONS = {
	'2.41.3': n8n2,
	'2.41.1': n8n2,
	'2.40.7': n8n2,
	'2.35.7': { ...n8n2, node: '22', activatesInBackground: false },
	'1.123.81': {
		node: '24',
		activation: { method: 'PATCH', path: '', body: { active: true } },
		activatesInBackground: false,
		savesBeforeAnswer: false,
		servesOutputSchemas: false,
		httpRequest: 4.3,
		spareModules: [],
	},
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
