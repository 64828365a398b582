import { UserError as N8nUserError } from 'n8n-workflow';
import { z } from 'zod';

import { urlOf, type Call } from '../../../nodes/PayrollPayments/api/call';
import { Client, type Transport } from '../../../nodes/PayrollPayments/api/client';
import { readCredentials } from '../../../nodes/PayrollPayments/api/credentials';
import { exchangeOver } from '../../../nodes/PayrollPayments/api/n8nHttp';
import { retryAfter } from '../../../nodes/PayrollPayments/api/retries';
import {
	NoResponseError,
	outcomeOf,
	UserError,
} from '../../../nodes/PayrollPayments/shared/errors';
import type { HttpAnswer, HttpRequest } from '../../../nodes/PayrollPayments/shared/http';
import { Redactor } from '../../../nodes/PayrollPayments/shared/redaction';
import { refusalFrom } from '../../support/refusals';

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

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

interface Circumstances {
	readonly retries?: number;
	readonly longestPause?: number;
	readonly signal?: AbortSignal;
	/** Called with each request, before it is answered. */
	readonly onRequest?: () => void;
}

/** Sends a call whose answers are given; tells what was asked, and when. */
async function send(
	method: Call<unknown>['method'],
	answers: Array<HttpAnswer | Error>,
	{ onRequest, ...limits }: Circumstances = {},
) {
	const requests: HttpRequest[] = [];
	const times: number[] = [];
	const kinds: string[] = [];
	const transport: Transport = {
		token: () => '',
		send: async (request, { kind }) => {
			const answer = answers[requests.length] ?? ok;
			requests.push(request);
			times.push(Date.now());
			kinds.push(kind);
			onRequest?.();
			if (answer instanceof Error) throw answer;
			return await Promise.resolve({ answer, token: '' });
		},
	};
	const call = { path: '/v2/x', answer: z.object({ a: z.number() }).passthrough() };
	const credentials = readCredentials({
		baseUrl: 'https://api.example.com',
		authentication: 'accessToken',
		accessToken: 'a.b.c',
	});
	let isOver = false;
	const client = new Client(credentials, transport, new Redactor(), limits);
	const work = (
		method === 'GET' ? client.sendRead({ ...call, method }) : client.sendWrite({ ...call, method })
	)
		.catch((error: unknown) => error)
		.finally(() => (isOver = true));
	const begun = Date.now();
	while (!isOver) await jest.advanceTimersByTimeAsync(100);
	const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
	return { outcome: await work, requests, kinds, pauses, took: Date.now() - begun };
}

describe('reads', () => {
	it.each([
		...[429, 502, 503, 504].map((status): [unknown, HttpAnswer] => [status, failing(status)]),
		['a failed connection', new NoResponseError('gone')] as const,
	])('are repeated after %s', async (_what, answer) => {
		const { outcome, kinds } = await send('GET', [answer, answer, ok]);
		expect(kinds).toEqual(['read', 'read', 'read']);
		expect(outcome).toEqual({ a: 1, b: [{ c: null }] });
	});

	it.each([400, 401, 403, 404, 408, 425, 500, 501])('are not repeated after %d', async (status) => {
		const { outcome, requests } = await send('GET', [failing(status)]);
		expect(requests).toHaveLength(1);
		expect(outcome).toMatchObject({ status, errorCode: 'E1' });
	});

	it('stop after the retries that were asked for', async () => {
		const answers = Array.from({ length: 12 }, () => failing(503));
		expect((await send('GET', answers)).requests).toHaveLength(4);
		expect((await send('GET', answers, { retries: 0 })).requests).toHaveLength(1);
		expect((await send('GET', answers, { retries: 10 })).requests).toHaveLength(11);
	});

	it('wait longer each time', async () => {
		const { pauses } = await send('GET', [failing(503), failing(503), failing(503), ok]);
		const [first = 0, second = 0, third = 0] = pauses;
		expect([first < second, second < third]).toEqual([true, true]);
	});

	it('wait as long as Retry-After says, but not for more than a minute', async () => {
		const { pauses } = await send('GET', [failing(429, { 'retry-after': '7' }), ok]);
		expect(pauses).toEqual([7_000]);
		const { requests } = await send('GET', [failing(429, { 'retry-after': '3600' }), ok]);
		expect(requests).toHaveLength(1);
	});

	it.each([
		['during a pause', 2_000],
		['during a request', 0],
	])('end at once when the execution is stopped %s', async (_when, after) => {
		const stop = new AbortController();
		const onRequest = () => {
			if (after === 0) stop.abort();
			else setTimeout(() => stop.abort(), after);
		};
		const answers = [failing(429, { 'retry-after': '60' }), ok];
		const { outcome, requests, took } = await send('GET', answers, {
			signal: stop.signal,
			onRequest,
		});
		expect(requests).toHaveLength(1);
		expect(outcome).toMatchObject({ context: { outcome: 'notSent' } });
		expect(took).toBeLessThanOrEqual(after + 200);
	});
});

