import { z } from 'zod';
import { action } from '../test/support/workflows';
import { BareClient } from './bareClient';
import { interleaved, mustBeSame, type Comparison, type Part } from './comparison';
import { httpRequest, requestsSince, Runner, startBenchmarkEnvironment } from './host';

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
