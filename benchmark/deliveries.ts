import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { TestEnvironment } from '../n8nHost/testEnvironment';
import { installPackage } from '../n8nHost/n8nProcess';
import { node } from '../n8nHost/workflows';
import { interleaved, median, mustBeSame, rotated, type Comparison, type Part } from './comparison';
import { packedBare } from './bare/pack';
import { probe, restart, Runner, startBenchmarkEnvironment } from './host';
import {
	CONNECTIONS,
	deposits,
	PEERS,
	Receiver,
	signed,
	STARTED,
	type Answer,
	type Delivery,
	type Host,
} from './receiver';

/** One of n8n's expression engines, and the limits to reach with it. */
interface Engine {
	readonly name: string;
	readonly env: Record<string, string>;
	/** How many deliveries each sample has. */
	readonly count: number;
	/** The limits for genuine deliveries; that against n8n's own node is what the first version had. */
	readonly limits: Readonly<Record<keyof typeof PEERS, number>>;
	/** The limit for deliveries that start nothing, while the peers' always start a run. */
	readonly limitOfIgnored: number;
}

const ENGINES: readonly Engine[] = [
	{
		name: 'default expression engine',
		env: {},
		count: 400,
		limits: { bare: 0.95, webhook: 0.65 },
		limitOfIgnored: 1,
	},
	{
		name: 'legacy expression engine',
		env: { N8N_EXPRESSION_ENGINE: 'legacy' },
		count: 1_000,
		limits: { bare: 0.95, webhook: 0.89 },
		limitOfIgnored: 3,
	},
];

const CONDITIONS = `${CONNECTIONS} connections, until the last started run has run.`;

const KINDS = ['genuine', 'filtered', 'forged', 'repeated'] as const;

/** What forged deliveries may have made n8n load of our package. */
const REFUSING_CODE = { receive: true, diagnose: false };

function ignored(reason: string): Answer {
	return { status: 200, text: `{"received":true,"ignored":"${reason}"}`, runs: false };
}

/** An n8n with a workflow for our trigger and for each of its peers. */
class Stage {
	private constructor(
		readonly environment: TestEnvironment,
		readonly receivers: Readonly<Record<'ours' | keyof typeof PEERS, Receiver>>,
		/** What n8n's process has used and loaded. */
		readonly state: Runner,
		private readonly folder: string,
	) {}

	static async open(env: Record<string, string>): Promise<Stage> {
		const environment = await startBenchmarkEnvironment(env);
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-benchmark-'));
		await installPackage(environment.n8nProcess.dataFolder, await packedBare());
		await restart(environment);
		const { n8n, database } = environment;
		const host: Host = {
			n8n,
			url: n8n.url,
			executions: async (id) => (await database.executions(id)).length,
		};
		const webhookId = randomUUID();
		const webhook = await Receiver.start(host, folder, {
			trigger: node(
				'Webhook',
				'n8n-nodes-base.webhook',
				{ httpMethod: 'POST', path: webhookId, options: {} },
				{ typeVersion: 2.1, webhookId },
			),
			route: webhookId,
			path: 'body',
		});
		const [ours, bare] = [await Receiver.ours(host, folder), await Receiver.bare(host, folder)];
		const state = await Runner.start(environment, 'State', [probe('State', { task: 'state' })]);
		const stage = new Stage(environment, { ours, webhook, bare }, state, folder);
		await stage.warmUp();
		return stage;
	}

	async warmUp(): Promise<void> {
		for (const receiver of Object.values(this.receivers)) {
			await receiver.take(signed(deposits(20)), STARTED);
		}
	}

	/** Milliseconds that deliveries take, and those of n8n's processor. */
	async sample(receiver: Receiver, all: readonly Delivery[], expected: Answer) {
		const before = (await this.state.run({})).cpuMilliseconds;
		const time = await receiver.take(all, expected);
		return { time, cpu: (await this.state.run({})).cpuMilliseconds - before };
	}

	async close(): Promise<void> {
		rmSync(this.folder, { recursive: true, force: true });
		await this.environment.stop();
	}
}

/** Each kind of delivery to our trigger, in turn with as many genuine ones to its peers. */
async function compareKinds(
	stage: Stage,
	{ name: engine, limits, limitOfIgnored }: Engine,
	{ count, runs }: { count: number; runs: number },
): Promise<Comparison[]> {
	const { ours, webhook, bare } = stage.receivers;
	let last = deposits(count);
	await ours.take(signed(last), STARTED);
	const executions = await ours.executions();
	const samplesOf = await rotated(runs, [
		['bare', async () => await stage.sample(bare, signed(deposits(count)), STARTED)],
		[
			'genuine',
			async () => {
				last = deposits(count);
				const answer = { ...STARTED, text: '{"received":true}' };
				return await stage.sample(ours, signed(last), answer);
			},
		],
		['webhook', async () => await stage.sample(webhook, signed(deposits(count)), STARTED)],
		[
			'filtered',
			async () => {
				const all = signed(deposits(count, { event_type: 'invite.accepted' }));
				return await stage.sample(ours, all, ignored('filter'));
			},
		],
		[
			'forged',
			async () => {
				const all = signed(deposits(count), 'a guess');
				return await stage.sample(ours, all, { status: 401, runs: false });
			},
		],
		['repeated', async () => await stage.sample(ours, signed(last), ignored('duplicate'))],
	]);
	mustBeSame('Executions', (await ours.executions()) - executions, runs * count);
	const { loaded } = await stage.state.run({});
	const has = (file: string) => loaded.some((each) => each.endsWith(`/${file}.js`));
	const code = { receive: has('receive'), diagnose: has('diagnose') };
	mustBeSame('Loaded code', code, REFUSING_CODE);
	return (['bare', 'webhook'] as const).flatMap((side) =>
		KINDS.flatMap((kind) =>
			(['time', 'cpu'] as const).map((measure): Comparison => {
				const [own, peers] = [samplesOf(kind), samplesOf(side)];
				const peer = PEERS[side];
				const perSecond = (1_000 * count) / median(own.map(({ time }) => time));
				return {
					what: `${measure === 'cpu' ? 'CPU time of n8n for ' : ''}${count} ${kind} deliveries, ${engine}`,
					peer: kind === 'genuine' ? peer : `as many genuine ones to ${peer}`,
					unit: 'ms',
					ours: own.map((each) => each[measure]),
					peers: peers.map((each) => each[measure]),
					isPaired: true,
					reading: 'times better',
					limit: kind === 'genuine' ? limits[side] : limitOfIgnored,
					notes:
						measure === 'time' ? [CONDITIONS, `Ours are ${perSecond.toFixed(0)} a second.`] : [],
				};
			}),
		),
	);
}

