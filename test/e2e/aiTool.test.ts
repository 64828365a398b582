import { ScriptedModel } from '../support/scriptedModel';
import { shareTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { action, node, START } from '../support/workflows';

jest.setTimeout(300_000);

let environment: TestEnvironment;
const model = new ScriptedModel();

beforeAll(async () => {
	environment = await shareTestEnvironment();
	await model.start();
});

function tool(name: string, parameters: Record<string, unknown>) {
	return { ...action(name, parameters), type: 'n8n-nodes-payroll-payments.payrollPaymentsTool' };
}

it('lists users, reads a balance and invites if permitted, and refuses without permission', async () => {
	const { n8n, api, sandbox, teamId } = environment;
	const openAi = await n8n.saveCredentials('openAiApi', 'Scripted model', {
		apiKey: 'none',
		url: model.url,
	});
	const invite = {
		resource: 'invite',
		operation: 'create',
		teamId,
		role: 'contractor',
		inviteesSource: 'json',
		inviteesJson: "={{ JSON.stringify([{ email: $fromAI('email', 'Whom to invite') }]) }}",
	};
	const tools = [
		tool('List_users', { resource: 'teamUser', operation: 'getAll', teamId, limit: 2 }),
		tool('Read_balance', { resource: 'balance', operation: 'get', entityId: teamId }),
		tool('Invite_with_leave', { ...invite, allowToolWrites: true }),
		tool('Invite', invite),
	];
	const chat = node(
		'Model',
		'@n8n/n8n-nodes-langchain.lmChatOpenAi',
		{ model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
		{ typeVersion: 1.2, credentials: { openAiApi: { id: null, name: '' } } },
	);
	const agent = node(
		'Agent',
		'@n8n/n8n-nodes-langchain.agent',
		{ promptType: 'define', text: 'Invite Ana if there is money.', options: {} },
		{ typeVersion: 2 },
	);
	const into = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	const { id } = await n8n.saveWorkflow(
		{
			name: 'Agent',
			nodes: [START, agent, chat, ...tools],
			connections: {
				Start: into('main'),
				Model: into('ai_languageModel'),
				...Object.fromEntries(tools.map(({ name }) => [name, into('ai_tool')])),
			},
		},
		[api, openAi],
	);
	model.script = [
		{ tool: 'List_users', given: {} },
		{ tool: 'Read_balance', given: {} },
		{ tool: 'Invite_with_leave', given: { email: 'ana.agent@example.com' } },
		{ tool: 'Invite', given: { email: 'ben.agent@example.com' } },
	];
	const execution = await n8n.runWorkflow(id, 120_000);

	expect(model.tools.map((each) => each.function.name).sort()).toEqual(
		tools.map(({ name }) => name).sort(),
	);
	const [users, balance, invited] = model.answers;
	expect(users).toMatch(/"nanoid":"us-/);
	expect(balance).toMatch(/"balance_cents":"\d+"/);
	expect(invited).toMatch(/"outcome":"invited","nanoid":"in-/);
	/* n8n gives the model an empty answer for a tool that failed; a person finds the reason here. */
	expect(JSON.stringify(execution.runs.Invite)).toMatch(
		/was refused because an AI agent called it\. To allow it, turn on Allow Writes by AI in the node/,
	);

	const { entries } = await sandbox.control<{ entries: { method: string; path: string }[] }>(
		'GET',
		'log',
	);
	const invites = entries.filter(({ method, path }) => method === 'POST' && path === '/v2/invites');
	expect(invites).toHaveLength(1);
});
