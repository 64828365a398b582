import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { say } from '../../tooling/progress.mjs';
import { markdownTable } from '../../tooling/markdown';
import type { N8nRest } from '../../n8nHost/n8nRest';
import { writeSection, type Part } from './reliabilityReport';
import { firstTeam, saveSandboxCredentials } from '../../n8nHost/sandboxCredentials';
import type { SandboxProcess } from '../../n8nHost/sandboxProcess';
import { waitUntil } from '../../n8nHost/waiting';
import { WebhookStart } from '../support/webhookStart';
import { action, code } from '../../n8nHost/workflows';
import { pick } from './queue/load';

const PEOPLE = 60;

/** How long the service takes for a request, so that a kill comes in the middle, in milliseconds. */
const LATENCY = 200;
/** What a request needs to end that was on its way when its process was killed, in milliseconds. */
const SETTLED = 2_000;

interface Killable {
	readonly n8n: N8nRest;
	/** The URLs of the processes that take deliveries. */
	readonly processes: readonly string[];
	readonly versions: string;
	/** Starts a workflow, and returns the execution that comes of it. */
	executionAfter(workflowId: string, start: () => Promise<void>): Promise<string>;
	kill(executionId: string): Promise<void>;
	/** Resolves when n8n takes deliveries again; by default once `kill` has resolved. */
	ready?(): Promise<void>;
}

const inviteBody = z.object({ invites: z.array(z.object({ email: z.string() })) });

const HEADING = ['kill', 'per request', 'after', 'sent by then', 'second run', 'invited', 'twice'];

/** Invites people who aren't invited yet, is killed at a random point and started again. */
export async function inviteDespiteKills(
	{ n8n, processes, versions, executionAfter, kill, ready }: Killable,
	sandbox: SandboxProcess,
	kills: number,
	part: Part,
): Promise<void> {
	const { api } = await saveSandboxCredentials(n8n, sandbox);
	const teamId = await firstTeam(sandbox.url);
	const slow = { match: { method: 'POST', path: '/v2/invites' }, kind: 'latency' };
	await sandbox.control('POST', 'faults', { ...slow, delay: LATENCY, times: 'always' });
	const workflows: Array<{ id: string; start: WebhookStart; inviteesPerRequest: number }> = [];
	for (const inviteesPerRequest of [1, 5]) {
		const start = new WebhookStart(n8n, processes);
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
		const { id } = await n8n.saveWorkflow(start.workflow([code('Sheet', jsCode), invite]), [api]);
		await start.publish(id);
		workflows.push({ id, start, inviteesPerRequest });
	}

	const rows: unknown[][] = [];
	for (let count = 1; count <= kills; count++) {
		const { id, start, inviteesPerRequest } = pick(workflows, count);
		const name = `skip-${count}`;
		const invited = async () =>
			(await sandbox.requests('createInvites', inviteBody))
				.flatMap(({ body: { invites } }) => invites.map(({ email }) => email))
				.filter((email) => email.startsWith(`${name}-`));
		const body = JSON.stringify({ name });
		const startAt = async (index: number) =>
			await executionAfter(id, async () => await start.start(pick(start.urls, index), body));
		const point = randomInt(1, PEOPLE / 2);
		const first = await startAt(count);
		await waitUntil('invites reach the service', async () => (await invited()).length >= point, {
			interval: 5,
		});
		await kill(first);
		await pause(SETTLED);
		const sent = (await invited()).length;
		const second = await startAt(count + 1);
		const { status } = await n8n.waitForExecution(second, 180_000);
		const all = await invited();
		const people = new Set(all).size;
		rows.push([count, inviteesPerRequest, point, sent, status, people, all.length - people]);
		say(`kill ${count}: ${JSON.stringify(rows.at(-1))}`);
		await ready?.();
	}
	for (const { id } of workflows) await n8n.deactivate(id);
	const twice = rows.reduce((sum, row) => sum + Number(row.at(-1)), 0);
	writeSection(part, {
		versions,
		result: `${PEOPLE} people invited over each of ${rows.length} kills, ${twice} of them twice`,
		figures: [
			`A workflow invites ${PEOPLE} people from rows, with Existing People set to Skip. The process that runs it is killed with kill -9 at a random point, and the workflow is started again ${SETTLED / 1_000} seconds later.`,
			markdownTable(HEADING, rows),
			'If n8n dies before the answer to an invite arrives, that invite is in the list of pending invites but in no execution. The second run finds it in that list.',
		],
	});
	for (const [, , , sent, status, people, twice] of rows) {
		expect([status, people, twice]).toEqual(['success', PEOPLE, 0]);
		/* If everybody was invited already, the kill came too late to prove anything. */
		expect(sent).toBeLessThan(PEOPLE);
	}
}