/* test/n8n/faults.test.ts has the writes: each goes out once, whatever comes of it. */

it('reads both kinds of Retry-After', () => {
	expect(retryAfter('120', 0)).toBe(120_000);
	const now = Date.parse('2026-10-21T07:27:30Z');
	expect(retryAfter('Wed, 21 Oct 2026 07:28:00 GMT', now)).toBe(30_000);
	expect(retryAfter('Wed, 21 Oct 2026 07:27:00 GMT', now)).toBe(0);
	expect(retryAfter('soon', 0)).toBeUndefined();
});

it('isn’t repeated where the service asks for a longer pause than the caller has', async () => {
	const later = failing(429, { 'retry-after': '6' });
	expect((await send('GET', [later, ok], { longestPause: 5_000 })).requests).toHaveLength(1);
	expect((await send('GET', [later, ok], { longestPause: 6_000 })).requests).toHaveLength(2);
});

it.each<[string, number, string]>([
	['{"success":"true","data":{}}', 200, 'Unexpected response'],
	['{"data":{"a":1}}', 200, 'Unexpected response'],
	['{"success":true,"data":{"a":1}}', 500, 'Unexpected response'],
	['{"error":"unauthorized"}', 401, 'Unexpected response'],
	...[301, 302, 307, 308].map((status): [string, number, string] => ['', status, 'redirect']),
])('an answer that is no success says so: %s (%d)', async (body, status, message) => {
	const { outcome, requests } = await send('PUT', [{ status, headers: {}, body }, ok]);
	expect(requests).toHaveLength(1);
	expect(outcome).toMatchObject({
		message: expect.stringContaining(message),
		status,
		nothingDone: false,
	});
});

describe('requests', () => {
	it('encode what is put into queries', () => {
		const query = { currencies: ['USD', 'EUR'], e: 'a+b@c.d', no: undefined };
		expect(urlOf('https://a.example', '/v2/x', query)).toBe(
			'https://a.example/v2/x?currencies=USD&currencies=EUR&e=a%2Bb%40c.d',
		);
	});

	const request: HttpRequest = {
		method: 'PUT',
		url: 'https://api.example.com/v2/x',
		headers: { authorization: 'Bearer secret-token' },
	};
	const thrown = async (cause: object) =>
		await exchangeOver(async () => {
			throw Object.assign(new Error('Bearer secret-token'), { cause });
		})(request);

	it('turn what n8n throws into plain words, without what was sent', async () => {
		await expect(thrown(new UserError('no role'))).rejects.toThrow('no role');
		await expect(thrown(new Error('y'))).rejects.not.toThrow('secret-token');
	});

	it('read an answer that comes in pieces, wherever it is cut', async () => {
		const bytes = [...Buffer.from('\ufeff{"name":"Zoë 🙂"}'), 0xc3];
		const stream = {
			async *[Symbol.asyncIterator]() {
				for (const byte of bytes) yield await Promise.resolve(Uint8Array.of(byte));
			},
			destroy: () => {},
		};
		const response = { statusCode: 200, headers: {}, body: stream };
		const { body } = await exchangeOver(async () => await Promise.resolve(response))(request);
		expect(body).toBe('{"name":"Zoë 🙂"}\ufffd');
	});

	it('say why n8n itself blocked them', async () => {
		const said = 'The request was blocked because it resolves to a restricted IP address';
		const description = 'Ask your n8n administrator to allowlist the hostname';
		const error = await refusalFrom(thrown(new N8nUserError(said, { description })));
		expect(error.message).toBe(`No response from api.example.com: ${said}`);
		expect(error.hint).toBe(description);
		expect(outcomeOf(error)).toBe('unknown');
	});

	it.each([
		['refused', 'ECONNREFUSED ENOTFOUND EAI_AGAIN'],
		['refused', 'CERT_HAS_EXPIRED SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
		['unknown', 'ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ERR_CANCELED ERR_SOMETHING'],
		['unknown', 'EPROTO EHOSTUNREACH ENETUNREACH'],
	])('are %s if they end with %s', async (outcome, codes) => {
		for (const code of codes.split(' ')) {
			const error = await refusalFrom(thrown(Object.assign(new Error('x'), { code })));
			expect(error.message).toMatch(/^No response from api\.example\.com: /);
			expect([code, outcomeOf(error)]).toEqual([code, outcome]);
		}
	});
});
