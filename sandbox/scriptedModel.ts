import { z } from 'zod';

/** Text of a message, which may come in parts. */
const textShape = z
	.union([
		z.string(),
		z
			.array(z.object({ text: z.string().default('') }).passthrough())
			.transform((parts) => parts.map(({ text }) => text).join('')),
	])
	.nullish()
	.transform((text) => text ?? '');

/** A request of the usual chat-completions API, as far as the script reads it. */
const requestShape = z.object({
	model: z.string().default('practice'),
	stream: z.boolean().default(false),
	stream_options: z.object({ include_usage: z.boolean().default(false) }).default({}),
	messages: z.array(z.object({ role: z.string(), content: textShape })).nonempty(),
	tools: z
		.array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) }))
		.default([]),
});

type Request = z.infer<typeof requestShape>;

interface Reply {
	readonly content: string;
	readonly call?: { readonly name: string; readonly arguments: string };
}

/** Which tool answers a question; the first that fits is called. */
const INTENTS: readonly { readonly asks: RegExp; readonly tool: RegExp }[] = [
	{ asks: /\binvite\b[^]*\S+@\S+/i, tool: /invite/i },
	{ asks: /balance|money|\bhold/i, tool: /balance/i },
	{ asks: /who|people|user|team|onboard/i, tool: /people|user|member/i },
];
const ABILITIES =
	'I can read the balance, list the people of the team, and invite someone. Try “What is our balance?” or “Invite ana@example.com as a contractor.”';

/**
 * A small model that follows a script: it calls the tool that a question asks for, and then says what
 * the tool answered. Answers in one piece, or as a stream of server-sent events.
 */
export function completeChat(body: unknown): { contentType: string; text: string } {
	const request = requestShape.parse(body);
	const reply = replyTo(request);
	const head = {
		id: 'chatcmpl-practice',
		created: Math.floor(Date.now() / 1000),
		model: request.model,
	};
	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
	const finish_reason = reply.call === undefined ? 'stop' : 'tool_calls';
	const tool_calls = reply.call && [
		{ index: 0, id: `call_${request.messages.length}`, type: 'function', function: reply.call },
	];
	if (!request.stream) {
		const message = { role: 'assistant', content: reply.content || null, tool_calls };
		const completion = {
			...head,
			object: 'chat.completion',
			choices: [{ index: 0, finish_reason, message }],
			usage,
		};
		return { contentType: 'application/json', text: JSON.stringify(completion) };
	}
	const chunk = (choices: readonly object[], more = {}): object => ({
		...head,
		object: 'chat.completion.chunk',
		choices,
		...more,
	});
	const words = reply.content.match(/\S+\s*/g) ?? [];
	const chunks = [
		chunk([
			{ index: 0, delta: { role: 'assistant', content: '', tool_calls }, finish_reason: null },
		]),
		...words.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
		chunk([{ index: 0, delta: {}, finish_reason }]),
		...(request.stream_options.include_usage ? [chunk([], { usage })] : []),
	];
	const lines = [...chunks.map((each) => JSON.stringify(each)), '[DONE]'];
	return {
		contentType: 'text/event-stream',
		text: lines.map((each) => `data: ${each}\n\n`).join(''),
	};
}

function replyTo({ messages, tools }: Request): Reply {
	const asked = messages.findLastIndex(({ role }) => role === 'user');
	const answers = messages.slice(asked + 1).filter(({ role }) => role === 'tool');
	const answer = answers.at(-1);
	if (answer) return { content: describe(answer.content) };
	const question = messages[asked]?.content ?? '';
	for (const { asks, tool } of INTENTS) {
		const found = tools.find((each) => tool.test(each.function.name));
		if (!asks.test(question) || !found) continue;
		const given = fill(
			{ type: 'object', ...schemaShape.catch({}).parse(found.function.parameters) },
			'',
			question,
		);
		return { content: '', call: { name: found.function.name, arguments: JSON.stringify(given) } };
	}
	return { content: ABILITIES };
}

interface Schema {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
}
const schemaShape: z.ZodType<Schema> = z.lazy(() =>
	z.object({ type: z.string().optional(), properties: z.record(schemaShape).optional() }),
);

const PLAIN: Readonly<Record<string, unknown>> = {
	object: {},
	array: [],
	boolean: false,
	number: 0,
	integer: 0,
};

/** Arguments for a tool: the email address of the question, and nothing else that it has to know. */
function fill({ type, properties }: Schema, name: string, question: string): unknown {
	if (properties) {
		return Object.fromEntries(
			Object.entries(properties).map(([each, schema]) => [each, fill(schema, each, question)]),
		);
	}
	const plain = PLAIN[type ?? ''];
	if (plain !== undefined) return plain;
	return /email/i.test(name) ? (/[^\s<>"“”]+@[\w.-]*\w/.exec(question)?.[0] ?? '') : question;
}

const CHARACTERS_SHOWN = 300;

/** What a tool answered, in a sentence. */
function describe(answer: string): string {
	if (/rejected the tool call|declined/i.test(answer)) return 'A person declined, so I stopped.';
	const records = recordsIn(answer);
	const balances = records.flatMap(({ balance, currency }) =>
		balance === undefined ? [] : [`${String(balance)} ${String(currency)}`],
	);
	if (balances.length > 0) return `The balance is ${balances.join(', ')}.`;
	const invited = records.filter(({ outcome }) => outcome !== undefined);
	if (invited.length > 0) {
		return invited.map(({ email, outcome }) => `${String(email)}: ${String(outcome)}`).join('; ');
	}
	const people = records.filter(({ email }) => email !== undefined);
	if (people.length > 0) {
		const waiting = people.filter(({ onboarded }) => onboarded === false);
		return `The team has ${people.length} people; ${waiting.length} of them haven’t finished onboarding.`;
	}
	return `The tool answered: ${answer.slice(0, CHARACTERS_SHOWN)}`;
}

/** The objects in a JSON text, inner ones included. */
function recordsIn(text: string): Record<string, unknown>[] {
	try {
		return flatten(JSON.parse(text));
	} catch {
		return [];
	}
}

function flatten(value: unknown): Record<string, unknown>[] {
	if (Array.isArray(value)) return value.flatMap(flatten);
	if (typeof value === 'string') return /^\s*[[{]/.test(value) ? recordsIn(value) : [];
	const record = z.record(z.unknown()).safeParse(value);
	return record.success ? [record.data, ...Object.values(record.data).flatMap(flatten)] : [];
}
