import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const published = ['package.json', 'nodes/**/*.{ts,json}', 'credentials/**/*.{ts,json}'];

/** n8n's own rules, the same as its scanner's (`npm run scan`), which is the last judge. */
const n8nRules = [
	{ ...n8nCommunityNodesPlugin.configs.recommended, files: published },
	{ files: published, plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{ files: ['package.json'], rules: n8nNodesBase.configs.community.rules },
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// The scanner's exceptions: the first is for n8n's own pages, the second has a successor.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// The scanner's exceptions: enums for inputs and outputs, and an API's own maximum.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{ files: ['**/*.json'], languageOptions: { parser: tseslint.parser } },
];

const ourRules = {
	files: ['**/*.ts', '{scripts,tooling}/**/*.mjs'],
	extends: [tseslint.configs.strict],
	languageOptions: { parserOptions: { projectService: true } },
	rules: {
		'@typescript-eslint/await-thenable': 'error',
		'@typescript-eslint/no-floating-promises': 'error',
		'@typescript-eslint/no-misused-promises': 'error',
		'@typescript-eslint/no-unnecessary-type-assertion': 'error',
		'@typescript-eslint/switch-exhaustiveness-check': 'error',
	},
};

export default tseslint.config(
	{ ignores: ['**/node_modules/', 'dist/', '.n8n/', '.build/', 'coverage/'] },
	{ linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
	...n8nRules,
	{ files: published, rules: { 'no-console': 'error' } },
	ourRules,
);
