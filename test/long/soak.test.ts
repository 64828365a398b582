import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { ROLE_NUMBERS } from '../../sandbox/administratorInvites';
import { say } from '../../tooling/progress.mjs';
import { EventSink } from '../support/eventSink';
import { markdownTable } from '../../tooling/markdown';
import { PaymentWorkflow } from '../support/paymentWorkflow';
import { pollingTrigger } from '../support/pollingWorkflow';
import { writeSection } from './reliabilityReport';
import {
	startTestEnvironment,
	AS_INSTALLED,
	type TestEnvironment,
} from '../../n8nHost/testEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';
import { waitUntil } from '../../n8nHost/waiting';
import { action, chain, webhook } from '../../n8nHost/workflows';
import { depositEvent, eventOf } from '../../n8nHost/sampleEvents';

/** The duration; the first fifth is for warming up. */
const MINUTES = Number(process.env.LONG_MINUTES ?? 12);
const SAMPLES = 30;

/** Events that the trigger remembers; few, so that the record is full long before the end. */
const HISTORY = 500;
/** Characters of an event in n8n's record: two hashes, each in quotes and with a comma. */
const EVENT_CHARACTERS = 2 * 27;
/** What n8n writes around them. */
const AROUND = JSON.stringify({ mode: 'entries', data: [] }).length;
const LOG_LIMIT = 500;
/** Team users that are added before the first of them is removed again. */
const PEOPLE = 10;
/** One payment in so many breaks and is sent again with its attempt code. */
const CODED = 5;

jest.setTimeout((MINUTES + 10) * 60_000);

let environment: TestEnvironment;
/** What runs downstream: events of both kinds, and people that the polling trigger noticed. */
let sink: EventSink;
let finishedSink: EventSink;
let peopleSink: EventSink;

beforeAll(async () => {
	environment = await startTestEnvironment({ ...AS_INSTALLED, N8N_METRICS: 'true' });
	await environment.sandbox.control('POST', 'settings', { logLimit: LOG_LIMIT });
	sink = await EventSink.start();
	finishedSink = await EventSink.start();
	peopleSink = await EventSink.start();
});

/** Fails for the events whose key says so: nothing listens at port 9. */
function afterFinished() {
	const { parameters, ...after } = finishedSink.node;
	const url = `={{ $json.idempotency_key.startsWith('failing') ? 'http://127.0.0.1:9' : '${finishedSink.url}' }}/{{ $json.idempotency_key }}`;
	return { ...after, parameters: { ...parameters, url } };
}

/** A workflow that polls every second for new team users; resolves when it remembers the present ones. */
async function startPolling(): Promise<string> {
	const { n8n, sandbox, api, teamId } = environment;
	const trigger = pollingTrigger({ event: 'teamUserAdded', teamId });
	const workflow = chain('soak polling', [trigger, peopleSink.nodeFor('nanoid')]);
	const { id } = await n8n.saveWorkflow(workflow, [api]);
	await Promise.all([n8n.activate(id), sandbox.asked('listTeamUsers', 2)]);
	return id;
}

/** A workflow of four operations; returns the webhook that starts it. */
async function saveOperations(): Promise<string> {
	const { n8n, api, teamId } = environment;
	const name = randomUUID();
	const once = { executeOnce: true };
	const invite = {
		resource: 'invite',
		operation: 'create',
		teamId,
		role: 'contractor',
		inviteesSource: 'json',
		existingPeople: 'skip',
		inviteesJson:
			'={{ [{ email: "soak-" + $execution.id + "@example.com" }, { email: "again@example.com" }] }}',
	};
	const administrators = {
		resource: 'administratorInvite',
		operation: 'send',
		entityId: teamId,
		role: 'team_viewer',
		emails: '={{ "administrator-" + $execution.id + "@example.com" }}',
		options: { expectedRoleCode: String(ROLE_NUMBERS.team_viewer) },
	};
	const nodes = [
		webhook('Hook', name),
		action('Balance', { resource: 'balance', operation: 'get', entityId: teamId }),
		action('Users', { resource: 'teamUser', operation: 'getAll', teamId, returnAll: true }),
		action('Invite', invite, once),
		action('Administrators', administrators, once),
	];
	const { id } = await n8n.saveWorkflow(chain(name, nodes), [api]);
	await n8n.activate(id);
	const url = `${n8n.url}/webhook/${name}`;
	await n8n.waitForWebhook(url);
	return url;
}

