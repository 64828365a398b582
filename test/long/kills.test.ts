import { startTestEnvironment, AS_INSTALLED } from '../../n8nHost/testEnvironment';
import { waitFor } from '../../n8nHost/waiting';
import { inviteDespiteKills } from './killedInvites';

jest.setTimeout(1_500_000);

it('invites nobody twice when n8n is killed in the middle of invites, ten times', async () => {
	const { n8n, n8nProcess, sandbox, database } = await startTestEnvironment(AS_INSTALLED);
	const killable = {
		n8n,
		processes: [n8n.url],
		versions: `n8n ${n8nProcess.installation.version}`,
		async executionAfter(workflowId: string, start: () => Promise<void>) {
			const before = (await database.executions(workflowId)).length;
			await start();
			const probe = async () => (await database.executions(workflowId))[before]?.id;
			return await waitFor('the workflow has an execution', probe);
		},
		async kill(executionId: string) {
			await n8nProcess.kill();
			await n8nProcess.start();
			await n8n.signIn();
			expect((await n8n.waitForExecution(executionId)).status).toBe('crashed');
		},
	};
	await inviteDespiteKills(killable, sandbox, 10, 'kills');
});
