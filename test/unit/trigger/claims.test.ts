import { EventEmitter } from 'node:events';

import {
	Claims,
	claimsOf,
	eventKey,
	settleWhenAnswered,
} from '../../../nodes/PayrollPayments/trigger/claims';

describe('keys', () => {
	it('have one length, however long the idempotency key is', () => {
		expect(eventKey('a')).toHaveLength(eventKey('a'.repeat(10_000_000)).length);
	});

	it('differ wherever the idempotency keys differ, lone surrogates included', () => {
		const keys = ['', 'a', 'A', 'a ', '\ud800', '\ud801', '\ufffd', '\0', '__proto__'].map(
			eventKey,
		);
		expect(new Set(keys).size).toBe(keys.length);
	});
});

/* deliveries.property.test.ts has bursts, and deliveries that wait for others. */
describe('claims', () => {
	it('keep their first outcome', async () => {
		const claims = new Claims();
		const first = await claims.claim('a', 10);
		first?.settle(true);
		first?.settle(false);
		expect(await claims.claim('a', 10)).toBeUndefined();

		const second = await claims.claim('b', 10);
		second?.settle(false);
		const third = await claims.claim('b', 10);
		second?.settle(true);
		third?.settle(false);
		expect(await claims.claim('b', 10)).toBeDefined();
	});

	it('pass to the next waiting delivery each time one fails', async () => {
		const claims = new Claims();
		let current = await claims.claim('a', 10);
		let given = 0;
		const waiting = Array.from({ length: 20 }, async () => {
			current = await claims.claim('a', 10);
			given += 1;
		});
		for (let failures = 1; failures <= 20; failures++) {
			current?.settle(false);
			await new Promise((resolve) => setImmediate(resolve));
			expect(given).toBe(failures);
		}
		await Promise.all(waiting);
	});

	it('remember no more than the history, the oldest forgotten first', async () => {
		const claims = new Claims();
		for (let index = 0; index < 1_000; index++) {
			(await claims.claim(`${index}`, 3))?.settle(true);
			expect(claims.size).toBeLessThanOrEqual(3);
		}
		expect(await claims.claim('999', 3)).toBeUndefined();
		expect(await claims.claim('997', 3)).toBeUndefined();
		expect(await claims.claim('996', 3)).toBeDefined();
	});

	it('are in use until each delivery of an event is settled or refused', async () => {
		const claims = new Claims();
		const first = await claims.claim('a', 10);
		const waiting = claims.claim('a', 10);
		expect([claims.isInUse, claims.size]).toEqual([true, 1]);
		first?.settle(true);
		expect(await waiting).toBeUndefined();
		expect([claims.isInUse, claims.size]).toEqual([false, 1]);
	});

	it('are kept for 500 triggers', async () => {
		const names = Array.from({ length: 500 }, (_, index) => `kept:${index}`);
		for (const name of names) (await claimsOf(name).claim('a', 10))?.settle(true);
		expect(claimsOf('kept:0').size).toBe(1);
		claimsOf('another');
		expect(claimsOf('kept:0').size).toBe(1);
		expect(claimsOf('kept:1').size).toBe(0);
	});

	it('are never dropped while a delivery holds one or waits for it', async () => {
		const names = Array.from({ length: 1_500 }, (_, index) => `busy:${index}`);
		const held = await Promise.all(names.map(async (name) => await claimsOf(name).claim('a', 10)));
		const waiting = names.map(async (name) => await claimsOf(name).claim('a', 10));
		for (const claim of held) claim?.settle(false);
		for (let index = 0; index < 1_500; index++) claimsOf(`other:${index}`);
		const taken = await Promise.all(waiting);
		expect(taken).not.toContain(undefined);
		const late = names.map(async (name) => await claimsOf(name).claim('a', 10));
		for (const claim of taken) claim?.settle(true);
		expect(new Set(await Promise.all(late))).toEqual(new Set([undefined]));
	});
});

describe('settling with the answer', () => {
	class Response extends EventEmitter {
		statusCode = 200;
		closed = false;
		status = () => this;
		json = () => this;
	}

	/* Without a status, there was no answer, since the sender hung up. */
	it.each([200, 204, 103, 300, 301, 400, 500, undefined])(
		'acknowledges a 2xx only: %s',
		(status) => {
			const settlements: boolean[] = [];
			const response = new Response();
			const claim = { settle: (is: boolean) => settlements.push(is) };
			expect(settleWhenAnswered(claim, response)).toBe(true);
			expect(settlements).toEqual([]);
			response.statusCode = status ?? 200;
			if (status !== undefined) response.emit('finish');
			response.emit('close');
			expect(settlements[0]).toBe(status === 200 || status === 204);
		},
	);

	it('a sender that hung up while waiting starts nothing', () => {
		const settle = jest.fn();
		const response = Object.assign(new Response(), { closed: true });
		expect(settleWhenAnswered({ settle }, response)).toBe(false);
		expect(settle.mock.calls).toEqual([[false]]);
	});
});
