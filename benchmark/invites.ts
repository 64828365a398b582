import { z } from 'zod';
import type { TestEnvironment } from '../n8nHost/testEnvironment';
import { action, node } from '../n8nHost/workflows';
import { BareClient } from './bareClient';
import { interleaved, mustBeSame, type Comparison, type Part } from './comparison';
import {
	httpRequest,
	requestsSince,
	restart,
	Runner,
	startBenchmarkEnvironment,
	type Report,
} from './host';
import { growingTeam } from './organisation';

const teamUsers = z.object({ users: z.array(z.object({ email: z.string() })) });
const pendingInvites = z.array(z.object({ email: z.string(), role: z.string().nullable() }));

export const invites: Part = {
	name: 'invites',
	title: 'A payroll sheet to invites',
	async measure({ small, runs }): Promise<Comparison[]> {
		const rows = small ? 50 : 2_000;
		const environment = await startBenchmarkEnvironment();
		const client = new BareClient(environment, 1);
		try {
			const { teamId, sandbox } = environment;
			const ours = await Runner.timing(environment, 'Ours', [
				action('Invite', {
					resource: 'invite',
					operation: 'create',
					teamId,
					role: 'contractor',
					inviteesSource: 'items',
					existingPeople: 'invite',
				}),
			]);
			const peer = await Runner.timing(environment, 'HTTP Request', [
				httpRequest('Invite', {
					method: 'POST',
					url: `${sandbox.url}/v2/invites`,
					sendBody: true,
					specifyBody: 'json',
					jsonBody: `={{ { "nanoid": "${teamId}", "role": "contractor", "invites": [{ "email": $json.email }] } }}`,
				}),
			]);
			await client.signIn();
			/* What the service then holds of this sheet, in its order, without who was in it. */
			const invited = async (sheet: string) =>
				pendingInvites
					.parse((await client.getAll([`/v2/invites?nanoid=${teamId}`]))[0])
					.filter(({ email }) => email.startsWith(`${sheet}-`))
					.map(({ email, role }) => `${email.slice(sheet.length + 1)} ${role}`)
					.sort();
			const send = async (runner: Runner, sheet: string, count = rows) => {
				await requestsSince(environment);
				const items = Array.from({ length: count }, (_, index) => ({
					email: `${sheet}-${index}@example.com`,
				}));
				const { milliseconds } = await runner.run({ items });
				const { createInvites: requests } = await requestsSince(environment);
				return { milliseconds, requests, invited: await invited(sheet) };
			};
			await send(ours, 'ours-warm', 20);
			await send(peer, 'peer-warm', 20);
			const both = await interleaved(
				runs,
				async (run) => await send(ours, `ours${run}`),
				async (run) => await send(peer, `peer${run}`),
			);
			for (const side of [...both.ours, ...both.peers]) {
				mustBeSame('Invites', side.invited, both.peers[0]?.invited);
				mustBeSame('Number of invites', side.invited.length, rows);
			}
			return [
				...(await skipping(environment, client, small, Math.min(runs, 3))),
				{
					what: `${rows} rows to invites by items`,
					peer: 'one HTTP Request a row',
					unit: 'ms',
					ours: both.ours.map(({ milliseconds }) => milliseconds),
					peers: both.peers.map(({ milliseconds }) => milliseconds),
					reading: 'times better',
					limit: 20,
					notes: [
						`Requests: ours ${both.ours[0]?.requests}, the HTTP Request node ${both.peers[0]?.requests}, all at once.`,
					],
				},
			];
		} finally {
			client.close();
			await environment.stop();
		}
	},
};

/** Reads the team and its pending invites, filters the sheet in a Code node, and invites who is left. */
function skippingByHand(url: string, teamId: string) {
	const missing = `
		const people = [...$('Users').all().flatMap(({ json }) => json.data.users), ...$input.first().json.data];
		const known = new Set(people.map(({ email }) => email.toLowerCase()));
		const invites = $('Begin').all()
			.map(({ json }) => ({ email: json.email }))
			.filter(({ email }) => !known.has(email.toLowerCase()));
		return [{ json: { nanoid: '${teamId}', role: 'contractor', invites } }];`;
	const pages = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
		paginationCompleteWhen: 'other',
		completeExpression: '={{ !$response.body.data.pagination.has_more }}',
	};
	return [
		{
			...httpRequest('Users', {
				url: `${url}/v2/teams/${teamId}/users`,
				sendQuery: true,
				queryParameters: { parameters: [{ name: 'count', value: '500' }] },
				options: { pagination: { pagination: pages } },
			}),
			executeOnce: true,
		},
		{
			...httpRequest('Pending', { url: `${url}/v2/invites?nanoid=${teamId}` }),
			executeOnce: true,
		},
		node('Missing', 'n8n-nodes-base.code', { jsCode: missing }, { typeVersion: 2 }),
		httpRequest('Invite', {
			method: 'POST',
			url: `${url}/v2/invites`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ $json }}',
		}),
	];
}

