import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ActionSandbox } from '../support/actionSandbox';
import { inBash } from '../support/bash';
import { startHttpServer, type HttpServer } from '../support/httpServer';

const README = readFileSync(join(__dirname, '../../sandbox/README.md'), 'utf8');
const COMMANDS = [...README.matchAll(/^curl .*$/gm)].map(([line]) => line);

const sandbox = new ActionSandbox();
let receiver: HttpServer;

beforeAll(async () => {
	await sandbox.start({ retryDelays: [] });
	receiver = await startHttpServer(() => ({ received: true }));
});

it.each(COMMANDS)('the sandbox README’s %s', async (command) => {
	const line = command
		.replace(/^curl/, 'curl --fail-with-body --silent --show-error')
		.replaceAll('$S', `${sandbox.url}/sandbox`)
		.replace('http://127.0.0.1:5678/webhook/x', receiver.url)
		.replaceAll('te-…', sandbox.team)
		.replace('0x…', '0x0000000000000000000000000000000000000001');
	expect(JSON.parse(await inBash(line))).toBeInstanceOf(Object);
});
