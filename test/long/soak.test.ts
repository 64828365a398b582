import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { say } from '../../scripts/lib/progress.mjs';
import { EventSink } from '../support/eventSink';
import { markdownTable } from '../support/markdown';
import { writeSection } from '../support/reliabilityReport';
import { startTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';
import { action, chain, node } from '../support/workflows';
import { depositEvent, otherEvent } from '../unit/trigger/samples';

/** The duration; the first fifth is for warming up. */
const MINUTES = Number(process.env.LONG_MINUTES ?? 30);
const SAMPLES = 30;

jest.setTimeout((MINUTES + 10) * 60_000);

let environment: TestEnvironment;
let sink: EventSink;

beforeAll(async () => {
	environment = await startTestEnvironment({ N8N_METRICS: 'true' });
	sink = await EventSink.start();
});

afterAll(async () => {
	await sink.stop();
	await environment.stop();
});

/** A workflow of four operations; returns the webhook that starts it. */
async function saveOperations(): Promise<string> {
	const { n8n, api, teamId } = environment;
	const name = randomUUID();
	const hook = node(
		'Hook',
		'n8n-nodes-base.webhook',
		{ path: name, httpMethod: 'POST', responseMode: 'lastNode', options: {} },
		{ typeVersion: 2, webhookId: name },
	);
	const once = { executeOnce: true };
	const nodes = [
		hook,
		action('Balance', { resource: 'balance', operation: 'get', entityId: teamId }),
		action('Users', { resource: 'teamUser', operation: 'getAll', teamId, returnAll: true }),
		action(
			'Invite',
			{
				resource: 'invite',
				operation: 'create',
				teamId,
				role: 'contractor',
				inviteesSource: 'json',
				inviteesJson: '={{ [{ email: "soak-" + $execution.id + "@example.com" }] }}',
			},
			once,
		),
		action(
			'Administrators',
			{
				resource: 'administratorInvite',
				operation: 'createAndExecute',
				entityId: teamId,
				role: 'team_viewer',
				emails: '={{ "administrator-" + $execution.id + "@example.com" }}',
			},
			once,
		),
	];
	const { id } = await n8n.saveWorkflow(chain(name, nodes), [api]);
	await n8n.activate(id);
	const url = `${n8n.url}/webhook/${name}`;
	await n8n.waitForWebhook(url);
	return url;
}

interface Sample {
	readonly minute: number;
	readonly resident: number;
	readonly heap: number;
	readonly handles: number;
	/** Latencies of the deliveries since the last sample, in milliseconds. */
	readonly median: number;
	readonly operations: number;
}

const middle = (values: readonly number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

it('handles mixed deliveries and operations without leaks for LONG_MINUTES', async () => {
	const { n8n, n8nProcess } = environment;
	const workflow = await TriggerWorkflow.start(environment, { after: sink.node });
	const operations = await saveOperations();
	const begun = Date.now();
	const end = begun + MINUTES * 60_000;
	const answers: Record<string, number> = {};
	let latencies: number[] = [];
	let sequences: number[] = [];
	let sent = 0;

	/** Sends all kinds of delivery in turn, with four genuine ones for each of the others. */
	const deliveries = async () => {
		while (Date.now() < end) {
			sent += 1;
			const at = Date.now();
			const kind = ['new', 'new', 'new', 'new', 'repeated', 'forged', 'invalid'][sent % 7];
			const event =
				kind === 'repeated'
					? otherEvent({ idempotency_key: `soak-${sent - 3}` })
					: kind === 'invalid'
						? depositEvent({ deposit: { nanoid: 'none' } })
						: otherEvent({ idempotency_key: `soak-${sent}` });
			const secret = kind === 'forged' ? { secret: 'of a forger' } : {};
			const { status } = await workflow.send(event, secret);
			const name = `${kind} ${status}`;
			answers[name] = (answers[name] ?? 0) + 1;
			latencies.push(Date.now() - at);
			await pause(50);
		}
	};
	const sequence = async () => {
		while (Date.now() < end) {
			const at = Date.now();
			const { status } = await fetch(operations, { method: 'POST' });
			const name = `operations ${status}`;
			answers[name] = (answers[name] ?? 0) + 1;
			sequences.push(Date.now() - at);
			await pause(500);
		}
	};
	const samples: Sample[] = [];
	const watch = async () => {
		for (let count = 1; count <= SAMPLES; count++) {
			await pause(begun + (count * MINUTES * 60_000) / SAMPLES - Date.now());
			const metrics = await (await fetch(`${n8n.url}/metrics`)).text();
			const value = (name: string) =>
				z.coerce.number().parse(new RegExp(`^n8n_${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
			samples.push({
				minute: Math.round((Date.now() - begun) / 6_000) / 10,
				resident: Math.round(value('process_resident_memory_bytes') / 1e6),
				heap: Math.round(value('nodejs_heap_size_used_bytes') / 1e6),
				handles: value('nodejs_active_handles_total'),
				median: middle(latencies),
				operations: middle(sequences),
			});
			say(JSON.stringify(samples.at(-1)));
			latencies = [];
			sequences = [];
		}
	};
	await Promise.all([deliveries(), deliveries(), sequence(), watch()]);
	await workflow.idle();

	const steady = samples.slice(SAMPLES / 5);
	const half = Math.floor(steady.length / 2);
	const compare = (label: string, of: (sample: Sample) => number) => {
		const typical = (part: readonly Sample[]) => middle(part.map(of));
		return [label, typical(steady.slice(0, half)), typical(steady.slice(-half))] as const;
	};
	const rows = [
		compare('resident memory, MB', ({ resident }) => resident),
		compare('heap used, MB', ({ heap }) => heap),
		compare('active handles', ({ handles }) => handles),
		compare('median of a delivery, ms', ({ median }) => median),
		compare('median of four operations in a row, ms', (sample) => sample.operations),
	];
	writeSection(
		'soak',
		'Soak',
		`n8n ${n8nProcess.installation.version}`,
		[
			`${MINUTES} minutes (LONG_MINUTES, default 30), ${sent} deliveries. Answers: ` +
				`${Object.entries(answers)
					.map(([name, count]) => `${name}: ${count}`)
					.join(', ')}. ` +
				`Ran downstream: ${sink.keys.length}, twice: ${sink.duplicates.length}.`,
			'Medians of the samples after warming up:',
			markdownTable(['', 'first half', 'second half'], rows),
			`Resident memory in MB, sample by sample: ${samples.map(({ resident }) => resident).join(', ')}. ` +
				`Handles: ${samples.map(({ handles }) => handles).join(', ')}.`,
		].join('\n\n'),
	);
	expect(sink.duplicates).toEqual([]);
	expect(sink.keys).toHaveLength(answers['new 200'] ?? 0);
	for (const name of Object.keys(answers)) {
		expect(name).toMatch(/^(new|repeated|operations) 200$|^forged 401$|^invalid 400$/);
	}
	for (const [label, early, late] of rows.slice(0, 3)) {
		expect([label, late <= early * 1.3 + 20]).toEqual([label, true]);
	}
});
