import { setTimeout as pause } from 'node:timers/promises';

import { say } from '../../../tooling/progress.mjs';
import { sendEvent } from '../../support/deliveries';
import type { EventSink } from '../../support/eventSink';
import type { N8nQueue } from '../../../n8nHost/n8nQueue';
import { eventOf } from '../../../n8nHost/sampleEvents';
import type { SupervisedProcess } from '../../../n8nHost/supervisedProcess';
import { saveTriggerWorkflow, SECRET, type TriggerSetup } from '../../support/triggerWorkflow';
import { waitUntil } from '../../../n8nHost/waiting';

/** Events a second, well below what two workers can handle. */
export const RATE = Number(process.env.LONG_RATE ?? 3);

const FEWEST_ENDS = 4;

/** The entry at an index, which starts over at the end. */
export function pick<Entry>(list: readonly Entry[], index: number): Entry {
	const entry = list[index % list.length];
	if (entry === undefined) throw new Error('an empty list');
	return entry;
}

/** An active workflow with the trigger, reachable through both webhook processes. */
export async function listenWith(
	{ n8n, webhooks }: N8nQueue,
	setup: TriggerSetup,
): Promise<{ workflowId: string; urls: readonly string[] }> {
	const { workflowId, url } = await saveTriggerWorkflow(n8n, setup);
	await n8n.activate(workflowId);
	const urls = webhooks.map((process) => url.replace(n8n.url, process.url));
	for (const each of urls) await n8n.waitForWebhook(each, 180_000);
	return { workflowId, urls };
}

/**
 * Delivers like the service: without a 2xx within ten seconds, it retries. It waits less than the
 * service, but long enough for processes that are behind to catch up.
 */
export async function deliver(url: string, key: string): Promise<number> {
	const failures: string[] = [];
	for (let attempt = 1; attempt <= 10; attempt++) {
		const how = { secret: SECRET, signal: AbortSignal.timeout(10_000) };
		const sent = sendEvent(url, eventOf(key), how);
		const status = await sent.then((answer) => answer.status, String);
		if (Number(status) >= 200 && Number(status) < 300) return attempt;
		failures.push(String(status));
		await pause(Math.min(attempt * 5, 30) * 1_000);
	}
	throw new Error(`No 2xx for ${key} from ${url}, but ${failures.join(', ')}`);
}

/** Starts a task for every key at a steady rate, and waits for all of them. */
export async function paced(
	keys: readonly string[],
	task: (key: string, index: number) => Promise<void>,
): Promise<void> {
	const begun = Date.now();
	await Promise.all(
		keys.map(async (key, index) => {
			await pause(begun + (index * 1_000) / RATE - Date.now());
			await task(key, index);
		}),
	);
}

/** Ends workers in turn while a task runs, each as soon as it is ready; returns how many times. */
export async function endWorkersDuring(
	{ workers }: N8nQueue,
	end: (worker: SupervisedProcess) => Promise<void>,
	task: () => Promise<void>,
): Promise<number> {
	let isRunning = true;
	let times = 0;
	const ending = (async () => {
		while (isRunning || times < FEWEST_ENDS) {
			const { process: worker } = pick(workers, times);
			await worker.ready();
			await pause(2_000);
			await end(worker);
			times += 1;
		}
	})();
	try {
		await task();
	} finally {
		isRunning = false;
		await ending;
	}
	return times;
}

/**
 * Retries the failed executions of what didn't run downstream, as a person would from n8n's list of
 * executions.
 *
 * @returns the figures, what is lost after that, and how much has no execution to retry
 */
export async function retryMissing(
	queue: N8nQueue,
	sink: EventSink,
	workflowId: string,
	keys: readonly string[],
) {
	await queue.ready();
	const missing = () => keys.filter((key) => sink.count(key) === 0);
	const before = missing();
	const doubled = keys.filter((key) => sink.count(key) > 1).length;
	const failed: string[] = [];
	for (const key of before) failed.push(...(await queue.failedWith(workflowId, key)).slice(0, 1));
	for (const id of new Set(failed)) await queue.n8n.retry(id);
	const overwritten = before.length - failed.length;
	/* n8n answers a retry before its execution is in the list. */
	const haveRun = async () => missing().length <= overwritten;
	await waitUntil('what was retried runs', haveRun).catch((error: unknown) => say(String(error)));
	const lost = missing();
	for (const key of lost) say([`Lost: ${key}`, ...queue.logged(key)].join('\n'));
	const retried = `${before.length} did not run downstream, ${failed.length} of them were retried from a failed or crashed execution in n8n’s list; ${lost.length} were lost after that; ${doubled} ran twice`;
	return { retried, lost, overwritten };
}
