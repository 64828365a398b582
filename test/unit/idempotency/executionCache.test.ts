import {
	ExecutionCache,
	type RunScope,
} from '../../../nodes/PayrollPayments/idempotency/executionCache';

const DAY = 24 * 60 * 60 * 1000;

const scope: RunScope = { workflowId: 'w', nodeId: 'n', executionId: '7', runIndex: 0 };

it('keeps what one run of a node did apart from every other run', () => {
	const cache = new ExecutionCache<string>();
	cache.of(scope).set('invite', 'sent');
	const others = [{ runIndex: 1 }, { executionId: '8' }, { nodeId: 'm' }, { workflowId: 'v' }];
	for (const other of others) {
		const scopes = [scope, { ...scope, ...other }];
		expect(scopes.map((each) => cache.of(each).get('invite'))).toEqual(['sent', undefined]);
		expect(scopes.map((each) => cache.has(each))).toEqual([true, false]);
	}
});

it('loses nothing to any number of other runs, and gives runs that only look no room', () => {
	const cache = new ExecutionCache<string>();
	cache.of(scope).set('invite', 'unknown');
	for (let count = 0; count < 10_000; count++) {
		cache.of({ ...scope, executionId: `read ${count}` }).get('balance');
	}
	expect(cache.size).toBe(1);
	for (let count = 0; count < 10_000; count++) {
		cache.of({ ...scope, executionId: `write ${count}` }).set('invite', 'sent');
	}
	expect(cache.of(scope).get('invite')).toBe('unknown');
});

it('forgets a run a day after its last use, when another one begins', () => {
	let now = 0;
	const cache = new ExecutionCache<string>(() => now);
	cache.of(scope).set('a', '1');
	cache.of({ ...scope, runIndex: 1 }).set('a', '2');
	now = DAY - 1;
	expect(cache.of(scope).get('a')).toBe('1');
	cache.of({ ...scope, runIndex: 2 }).set('a', '3');
	expect(cache.size).toBe(3);
	now = DAY;
	cache.of({ ...scope, runIndex: 3 }).set('a', '4');
	expect(cache.size).toBe(3);
	expect(cache.of({ ...scope, runIndex: 1 }).get('a')).toBeUndefined();
	expect(cache.of(scope).get('a')).toBe('1');
});

it('remembers nothing where the execution has no ID', () => {
	for (const executionId of ['', undefined]) {
		const cache = new ExecutionCache<string>();
		cache.of({ ...scope, executionId }).set('a', '1');
		expect([cache.of({ ...scope, executionId }).get('a'), cache.size]).toEqual([undefined, 0]);
	}
});

it('forgets what is deleted, and nothing else', () => {
	const cache = new ExecutionCache<string>();
	cache.of(scope).delete('never begun');
	cache.of(scope).set('a', '1');
	cache.of(scope).set('b', '2');
	cache.of(scope).delete('a');
	expect(['a', 'b'].map((key) => cache.of(scope).get(key))).toEqual([undefined, '2']);
	expect(cache.size).toBe(1);
});
