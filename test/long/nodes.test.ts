import path from 'node:path';

import { installNode } from '../../scripts/lib/installations.mjs';
import type { NodeMajor } from '../../scripts/lib/n8nVersions.mjs';
import { repository } from '../../scripts/lib/paths.mjs';
import { run, runInTerminal } from '../../scripts/lib/processes.mjs';
import { markdownTable } from '../support/markdown';
import { writeSection } from '../support/reliabilityReport';

jest.setTimeout(3_600_000);

const MAJORS: readonly NodeMajor[] = ['20', '22', '24'];

const inModules = (...file: string[]) => path.join(repository, 'node_modules', ...file);

/** What is run on each Node.js, from the commands of package.json. */
const STEPS: ReadonlyArray<readonly [string, readonly string[]]> = [
	['`npm run test:unit`', [inModules('jest', 'bin', 'jest.js'), '--selectProjects', 'unit']],
	['`npm run build`', [inModules('gulp', 'bin', 'gulp.js'), 'build']],
	['`npm run scan`', [path.join(repository, 'scripts', 'scan.mjs')]],
];

it('the unit tests, the build and n8n’s scanner pass on every supported Node.js', async () => {
	const columns = await Promise.all(MAJORS.map(installNode));
	const versions = await Promise.all(
		columns.map(async ({ node }) => (await run(node, ['--version'])).trim()),
	);
	const rows: string[][] = [];
	for (const [name, args] of STEPS) {
		const cells: string[] = [];
		for (const { node, env } of columns) {
			const code = await runInTerminal(node, [...args], { cwd: repository, env, minutes: 20 });
			cells.push(code === 0 ? 'passed' : `failed (${code})`);
		}
		rows.push([name, ...cells]);
	}
	const names = versions.map((version) => `Node ${version.replace(/^v/, '')}`);
	writeSection(
		'nodes',
		'The package’s own checks on each Node.js',
		'each on the Node.js named',
		markdownTable(['', ...names], rows),
	);
	expect(new Set(rows.flatMap(([, ...cells]) => cells))).toEqual(new Set(['passed']));
});