const BURST_CONNECTIONS = 200;

/** Many deliveries at once, each burst in a new n8n process. */
async function compareBursts(
	stage: Stage,
	{ name: engine }: Engine,
	{ burst, runs }: { burst: number; runs: number },
): Promise<Comparison[]> {
	const sample = async (receiver: Receiver) => {
		await restart(stage.environment, stage.state, receiver);
		await receiver.take(signed(deposits(20)), STARTED);
		const before = (await stage.state.run({})).peakMegabytes;
		const time = await receiver.take(signed(deposits(burst)), STARTED, BURST_CONNECTIONS);
		return { time, memory: (await stage.state.run({})).peakMegabytes - before };
	};
	const { ours, peers } = await interleaved(
		Math.min(runs, 3),
		async () => await sample(stage.receivers.ours),
		async () => await sample(stage.receivers.bare),
	);
	const shared = {
		peer: PEERS.bare,
		isPaired: true,
		notes: [`Over ${BURST_CONNECTIONS} connections, in a new n8n process each time.`],
	} as const;
	return [
		{
			...shared,
			what: `a burst of ${burst} deliveries, until the last has run, ${engine}`,
			unit: 'ms',
			ours: ours.map(({ time }) => time),
			peers: peers.map(({ time }) => time),
			reading: 'times better',
			limit: 0.95,
		},
		{
			...shared,
			what: `peak memory of n8n in a burst of ${burst} deliveries, above its start, ${engine}`,
			unit: 'MB',
			ours: ours.map(({ memory }) => memory),
			peers: peers.map(({ memory }) => memory),
			reading: 'share',
			limit: 1.1,
			reason:
				'With the default engine, an execution that waits until n8n’s database has its event keeps an expression engine of n8n’s; without Deduplicate, ours takes as much as the bare trigger. With the legacy engine, nearly all is garbage that V8 hasn’t collected yet: of 2,000 deliveries at once, ours holds 22 MB and the bare trigger 15.',
		},
	];
}

export const deliveries: Part = {
	name: 'deliveries',
	title: 'Deliveries to the trigger',
	async measure({ small, runs }): Promise<Comparison[]> {
		const comparisons: Comparison[] = [];
		for (const engine of ENGINES) {
			const [count, burst] = small ? [50, 100] : [engine.count, 2_000];
			const stage = await Stage.open(engine.env);
			try {
				comparisons.push(...(await compareKinds(stage, engine, { count, runs })));
				comparisons.push(...(await compareBursts(stage, engine, { burst, runs })));
			} finally {
				await stage.close();
			}
		}
		return comparisons;
	},
};

/** What the setting that docs/scaling.md advises changes. */
export const lazyEngine: Part = {
	name: 'lazyEngine',
	title: 'Deliveries with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true',
	async measure({ small, runs }): Promise<Comparison[]> {
		const count = small ? 50 : 400;
		const stages = {
			lazy: await Stage.open({ N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }),
			preset: await Stage.open({}),
		};
		try {
			const comparisons: Comparison[] = [];
			for (const [kind, changes, answer] of [
				['genuine', {}, STARTED],
				['filtered', { event_type: 'invite.accepted' }, ignored('filter')],
			] as const) {
				const sample = async (stage: Stage) =>
					await stage.sample(stage.receivers.ours, signed(deposits(count, changes)), answer);
				const { ours, peers } = await interleaved(
					runs,
					async () => await sample(stages.lazy),
					async () => await sample(stages.preset),
				);
				for (const measure of ['time', 'cpu'] as const) {
					comparisons.push({
						what: `${measure === 'cpu' ? 'CPU time of n8n for ' : ''}${count} ${kind} deliveries, with the setting`,
						peer: 'n8n’s default settings',
						unit: 'ms',
						ours: ours.map((each) => each[measure]),
						peers: peers.map((each) => each[measure]),
						isPaired: true,
						reading: 'times better',
						limit: 1,
						notes: measure === 'time' ? [CONDITIONS] : [],
					});
				}
			}
			return comparisons;
		} finally {
			for (const stage of Object.values(stages)) await stage.close();
		}
	},
};
