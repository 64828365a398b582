import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { npm } from '../../tooling/processes.mjs';
import { bundle, programs } from '../bundle';

const NAME = 'n8n-nodes-bare';

/** The type of its trigger, as workflows name it. */
export const BARE_TRIGGER = `${NAME}.bareTrigger`;

/** Packs a community package with nothing but the bare trigger. */
export async function packedBare(): Promise<string> {
	const folder = path.join(programs, 'bare');
	const file = 'dist/BareTrigger.node.js';
	await bundle('benchmark/bare/BareTrigger.node.ts', path.join(folder, file));
	mkdirSync(folder, { recursive: true });
	const manifest = {
		name: NAME,
		version: '1.0.0',
		license: 'MIT',
		keywords: ['n8n-community-node-package'],
		files: ['dist'],
		n8n: { n8nNodesApiVersion: 1, nodes: [file] },
	};
	writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
	await npm(['pack', '--silent', '--pack-destination', programs], { cwd: folder });
	return path.join(programs, `${NAME}-${manifest.version}.tgz`);
}
