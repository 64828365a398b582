import { interleaved, median, mustBeSame, type Comparison, type Part } from './comparison';
import { probe, requestsSince, Runner, startBenchmarkEnvironment } from './host';

export const signIns: Part = {
	name: 'signIns',
	title: 'Parallel calls with an expired token',
	async measure({ small, runs }): Promise<Comparison[]> {
		const count = small ? 20 : 200;
		const environment = await startBenchmarkEnvironment();
		try {
			const { n8n, sandbox, account, teamId } = environment;
			const plain = await n8n.saveCredentials('plainSignInApi', 'Plain', {
				baseUrl: sandbox.url,
				authentication: 'walletSignIn',
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
			await ours.run({ count: 1 });
			await peer.run({ count: 1 });
			const expired = async (workflow: Runner) => {
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
			return [
				{
					what: `sign-ins for ${count} parallel calls with an expired token`,
					peer: name,
					unit: 'sign-ins',
					...of('signIns'),
					reading: 'share',
					limit: 1 / count,
				},
				{
					what: `${count} parallel calls with an expired token`,
					peer: name,
					unit: 'ms',
					...of('milliseconds'),
					reading: 'share',
					limit: 1 / 5,
					notes: [
						`n8n sends each call twice, since the first is answered 401. ${2 * count} calls with a valid ` +
							`token, which need no sign-in at all, take it ${median(requests).toFixed(0)} ms (median): ` +
							'less than that is out of reach, and a sign-in at the sandbox on the same machine costs next to nothing.',
					],
				},
			];
		} finally {
			await environment.stop();
		}
	},
};
