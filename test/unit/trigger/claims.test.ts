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

	/** Whether the claim was acknowledged; undefined while it is open. */
	function settlementOf(response: Response) {
		const settlements: boolean[] = [];
		const mayGoOn = settleWhenAnswered(
			{ settle: (acknowledged) => settlements.push(acknowledged) },
			response,
		);
		return { mayGoOn, first: () => settlements[0] };
	}

	it.each([
		[103, false],
		[200, true],
		[204, true],
		[300, false],
		[301, false],
		[400, false],
		[500, false],
	])('status %d that was sent counts as acknowledged: %s', (status, acknowledged) => {
		const response = new Response();
		const { mayGoOn, first } = settlementOf(response);
		expect(mayGoOn).toBe(true);
		expect(first()).toBeUndefined();
		response.statusCode = status;
		response.emit('finish');
		response.emit('close');
		expect(first()).toBe(acknowledged);
	});

	it('a sender that hangs up before the answer counts as not acknowledged', () => {
		const response = new Response();
		const { first } = settlementOf(response);
		response.emit('close');
		expect(first()).toBe(false);
	});

	it('a sender that hung up while waiting starts nothing', () => {
		const response = new Response();
		response.closed = true;
		const { mayGoOn, first } = settlementOf(response);
		expect(mayGoOn).toBe(false);
		expect(first()).toBe(false);
	});
});
