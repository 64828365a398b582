import type { Plugin } from 'esbuild';
import path from 'node:path';

import { z } from 'zod';
import { installN8n } from '../tooling/installations.mjs';
import { repository } from '../tooling/paths.mjs';

import { bundle } from './bundle';
import { interleaved, mustBeSame, type Comparison, type Part } from './comparison';
import { inFreshProcess } from './fresh/run';
import { packed } from './packed';

const signing = z.object({ loaded: z.number(), milliseconds: z.number(), signature: z.string() });

/** The same sources, unbundled: packages come from node_modules, viem's helpers from its main entry. */
const unbundled: Plugin = {
	name: 'unbundled',
	setup(build) {
		build.onResolve({ filter: /^(viem|zod)/ }, ({ path: name }) => ({
			path: name === 'viem/utils' ? 'viem' : name,
			external: true,
		}));
	},
};

export const signature: Part = {
	name: 'signature',
	title: 'Starting the cryptography in a fresh process, up to the first signature',
	async measure({ small, runs }): Promise<Comparison[]> {
		const { node, env } = await installN8n();
		await packed();
		const program = await bundle('benchmark/fresh/firstSignature.ts', 'firstSignature.cjs');
		const peerWallet = await bundle(
			'nodes/PayrollPayments/signing/index.ts',
			'unbundledWallet.cjs',
			{ plugins: [unbundled] },
		);
		const ourWallet = path.join(
			repository,
			'dist',
			'nodes',
			'PayrollPayments',
			'signing',
			'index.js',
		);
		const side = (wallet: string) => async () =>
			await inFreshProcess(signing, { node, args: [program, wallet], env });
		const { ours, peers } = await interleaved(
			small ? 3 : Math.max(runs, 15),
			side(ourWallet),
			side(peerWallet),
		);
		const signatures = (side: typeof ours) => [...new Set(side.map((each) => each.signature))];
		mustBeSame('First signature', signatures(ours), signatures(peers));
		const times = (side: typeof ours) => side.map(({ milliseconds }) => milliseconds);
		return [
			{
				what: 'load the wallet and sign a first message',
				peer: 'the same sources on unbundled viem, from its main entry',
				unit: 'ms',
				ours: times(ours),
				peers: times(peers),
				reading: 'times better',
				limit: 3,
			},
		];
	},
};
