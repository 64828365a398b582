// Which room of nodes/PayrollPayments may import which, as CONTRIBUTING.md draws it. `npm run lint`
// checks it, type-only imports included.

const ROOMS = '^nodes/PayrollPayments/';

/** What each room may import besides itself, as regular expressions below nodes/PayrollPayments/. */
const ARROWS = {
	shared: [],
	contract: ['shared/'],
	forms: ['shared/', 'contract/'],
	signing: ['shared/', 'contract/'],
	api: ['shared/', 'contract/', 'forms/', 'signing/'],
	idempotency: ['shared/', 'contract/'],
	run: ['shared/', 'forms/', 'signing/', 'api/', 'idempotency/'],
	operations: ['shared/', 'contract/', 'forms/', 'signing/', 'api/', 'idempotency/', 'run/'],
	listSearch: ['shared/', 'contract/', 'forms/', 'api/'],
	trigger: ['shared/', 'contract/', 'forms/', 'idempotency/', 'api/schemas/'],
	polling: ['shared/', 'contract/', 'forms/', 'api/'],
};

/** Around the package, each folder may import itself and what it lists. */
const AROUND = {
	/* It judges the node, so it shares no code with it. */
	sandbox: [],
	tooling: ['nodes'],
	n8nHost: ['tooling', 'sandbox'],
	practice: ['n8nHost', 'tooling', 'sandbox', 'nodes'],
	scripts: ['practice', 'n8nHost', 'tooling', 'sandbox', 'nodes'],
	benchmark: ['n8nHost', 'tooling', 'nodes', 'credentials'],
	test: ['practice', 'n8nHost', 'tooling', 'sandbox', 'nodes', 'credentials'],
};

/** Folders that the published package doesn't contain. */
const UNPUBLISHED = `^(${Object.keys(AROUND).join('|')}|examples)/`;

const arrowsOf = ([room, allowed]) => ({
	name: `${room}-arrows`,
	comment:
		allowed.length === 0
			? `${room}/ imports no other room.`
			: `${room}/ imports only ${allowed.join(', ')}.`,
	severity: 'error',
	from: { path: `${ROOMS}${room}/` },
	to: {
		dependencyTypes: ['local'],
		pathNot: [room + '/', ...allowed].map((path) => `${ROOMS}${path}`),
	},
});

const aroundOf = ([folder, allowed]) => ({
	name: `${folder}-imports`,
	comment: `${folder}/ imports only ${allowed.join(', ') || 'itself'}.`,
	severity: 'error',
	from: { path: `^${folder}/` },
	to: {
		dependencyTypes: ['local'],
		pathNot: ['^[^/]+$', ...[folder, ...allowed].map((each) => `^${each}/`)],
	},
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		...Object.entries(ARROWS).map(arrowsOf),
		...Object.entries(AROUND).map(aroundOf),
		{
			name: 'known-rooms',
			comment: 'Every file below nodes/PayrollPayments/ is a node class or belongs to a room.',
			severity: 'error',
			from: {
				path: ROOMS,
				pathNot: [
					`${ROOMS}(${Object.keys(ARROWS).join('|')})/`,
					`${ROOMS}[A-Za-z]+\\.node\\.(ts|json)$`,
				],
			},
			to: {},
		},
		{
			name: 'schemas-stand-alone',
			comment:
				'api/schemas/ imports only shared/ and contract/, so that the trigger loads no client with it.',
			severity: 'error',
			from: { path: `${ROOMS}api/schemas/` },
			to: { dependencyTypes: ['local'], pathNot: [`${ROOMS}(api/schemas|contract|shared)/`] },
		},
		{
			name: 'one-door',
			comment:
				'Operations open no client and no run: they read with what a run gives them, and send through a journal (test/unit/run/oneDoor.types.ts).',
			severity: 'error',
			from: { path: `${ROOMS}operations/` },
			to: {
				path: `${ROOMS}(api/(client|n8nTransport|n8nHttp)|run/(run|runContext))\\.ts$`,
				dependencyTypesNot: ['type-only', 'type-import'],
			},
		},
		{
			name: 'signing-on-demand',
			comment:
				'Loading a node or a credential loads no viem: import signing/, but for its chains, dialects, payloads and typed amounts, where it is used.',
			severity: 'error',
			from: { path: '^(nodes|credentials)/', pathNot: `${ROOMS}signing/` },
			to: {
				path: `${ROOMS}signing/`,
				pathNot: `${ROOMS}signing/(chains|dialects|payloads|typedAmount)`,
				dynamic: false,
				dependencyTypesNot: ['type-only', 'type-import'],
			},
		},
		{
			name: 'wallet-libraries',
			comment: 'Only signing/ uses viem.',
			severity: 'error',
			from: { pathNot: `${ROOMS}signing/` },
			to: { path: '(^|/)node_modules/viem/' },
		},
		{
			name: 'judges',
			comment:
				'ethers, siwe and jose judge what viem signed, so the published code may not use them.',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { path: '(^|/)node_modules/(ethers|siwe|jose)/' },
		},
		{
			name: 'published-alone',
			comment: 'The published package contains only nodes/ and credentials/.',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { path: UNPUBLISHED },
		},
		{
			name: 'no-test-imported',
			comment: 'What tests share is in files of its own, in most cases below test/support/.',
			severity: 'error',
			from: {},
			to: { path: '\\.test\\.ts$' },
		},
		{
			name: 'no-cycles',
			comment: 'Files that import each other can only be read together.',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		{
			name: 'resolvable',
			comment: 'An import has to lead to a file or to an installed package.',
			severity: 'error',
			from: {},
			to: { couldNotResolve: true },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '^(dist|\\.build|\\.n8n|coverage)/' },
		tsConfig: { fileName: 'tsconfig.json' },
		tsPreCompilationDeps: true,
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['import', 'require', 'node', 'default', 'types'],
			extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
		},
	},
};
