import { setTimeout as pause } from 'node:timers/promises';

interface Patience {
	/** How long to wait before giving up. */
	readonly milliseconds: number;
	/** Between two attempts. */
	readonly interval?: number;
	/** The error message when time runs out. */
	readonly failure: () => string;
}

/** Calls `probe` until it gives a value, and returns that value. */
export async function waitFor<Value>(
	probe: () => Promise<Value | undefined>,
	{ milliseconds, interval = 100, failure }: Patience,
): Promise<Value> {
	const deadline = Date.now() + milliseconds;
	for (;;) {
		const value = await probe();
		if (value !== undefined) return value;
		if (Date.now() > deadline) throw new Error(failure());
		await pause(interval);
	}
}

/** Calls `condition` until it is true. */
export async function waitUntil(
	condition: () => Promise<boolean>,
	patience: Patience,
): Promise<void> {
	await waitFor(async () => (await condition()) || undefined, patience);
}

/** Whether a GET request to a URL is answered with a 2xx. */
export async function isUp(url: string): Promise<boolean> {
	return await fetch(url).then(
		({ ok }) => ok,
		() => false,
	);
}
