import { runNode } from '../../../support/actionHost';
import { startHttpServer } from '../../../support/httpServer';
import { FORMS, withAccessToken } from '../../../support/operationForms';
import { answerOf } from './answers';

const ROUNDS = 1_000;
/** Enough for a request that was sent with the others to arrive. */
const ROUNDS_AFTER = 50;

/**
 * How many requests are under way at the same time if nobody says so. No case waits for a clock.
 * test/unit/operations/interface.test.ts has the other defaults.
 */
export function defaultsSuite(): void {
	it.each([
		['reads: 5 at a time', 'getBalance', '/v2/balance', 5],
		['writes: 1 at a time', 'sendTestDelivery', '/v2/webhooks/', 1],
	] as const)('%s', async (_what, id, asked, expected) => {
		let waiting = 0;
		let open = () => {};
		const opened = new Promise<number>((resolve) => (open = () => resolve(200)));
		const { url, stop } = await startHttpServer(
			({ path }) => ({ success: path.startsWith(asked), data: answerOf(id) }),
			async ({ path }) => {
				/* It confirms a token, too. */
				if (!path.startsWith(asked)) return 404;
				waiting += 1;
				return await opened;
			},
		);
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
}
