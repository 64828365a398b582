import { runNode } from '../../../support/actionHost';
import { startHttpServer } from '../../../support/httpServer';
import { FORMS, withAccessToken } from '../../../support/operationForms';
import { answerOf } from './answers';

const ROUNDS = 1_000;
/** Enough for a request that was sent with the others to arrive. */
const ROUNDS_AFTER = 50;

/**
 * How many requests are under way at the same time if nobody says so. No case waits for a clock.
 * test/unit/operations/interface.test.ts has the default of changes, and the other ones.
 */
export function defaultsSuite(): void {
	it('reads: 5 at a time', async () => {
		let waiting = 0;
		let open = () => {};
		const opened = new Promise<number>((resolve) => (open = () => resolve(200)));
		const { url, stop } = await startHttpServer(
			() => ({ success: true, data: answerOf('getBalance') }),
			async ({ path }) => {
				if (path === '/ping') return 404;
				waiting += 1;
				return await opened;
			},
		);
		const items = Array.from({ length: 12 }, () => ({}));
		const run = runNode(withAccessToken(url), FORMS.getBalance, { items });
		const ping = async () => await (await fetch(`${url}/ping`)).text();
		for (let round = 0; round < ROUNDS && waiting < 5; round++) await ping();
		for (let round = 0; round < ROUNDS_AFTER; round++) await ping();
		const together = waiting;
		open();
		const { output, error } = await run;
		await stop();
		expect(error).toBeUndefined();
		expect(output).toHaveLength(items.length);
		expect(together).toBe(5);
	});
}
