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
}

const MOST_MESSAGES = 200;

/** What went to the channel and by mail, oldest first. */
export class Inbox {
	private readonly randomness = new Randomness('inbox');
	private messages: Message[] = [];

	add(message: Omit<Message, 'id' | 'at'>): Message {
		const id = this.randomness.identifier('ms');
		const added = { ...message, id, at: new Date().toISOString() };
		this.messages = [...this.messages, added].slice(-MOST_MESSAGES);
		return added;
	}

	list(): readonly Message[] {
		return this.messages;
	}

	clear(): void {
		this.messages = [];
	}
}