/** A sheet half of whose people are in a large team, each time in a new n8n. */
async function skipping(
	environment: TestEnvironment,
	client: BareClient,
	small: boolean,
	runs: number,
): Promise<Comparison[]> {
	const [rows, members] = small ? [200, 1_000] : [10_000, 50_000];
	const { sandbox } = environment;
	await sandbox.control('POST', 'settings', { growingTeamSize: members });
	const teamId = await growingTeam(environment);
	const listed = teamUsers.parse((await client.getAll([`/v2/teams/${teamId}/users`]))[0]).users;
	const half = listed.slice(-rows / 2).map(({ email }) => ({ email }));

	const ours = await Runner.timing(environment, 'Ours, skipping', [
		action('Invite', {
			resource: 'invite',
			operation: 'create',
			teamId,
			role: 'contractor',
			inviteesSource: 'items',
			existingPeople: 'skip',
		}),
	]);
	const peer = await Runner.timing(
		environment,
		'By hand, skipping',
		skippingByHand(sandbox.url, teamId),
	);
	const nothing = await Runner.timing(environment, 'Nothing', []);
	const send = async (runner: Runner, sheet: string) => {
		const items = half.flatMap((member, index) => [
			member,
			{ email: `${sheet}-${index}@example.com` },
		]);
		await requestsSince(environment);
		const report = await runner.run({ items });
		return { ...report, requests: await requestsSince(environment) };
	};
	const sendInNewN8n = async (runner: Runner, sheet: string) => {
		await restart(environment, runner);
		return await send(runner, sheet);
	};
	const sample = async (runner: Runner, sheet: string) => {
		const sent = await sendInNewN8n(runner, sheet);
		const [list] = await client.getAll([`/v2/invites?nanoid=${teamId}`]);
		const invited = pendingInvites.parse(list).filter(({ email }) => email.startsWith(`${sheet}-`));
		mustBeSame('Number of invites of a sheet', invited.length, rows / 2);
		return sent;
	};
	const idle = (await sendInNewN8n(nothing, 'nothing')).peakMegabytes;
	const both = await interleaved(
		runs,
		async (run) => await sample(ours, `ours-skip${run}`),
		async (run) => await sample(peer, `peer-skip${run}`),
	);
	const again = await send(ours, 'ours-skip0');
	mustBeSame('Requests that invite in a second run', again.requests.createInvites ?? 0, 0);
	const counts = ({ requests }: { requests: Record<string, number> } = { requests: {} }) =>
		`${requests.listTeamUsers ?? 0} of users, ${requests.listInvites ?? 0} of pending invites, and ${requests.createInvites ?? 0} that invite`;
	const peerName = 'n8n’s HTTP Request nodes that read the whole team, and a Code node';
	const peaks = (reports: readonly Report[]) =>
		reports.map(({ peakMegabytes }) => Math.max(0, peakMegabytes - idle));
	return [
		{
			what: `${rows} rows, half of them new, to a team of ${members} with Existing People: Skip`,
			peer: peerName,
			unit: 'ms',
			ours: both.ours.map(({ milliseconds }) => milliseconds),
			peers: both.peers.map(({ milliseconds }) => milliseconds),
			reading: 'times better',
			limit: 1,
			notes: [
				`Requests: ours ${counts(both.ours[0])}; by hand ${counts(both.peers[0])}.`,
				`The same sheet again: ${again.milliseconds.toFixed(0)} ms with ${counts(again)}.`,
			],
		},
		{
			what: `peak memory for these ${rows} rows, above an n8n that only receives them`,
			peer: peerName,
			unit: 'MB',
			ours: peaks(both.ours),
			peers: peaks(both.peers),
			reading: 'share',
			limit: 1,
			notes: [`An n8n that only receives them peaks at ${idle.toFixed(0)} MB.`],
			reason:
				'Ours reads the team in one answer, so that nobody is missing because it changed between two pages. By hand it comes in 100 pages.',
		},
	];
}
