import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { npm, run } from '../tooling/processes.mjs';
import manifest from '../package.json';

import type { Comparison, Part } from './comparison';
import { packed } from './packed';

/** Total size in bytes of all files in a folder. */
function bytesIn(folder: string): number {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
}

export const size: Part = {
	name: 'size',
	title: 'Size of the package, installed',
	async measure(): Promise<Comparison[]> {
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-benchmark-'));
		try {
			const tarball = await packed();
			await run('tar', ['-xzf', tarball, '-C', folder]);
			const { viem, siwe, zod } = manifest.devDependencies;
			writeFileSync(
				path.join(folder, 'package.json'),
				JSON.stringify({ private: true, dependencies: { viem, siwe, zod } }),
			);
			const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
			await npm(['install', ...quiet], { cwd: folder });
			return [
				{
					what: 'the package, installed',
					peer: 'viem, siwe and zod, installed as dependencies',
					unit: 'MB',
					ours: [bytesIn(path.join(folder, 'package')) / 1e6],
					peers: [bytesIn(path.join(folder, 'node_modules')) / 1e6],
					reading: 'share',
					limit: 1 / 50,
					notes: [`Packed, it is ${(statSync(tarball).size / 1e3).toFixed(0)} kB.`],
				},
			];
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	},
};
