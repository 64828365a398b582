import { outputOf } from '../../n8nHost/executions';
import type { Credentials } from '../../n8nHost/n8nRest';
import { shareTestEnvironment } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { action, node, START } from '../../n8nHost/workflows';

const environment = useEnvironment(shareTestEnvironment);
/** The sandbox's model, which calls the tool that a question asks for. */
let model: Credentials;

beforeAll(async () => {
	const { n8n, sandbox } = environment;
	const url = `${sandbox.url}/sandbox/model/v1`;
	model = await n8n.saveCredentials('openAiApi', 'Practice model', { apiKey: 'practice', url });
});

async function ask(text: string, tool: string, parameters: Record<string, unknown>) {
	const { n8n, api } = environment;
	const practice = { model: { __rl: true, mode: 'id', value: 'practice' }, options: {} };
	const chat = node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', practice, {
		typeVersion: 1.2,
		credentials: { openAiApi: { id: null, name: '' } },
	});
	const question = { promptType: 'define', text, options: {} };
	const agent = node('Agent', '@n8n/n8n-nodes-langchain.agent', question, { typeVersion: 2 });
	const type = 'n8n-nodes-payroll-payments.payrollPaymentsTool';
	const to = (kind: string) => ({ [kind]: [[{ node: 'Agent', type: kind, index: 0 }]] });
	const { id } = await n8n.saveWorkflow(
		{
			name: `Agent with ${tool}`,
			nodes: [START, agent, chat, { ...action(tool, parameters), type }],
			connections: { Start: to('main'), Model: to('ai_languageModel'), [tool]: to('ai_tool') },
		},
		[api, model],
	);
	return await n8n.runWorkflow(id, 120_000);
}

const balance = () => ({ resource: 'balance', operation: 'get', entityId: environment.teamId });
const invite = (allowToolWrites: boolean) => ({
	resource: 'invite',
	operation: 'create',
	teamId: environment.teamId,
	role: 'contractor',
	inviteesSource: 'json',
	inviteesJson: "={{ JSON.stringify([{ email: $fromAI('email', 'Whom to invite') }]) }}",
	allowToolWrites,
});

it.each([
	['What is our balance?', 'Read_balance', balance, /^The balance is .*USD/],
	[
		'Please invite ana.agent@example.com.',
		'Invite_with_leave',
		() => invite(true),
		/^ana\.agent@example\.com: invited/,
	],
])(
	'an agent that is asked “%s” is answered by the tool %s',
	async (text, tool, parameters, said) => {
		const execution = await ask(text, tool, parameters());
		expect(outputOf(execution, 'Agent')).toEqual([{ output: expect.stringMatching(said) }]);
	},
);

it('an agent invites nobody without permission', async () => {
	const before = await environment.sandbox.count('createInvites');
	const { runs } = await ask('Please invite ben.agent@example.com.', 'Invite', invite(false));
	/* n8n gives the model an empty answer for a tool that failed; a person finds the reason here. */
	expect(JSON.stringify(runs.Invite)).toMatch(
		/was refused because an AI agent called it\. To allow it, turn on Allow Writes by AI in the node/,
	);
	expect(await environment.sandbox.count('createInvites')).toBe(before);
});
