/**
 * How a version of n8n behaves where the versions differ.
 *
 * @typedef {object} N8nTraits
 * @property {Activation} activation
 * @property {boolean} activatesInBackground whether the answer to an activation comes before n8n has
 * tried it, so that it can't say what went wrong
 *
 * @typedef {object} Activation the request that activates a workflow
 * @property {'POST' | 'PATCH'} method
 * @property {string} path below the workflow's own
 * @property {Record<string, unknown>} body in addition to the version of the workflow
 */

/** @type {Omit<N8nTraits, 'activatesInBackground'>} */
const n8n2 = {
	activation: { method: 'POST', path: '/activate', body: {} },
};

/**
 * The versions of n8n that the package is tested with.
 *
 * @satisfies {Record<string, N8nTraits>}
 */
export const N8N_VERSIONS = {
	'2.41.1': { ...n8n2, activatesInBackground: true },
	'2.38.7': { ...n8n2, activatesInBackground: false },
	'1.123.81': {
		activation: { method: 'PATCH', path: '', body: { active: true } },
		activatesInBackground: false,
	},
	/* The newest release on the registry, which a weekly job tests. */
	latest: { ...n8n2, activatesInBackground: true },
};

/** @typedef {keyof typeof N8N_VERSIONS} N8nVersion */

/**
 * The n8n that `npm start` runs, and by default the tests.
 *
 * @satisfies {N8nVersion}
 */
export const DEFAULT_N8N_VERSION = '2.41.1';
