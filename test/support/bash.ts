import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { run } from '../../tooling/processes.mjs';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Runs a line as a person would, and returns what it prints. Without curl, ours stands in for it. */
export async function inBash(line: string): Promise<string> {
	const standIn = `curl() { '${process.execPath}' '${path.join(__dirname, 'curl.mjs')}' "$@"; }\n`;
	return await run('bash', ['-c', hasCurl ? line : standIn + line]);
}
