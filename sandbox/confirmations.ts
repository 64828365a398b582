/** What a wallet shows before a person confirms. */
export type Shown =
	| { readonly address: string; readonly text: string }
	| {
			readonly address: string;
			readonly domain: Readonly<Record<string, unknown>>;
			readonly primaryType: string;
			readonly message: Readonly<Record<string, unknown>>;
	  };

export type Decision = 'confirmed' | 'declined' | 'abandoned';

/** A request that waits for a person. */
export type WaitingRequest = { readonly id: number; readonly method: string } & Shown;

/** The requests of a signer that asks a person. */
export class Confirmations {
	private readonly requests = new Map<
		number,
		{ readonly shown: WaitingRequest; decide(decision: Decision): void }
	>();
	private count = 0;

	/** @param gone aborted once nobody waits for the answer any more */
	async ask(method: string, shown: Shown, gone: AbortSignal): Promise<Decision> {
		const id = (this.count += 1);
		return await new Promise((resolve) => {
			const decide = (decision: Decision): void => {
				this.requests.delete(id);
				resolve(decision);
			};
			this.requests.set(id, { shown: { id, method, ...shown }, decide });
			gone.addEventListener('abort', () => decide('abandoned'), { once: true });
		});
	}

	list(): readonly WaitingRequest[] {
		return [...this.requests.values()].map(({ shown }) => shown);
	}

	/** Whether the request was still waiting. */
	decide(id: number, decision: Decision): boolean {
		const request = this.requests.get(id);
		request?.decide(decision);
		return request !== undefined;
	}
}
