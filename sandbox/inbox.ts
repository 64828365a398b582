import { Randomness } from './randomness';

/** A message that a workflow sent to a channel or by mail. */
export interface Message {
	readonly id: string;
	/** ISO time of arrival. */
	readonly at: string;
	readonly by: 'channel' | 'mail';
	/** A channel, or an address. */
	readonly to: string;
	/** The workflow or node, if it says so. */
	readonly from: string;
	readonly subject: string;
	readonly text: string;
	/** Whether it came with a file, which is named like its subject. */
	readonly hasFile: boolean;
}

const MOST_MESSAGES = 200;

/** What went to the channel and by mail, oldest first. */
export class Inbox {
	private readonly randomness = new Randomness('inbox');
	private messages: Array<{ readonly message: Message; readonly file?: string }> = [];

	/** @param file the content of a file that comes with it */
	add(content: Omit<Message, 'id' | 'at' | 'hasFile'>, file?: string): Message {
		const id = this.randomness.identifier('ms');
		const at = new Date().toISOString();
		const message = { ...content, id, at, hasFile: file !== undefined };
		this.messages = [...this.messages, { message, file }].slice(-MOST_MESSAGES);
		return message;
	}

	list(): readonly Message[] {
		return this.messages.map(({ message }) => message);
	}

	/** The file of a message; undefined if there is none. */
	file(id: string): { readonly name: string; readonly content: string } | undefined {
		const found = this.messages.find(({ message }) => message.id === id);
		if (found?.file === undefined) return undefined;
		return { name: found.message.subject, content: found.file };
	}

	clear(): void {
		this.messages = [];
	}
}
