import { readFileSync } from 'node:fs';
import path from 'node:path';

import config from '../../jest.config.mjs';
import { repository } from '../../tooling/paths.mjs';
import { cleanEnvironment, run } from '../../tooling/processes.mjs';
import { temporaryFolder } from '../../n8nHost/cleanups';

it('a test file whose start fails leaves no process running, and Jest ends', async () => {
	const [project] = config.projects;
	const testMatch = ['<rootDir>/test/jest/failingStart.ts'];
	const settings = JSON.stringify({ ...project, testMatch, rootDir: repository });
	const file = path.join(temporaryFolder('failing'), 'group');
	const jest = path.join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
	await expect(
		run(process.execPath, [jest, '--runInBand', '--config', settings], {
			cwd: repository,
			env: cleanEnvironment({ FAILING_START: file, FORCE_COLOR: '0' }),
		}),
	).rejects.toThrow(/The start failed\.[^]*1 failed, 1 total/);
	const group = Number(readFileSync(file, 'utf8'));
	expect(group).toBeGreaterThan(1);
	expect(() => process.kill(-group, 0)).toThrow(/ESRCH/);
});
