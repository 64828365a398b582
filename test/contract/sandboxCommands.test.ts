import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startSandbox, type Sandbox } from '../../sandbox/server';
import { inBash } from '../support/bash';
import { startHttpServer, type HttpServer } from '../support/httpServer';

const README = readFileSync(join(__dirname, '../../sandbox/README.md'), 'utf8');
const COMMANDS = [...README.matchAll(/^curl .*$/gm)].map(([line]) => line);

let sandbox: Sandbox;
let receiver: HttpServer;

beforeAll(async () => {
	sandbox = await startSandbox({ settings: { retryDelays: [] } });
	receiver = await startHttpServer(() => ({ received: true }));
});
afterAll(async () => {
	await sandbox.close();
	await receiver.stop();
});

it.each(COMMANDS)('the sandbox README’s %s', async (command) => {
	const line = command
		.replace(/^curl/, 'curl --fail-with-body --silent --show-error')
		.replaceAll('$S', `${sandbox.url}/sandbox`)
		.replace('http://127.0.0.1:5678/webhook/x', receiver.url)
		.replaceAll('te-…', sandbox.service.organisation.teams[0]?.nanoid ?? '')
		.replace('0x…', '0x0000000000000000000000000000000000000001');
	expect(JSON.parse(await inBash(line))).toBeInstanceOf(Object);
});
