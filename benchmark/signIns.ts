import { setTimeout as pause } from 'node:timers/promises';

import type { TestEnvironment } from '../n8nHost/testEnvironment';
import { action } from '../n8nHost/workflows';
import { interleaved, median, mustBeSame, type Comparison, type Part } from './comparison';
import {
	probe,
	requestsSince,
	restart,
	Runner,
	startBenchmarkEnvironment,
	type Report,
} from './host';

/** How long the tokens live that run out, in seconds; and how long until one has surely run out. */
const SHORT_LIFE = 2;
const LONG_LIFE = 3_600;
const RUN_OUT_MS = 1_000 * (SHORT_LIFE + 1);

/** The highest concurrency that the action node offers. */
const HIGHEST_CONCURRENCY = 50;

interface Calls {
	readonly what: string;
	/** How many of them are under way at once. */
	readonly atOnce: number;
	/** Why they are refused before the sign-in. */
	readonly note: string;
	readonly run: () => Promise<Report>;
	readonly warmUp: () => Promise<unknown>;
}

/** Calls whose token has run out since the last one, against the same calls with a valid one. */
async function runOut(
	{ sandbox }: TestEnvironment,
	{ what, atOnce, note, run, warmUp }: Calls,
	{ count, runs }: { count: number; runs: number },
): Promise<Comparison[]> {
	const withToken = async (tokenLifetimeSeconds: number, wait: number) => {
		await sandbox.control('POST', 'settings', { tokenLifetimeSeconds });
		await sandbox.control('POST', 'tokens/expire');
		await warmUp();
		await sandbox.control('POST', 'settings', { tokenLifetimeSeconds: LONG_LIFE });
		await pause(wait);
		await sandbox.control('DELETE', 'log');
		const { milliseconds, digest } = await run();
		const counts = await requestsSince({ sandbox });
		const requests = Object.values(counts).reduce((sum, each) => sum + each, 0);
		return { milliseconds, digest, requests, signIns: counts.verifySignIn ?? 0 };
	};
	const expired = async () => await withToken(SHORT_LIFE, RUN_OUT_MS);
	const valid = async () => await withToken(LONG_LIFE, RUN_OUT_MS);
	await expired();
	const both = await interleaved(runs, expired, valid);
	for (const { digest } of both.ours) mustBeSame('Answers', digest, both.peers[0]?.digest);
	for (const { signIns } of both.ours) mustBeSame('Sign-ins', signIns, 1);
	for (const { requests } of both.peers) mustBeSame('Requests with a valid token', requests, count);
	const shared = { peer: 'the same with a valid token', reading: 'share', isPaired: true } as const;
	return [
		{
			...shared,
			what: `${what} whose token has run out`,
			unit: 'ms',
			ours: both.ours.map(({ milliseconds }) => milliseconds),
			peers: both.peers.map(({ milliseconds }) => milliseconds),
			limit: 1.2,
		},
		{
			...shared,
			what: `requests for ${what} whose token has run out`,
			peer: 'the calls, the two of a sign-in, and those that are under way until the first is refused: the price of trusting no clock',
			unit: 'requests',
			ours: both.ours.map(({ requests }) => requests),
			peers: both.ours.map(() => count + 2 + atOnce),
			limit: 1,
			notes: [note],
		},
	];
}

