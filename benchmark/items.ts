import { action } from '../n8nHost/workflows';
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
	output: 'asReceived',
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
			/* Ours puts out text whatever the service writes, and both outputs are compared. */
			await environment.sandbox.control('POST', 'settings', { balanceCents: 'text' });
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
			const bareAlone = limits.peers.map(({ bare: b }) => b);
			const [least, noOp] = [
				times(limits.peers.map(({ floor: f }) => f)),
				times(limits.peers.map(({ parameters: p }) => p)),
			];
			const withNoOp = bareAlone.map((each, index) => each + (noOp[index] ?? Number.NaN));
			const against = (what: string, peer: string) =>
				({
					what: `balance.get for ${count} items, against ${what}`,
					peer,
					unit: 'ms',
					ours: times(limits.ours),
					isPaired: true,
					reading: 'share',
					limit: 1.1,
				}) as const;
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
					...against(
						'the host’s limit',
						'a bare client plus n8n’s own cost: the least node that can send these requests',
					),
					peers: least,
					notes: [
						`A node that reads the same parameters and sends the same requests with n8n’s httpRequestWithAuthentication and credentials that are decrypted once, with concurrency ${CONCURRENCY}, and nothing else.`,
					],
				},
				{
					...against(
						'a bare client plus a node that does nothing',
						`a keep-alive client outside n8n with concurrency ${CONCURRENCY}, plus a node that only reads the parameters`,
					),
					peers: withNoOp,
					notes: [
						`The client alone takes ${median(bareAlone).toFixed(0)} ms, and the node that only reads the parameters ${median(noOp).toFixed(0)} ms (medians).`,
					],
					reason:
						'n8n’s httpRequestWithAuthentication builds a new agent and a new connection for every request, ' +
						'and n8n’s rules allow a node no other way to send one with credentials.',
				},
			];
		} finally {
			client.close();
			await environment.stop();
		}
	},
};
