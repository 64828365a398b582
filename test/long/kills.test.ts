import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { say } from '../../scripts/lib/progress.mjs';
import { markdownTable } from '../support/markdown';
import { writeSection } from '../support/reliabilityReport';
import {
	startTestEnvironment,
	AS_INSTALLED,
	type TestEnvironment,
} from '../support/testEnvironment';
import { action, chain, node, START } from '../support/workflows';

jest.setTimeout(1_500_000);

const INVITES = 200;
const KILLS = Number(process.env.LONG_KILLS ?? 10);

let environment: TestEnvironment;

beforeAll(async () => {
	environment = await startTestEnvironment(AS_INSTALLED);
});

const wireLog = z.object({
	entries: z.array(
		z.object({
			operation: z.string(),
			status: z.number().optional(),
			body: z
				.object({ invites: z.array(z.object({ email: z.string() })) })
				.optional()
				.catch(undefined),
		}),
	),
});

/** The email addresses that reached the service, in order, with repeats. */
async function invited(): Promise<string[]> {
	const { entries } = wireLog.parse(await environment.sandbox.control('GET', 'log?limit=20000'));
	return entries
		.filter(({ operation }) => operation === 'createInvites')
		.flatMap(({ body }) => body?.invites.map(({ email }) => email) ?? []);
}

/** Saves a workflow that invites everybody without a pending invite, one request per person. */
async function saveWorkflow(name: string): Promise<string> {
	const { n8n, api, teamId } = environment;
	const missing = `
		const pending = new Set($input.all().map(({ json }) => json.email));
		return Array.from({ length: ${INVITES} }, (_, index) => \`${name}-\${index}@example.com\`)
			.filter((email) => !pending.has(email))
			.map((email) => ({ json: { email } }));`;
	const nodes = [
		START,
		action('Pending', {
			resource: 'invite',
			operation: 'getAll',
			entityId: teamId,
			returnAll: true,
		}),
		node('Missing', 'n8n-nodes-base.code', { jsCode: missing }, { typeVersion: 2 }),
		action('Invite', {
			resource: 'invite',
			operation: 'create',
			teamId,
			role: 'contractor',
			inviteesSource: 'json',
			inviteesJson: '={{ [{ email: $json.email }] }}',
		}),
	];
	return (await n8n.saveWorkflow(chain(name, nodes), [api])).id;
}

it('invites nobody twice when n8n is killed in the middle of 200 invites, ten times', async () => {
	const { n8n, n8nProcess, sandbox } = environment;
	const rows: unknown[][] = [];
	for (let kill = 1; kill <= KILLS; kill++) {
		const name = `kill-${kill}`;
		const id = await saveWorkflow(name);
		const mine = async () => (await invited()).filter((email) => email.startsWith(`${name}-`));
		const point = randomInt(1, INVITES - 1);
		const executionId = await n8n.startWorkflow(id);
		while ((await mine()).length < point) await pause(5);
		await n8nProcess.kill();
		await n8nProcess.start();
		await n8n.signIn();
		const sent = await mine();
		let shown = (await n8n.execution(executionId)).status;
		for (let look = 0; look < 50 && shown === 'running'; look++) {
			await pause(200);
			shown = (await n8n.execution(executionId)).status;
		}
		const again = await n8n.runWorkflow(id, 120_000);
		const all = await mine();
		const pending = new Set(all);
		rows.push([
			kill,
			point,
			sent.length,
			shown,
			again.status,
			pending.size,
			all.length - pending.size,
		]);
		say(`kill ${kill}: ${JSON.stringify(rows.at(-1))}`);
	}
	const answers = wireLog.parse(await sandbox.control('GET', 'log?limit=20000')).entries;
	writeSection(
		'kills',
		'n8n killed in the middle of 200 invites',
		`n8n ${n8nProcess.installation.version}`,
		[
			`A workflow lists the pending invites and invites everybody who is missing, one request per person. ` +
				`While it runs, n8n is killed with kill -9 at a random point and started again; then the workflow ` +
				`runs once more. ${answers.length} requests reached the sandbox in all.`,
			markdownTable(
				[
					'kill',
					'planned after invite',
					'on the wire by then',
					'n8n shows',
					'second run',
					'invited in the end',
					'invited twice',
				],
				rows,
			),
			'If n8n dies before the answer to an invite arrives, that invite is in the list of pending ' +
				'invites but in no execution. The second run finds it in that list.',
		].join('\n\n'),
	);
	for (const [, , , shown, again, total, twice] of rows) {
		expect([shown, again, total, twice]).toEqual(['crashed', 'success', INVITES, 0]);
	}
});