export const signIns: Part = {
	name: 'signIns',
	title: 'Parallel calls with an expired or revoked token',
	async measure({ small, runs }): Promise<Comparison[]> {
		const count = small ? 20 : 200;
		const environment = await startBenchmarkEnvironment();
		try {
			const { n8n, sandbox, account, teamId } = environment;
			const plain = await n8n.saveCredentials('plainSignInApi', 'Plain', {
				baseUrl: sandbox.url,
				authentication: 'walletSignIn',
				access: 'everything',
				platformId: account.platformId,
				signer: 'privateKey',
				privateKey: account.privateKey,
			});
			const runner = async (credentialType: string) =>
				await Runner.start(
					environment,
					credentialType,
					[
						probe(
							'Calls',
							{
								task: 'calls',
								credentialType,
								url: `${sandbox.url}/v2/balance?nanoid=${teamId}`,
							},
							{ credentials: { [credentialType]: { id: null, name: '' } } },
						),
					],
					[environment.api, plain],
				);
			const [ours, peer] = [await runner('payrollPaymentsApi'), await runner('plainSignInApi')];
			const nodes = await Runner.timing(environment, 'Balances', [
				action('Balance', {
					resource: 'balance',
					operation: 'get',
					entityId: '={{ $json.entityId }}',
					options: { concurrency: HIGHEST_CONCURRENCY },
				}),
			]);
			const items = Array.from({ length: count }, () => ({ entityId: teamId }));
			/* A process signs in for another node only once in five minutes. Ours signs in before. */
			const restartSignedIn = async () => {
				await restart(environment, ours, peer, nodes);
				await nodes.run({ items: items.slice(0, 1) });
			};
			const warmUp = async () => {
				await restartSignedIn();
				await ours.run({ count: 1 });
				await peer.run({ count: 1 });
			};
			const expired = async (workflow: Runner) => {
				await warmUp();
				await sandbox.control('POST', 'tokens/expire');
				await requestsSince(environment);
				const { milliseconds, digest } = await workflow.run({ count });
				const { verifySignIn = 0 } = await requestsSince(environment);
				return { milliseconds, digest, signIns: verifySignIn };
			};
			const both = await interleaved(
				runs,
				async () => await expired(ours),
				async () => await expired(peer),
			);
			await warmUp();
			/* After a 401 n8n sends each call again: so many requests are its own, whoever signs in. */
			const requests: number[] = [];
			for (let run = 0; run < runs; run++) {
				requests.push((await ours.run({ count: 2 * count })).milliseconds);
			}
			for (const { digest } of both.ours) mustBeSame('Answers', digest, both.peers[0]?.digest);
			const of = (field: 'milliseconds' | 'signIns') => ({
				ours: both.ours.map((each) => each[field]),
				peers: both.peers.map((each) => each[field]),
			});
			const name = 'n8n’s plain preAuthentication';
			const size = { count, runs };
			return [
				...(await runOut(
					environment,
					{
						what: `${count} items of the action node`,
						run: async () => await nodes.run({ items }),
						warmUp: async () => await nodes.run({ items: items.slice(0, 1) }),
						atOnce: Math.min(count, HIGHEST_CONCURRENCY),
						note:
							'What a token says of its own end isn’t read, since clocks can be wrong and tokens needn’t ' +
							'be JWTs. So the calls that are under way at once are refused, and sent again after one sign-in.',
					},
					size,
				)),
				...(await runOut(
					environment,
					{
						what: `${count} parallel calls as n8n’s HTTP Request node makes them`,
						run: async () => await ours.run({ count }),
						warmUp: restartSignedIn,
						atOnce: count,
						note:
							'n8n sends all of them at once, and calls preAuthentication only after a 401. So each is ' +
							'refused and sent again, after one sign-in.',
					},
					size,
				)),
				{
					what: `sign-ins for ${count} parallel calls with a revoked token`,
					peer: name,
					unit: 'sign-ins',
					...of('signIns'),
					reading: 'share',
					limit: 1 / count,
				},
				{
					what: `${count} parallel calls with a revoked token`,
					peer: name,
					unit: 'ms',
					...of('milliseconds'),
					reading: 'share',
					limit: 1 / 5,
					reason:
						`n8n sends each call twice, since the first is answered 401. ${2 * count} calls with a valid ` +
						`token, which need no sign-in at all, take it ${median(requests).toFixed(0)} ms (median): ` +
						'less than that is out of reach, and a sign-in at the sandbox on the same machine costs next to nothing.',
				},
			];
		} finally {
			await environment.stop();
		}
	},
};
