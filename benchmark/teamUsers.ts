import { action, node, type Stage } from '../test/e2e/stage';

import { interleaved, mustBeSame, type Comparison, type Part } from './comparison';
import { httpRequest, raiseHost, Runner, type Report } from './host';
import { growingTeam } from './organisation';

const PAGE = 500;

async function ourRunner(stage: Stage, teamId: string): Promise<Runner> {
	return await Runner.timing(stage, 'Ours', [
		action('Users', { resource: 'teamUser', operation: 'getAll', teamId, returnAll: true }),
	]);
}

/** HTTP Request with its pagination, and Split Out to have one item a user as ours has. */
async function peerRunner(stage: Stage, teamId: string): Promise<Runner> {
	const parameter = (name: string, value: string) => ({ parameters: [{ type: 'qs', name, value }] });
	return await Runner.timing(stage, 'HTTP Request', [
		httpRequest('Users', {
			url: `${stage.sandbox.url}/v2/teams/${teamId}/users`,
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
		/* Each sample has an n8n of its own: the peak is the process's, and heaps do not shrink. */
		const sample = (runner: typeof ourRunner) => async (): Promise<Report> => {
			const stage = await raiseHost();
			try {
				await stage.sandbox.control('POST', 'settings', { growingTeamSize: count });
				const workflow = await runner(stage, await growingTeam(stage));
				return await workflow.run({ items: [{}] });
			} finally {
				await stage.strike();
			}
		};
		const idle = async (): Promise<number> => {
			const stage = await raiseHost();
			try {
				const workflow = await Runner.timing(stage, 'Nothing', []);
				return (await workflow.run({ items: [{}] })).peakMegabytes;
			} finally {
				await stage.strike();
			}
		};
		const { ours, peers } = await interleaved(
			Math.min(runs, 3),
			sample(ourRunner),
			sample(peerRunner),
		);
		for (const { items, digest } of [...ours, ...peers]) {
			mustBeSame('Users', { items, digest }, { items: count, digest: peers[0]?.digest });
		}
		const peer = 'n8n’s HTTP Request node with pagination, and Split Out';
		return [
			{
				what: `${count} team users, Return All`,
				peer,
				unit: 'ms',
				ours: ours.map(({ milliseconds }) => milliseconds),
				peers: peers.map(({ milliseconds }) => milliseconds),
				reading: 'times better',
				limit: 2,
				notes: [`Both in pages of ${PAGE}, in a fresh n8n each time.`],
			},
			{
				what: `peak memory of n8n for ${count} team users`,
				peer,
				unit: 'MB',
				ours: ours.map(({ peakMegabytes }) => peakMegabytes),
				peers: peers.map(({ peakMegabytes }) => peakMegabytes),
				reading: 'share',
				limit: 0.6,
				notes: [`An n8n that does nothing peaks at ${(await idle()).toFixed(0)} MB.`],
			},
		];
	},
};
