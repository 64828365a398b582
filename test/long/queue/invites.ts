import { randomInt } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { say } from '../../../scripts/lib/progress.mjs';
import { markdownTable } from '../../support/markdown';
import type { N8nQueue } from '../../support/n8nQueue';
import { writeSection } from '../../support/reliabilityReport';
import { firstTeam, saveSandboxCredentials } from '../../support/sandboxCredentials';
import { SandboxProcess } from '../../support/sandboxProcess';
import { waitFor, waitUntil } from '../../support/waiting';
import { WebhookStart } from '../../support/webhookStart';
import { action, node } from '../../support/workflows';
import { pick } from './load';

const KILLS = Number(process.env.LONG_INVITE_KILLS ?? 4);
const PEOPLE = 60;
/** Each of these sizes in turn. */
const PER_REQUEST = [1, 5];

/** How long the service takes for a request, so that a kill comes in the middle, in milliseconds. */
const LATENCY = 200;
/** What a request needs to end that was on its way when its worker was killed, in milliseconds. */
const SETTLED = 2_000;

const inviteBody = z.object({ invites: z.array(z.object({ email: z.string() })) });

/** Invites that skip existing people, while workers are killed. */
export function describeInvites(queueOf: () => N8nQueue): void {
	it('invites everybody once when a worker is killed and the workflow is started again', async () => {
		const queue = queueOf();
		await queue.ready();
		const sandbox = await SandboxProcess.start({
			logFile: path.join(queue.main.dataFolder, 'sandbox-invites.log'),
		});
		try {
			const { api } = await saveSandboxCredentials(queue.n8n, sandbox);
			const teamId = await firstTeam(sandbox.url);
			const processes = queue.webhooks.map(({ url }) => url);
			const slow = { match: { method: 'POST', path: '/v2/invites' }, kind: 'latency' };
			await sandbox.control('POST', 'faults', { ...slow, delay: LATENCY, times: 'always' });
			const open = async (inviteesPerRequest: number) => {
				const start = new WebhookStart(queue.n8n, processes);
				const jsCode = `return Array.from({ length: ${PEOPLE} }, (_, index) =>
					({ json: { email: \`\${$json.body.name}-\${index}@example.com\` } }));`;
				const invite = action('Invite', {
					resource: 'invite',
					operation: 'create',
					teamId,
					role: 'contractor',
					inviteesSource: 'items',
					existingPeople: 'skip',
					options: { inviteesPerRequest },
				});
				const sheet = node('Sheet', 'n8n-nodes-base.code', { jsCode }, { typeVersion: 2 });
				const { id } = await queue.n8n.saveWorkflow(start.workflow([sheet, invite]), [api]);
				await start.publish(id);
				return { id, start, inviteesPerRequest };
			};
			const workflows = [];
			for (const size of PER_REQUEST) workflows.push(await open(size));

			const rows: unknown[][] = [];
			for (let kill = 1; kill <= KILLS; kill++) {
				const { id, start, inviteesPerRequest } = pick(workflows, kill);
				const name = `skip-${kill}`;
				const body = JSON.stringify({ name });
				const invited = async () =>
					(await sandbox.requests('createInvites', inviteBody))
						.flatMap(({ body: { invites } }) => invites.map(({ email }) => email))
						.filter((email) => email.startsWith(`${name}-`));
				const run = async (url: string) => {
					const earlier = await queue.latestExecution(id);
					await start.start(url, body);
					return await waitFor(
						async () => {
							const latest = await queue.latestExecution(id);
							return latest === earlier ? undefined : latest;
						},
						{ milliseconds: 60_000, failure: () => 'The workflow has no execution.' },
					);
				};
				const point = randomInt(1, PEOPLE / 2);
				const worker = await queue.workerOf(await run(pick(start.urls, kill)));
				await waitUntil(async () => (await invited()).length >= point, {
					milliseconds: 120_000,
					interval: 5,
					failure: () => 'The invites don’t reach the service.',
				});
				await worker.kill();
				await pause(SETTLED);
				const sent = (await invited()).length;
				const second = await run(pick(start.urls, kill + 1));
				const { status } = await queue.n8n.waitForExecution(second, 180_000);
				const all = await invited();
				const people = new Set(all).size;
				rows.push([kill, inviteesPerRequest, point, sent, status, people, all.length - people]);
				say(`kill ${kill}: ${JSON.stringify(rows.at(-1))}`);
				await queue.ready();
			}
			for (const { id } of workflows) await queue.n8n.deactivate(id);
			writeSection(
				'queueInvites',
				'Queue mode, invites that skip existing people',
				queue.versions,
				[
					`A workflow invites ${PEOPLE} people from rows, with Existing People set to Skip. Its worker is ` +
						`killed with kill -9 at a random point, and the workflow is started again ${SETTLED / 1_000} seconds later.`,
					markdownTable(
						[
							'kill',
							'people per request',
							'planned after',
							'on the wire by then',
							'second run',
							'invited in the end',
							'invited twice',
						],
						rows,
					),
				].join('\n\n'),
				'queue -t "skip existing people"',
			);
			for (const [, , , sent, status, people, twice] of rows) {
				expect([status, people, twice]).toEqual(['success', PEOPLE, 0]);
				/* If everybody was invited already, the kill came too late to prove anything. */
				expect(sent).toBeLessThan(PEOPLE);
			}
		} finally {
			await sandbox.stop();
		}
	});
}
