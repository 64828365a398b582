import { readFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from '../../../tooling/paths.mjs';
import { startPackages } from '../../../tooling/startPackages.mjs';

const read = (file: string): unknown =>
	JSON.parse(readFileSync(path.join(repository, 'scripts', 'start', file), 'utf8'));

it('scripts/start has the versions of package-lock.json, or else run npm run lock', () => {
	const { manifest, lock } = startPackages();
	expect(read('package.json')).toEqual(manifest);
	expect(read('package-lock.json')).toEqual(lock);
});

it('locks every package of npm start by its hash, and no address of a registry', () => {
	const { lock } = startPackages();
	const packages = Object.entries(lock.packages).filter(([folder]) => folder !== '');
	for (const [, locked] of packages) {
		expect(locked).toMatchObject({ integrity: expect.any(String) });
		expect(locked).not.toHaveProperty('resolved');
	}
	const names = ['n8n-core', 'viem', 'siwe'].map((name) => `node_modules/${name}`);
	expect(packages.map(([folder]) => folder)).toEqual(expect.arrayContaining(names));
});
