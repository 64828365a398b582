import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { action, chain, node } from '../n8nHost/workflows';
import { isUp, waitUntil } from '../n8nHost/waiting';
import { median, mustBeSame, type Comparison, type Part } from './comparison';
import { probe, restart, Runner, startBenchmarkEnvironment } from './host';
import { growingTeam } from './organisation';

/** By then n8n has started: it polls at once, and its start would count as the poll's memory. */
const UNTIL_STARTED = 10_000;

export const polling: Part = {
	name: 'polling',
	title: 'Polling a large team',
	async measure({ small, runs }): Promise<Comparison[]> {
		const count = small ? 2_000 : 50_000;
		const times = Math.min(runs, 3);
		const environment = await startBenchmarkEnvironment();
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-benchmark-'));
		try {
			const { n8n, database, sandbox, api } = environment;
			const resize = async (growingTeamSize: number) =>
				await sandbox.control('POST', 'settings', { growingTeamSize });
			await resize(count);
			const teamId = await growingTeam(environment);
			const state = await Runner.start(environment, 'State', [probe('State', { task: 'state' })]);
			const returnAll = await Runner.timing(environment, 'Return All', [
				action('Users', { resource: 'teamUser', operation: 'getAll', teamId, returnAll: true }),
			]);
			const file = path.join(folder, 'arrived');
			const arrived = () =>
				existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
			const polls = await n8n.saveWorkflow(
				chain('Polling', [
					node(
						'Poll',
						'n8n-nodes-payroll-payments.payrollPaymentsPollingTrigger',
						{ event: 'teamUserAdded', teamId, pollTimes: { item: [{ mode: 'everyWeek' }] } },
						{ id: 'poll', credentials: { payrollPaymentsApi: { id: null, name: '' } } },
					),
					probe('Arrived', { task: 'arrived', file }),
				]),
				[api],
			);
			const restartWithSlowList = async () => {
				await sandbox.control('POST', 'faults', {
					kind: 'latency',
					delay: UNTIL_STARTED,
					match: { method: 'GET', path: 'users' },
				});
				await restart(environment, state);
			};
			const peak = async () => {
				/* Under load n8n loses its database for a moment, and refuses requests. */
				await waitUntil('n8n is ready', async () => await isUp(`${n8n.url}/healthz/readiness`));
				return (await state.run({})).peakMegabytes;
			};

			await restart(environment, state);
			const idle = await peak();
			await n8n.activate(polls.id);
			const saved = `select 1 from workflow_entity where id = '${polls.id}' and staticData like '%groups%'`;
			await waitUntil(
				'n8n saves what the first poll saw',
				async () => (await database.query(saved)).length > 0,
			);
			/* n8n polls when it starts, and compares with what it saved before it stopped. */
			const ours: number[] = [];
			for (let run = 1; run <= times; run++) {
				await resize(count + run);
				await restartWithSlowList();
				await waitUntil('the added user arrives', async () => arrived() >= run);
				mustBeSame('Users that arrived', arrived(), run);
				ours.push(await peak());
			}
			await n8n.deactivate(polls.id);
			const peers: number[] = [];
			for (let run = 1; run <= times; run++) {
				await restartWithSlowList();
				const { items } = await returnAll.run({ items: [{}] });
				mustBeSame('Users of Return All', items, count + times);
				peers.push(await peak());
			}
			const above = (peaks: readonly number[]) => peaks.map((each) => Math.max(0, each - idle));
			const absolute = (peaks: readonly number[]) => median(peaks).toFixed(0);
			return [
				{
					what: `peak memory of a poll that finds one new user among ${count}, above an n8n that has run nothing`,
					peer: 'Return All of the same team',
					unit: 'MB',
					ours: above(ours),
					peers: above(peers),
					reading: 'share',
					limit: 1,
					notes: [
						`In a new n8n each time, which has started before the list arrives. An n8n that has run nothing peaks at ${idle.toFixed(0)} MB; with that, the poll peaks at ${absolute(ours)} MB, Return All at ${absolute(peers)} MB (medians).`,
					],
				},
			];
		} finally {
			rmSync(folder, { recursive: true, force: true });
			await environment.stop();
		}
	},
};
