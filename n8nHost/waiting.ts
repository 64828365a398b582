import { setTimeout as pause } from 'node:timers/promises';

import { slowdown } from '../tooling/load.mjs';

/** What is waited for, e.g. `the payment is sent`, or the whole error message when time runs out. */
type Goal = string | (() => string);

interface Patience {
	/** How long to wait before giving up, on an idle machine. */
	readonly milliseconds?: number;
	/** Between two attempts. */
	readonly interval?: number;
}

/** Calls `probe` until it gives a value, and returns that value. */
export async function waitFor<Value>(
	goal: Goal,
	probe: () => Promise<Value | undefined>,
	{ milliseconds = 120_000, interval = 100 }: Patience = {},
): Promise<Value> {
	let waited = 0;
	for (let last = performance.now(); ; ) {
		const value = await probe();
		if (value !== undefined) return value;
		if (waited > milliseconds) {
			if (typeof goal === 'function') throw new Error(goal());
			throw new Error(`Not within ${milliseconds / 1_000} seconds: ${goal}`);
		}
		await pause(interval);
		const now = performance.now();
		waited += (now - last) / slowdown();
		last = now;
	}
}

/** Calls `condition` until it is true. */
export async function waitUntil(
	goal: Goal,
	condition: () => Promise<boolean>,
	patience?: Patience,
): Promise<void> {
	await waitFor(goal, async () => (await condition()) || undefined, patience);
}

/** n8n closes connections that nobody uses, sometimes while a request is on its way. */
export const OWN_CONNECTION = { connection: 'close' };

/** What a GET request to a URL is answered with; nothing if nobody answers. */
export async function textAt(url: string): Promise<string | undefined> {
	const answer = fetch(url, { headers: OWN_CONNECTION });
	return await answer.then(async (response) => await response.text()).catch(() => undefined);
}

/** Whether a GET request to a URL is answered with a 2xx. */
export async function isUp(url: string): Promise<boolean> {
	return (await fetch(url, { headers: OWN_CONNECTION }).catch(() => undefined))?.ok === true;
}
