import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';

import { z } from 'zod';

import { repository } from '../../tooling/paths.mjs';
import { useActionSandbox } from '../support/actionSandbox';

const sandbox = useActionSandbox();

const get = async (path = ''): Promise<Response> => await fetch(`${sandbox.url}/sandbox${path}`);
const statusOf = async (route: string, body: object): Promise<number> => {
	const answer = { method: 'POST', body: JSON.stringify(body) };
	return (await fetch(`${sandbox.url}/sandbox/${route}`, answer)).status;
};

it('prints its URL when it is ready, and shuts down on SIGTERM', async () => {
	const child = spawn(process.execPath, ['--import', 'tsx', 'sandbox/main.ts'], {
		cwd: repository,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line]: unknown[] = await once(child.stdout, 'data');
	const { url } = z.object({ url: z.string().url() }).parse(JSON.parse(String(line)));
	expect((await fetch(`${url}/sandbox/accounts`)).status).toBe(200);
	child.kill('SIGTERM');
	expect(await once(child, 'exit')).toEqual([0, null]);
}, 60_000);

it('has a page that loads nothing from other hosts, and no style or script but its own', async () => {
	const response = await get();
	expect(response.headers.get('content-type')).toContain('text/html');
	const page = await response.text();
	expect(page).toContain('Send events');
	expect(page).not.toMatch(/(?:src|href)="(?!data:|#)|@import|url\(/);
	const policy = response.headers.get('content-security-policy');
	expect(policy).toContain("default-src 'none';");
	for (const name of ['style', 'script']) {
		const [, own = ''] = new RegExp(`<${name}>([^]*?)</${name}>`).exec(page) ?? [];
		const hash = createHash('sha256').update(own).digest('base64');
		expect(policy).toContain(`${name}-src 'sha256-${hash}';`);
	}
});

/* test/e2e/controlPage.test.ts has what the other control endpoints do. */
it.each([
	['balances', { currency: 'USD', balance_cents: '1' }],
	['users', {}],
	['users/change', { payable: true }],
	['users/remove', {}],
	['users/restore', {}],
	['invites', { email: 'a@example.com' }],
	['invites/end', { outcome: 'expired' }],
])(
	'control endpoints answer 404 to %s for what does not exist, and 400 to nonsense',
	async (route, body) => {
		const unknown = { ...body, nanoid: 'te-unknown' };
		expect(await statusOf(route, unknown)).toBe(404);
		expect(await statusOf(route, { ...unknown, more: 1 })).toBe(400);
	},
);

/* Every test in n8n's engine reads what the log says of requests and faults. */
it('limits its log to the last entries, and to those that it keeps', async () => {
	for (const path of ['one', 'two', 'three']) await fetch(`${sandbox.url}/v2/${path}`);
	expect(await (await get('/log?limit=2')).json()).toMatchObject({
		entries: [{ path: '/v2/two' }, { path: '/v2/three' }],
		counts: { unknown: 3 },
	});
	expect((await get('/log?limit=x')).status).toBe(400);

	sandbox.service.change({ logLimit: 5 });
	for (let call = 0; call < 20; call++) await fetch(`${sandbox.url}/v2/more`);
	const { entries, counts } = sandbox.service.wireLog.read();
	expect(entries.length).toBeLessThanOrEqual(6);
	expect(counts).toEqual({ unknown: 23 });
});
