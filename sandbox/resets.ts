/** How often everything began again, and how far an n8n that keeps something of it has followed. */
export interface ResetState {
	readonly resets: number;
	/** When everything last began again. */
	readonly at?: string;
	/** Missing without such an n8n. */
	readonly followed?: { readonly resets: number; readonly at: string };
}

/** Counts how often the service started over, and how often n8n did so, too. */
export class Resets {
	private current: ResetState = { resets: 0 };

	get state(): ResetState {
		return this.current;
	}

	add(): void {
		const { resets } = this.current;
		this.current = { ...this.current, resets: resets + 1, at: new Date().toISOString() };
	}

	follow(resets: number): void {
		if (this.current.followed?.resets === resets) return;
		this.current = { ...this.current, followed: { resets, at: new Date().toISOString() } };
	}
}
