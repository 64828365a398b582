import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { z } from 'zod';
import { installN8n } from '../tooling/installations.mjs';
import { run } from '../tooling/processes.mjs';

import { bundle } from './bundle';
import { interleaved, type Comparison, type Part } from './comparison';
import { inFreshProcess } from './fresh/run';
import { packed } from './packed';

const loading = z.object({
	instances: z.number(),
	milliseconds: z.number(),
	heapMegabytes: z.number(),
	rssMegabytes: z.number(),
});

const OURS = [
	'nodes/PayrollPayments/PayrollPayments.node.js',
	'nodes/PayrollPayments/PayrollPaymentsTrigger.node.js',
	'credentials/PayrollPaymentsApi.credentials.js',
	'credentials/PayrollPaymentsWebhookApi.credentials.js',
];
const STRIPE = [
	'nodes/Stripe/Stripe.node.js',
	'nodes/Stripe/StripeTrigger.node.js',
	'credentials/StripeApi.credentials.js',
];

export const load: Part = {
	name: 'load',
	title: 'Loading both nodes and their credentials in a fresh process',
	async measure({ small, runs }): Promise<Comparison[]> {
		const { node, cli, env } = await installN8n();
		/* pnpm keeps n8n's own libraries beside it, where the link leads. */
		const modules = path.resolve(path.dirname(realpathSync(cli)), '..', '..');
		/* Outside the repository, so that n8n's own n8n-workflow is the only one. */
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-benchmark-'));
		try {
			const program = await bundle(
				'benchmark/fresh/loadModules.ts',
				path.join(folder, 'loadModules.cjs'),
			);
			await run('tar', ['-xzf', await packed(), '-C', folder]);
			const side = (root: string, files: string[]) => async () =>
				await inFreshProcess(loading, {
					node,
					args: ['--expose-gc', program, ...files.map((file) => path.join(root, 'dist', file))],
					env,
					modules,
				});
			const { ours, peers } = await interleaved(
				small ? 3 : Math.max(runs, 15),
				side(path.join(folder, 'package'), OURS),
				side(path.join(modules, 'n8n-nodes-base'), STRIPE),
			);
			const peer = 'n8n’s Stripe and Stripe Trigger with their credentials';
			const both = { peer, reading: 'share', limit: 1 } as const;
			return [
				{
					...both,
					what: 'time to load two nodes and their credentials',
					unit: 'ms',
					ours: ours.map(({ milliseconds }) => milliseconds),
					peers: peers.map(({ milliseconds }) => milliseconds),
					notes: ['Ours are two credentials, Stripe’s is one.'],
				},
				{
					...both,
					what: 'heap held by two nodes and their credentials',
					unit: 'MB',
					ours: ours.map(({ heapMegabytes }) => heapMegabytes),
					peers: peers.map(({ heapMegabytes }) => heapMegabytes),
				},
				{
					...both,
					what: 'growth of the process by two nodes and their credentials (RSS)',
					unit: 'MB',
					ours: ours.map(({ rssMegabytes }) => rssMegabytes),
					peers: peers.map(({ rssMegabytes }) => rssMegabytes),
				},
			];
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	},
};
