/** Waits for the work, or until the signal is aborted. */
export async function endedOrAborted(work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
	if (signal?.aborted === true) return;
	let stop = () => {};
	const aborted = new Promise<void>((resolve) => (stop = resolve));
	signal?.addEventListener('abort', stop);
	await Promise.race([work, aborted]).finally(() => signal?.removeEventListener('abort', stop));
}
