import { repository } from '../tooling/paths.mjs';
import { npm } from '../tooling/processes.mjs';
import { goal, phases, seconds, type Comparison, type Part } from './comparison';

/** What a contributor waits for. */
export const suite: Part = {
	name: 'test',
	title: 'npm test and npm run test:unit with warm caches',
	async measure(): Promise<Comparison[]> {
		// The first run fills the caches, and installs what is missing.
		await npm(['test', '--silent'], { cwd: repository });
		const all = phases(await npm(['test', '--silent'], { cwd: repository }));
		const began = performance.now();
		await npm(['run', '--silent', 'test:unit'], { cwd: repository });
		const unit = (performance.now() - began) / 1000;
		return [
			goal('npm test', 's', seconds(all.at(-1)), 300, all),
			goal('npm run test:unit', 's', unit, 8),
		];
	},
};
