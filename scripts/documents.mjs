// Writes generated parts of docs/ by running the test that checks them: `npm run screenshots` and
// `npm run docs:errors`.
import path from 'node:path';

import { repository } from '../tooling/paths.mjs';
import { cleanEnvironment, runInTerminal } from '../tooling/processes.mjs';

const PROJECTS = ['n8n', 'e2e'];

const tests = process.argv.slice(2);
const jest = path.join(repository, 'node_modules', 'jest', 'bin', 'jest.js');

process.exitCode = await runInTerminal(
	process.execPath,
	[
		jest,
		'--runInBand',
		'--selectProjects',
		...PROJECTS,
		'--testPathPatterns',
		...tests.map((test) => `test/${test}.test.ts`),
	],
	{
		cwd: repository,
		env: cleanEnvironment({ PAYROLL_PAYMENTS_WRITE: path.join(repository, 'docs') }),
		minutes: 20,
	},
);
