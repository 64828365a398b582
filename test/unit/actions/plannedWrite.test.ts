import { z } from 'zod';

import {
	checkRecord,
	planCall,
	sendWrites,
	type PlannedWrite,
} from '../../../nodes/PayrollPayments/actions/plannedWrite';
import type { Service } from '../../../nodes/PayrollPayments/actions/service';
import { readCredentials } from '../../../nodes/PayrollPayments/api/credentials';
import { PaymentLedger } from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { Refusal } from '../../../nodes/PayrollPayments/shared/errors';
import type { HttpRequest } from '../../../nodes/PayrollPayments/shared/http';
import { MemoryStore } from '../idempotency/memoryStore';

/** A service that answers every request with the number of requests so far. */
function scene() {
	const requests: HttpRequest[] = [];
	const exchange = async (request: HttpRequest) => {
		const body = JSON.stringify({ success: true, data: { count: requests.push(request) } });
		return { status: 200, headers: {}, body };
	};
	const outcomes = new Map();
	const service: Service = {
		credentials: readCredentials({
			authentication: 'accessToken',
			baseUrl: 'https://api.payroll.example',
			accessToken: 'token',
		}),
		transport: {
			withToken: exchange,
			withoutToken: exchange,
			pause: async () => {},
			redact: (text) => text,
		},
		items: [0],
		sending: { timeout: 1, retries: 0, concurrency: 1, checkOnly: false },
		wallet: async () => {
			throw new Refusal('These credentials have no wallet');
		},
		payments: () => new PaymentLedger(new MemoryStore(), 'node', new Map()),
		outcomes: () => outcomes,
	};
	return { service, requests };
}

const answer = z.object({ count: z.number() });
const write = {
	method: 'POST',
	path: '/v2/x',
	answer,
	prepare: async () => ({ summary: 'Do it', body: { a: 1 } }),
} as const;

it.each([
	['is sent each time', write, [1, 2]],
	[
		'is sent once where it must be',
		{ ...write, once: { identity: 'x', isRepeatable: false } },
		[1, 1],
	],
])('a change %s', async (_what, call, counts) => {
	const { service, requests } = scene();
	const planned = planCall(call);
	expect(await sendWrites([planned, planned], service)).toEqual(counts.map((count) => ({ count })));
	expect(requests).toHaveLength(Math.max(...counts));
});

it('a check with nothing to send has no request', () => {
	expect(checkRecord({ summary: 'Invite nobody', request: null })).toEqual({
		check: 'passed',
		summary: 'Invite nobody',
		request: null,
	});
});

it.each([
	['in words', { doneBefore: () => 'One is done.' }, 'One is done.'],
	['as data only', {}, undefined],
])('a refusal after a change says %s what was done before', async (_how, words, note) => {
	const { service } = scene();
	const refused: PlannedWrite<z.infer<typeof answer>> = {
		...planCall(write),
		send: async () => {
			throw new Refusal('no');
		},
		...words,
	};
	await expect(sendWrites([planCall(write), refused], service)).rejects.toMatchObject({
		message: 'no',
		details: { completed: [{ count: 1 }] },
		note,
	});
});
