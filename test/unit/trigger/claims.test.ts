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

	it('are kept for 500 triggers', async () => {
		for (const name of Array.from({ length: 500 }, (_, index) => `kept:${index}`)) {
			(await claimsOf(name).claim('a', 10))?.settle(true);
			expect(await claimsOf(name).claim('a', 10)).toBeUndefined();
		}
		expect(claimsOf('kept:0').size).toBe(1);
		claimsOf('another');
		expect(claimsOf('kept:0').size).toBe(1);
		expect(claimsOf('kept:1').size).toBe(0);
	});

	it('are never dropped while a delivery holds one or waits for it', async () => {
		const names = Array.from({ length: 1_500 }, (_, index) => `busy:${index}`);
		const held = await Promise.all(names.map(async (name) => await claimsOf(name).claim('a', 10)));
		const waiting = names.map(async (name) => await claimsOf(name).claim('a', 10));
		for (const claim of held) {
			claim?.settle(false);
			/* Only the first outcome counts. */
			claim?.settle(true);
		}
		for (let index = 0; index < 1_500; index++) claimsOf(`other:${index}`);
		const taken = await Promise.all(waiting);
		expect(taken).not.toContain(undefined);
		const late = names.map(async (name) => await claimsOf(name).claim('a', 10));
		for (const claim of taken) claim?.settle(true);
		expect(new Set(await Promise.all(late))).toEqual(new Set([undefined]));
	});
});

it.each([199, 200, 299, 300, 404])('an answer %d acknowledges as a 2xx only', (statusCode) => {
	const settle = jest.fn();
	const answer = { statusCode, closed: false, status: jest.fn(), json: jest.fn() };
	const response = Object.assign(new EventEmitter(), answer);
	expect(settleWhenAnswered({ settle }, response)).toBe(true);
	expect(settle).not.toHaveBeenCalled();
	response.emit('finish');
	expect(settle.mock.calls).toEqual([[statusCode === 200 || statusCode === 299]]);
});
