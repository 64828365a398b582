import { ClientRequest, createServer, type ServerResponse } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../../support/actionHost';
import { useEchoService } from '../../../support/echoService';
import { listen, type HttpServer } from '../../../support/httpServer';
import { FORMS, withAccessToken, type OperationId } from '../../../support/operationForms';
import { operation } from '../openapi';
import { answerOf } from './answers';

/** The answer to the read with which a run that writes confirms its token. */
function answerRead(response: ServerResponse): void {
	response.statusCode = 404;
	response.end('{"success":false,"data":"No such entity"}');
}

/** A service that holds every request of one method until it is told to answer. */
class PatientService {
	readonly held: ServerResponse[] = [];
	private isOpen = false;
	private readonly server = createServer((request, response) => {
		request.resume();
		if (request.url === '/ping') response.end('{}');
		else if (request.method !== this.method) answerRead(response);
		else if (this.isOpen) this.answer(response);
		else this.held.push(response);
	});

	constructor(
		private readonly method: string,
		private readonly data: unknown,
	) {}

	async start(): Promise<HttpServer> {
		return await listen(this.server);
	}

	/** Answers what is held, and from now on everything at once. */
	open(): void {
		this.isOpen = true;
		for (const response of this.held) this.answer(response);
	}

	private answer(response: ServerResponse): void {
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify({ success: true, data: this.data }));
	}
}

const ROUNDS = 1_000;
/** Enough for a request that was sent with the others to arrive. */
const ROUNDS_AFTER = 50;

/** What the options are if nobody sets them. No case waits for a clock. */
export function defaultsSuite(pauses: number[]): void {
	const rows: ReadonlyArray<readonly [string, OperationId, number]> = [
		['reads: 5 at a time', 'getBalance', 5],
		['writes: 1 at a time', 'sendTestDelivery', 1],
	];

	it.each(rows)('%s', async (_what, id, expected) => {
		const service = new PatientService(operation(id).method, answerOf(id));
		const { url, stop } = await service.start();
		const items = Array.from({ length: 12 }, () => ({}));
		const run = runNode(withAccessToken(url), FORMS[id], { items });
		const ping = async () => await (await fetch(`${url}/ping`)).text();
		for (let round = 0; round < ROUNDS && service.held.length < expected; round++) await ping();
		for (let round = 0; round < ROUNDS_AFTER; round++) await ping();
		const together = service.held.length;
		service.open();
		const { output, error } = await run;
		await stop();
		expect(error).toBeUndefined();
		expect(output).toHaveLength(items.length);
		expect(together).toBe(expected);
	});

	const echo = useEchoService();

	async function attempts(id: OperationId, options: INodeParameters): Promise<number> {
		const { method } = operation(id);
		echo.answer((request) => ({
			status: request.method === method ? 503 : 404,
			body: { success: false, data: 'Busy' },
		}));
		const { error } = await runNode(withAccessToken(echo.url), { ...FORMS[id], options });
		expect(error?.message).toContain('Busy');
		return echo.requests.filter((request) => request.method === method).length;
	}

	it('reads are tried 3 more times with growing pauses, and writes never', async () => {
		pauses.length = 0;
		expect(await attempts('getBalance', {})).toBe(4);
		expect(pauses).toHaveLength(3);
		expect(pauses[1]).toBeGreaterThan(pauses[0] ?? 0);
		expect(pauses[2]).toBeGreaterThan(pauses[1] ?? 0);
		expect(await attempts('getBalance', { retries: 0 })).toBe(1);
		expect(await attempts('getBalance', { retries: 10 })).toBe(11);
		expect(await attempts('sendTestDelivery', {})).toBe(1);
	});

	it.each([
		['30 seconds if nobody sets it', {}, 30_000],
		['the given time', { timeout: 1_234 }, 1_234],
	])('the timeout is %s', async (_what, options, expected) => {
		const service = new PatientService('POST', {});
		const { url, stop } = await service.start();
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
		const { error } = await runNode(withAccessToken(url), {
			...FORMS.sendTestDelivery,
			options,
		});
		timer.mockRestore();
		await stop();
		expect(error?.message).toContain('it took too long to respond');
		expect(timeouts).toEqual([expected]);
	});
}
