import { ClientRequest } from 'node:http';

import { runNode } from '../../../support/actionHost';
import { startHttpServer, type HttpServer } from '../../../support/httpServer';
import { FORMS, withAccessToken } from '../../../support/operationForms';
import { answerOf } from './answers';

const PATHS = { getBalance: '/v2/balance', sendTestDelivery: '/v2/webhooks/' };

/** A service for one operation, whose answers wait; other requests get a 404, which confirms a token. */
async function startWaitingService(
	id: keyof typeof PATHS,
	wait: () => Promise<number>,
): Promise<HttpServer> {
	const isAsked = ({ path }: { path: string }) => path.startsWith(PATHS[id]);
	return await startHttpServer(
		(request) => ({ success: isAsked(request), data: answerOf(id) }),
		(request) => (isAsked(request) ? wait() : 404),
	);
}

const ROUNDS = 1_000;
/** Enough for a request that was sent with the others to arrive. */
const ROUNDS_AFTER = 50;

/** What the options are if nobody sets them. No case waits for a clock. */
export function defaultsSuite(): void {
	it.each([
		['reads: 5 at a time', 'getBalance', 5],
		['writes: 1 at a time', 'sendTestDelivery', 1],
	] as const)('%s', async (_what, id, expected) => {
		let waiting = 0;
		let open = () => {};
		const opened = new Promise<number>((resolve) => (open = () => resolve(200)));
		const { url, stop } = await startWaitingService(id, async () => {
			waiting += 1;
			return await opened;
		});
		const items = Array.from({ length: 12 }, () => ({}));
		const run = runNode(withAccessToken(url), FORMS[id], { items });
		const ping = async () => await (await fetch(`${url}/ping`)).text();
		for (let round = 0; round < ROUNDS && waiting < expected; round++) await ping();
		for (let round = 0; round < ROUNDS_AFTER; round++) await ping();
		const together = waiting;
		open();
		const { output, error } = await run;
		await stop();
		expect(error).toBeUndefined();
		expect(output).toHaveLength(items.length);
		expect(together).toBe(expected);
	});

	/* test/unit/api/client.test.ts has the retries, and test/n8n/faults.test.ts what never comes again. */
	it.each([
		['30 seconds if nobody sets it', {}, 30_000],
		['the given time', { timeout: 1_234 }, 1_234],
	])('the timeout is %s', async (_what, options, expected) => {
		const { url, stop } = await startWaitingService(
			'sendTestDelivery',
			async () => await new Promise(() => {}),
		);
		/* Confirms the token, so that the next request is the one with the timeout. */
		await runNode(withAccessToken(url), FORMS.getBalance);
		const timeouts: number[] = [];
		const timer = jest.spyOn(ClientRequest.prototype, 'setTimeout').mockImplementation(function (
			this: ClientRequest,
			milliseconds,
			callback,
		) {
			timeouts.push(milliseconds);
			/* As if that time had passed. */
			if (callback !== undefined) setImmediate(callback);
			return this;
		});
		const form = { ...FORMS.sendTestDelivery, options };
		const { error } = await runNode(withAccessToken(url), form);
		timer.mockRestore();
		await stop();
		expect(error?.message).toContain('it took too long to respond');
		expect(timeouts).toEqual([expected]);
	});
}
