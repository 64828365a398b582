import { z } from 'zod';
import type { HttpAnswer, HttpRequest } from '../../../nodes/PayrollPayments/shared/http';
import { inBatches, planBatches } from '../../../nodes/PayrollPayments/actions/batches';
import { runBounded } from '../../../nodes/PayrollPayments/actions/concurrency';
import { exchangeOver } from '../../../nodes/PayrollPayments/api/n8nHttp';
import { retryAfter } from '../../../nodes/PayrollPayments/api/retry';
import { path, sendCall, urlOf, type Call } from '../../../nodes/PayrollPayments/api/client';
import { NoResponseError } from '../../../nodes/PayrollPayments/shared/errors';
import { Refusal } from '../../../nodes/PayrollPayments/shared/errors';

const ok: HttpAnswer = {
	status: 200,
	headers: {},
	body: '{"success":true,"data":{"a":1,"b":[{"c":null}]}}',
};
const failing = (status: number, headers: Record<string, string> = {}): HttpAnswer => ({
	status,
	headers,
	body: '{"success":false,"data":"no","error_code":"E1"}',
});

/** Sends a call whose answers are given; tells what was asked and how long was waited. */
async function send(
	method: Call<unknown>['method'],
	answers: Array<HttpAnswer | Error>,
	retries = 3,
) {
	const requests: HttpRequest[] = [];
	const pauses: number[] = [];
	const exchange = async (request: HttpRequest) => {
		const answer = answers[requests.length] ?? ok;
		requests.push(request);
		if (answer instanceof Error) throw answer;
		return answer;
	};
	const call: Call<unknown> = {
		method,
		path: '/v2/x',
		answer: z.object({ a: z.number() }).passthrough(),
	};
	const outcome = await sendCall('https://api.example.com', call, {
		withToken: exchange,
		withoutToken: exchange,
		timeout: 1,
		retries,
		pause: async (milliseconds) => {
			pauses.push(milliseconds);
		},
		redact: (text) => text.replace('s3cr3t', '[…]'),
	}).catch((error: unknown) => error);
	return { outcome, requests, pauses };
}

describe('reads', () => {
	it.each([429, 502, 503, 504])('are repeated after %d', async (status) => {
		const { outcome, requests } = await send('GET', [failing(status), failing(status), ok]);
		expect(requests).toHaveLength(3);
		expect(outcome).toEqual({ a: 1, b: [{ c: null }] });
	});

	it('are repeated after a failed connection', async () => {
		const { requests } = await send('GET', [new NoResponseError('gone'), ok]);
		expect(requests).toHaveLength(2);
	});

	it.each([400, 401, 403, 404, 500])('are not repeated after %d', async (status) => {
		const { outcome, requests } = await send('GET', [failing(status)]);
		expect(requests).toHaveLength(1);
		expect(outcome).toMatchObject({ status, errorCode: 'E1' });
	});

	it('stop after the retries that were asked for', async () => {
		const answers = Array.from({ length: 9 }, () => failing(503));
		expect((await send('GET', answers, 3)).requests).toHaveLength(4);
		expect((await send('GET', answers, 0)).requests).toHaveLength(1);
	});

	it('wait as long as Retry-After says, but not for more than a minute', async () => {
		const { pauses } = await send('GET', [failing(429, { 'retry-after': '7' }), ok]);
		expect(pauses).toEqual([7000]);
		const { requests } = await send('GET', [failing(429, { 'retry-after': '3600' }), ok]);
		expect(requests).toHaveLength(1);
	});

	it('wait longer each time', async () => {
		const { pauses } = await send('GET', [failing(503), failing(503), failing(503), ok]);
		expect(pauses[0]).toBeLessThan(pauses[1] ?? 0);
		expect(pauses[1]).toBeLessThan(pauses[2] ?? 0);
	});
});

it.each(['POST', 'PUT'] as const)('%s is never repeated', async (method) => {
	for (const fault of [failing(503), failing(429), new NoResponseError('gone')]) {
		expect((await send(method, [fault, ok])).requests).toHaveLength(1);
	}
});

it.each([
	['POST', failing(503), true],
	['PUT', new NoResponseError('gone'), true],
	['POST', new NoResponseError('nothing listens', {}, false), false],
	['PUT', { ...ok, body: '{"success":tr' }, true],
	['POST', failing(400), false],
	['POST', failing(429), false],
	['GET', failing(500), false],
] as const)(
	'%s with %o: the person is told of what may have been done (%s)',
	async (method, fault, isTold) => {
		const { outcome } = await send(method, [fault, fault, fault, fault]);
		const told = outcome instanceof Refusal ? outcome.note : '';
		expect(told).toEqual(isTold ? expect.stringContaining('may have succeeded anyway') : undefined);
	},
);

