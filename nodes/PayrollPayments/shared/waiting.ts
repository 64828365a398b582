import { throwIfStopped } from './errors';

/** Waits until the work has ended, in success or failure, or the signal is aborted. */
export async function endedOrAborted(work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
	const ended = work.catch(() => undefined);
	if (signal?.aborted === true) return;
	let stop = () => {};
	const aborted = new Promise<void>((resolve) => (stop = resolve));
	signal?.addEventListener('abort', stop);
	await Promise.race([ended, aborted]);
	signal?.removeEventListener('abort', stop);
}

/** The result of the work, unless the execution is stopped first: then the work goes on, and its failure is dropped. */
export async function unlessStopped<Result>(
	work: Promise<Result>,
	stopped?: AbortSignal,
): Promise<Result> {
	await endedOrAborted(work, stopped);
	throwIfStopped(stopped);
	return await work;
}
