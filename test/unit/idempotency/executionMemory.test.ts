import {
	ExecutionMemory,
	type RunScope,
} from '../../../nodes/PayrollPayments/idempotency/executionMemory';

const DAY = 24 * 60 * 60 * 1000;

const scope: RunScope = {
	workflowId: 'w',
	nodeId: 'n',
	nodeName: 'Pay',
	executionId: '7',
	runIndex: 0,
	isTool: false,
	hasOwnRun: true,
};

it('loses nothing to any number of other runs', () => {
	const cache = new ExecutionMemory<string>();
	cache.of(scope).set('invite', 'unknown');
	for (let count = 0; count < 10_000; count++) {
		cache.of({ ...scope, executionId: `write ${count}` }).set('invite', 'sent');
	}
	expect(cache.of(scope).get('invite')).toBe('unknown');
});

it('forgets a run a day after its last use', () => {
	let now = 0;
	const cache = new ExecutionMemory<string>(() => now);
	const runs = [0, 1, 2].map((runIndex) => ({ ...scope, runIndex }));
	for (const run of runs) cache.of(run).set('a', 'done');
	now = DAY - 1;
	for (const run of runs.slice(0, 2)) expect(cache.of(run).get('a')).toBe('done');
	now = DAY;
	/* Reading one makes a new one of it, so each is read once. */
	expect(runs.map((run) => cache.of(run).get('a'))).toEqual(['done', 'done', undefined]);
	now = 2 * DAY - 1;
	expect(cache.of(scope).get('a')).toBe('done');
});

it('remembers nothing where the execution has no ID', () => {
	for (const executionId of ['', undefined]) {
		const cache = new ExecutionMemory<string>();
		cache.of({ ...scope, executionId }).set('a', '1');
		expect(cache.of({ ...scope, executionId }).get('a')).toBeUndefined();
	}
});
