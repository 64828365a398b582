import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { repository } from '../tooling/paths.mjs';
import { cleanEnvironment, npm, run } from '../tooling/processes.mjs';
import { goal, phases, seconds, type Comparison, type Part } from './comparison';

/** What a folder takes on the disk, in MB. */
async function megabytes(folder: string): Promise<number> {
	const [kilobytes = ''] = (await run('du', ['-sk', folder])).split('\t');
	return (Number(kilobytes) * 1024) / 1e6;
}

/** What a new user does: clone, start, start again. */
export const firstContact: Part = {
	name: 'start',
	title: 'npm start in a fresh clone with empty caches, and again',
	async measure(): Promise<Comparison[]> {
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-first-contact-'));
		const clone = path.join(folder, 'clone');
		const cache = path.join(folder, 'cache');
		const env = cleanEnvironment({
			PAYROLL_PAYMENTS_CACHE: cache,
			npm_config_cache: path.join(folder, 'npm'),
		});
		const start = async () =>
			phases(await npm(['start', '--silent', '--', '--once'], { cwd: clone, env }));
		try {
			await run('git', ['clone', '--quiet', '--depth=1', `file://${repository}`, clone]);
			const cold = await start();
			const first = cold.find((line) => line.includes('engine'));
			const warm = await start();
			return [
				goal(
					'npm start -- --once, fresh clone and empty caches',
					's',
					seconds(cold.at(-1)),
					180,
					cold,
				),
				goal('the first result of that', 's', seconds(first), 60),
				goal('npm start -- --once, again', 's', seconds(warm.at(-1)), 12, warm),
				goal('n8n, its Node.js and pnpm in the cache', 'MB', await megabytes(cache), 2_000),
				goal('the clone, with all that it installed and built', 'MB', await megabytes(clone), 350),
			];
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	},
};
