import { action } from '../test/support/workflows';
import { BareClient } from './bareClient';
import { interleaved, median, mustBeSame, type Comparison, type Part } from './comparison';
import {
	httpRequest,
	probe,
	requestsSince,
	Runner,
	startBenchmarkEnvironment,
	type Report,
} from './host';
import { entityIds } from './organisation';

/** The default concurrency of reads. */
const CONCURRENCY = 5;

const balances = action('Balance', {
	resource: 'balance',
	operation: 'get',
	entityId: '={{ $json.entityId }}',
});

export const items: Part = {
	name: 'items',
	title: 'Many items in a real n8n',
	async measure({ small, runs }): Promise<Comparison[]> {
		const count = small ? 50 : 1_000;
		const environment = await startBenchmarkEnvironment();
		const client = new BareClient(environment, CONCURRENCY);
		try {
			const { url } = environment.sandbox;
			const entities = (await entityIds(environment)).map((entityId) => ({ entityId }));
			const input = Array.from({ length: count }, (_, index) => entities[index % entities.length]);
			const ours = await Runner.timing(environment, 'Ours', [balances]);
			const peer = await Runner.timing(
				environment,
				'HTTP Request',
				[
					httpRequest('Balance', {
						url: `${url}/v2/balance`,
						sendQuery: true,
						queryParameters: { parameters: [{ name: 'nanoid', value: '={{ $json.entityId }}' }] },
					}),
				],
				'data',
			);
			const floorOf = async (sends: boolean) =>
				await Runner.timing(
					environment,
					`Floor ${sends ? 'with' : 'without'} requests`,
					[
						probe(
							'Floor',
							{ task: 'floor', sends, url, entityId: '={{ $json.entityId }}' },
							{ credentials: { payrollPaymentsApi: { id: null, name: '' } } },
						),
					],
					'data',
				);
			const [floor, parameters] = [await floorOf(true), await floorOf(false)];
			await client.signIn();
			const bare = async () => {
				const begun = performance.now();
				await client.getAll(input.map((item) => `/v2/balance?nanoid=${item?.entityId}`));
				return performance.now() - begun;
			};

			for (const runner of [ours, peer, floor]) await runner.run({ items: input.slice(0, 20) });
			await bare();
			await requestsSince(environment);
			const both = await interleaved(
				runs,
				async () => await ours.run({ items: input }),
				async () => await peer.run({ items: input }),
			);
			mustBeSame('Requests', (await requestsSince(environment)).getBalance, 2 * runs * count);
			const limits = await interleaved(
				runs,
				async () => await ours.run({ items: input }),
				async () => ({
					bare: await bare(),
					floor: await floor.run({ items: input }),
					parameters: await parameters.run({ items: input }),
				}),
			);
			const output = ({ items: put, digest }: Report) => ({ put, digest });
			const [expected] = both.peers;
			if (expected === undefined) throw new Error('Nothing was measured.');
			for (const side of [...both.ours, ...both.peers, ...limits.peers.map(({ floor: f }) => f)]) {
				mustBeSame('Balances', output(side), output(expected));
			}
			const times = (side: readonly Report[]) => side.map(({ milliseconds }) => milliseconds);
			const n8nAlone = limits.peers.map(({ bare: b, floor: f }) => f.milliseconds - b);
			const reading = median(times(limits.peers.map(({ parameters: p }) => p)));
			return [
				{
					what: `balance.get for ${count} items, default settings`,
					peer: 'n8n’s HTTP Request node with the same credentials',
					unit: 'ms',
					ours: times(both.ours),
					peers: times(both.peers),
					reading: 'times better',
					limit: 1.5,
					notes: [
						`The HTTP Request node sends all ${count} requests at once; ours never has more than ${CONCURRENCY} in flight.`,
					],
				},
				{
					what: `balance.get for ${count} items, against the host’s limit`,
					peer: `a bare keep-alive client with concurrency ${CONCURRENCY}, plus n8n’s own cost per item`,
					unit: 'ms',
					ours: times(limits.ours),
					peers: limits.peers.map(({ bare: b }, index) => b + (n8nAlone[index] ?? 0)),
					reading: 'share',
					limit: 1.2,
					notes: [
						`The bare client alone: median ${median(limits.peers.map(({ bare: b }) => b)).toFixed(0)} ms.`,
						`n8n’s own cost: median ${median(n8nAlone).toFixed(0)} ms, measured as a node that reads the same parameters and sends the same request with n8n’s httpRequestWithAuthentication, nothing else, less the bare client; reading the parameters is ${reading.toFixed(0)} ms of it.`,
						'n8n builds a new agent for every request, so no node that n8n Cloud allows can reuse a connection.',
					],
				},
			];
		} finally {
			client.close();
			await environment.stop();
		}
	},
};
