import type { TestEnvironment } from '../n8nHost/testEnvironment';
import { action, node } from '../n8nHost/workflows';
import { interleaved, mustBeSame, type Comparison, type Part } from './comparison';
import { httpRequest, restart, Runner, startBenchmarkEnvironment, type Report } from './host';
import { growingTeam } from './organisation';

const PAGE = 500;

async function ours(environment: TestEnvironment, teamId: string): Promise<Runner> {
	return await Runner.timing(environment, 'Ours', [
		action('Users', {
			resource: 'teamUser',
			operation: 'getAll',
			teamId,
			returnAll: true,
			output: 'asReceived',
		}),
	]);
}

/** HTTP Request with pagination, and Split Out for one item per user like ours. */
async function theirs(environment: TestEnvironment, teamId: string): Promise<Runner> {
	const parameter = (name: string, value: string) => ({
		parameters: [{ type: 'qs', name, value }],
	});
	return await Runner.timing(environment, 'HTTP Request', [
		httpRequest('Users', {
			url: `${environment.sandbox.url}/v2/teams/${teamId}/users`,
			sendQuery: true,
			queryParameters: { parameters: [{ name: 'count', value: String(PAGE) }] },
			options: {
				pagination: {
					pagination: {
						paginationMode: 'updateAParameterInEachRequest',
						parameters: parameter('page', '={{ $pageCount + 1 }}'),
						paginationCompleteWhen: 'other',
						completeExpression: '={{ !$response.body.data.pagination.has_more }}',
					},
				},
			},
		}),
		node('Split Out', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'data.users', options: {} }),
	]);
}

export const teamUsers: Part = {
	name: 'teamUsers',
	title: 'A large team, Return All',
	async measure({ small, runs }): Promise<Comparison[]> {
		const count = small ? 2_000 : 50_000;
		const environment = await startBenchmarkEnvironment();
		try {
			await environment.sandbox.control('POST', 'settings', { growingTeamSize: count });
			const teamId = await growingTeam(environment);
			const sample = (runner: Runner) => async (): Promise<Report> => {
				await restart(environment, runner);
				return await runner.run({ items: [{}] });
			};
			const nothing = sample(await Runner.timing(environment, 'Nothing', []));
			const [ourRun, peerRun] = [
				await ours(environment, teamId),
				await theirs(environment, teamId),
			];
			const samples = await interleaved(runs, sample(ourRun), sample(peerRun));
			return compare(count, samples, (await nothing()).peakMegabytes);
		} finally {
			await environment.stop();
		}
	},
};

/** The absolute peaks, which include n8n's own memory. */
const whole = (reports: readonly Report[]) =>
	reports.map(({ peakMegabytes }) => peakMegabytes.toFixed(0)).join(', ');

function compare(
	count: number,
	{ ours: own, peers }: { ours: readonly Report[]; peers: readonly Report[] },
	idle: number,
): Comparison[] {
	for (const { items, digest } of [...own, ...peers]) {
		mustBeSame('Users', { items, digest }, { items: count, digest: peers[0]?.digest });
	}
	const peer = 'n8n’s HTTP Request node with pagination, and Split Out';
	return [
		{
			what: `${count} team users, Return All`,
			peer,
			unit: 'ms',
			ours: own.map(({ milliseconds }) => milliseconds),
			peers: peers.map(({ milliseconds }) => milliseconds),
			reading: 'times better',
			limit: 2,
			notes: [
				`In a new n8n each time. Ours requests the full list, which the service offers; the HTTP ` +
					`Request node requests pages of ${PAGE}.`,
			],
		},
		{
			what: `peak memory for ${count} team users, above an n8n that has run nothing`,
			peer,
			unit: 'MB',
			ours: own.map(({ peakMegabytes }) => Math.max(0, peakMegabytes - idle)),
			peers: peers.map(({ peakMegabytes }) => peakMegabytes - idle),
			reading: 'share',
			limit: 0.6,
			notes: [
				`An n8n that has run nothing peaks at ${idle.toFixed(0)} MB; with that, ours peaked at ` +
					`${whole(own)} MB, the HTTP Request node at ${whole(peers)} MB.`,
				'One answer holds everybody: its text and its records are in memory together, where pages would ' +
					'be half as fast. Both sides then pay for n8n’s own copy of the output, and when V8 collects ' +
					'moves the peak by as much as they differ.',
			],
		},
	];
}
