import { z } from 'zod';
import { installN8n } from '../tooling/installations.mjs';

import { bundle } from './bundle';
import { goal, mustBeSame, type Comparison, type Part } from './comparison';
import { inFreshProcess } from './fresh/run';

const memory = z.object({ bytes: z.number(), keys: z.number() });

export const keys: Part = {
	name: 'keys',
	title: 'Memory of the events that the trigger remembers',
	async measure({ small }): Promise<Comparison[]> {
		const { node, env } = await installN8n();
		const program = await bundle('benchmark/fresh/rememberKeys.ts', 'rememberKeys.cjs');
		const after = async (triggers: number, history: number, events: number) => {
			const measured = await inFreshProcess(memory, {
				node,
				args: ['--expose-gc', program, ...[triggers, history, events].map(String)],
				env,
			});
			mustBeSame('Remembered keys', measured.keys, triggers * history);
			return measured.bytes;
		};
		const many = small ? 1_000 : 100_000;
		const [once, often] = [await after(1, many, many), await after(1, many, 5 * many)];
		/* The default history, and one that a set has the most room for. */
		const histories = [5_000, 6_600];
		const triggers = 20;
		const each = await Promise.all(
			histories.map(async (history) => {
				const bytes = await after(triggers, history, 5 * history);
				return { history, bytes: bytes / (triggers * history) };
			}),
		);
		return [
			{
				what: `memory of ${many} remembered keys after ${5 * many} events`,
				peer: `after ${many} events`,
				unit: 'MB',
				ours: [often / 1e6],
				peers: [once / 1e6],
				reading: 'share',
				limit: 1.25,
			},
			...each.map(({ history, bytes }) =>
				goal(
					`memory of a remembered key, with ${history} of each of ${triggers} triggers`,
					'bytes',
					bytes,
					120,
					[
						'The heap of a process after five times as many events of each, divided by the remembered keys.',
					],
				),
			),
		];
	},
};