it('reads both kinds of Retry-After', () => {
	expect(retryAfter('120', 0)).toBe(120_000);
	expect(retryAfter('Wed, 21 Oct 2026 07:28:00 GMT', Date.parse('2026-10-21T07:27:30Z'))).toBe(
		30_000,
	);
	expect(retryAfter('soon', 0)).toBeUndefined();
});

describe('answers', () => {
	it.each([
		['<html>', 200, 'Unexpected response'],
		['', 200, 'Unexpected response'],
		['{"success":true', 200, 'Unexpected response'],
		['{"success":"true","data":{}}', 200, 'Unexpected response'],
		['{"data":{"a":1}}', 200, 'Unexpected response'],
		['{"success":true,"data":{}}', 200, 'data.a'],
		['{"success":false,"data":"broken"}', 200, 'The service refused: broken'],
		['{"success":true,"data":{"a":1}}', 500, 'Unexpected response'],
		['', 302, 'redirect'],
	])('that are no success say so: %s (%d)', async (body, status, message) => {
		const { outcome } = await send('PUT', [{ status, headers: {}, body }]);
		expect(outcome).toMatchObject({
			message: expect.stringContaining(message),
			status,
			refused: false,
		});
	});

	it.each([
		[400, true],
		[401, true],
		[403, true],
		[404, true],
		[429, false],
		[500, false],
	])('%d with the failure envelope is a decision: %s', async (status, refused) => {
		expect((await send('PUT', [failing(status)])).outcome).toMatchObject({ refused });
	});
});

describe('requests', () => {
	it('encode what is put into paths and queries', () => {
		expect(path`/v2/teams/${'te-a/b c?d'}/users`).toBe('/v2/teams/te-a%2Fb%20c%3Fd/users');
		expect(
			urlOf('https://a.example', '/v2/x', {
				currencies: ['USD', 'EUR'],
				e: 'a+b@c.d',
				no: undefined,
			}),
		).toBe('https://a.example/v2/x?currencies=USD&currencies=EUR&e=a%2Bb%40c.d');
	});

	it('turn what n8n throws into an answer or into plain words, without what was sent', async () => {
		const request: HttpRequest = {
			method: 'GET',
			url: 'https://api.example.com/v2/x',
			headers: { authorization: 'Bearer secret-token' },
		};
		const thrown = (cause: object) =>
			exchangeOver(async () => {
				throw Object.assign(new Error('Bearer secret-token'), { cause });
			})(request);
		await expect(
			thrown(
				Object.assign(new Error('x'), {
					response: { status: 404, headers: { 'X-A': 'b' }, data: 'no' },
				}),
			),
		).resolves.toEqual({ status: 404, headers: { 'x-a': 'b' }, body: 'no' });
		await expect(thrown(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))).rejects.toThrow(
			'No response from api.example.com: it refused the connection',
		);
		await expect(thrown(new Refusal('no role'))).rejects.toThrow('no role');
		await expect(thrown(new Error('y'))).rejects.not.toThrow('secret-token');
	});
});

describe('tasks at once', () => {
	it('never exceed the limit, and each result has its place', async () => {
		let running = 0;
		let most = 0;
		const tasks = Array.from({ length: 40 }, (_, index) => async () => {
			running += 1;
			most = Math.max(most, running);
			await new Promise((resolve) => setTimeout(resolve, (index * 7) % 5));
			running -= 1;
			return index;
		});
		const { results } = await runBounded(tasks, 5);
		expect(tasks.map((_, index) => results.get(index))).toEqual(tasks.map((_, index) => index));
		expect(most).toBe(5);
	});

	it('stop beginning once one has failed', async () => {
		const begun: number[] = [];
		const tasks = [0, 1, 2, 3].map((index) => async () => {
			begun.push(index);
			if (index === 1) throw new Error('second');
		});
		const { failures } = await runBounded(tasks, 1);
		expect([...failures]).toEqual([[1, new Error('second')]]);
		expect(begun).toEqual([0, 1]);
	});
});

it('splits lists, and tells what was done before each write', () => {
	expect(inBatches([1, 2, 3], 2)).toEqual([[1, 2], [3]]);
	expect(inBatches([1, 2, 3], 0)).toEqual([[1, 2, 3]]);
	const writes = planBatches(
		[1, 2, 3],
		1,
		([step = 0]) => ({
			check: async () => ({
				summary: `Step ${step}`,
				request: { method: 'POST', path: '/v2', body: { step } },
			}),
			send: async () => ({ step }),
		}),
		(done) => `Done: ${done.join(', ')}`,
	);
	expect(writes.map(({ doneBefore }) => doneBefore?.())).toEqual([
		'Done: ',
		'Done: 1',
		'Done: 1, 2',
	]);
});
