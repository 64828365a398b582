import type { InstantPayment } from '../../sandbox/instantPayments';
import { useActionSandbox } from '../support/actionSandbox';
import { dataOf, SandboxClient } from '../support/sandboxClient';

const sandbox = useActionSandbox();
let client: SandboxClient;

beforeAll(async () => {
	client = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
});

describe('an authorization', () => {
	interface Prepared {
		readonly team: string;
		readonly amount: string;
		readonly email: string;
		readonly reference: string;
		readonly authorization: {
			readonly domain: object;
			readonly types: Record<string, { name: string; type: string }[]>;
			readonly primaryType: string;
			readonly message: InstantPayment['typed_data'];
		};
	}
	const prepare = async (query: string): Promise<Prepared> =>
		JSON.parse((await client.get(`/sandbox/authorization?${query}`)).text);

	it('is a whole EIP-712 payload that the service takes once it is signed', async () => {
		const query = 'amount=1,250.5&email=ana@example.com&reference=INV-1';
		const { team, amount, email, reference, authorization } = await prepare(query);
		expect({ amount, email, reference }).toEqual({
			amount: '1250.50',
			email: 'ana@example.com',
			reference: 'INV-1',
		});
		const { domain, types, message } = authorization;
		const reply = await client.put('/v2/payments/external_entity/instant', {
			from: team,
			amount_cents: 125_050,
			signer: client.wallet.address,
			typed_data: message,
			signature: await client.wallet.signTypedData(domain, types, message),
			external_recipient_email: email,
			currency_symbol: 'USD',
			network: 'arbitrum',
		});
		expect(dataOf<{ transaction: string }>(sandbox, reply, 'createInstantPayment')).toEqual({
			transaction: expect.stringMatching(/^tx-/),
		});
	});

	it.each(['amount=1.005', 'amount=-1', 'email=nobody'])('refuses %s', async (query) => {
		expect((await client.get(`/sandbox/authorization?${query}`)).status).toBe(400);
	});
});

describe('the scripted model', () => {
	const email = { type: 'object', properties: { email: { type: 'string' } } };
	const tools = [
		{ function: { name: 'Read_the_balance', parameters: {} } },
		{
			function: {
				name: 'Invite_a_person',
				parameters: { type: 'object', properties: { toolParameters: email } },
			},
		},
	];
	const ask = async (messages: object[], more = {}) =>
		await client.post('/sandbox/model/v1/chat/completions', { messages, tools, ...more });
	const messageOf = ({ text }: { text: string }) => JSON.parse(text).choices[0].message;

	it.each([
		['What is our balance?', 'Read_the_balance', {}],
		[
			'Please invite ana@example.com as a contractor.',
			'Invite_a_person',
			{ toolParameters: { email: 'ana@example.com' } },
		],
	])('calls the tool that “%s” asks for', async (content, name, given) => {
		const { tool_calls: calls } = messageOf(await ask([{ role: 'user', content }]));
		expect(calls).toHaveLength(1);
		expect(calls[0].function.name).toBe(name);
		expect(JSON.parse(calls[0].function.arguments)).toEqual(given);
	});

	it.each([
		['[{"balance":"12.50","currency":"USD"}]', 'The balance is 12.50 USD.'],
		['[{"email":"a@example.com","outcome":"invited"}]', 'a@example.com: invited'],
		['User rejected the tool call to Invite a person', 'A person declined, so I stopped.'],
		['Out of paper', 'The tool answered: Out of paper'],
	])('says what a tool answered: %s', async (content, said) => {
		const messages = [
			{ role: 'user', content: 'What is our balance?' },
			{ role: 'assistant', content: null },
			{ role: 'tool', content },
		];
		expect(messageOf(await ask(messages))).toMatchObject({ content: said });
	});

	it('streams what it says, and says what it can do', async () => {
		const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
		const { text, headers } = await ask(messages, { stream: true });
		expect(headers.get('content-type')).toBe('text/event-stream');
		const lines = text.trim().split('\n\n');
		expect(lines.at(-1)).toBe('data: [DONE]');
		const said = lines
			.slice(0, -1)
			.map((line) => JSON.parse(line.slice('data: '.length)).choices[0].delta.content ?? '');
		expect(said.join('')).toMatch(/^I can read the balance/);
	});
});

it('takes a message, and answers with it', async () => {
	const { text } = await client.post('/sandbox/messages', { content: 'Paid' });
	expect(JSON.parse(text)).toEqual({ content: 'Paid' });
});

it('sends nothing again to n8n’s test URL, which listens once', async () => {
	const url = 'http://127.0.0.1:1/webhook-test/x';
	await client.post('/sandbox/endpoints', { url });
	await client.post('/sandbox/deposits', {});
	const [attempt] = sandbox.service.deliveries.log();
	expect(attempt).toMatchObject({ url, outcome: 'no answer' });
	expect(attempt).not.toHaveProperty('retryIn');
});
