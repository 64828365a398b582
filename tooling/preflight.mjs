import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';

import { findBrowser } from './browser.mjs';
import { run } from './processes.mjs';

/** Throws unless servers can listen on this machine's own address. */
async function checkPorts() {
	await new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', (error) => {
			reject(new Error(`No server can listen on 127.0.0.1 (${error.message}).`));
		});
		server.listen(0, '127.0.0.1', () => server.close(resolve));
	});
}

/**
 * Throws unless n8n's database driver loads: it is made for one kind of machine.
 *
 * @param {import('./installations.mjs').N8nInstallation} n8n
 */
async function checkDriver({ node, cli, env }) {
	const script = "require('node:module').createRequire(process.argv[1])('sqlite3')";
	await run(node, ['--eval', script, realpathSync(cli)], { env }).catch(
		(/** @type {Error} */ { message }) => {
			const [reason] = /^Error: .*/m.exec(message) ?? [message];
			throw new Error(`n8n's database driver doesn't load (${reason.replace('Error: ', '')}).`);
		},
	);
}

/**
 * Finds what the machine lacks for the tests, before they start.
 *
 * @param {import('./installations.mjs').N8nInstallation} n8n
 * @throws {Error} in one sentence
 */
export async function checkMachine(n8n) {
	await checkPorts();
	await checkDriver(n8n);
	await findBrowser();
}