interface Members {
	readonly invites: ReadonlyArray<{ nanoid: string; email: string }>;
}

const middle = (values: readonly number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

it('handles mixed deliveries and operations without leaks for LONG_MINUTES', async () => {
	const { n8n, n8nProcess, database, sandbox, teamId } = environment;
	const workflow = await TriggerWorkflow.start(environment, {
		parameters: { options: { deduplicationHistory: HISTORY } },
		after: sink.node,
	});
	const finished = await TriggerWorkflow.start(environment, {
		parameters: { options: { acknowledge: 'finished', deduplicationHistory: HISTORY } },
		after: afterFinished(),
	});
	const payments = await PaymentWorkflow.open(n8n, [n8n.url], sandbox);
	const polling = await startPolling();
	const operations = await saveOperations();
	const begun = Date.now();
	const end = begun + MINUTES * 60_000;
	const answers: Record<string, number> = {};
	const count = (name: string) => {
		answers[name] = (answers[name] ?? 0) + 1;
	};
	let sent = 0;

	/** Sends all kinds of delivery in turn, with four genuine ones for each of the others. */
	const deliveries = async () => {
		while (Date.now() < end) {
			sent += 1;
			const kind = ['new', 'new', 'new', 'new', 'repeated', 'forged', 'invalid'][sent % 7];
			const event =
				kind === 'invalid'
					? depositEvent({ deposit: { nanoid: 'none' } })
					: eventOf(`soak-${kind === 'repeated' ? sent - 3 : sent}`);
			const secret = kind === 'forged' ? { secret: 'of a forger' } : {};
			const { status } = await workflow.send(event, secret);
			count(`${kind} ${status}`);
			await pause(50);
		}
	};
	const sequence = async () => {
		while (Date.now() < end) {
			const { status } = await fetch(operations, { method: 'POST' });
			count(`operations ${status}`);
			await forgetInvites();
			await pause(500);
		}
	};
	/** Ends what the operations have invited, so that the lists which they read stay short. */
	const forgetInvites = async () => {
		const route = `members?nanoid=${teamId}&limit=20`;
		const { invites } = await sandbox.control<Members>('GET', route);
		for (const { nanoid, email } of invites) {
			if (!/^(soak|administrator)-\d/.test(email)) continue;
			await sandbox.control('POST', 'invites/end', { nanoid, outcome: 'expired' });
		}
	};
	/** Sends one event twice at the same instant, then one whose workflow fails. */
	const finishedDeliveries = async () => {
		for (let index = 0; Date.now() < end; index++) {
			const event = eventOf(`finished-${index}`);
			const pair = await Promise.all([finished.send(event), finished.send(event)]);
			for (const { status } of pair) count(`finished ${status}`);
			count(`failing ${(await finished.send(eventOf(`failing-${index}`))).status}`);
			await pause(500);
		}
	};
	let paid = 0;
	const pay = async () => {
		for (let index = 0; Date.now() < end; index++) {
			const { body, salt } = await payments.newPayment();
			const isCut = index % CODED === 0;
			const fault = { match: { path: 'instant' }, kind: 'cutBefore', times: 1 };
			if (isCut) await sandbox.control('POST', 'faults', fault);
			await payments.askEverywhere(body);
			if (isCut) {
				await payments.idle();
				await payments.publish({ confirmedNotPaid: await payments.latestCode() });
				await payments.askEverywhere(body);
			}
			const isMade = async () => (await payments.sent(salt)).made === 1;
			await waitUntil('the payment is made', isMade);
			paid += 1;
			count(isCut ? 'paid with a code' : 'paid');
			if (isCut) await payments.publish();
			await pause(1_000);
		}
	};
	const added: string[] = [];
	const people = async () => {
		while (Date.now() < end) {
			const team = { nanoid: teamId };
			const { nanoid } = await sandbox.control<{ nanoid: string }>('POST', 'users', team);
			added.push(nanoid);
			const former = added.at(-1 - PEOPLE);
			if (former !== undefined) await sandbox.control('POST', 'users/remove', { nanoid: former });
			await pause(2_000);
		}
	};
	const stored = async (sql: string) => {
		const [row] = await database.query(sql);
		return z.number().parse(row?.characters);
	};
	const RESIDENT = 'resident memory, MB';
	/** What a leak makes larger and larger. */
	const takeSample = async (): Promise<Record<string, number>> => {
		const metrics = await (await fetch(`${n8n.url}/metrics`)).text();
		const value = (name: string) =>
			z.coerce.number().parse(new RegExp(`^n8n_${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
		return {
			[RESIDENT]: Math.round(value('process_resident_memory_bytes') / 1e6),
			'heap used, MB': Math.round(value('nodejs_heap_size_used_bytes') / 1e6),
			'active handles': value('nodejs_active_handles_total'),
			'what the polling trigger remembers, characters': await stored(
				`select length(staticData) characters from workflow_entity where id = '${polling}'`,
			),
		};
	};
	const samples: Array<Record<string, number>> = [];
	let largestRecord = 0;
	const watch = async () => {
		for (let sample = 1; sample <= SAMPLES; sample++) {
			await pause(begun + (sample * MINUTES * 60_000) / SAMPLES - Date.now());
			samples.push(await takeSample());
			const record = await stored(
				`select coalesce(sum(length(value)), 0) characters from processed_data where workflowId = '${workflow.workflowId}'`,
			);
			largestRecord = Math.max(largestRecord, record);
			say(JSON.stringify([samples.at(-1), record]));
		}
	};
	const load = [deliveries, deliveries, finishedDeliveries, sequence, pay, people, watch];
	await Promise.all(load.map(async (each) => await each()));
	await waitUntil(
		() => `The polling trigger noticed ${peopleSink.keys.length} of ${added.length}.`,
		async () => peopleSink.keys.length >= added.length,
	).catch((error: unknown) => say(String(error)));
	await workflow.idle();
	await finished.idle();

	const steady = samples.slice(SAMPLES / 5);
	const half = Math.floor(steady.length / 2);
	const typical = (part: typeof samples, name: string) =>
		middle(part.map((each) => each[name] ?? NaN));
	const rows = Object.keys(steady[0] ?? {}).map((name) => {
		return [
			name,
			typical(steady.slice(0, half), name),
			typical(steady.slice(-half), name),
		] as const;
	});
	const counted = Object.entries(answers).map(([name, times]) => `${name}: ${times}`);
	writeSection('soak', {
		versions: `n8n ${n8nProcess.installation.version}`,
		result: `${sent} deliveries and ${paid} payments in ${MINUTES} minutes, ${sink.duplicates.length} events run twice; n8n’s memory went from ${rows[0]?.[1]} to ${rows[0]?.[2]} MB`,
		figures: [
			`${MINUTES} minutes (LONG_MINUTES, default 12), ${sent} deliveries. Answers: ${counted.join(', ')}. Ran downstream: ${sink.keys.length}, twice: ${sink.duplicates.length}.`,
			`At the same time: events acknowledged when finished, each delivered twice at the same instant (ran ${finishedSink.keys.length}, twice ${finishedSink.duplicates.length}), and events whose workflow fails; ${paid} payments, every fifth with an attempt code after its first attempt was cut (${await payments.booked()} booked); invites that skip existing people; and ${added.length} ` +
				`team users who come and go, of whom a polling trigger noticed ${peopleSink.keys.length} (twice ${peopleSink.duplicates.length}).`,
			'Medians of the samples after warming up:',
			markdownTable(['', 'first half', 'second half'], rows),
			`Resident memory, sample by sample: ${samples.map((each) => each[RESIDENT]).join(', ')}.`,
		],
	});
	expect(sink.duplicates).toEqual([]);
	expect(sink.keys).toHaveLength(answers['new 200'] ?? 0);
	for (const name of Object.keys(answers)) {
		expect(name).toMatch(
			/^(new|repeated|finished|operations) 200$|^forged 401$|^invalid 400$|^failing 500$|^paid/,
		);
	}
	expect(finishedSink.duplicates).toEqual([]);
	expect(finishedSink.keys).toHaveLength((answers['finished 200'] ?? 0) / 2);
	expect(await payments.booked()).toBe(paid);
	/* Executions of two polls can overtake each other. */
	expect([...peopleSink.keys].sort()).toEqual([...added].sort());
	expect(largestRecord).toBeLessThanOrEqual(EVENT_CHARACTERS * HISTORY + AROUND);
	for (const [label, early, late] of rows) {
		expect([label, late <= early * 1.3 + 20]).toEqual([label, true]);
	}
});
