import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { N8nQueue } from '../n8nHost/n8nQueue';
import { packedBare } from './bare/pack';
import { interleaved, type Comparison, type Part } from './comparison';
import { measuredN8n } from './host';
import { CONNECTIONS, deposits, PEERS, Receiver, signed, STARTED, type Host } from './receiver';

/** n8n with two webhook processes and two workers, where an event is claimed by proof. */
export const queue: Part = {
	name: 'queue',
	title: 'Deliveries to n8n in queue mode',
	async measure({ small, runs }): Promise<Comparison[]> {
		const count = small ? 50 : 400;
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-benchmark-'));
		const started = await N8nQueue.start(await measuredN8n(), [await packedBare()]);
		try {
			const { n8n, webhooks } = started;
			const host: Host = {
				n8n,
				url: webhooks[0]?.url ?? n8n.url,
				executions: async (id) => (await started.counts(id)).success ?? 0,
			};
			const [ours, bare] = [await Receiver.ours(host, folder), await Receiver.bare(host, folder)];
			const take = async (receiver: Receiver, all: number) =>
				await receiver.take(signed(deposits(all)), STARTED);
			for (const receiver of [ours, bare]) await take(receiver, 20);
			const times = await interleaved(
				Math.min(runs, 3),
				async () => await take(ours, count),
				async () => await take(bare, count),
			);
			return [
				{
					...times,
					what: `${count} genuine deliveries to n8n in queue mode`,
					peer: PEERS.bare,
					unit: 'ms',
					isPaired: true,
					reading: 'times better',
					/* No goal is set: here each event costs a pause in which other processes are heard. */
					limit: 0.8,
					notes: [
						`${CONNECTIONS} connections to one of two webhook processes, two workers, until the last started run has run. ${started.versions}.`,
					],
				},
			];
		} finally {
			await started.stop();
			rmSync(folder, { recursive: true, force: true });
		}
	},
};
