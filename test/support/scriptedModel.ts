import { z } from 'zod';

import { startHttpServer, type HttpServer } from './httpServer';

const conversation = z.object({
	messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
	tools: z
		.array(
			z.object({
				function: z.object({ name: z.string(), description: z.string(), parameters: z.unknown() }),
			}),
		)
		.default([]),
});

/** A fake OpenAI API that calls the scripted tools one after the other, then ends. */
export class ScriptedModel {
	script: { readonly tool: string; readonly given: Record<string, unknown> }[] = [];
	tools: z.infer<typeof conversation>['tools'] = [];
	/** What the tools answered, in the order of the script. */
	answers: string[] = [];

	private server: HttpServer | undefined;

	async start(): Promise<void> {
		this.server = await startHttpServer(({ body }) => this.reply(body));
	}

	get url(): string {
		return `${this.server?.url}/v1`;
	}

	private reply(body: string): object {
		const { messages, tools } = conversation.parse(JSON.parse(body));
		this.tools = tools;
		this.answers = messages
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
		const next = this.script[this.answers.length];
		const calls = next && [
			{
				id: `call_${this.answers.length}`,
				type: 'function',
				function: { name: next.tool, arguments: JSON.stringify(next.given) },
			},
		];
		return {
			id: 'chatcmpl-scripted',
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [
				{
					index: 0,
					finish_reason: calls === undefined ? 'stop' : 'tool_calls',
					message: {
						role: 'assistant',
						content: calls === undefined ? 'Done.' : null,
						...(calls === undefined ? {} : { tool_calls: calls }),
					},
				},
			],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	async stop(): Promise<void> {
		await this.server?.stop();
	}
}
