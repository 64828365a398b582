import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';

import { z } from 'zod';

import type { Sandbox } from '../../sandbox/server';
import { startSandbox } from '../../sandbox/server';

describe('the sandbox: as a process and as a page', () => {
	it('prints its URL when it is ready, and shuts down on SIGTERM', async () => {
		const repository = join(__dirname, '..', '..');
		const program = join(repository, 'node_modules', 'tsx', 'dist', 'cli.mjs');
		const main = join(repository, 'sandbox', 'main.ts');
		const child = spawn(process.execPath, [program, main], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const [line]: unknown[] = await once(child.stdout, 'data');
		const { url } = z.object({ url: z.string().url() }).parse(JSON.parse(String(line)));
		expect((await fetch(`${url}/sandbox/accounts`)).status).toBe(200);
		child.kill('SIGTERM');
		expect(await once(child, 'exit')).toEqual([0, null]);
	}, 60_000);

	it('rejects a port that is taken', async () => {
		const first = await startSandbox();
		const port = Number(new URL(first.url).port);
		await expect(startSandbox({ port })).rejects.toThrow('EADDRINUSE');
		await first.close();
	});

	describe('the control page', () => {
		let sandbox: Sandbox;

		beforeAll(async () => {
			sandbox = await startSandbox();
		});
		afterAll(async () => {
			await sandbox.close();
		});

		it('is a single page that loads nothing from other hosts', async () => {
			const response = await fetch(`${sandbox.url}/sandbox`);
			expect(response.headers.get('content-type')).toContain('text/html');
			const page = await response.text();
			expect(page).toContain('Send events');
			expect(page).not.toMatch(/(?:src|href)="(?!data:|#)|@import|url\(/);
		});

		it('allows no style or script but its own', async () => {
			const response = await fetch(`${sandbox.url}/sandbox`);
			const page = await response.text();
			const policy = response.headers.get('content-security-policy');
			for (const name of ['style', 'script']) {
				const [, own = ''] = new RegExp(`<${name}>([^]*?)</${name}>`).exec(page) ?? [];
				const hash = createHash('sha256').update(own).digest('base64');
				expect(policy).toContain(`${name}-src 'sha256-${hash}';`);
			}
			expect(policy).toContain("default-src 'none';");
		});

		it('lists wallets with their keys, labeled as worthless', async () => {
			const accounts: unknown = await (await fetch(`${sandbox.url}/sandbox/accounts`)).json();
			expect(accounts).toMatchObject({
				notice: expect.stringContaining('never fund them'),
				accounts: [
					{ name: 'companyAdministrator', role: 'org_admin' },
					{ name: 'teamAdministrator', role: 'team_admin' },
					{ name: 'viewer', role: 'org_viewer' },
					{ name: 'stranger', role: null },
				],
			});
		});

		it('lists who is in a team, who was removed, and who is invited', async () => {
			const [team] = sandbox.service.organisation.teams;
			const [user] = team?.users ?? [];
			sandbox.service.organisation.removeUser(user?.nanoid ?? '');
			const url = `${sandbox.url}/sandbox/members`;
			const members: unknown = await (await fetch(`${url}?nanoid=${team?.nanoid}&limit=2`)).json();
			expect(members).toEqual({
				users: team?.users.slice(-2),
				former_users: [user],
				invites: team?.invites.slice(-2).map(({ nanoid, email }) => ({ nanoid, email })),
			});
			expect((await fetch(`${url}?nanoid=te-nobody`)).status).toBe(404);
		});

		it('limits a log to its last entries', async () => {
			for (const path of ['one', 'two', 'three']) await fetch(`${sandbox.url}/v2/${path}`);
			const log: unknown = await (await fetch(`${sandbox.url}/sandbox/log?limit=2`)).json();
			expect(log).toMatchObject({
				entries: [{ path: '/v2/two' }, { path: '/v2/three' }],
				counts: { unknown: 3 },
			});
			expect((await fetch(`${sandbox.url}/sandbox/log?limit=x`)).status).toBe(400);
		});
	});
});
