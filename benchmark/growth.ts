import { action } from '../n8nHost/workflows';
import { median, type Comparison, type Part } from './comparison';
import { probe, Runner, startBenchmarkEnvironment } from './host';
import { entityIds } from './organisation';

interface Step {
	readonly size: number;
	readonly samples: readonly number[];
}

/** Time per unit of the largest step, relative to a smaller step; 1 means linear growth. */
function straightness(
	what: string,
	steps: readonly Step[],
	from: number,
	limit: number,
): Comparison {
	const each = ({ size, samples }: Step) => samples.map((sample) => sample / size);
	const [smaller, largest] = [steps[from], steps.at(-1)];
	if (smaller === undefined || largest === undefined) throw new Error('Nothing was measured.');
	return {
		what: `${what}: time for each at ${largest.size}`,
		peer: `time for each at ${smaller.size}`,
		unit: 'ms',
		ours: each(largest),
		peers: each(smaller),
		reading: 'share',
		limit,
		notes: steps.map(({ size, samples }) => `${size}: ${median(samples).toFixed(1)} ms`),
	};
}

export const growth: Part = {
	name: 'growth',
	title: 'Growth with the number of items and of remembered keys',
	async measure({ small, runs }): Promise<Comparison[]> {
		const environment = await startBenchmarkEnvironment();
		try {
			const entities = await entityIds(environment);
			const workflow = await Runner.timing(environment, 'Ours', [
				action('Balance', {
					resource: 'balance',
					operation: 'get',
					entityId: '={{ $json.entityId }}',
					output: 'asReceived',
				}),
			]);
			const times = Math.min(runs, 3);
			const items: Step[] = [];
			const memories: number[] = [];
			for (const size of small ? [10, 50] : [10, 100, 1_000, 10_000]) {
				const input = Array.from({ length: size }, (_, index) => ({
					entityId: entities[index % entities.length],
				}));
				const samples: number[] = [];
				for (let run = 0; run < times; run++) {
					const report = await workflow.run({ items: input });
					samples.push(report.milliseconds);
					memories.push(report.rssMegabytes);
				}
				items.push({ size, samples });
			}
			const store = await Runner.start(environment, 'Keys', [probe('Keys', { task: 'remember' })]);
			const keys: Step[] = [];
			for (const history of small ? [100, 1_000] : [1_000, 10_000, 100_000]) {
				const samples: number[] = [];
				for (let run = 0; run < times; run++) {
					samples.push((await store.run({ history, events: 20 })).milliseconds);
				}
				keys.push({ size: history, samples });
			}
			return [
				straightness('balance.get', items, items.length - 2, 1.2),
				{
					what: 'memory of n8n (RSS) after the last run of the most items',
					peer: 'after the first of them',
					unit: 'MB',
					ours: memories.slice(-1),
					peers: memories.slice(-times, -times + 1 || undefined),
					reading: 'share',
					limit: 1.25,
					notes: [`After each run: ${memories.map((each) => each.toFixed(0)).join(', ')} MB`],
				},
				straightness(
					'one event recorded in n8n’s store, a remembered key',
					keys,
					keys.length - 2,
					1.2,
				),
			];
		} finally {
			await environment.stop();
		}
	},
};
