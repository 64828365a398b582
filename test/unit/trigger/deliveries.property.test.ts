import { claimsOf } from '../../../nodes/PayrollPayments/trigger/claims';
import { recordEvent } from '../../../nodes/PayrollPayments/trigger/recordOnce';
import { runConcurrently } from '../../support/concurrency';
import { runs } from '../../support/propertyRuns';
import { MemoryStore, pass, runVirtualClock, unreliable } from '../idempotency/memoryStore';
import { fixPauses, randomFrom } from '../idempotency/random';

runVirtualClock();
fixPauses();

const HISTORY = 1_000;

/** One n8n process from its start to its end. */
interface Process {
	readonly nodeKey: string;
	isDead: boolean;
}

interface Execution {
	readonly key: string;
	/** `unfinished` where its process died, or the record failed: a person retries it from n8n's list. */
	outcome: 'unfinished' | 'ran' | 'ended';
}

/**
 * n8n with one trigger, restarted again and again, in regular or in queue mode, and a service that
 * delivers until it gets a 2xx, and sometimes again.
 *
 * @returns how many events ran, and what went wrong; `expect` would be slow here
 */
async function runSchedule(seed: number) {
	const random = randomFrom(seed);
	const pick = (count: number) => Math.floor(random() * count);
	const oneOf = <Each>(list: readonly Each[]): Each => {
		const each = list[pick(list.length)];
		if (each === undefined) throw new Error('nothing to pick from');
		return each;
	};
	const shared = new MemoryStore();
	const slowest = oneOf([5, 20, 60]);
	shared.takesTime = async () => await pass(random() * slowest);
	const hasFaults = pick(3) === 0;

	let started = 0;
	const start = (): Process => ({ nodeKey: `${seed} process ${(started += 1)}`, isDead: false });
	/** Where each kind of process is replaced when it dies; in regular mode one process is both. */
	let receivers: Process[] = [];
	let executors: Process[] = [];
	const restart = async (isQueue: boolean) => {
		for (const process of [...receivers, ...executors]) process.isDead = true;
		receivers = [];
		/* What a process has sent to the database is done long before n8n has started again. */
		await pass(3_000);
		receivers = isQueue ? [start(), start()] : [start()];
		executors = isQueue ? [start(), start()] : receivers;
	};
	const replaceOne = (processes: Process[]) => {
		const index = pick(processes.length);
		const old = processes[index];
		if (old !== undefined) old.isDead = true;
		processes[index] = start();
	};

	const storeOf = (process: Process) =>
		unreliable(shared, {
			isDead: () => process.isDead,
			dice: () => (hasFaults ? pick(20) : -1),
		});

	const executions: Execution[] = [];
	const running: Array<Promise<void>> = [];
	const execute = async (key: string, receiver: Process, isQueue: boolean) => {
		const execution: Execution = { key, outcome: 'unfinished' };
		const owner = `owner ${executions.push(execution)}`;
		await pass(random() * 60);
		const process = isQueue ? oneOf(executors) : receiver;
		if (process.isDead) return;
		const recorded = recordEvent(storeOf(process), process.nodeKey, key, {
			history: HISTORY,
			owner,
			mayComeAgain: false,
		});
		const outcome = await recorded.catch(() => 'failed' as const);
		if (process.isDead || outcome === 'failed') return;
		execution.outcome = outcome === 'first' ? 'ran' : 'ended';
	};

	/** @returns whether the service got a 2xx */
	const deliver = async (key: string): Promise<boolean> => {
		if (receivers.length === 0) return false;
		const receiver = oneOf(receivers);
		const isQueue = receivers !== executors;
		const claim = await claimsOf(receiver.nodeKey).claim(key, HISTORY);
		if (receiver.isDead) return false;
		if (claim === undefined) return true;
		await pass(random() * 20);
		if (receiver.isDead) return false;
		if (hasFaults && pick(10) === 0) {
			claim.settle(false);
			return false;
		}
		running.push(Promise.race([execute(key, receiver, isQueue), pass(60_000)]));
		await pass(random() * 10);
		if (receiver.isDead) return false;
		const isAnswered = pick(15) !== 0;
		claim.settle(isAnswered);
		return isAnswered;
	};

	let isQueue = pick(2) === 0;
	await restart(isQueue);
	const keys = Array.from({ length: 1 + pick(12) }, (_, index) => `event ${index}`);
	const service = keys.map(async (key) => {
		await pass(random() * 3_000);
		while (!(await Promise.race([deliver(key), pass(5_000).then(() => false)]))) {
			await pass(50 + random() * 500);
		}
		for (let repeat = pick(4); repeat > 0; repeat--) {
			await pass(random() * 3_000);
			await Promise.race([deliver(key), pass(5_000)]);
		}
	});
	const restarts = (async () => {
		for (let count = pick(4); count > 0; count--) {
			await pass(100 + random() * 800);
			if (isQueue && pick(2) === 0) {
				replaceOne(pick(2) === 0 ? receivers : executors);
			} else {
				if (pick(2) === 0) isQueue = !isQueue;
				await restart(isQueue);
			}
		}
	})();
	await Promise.all([...service, restarts]);
	await Promise.all(running);

	const of = (key: string, outcome: Execution['outcome']) =>
		executions.filter((each) => each.key === key && each.outcome === outcome).length;
	const violations = keys.flatMap((key) => [
		...(of(key, 'ran') > 1 ? [`${key} ran twice`] : []),
		...(of(key, 'ran') + of(key, 'unfinished') === 0 ? [`${key} is lost`] : []),
	]);
	return { ran: keys.filter((key) => of(key, 'ran') === 1).length, violations };
}

it('no event is lost and none runs twice, over restarts, in either mode', async () => {
	let ran = 0;
	const violations: string[] = [];
	const schedules = runs(250);
	const seeds = Array.from({ length: schedules }, (_, index) => index + 1);
	await runConcurrently(25, seeds, async (seed) => {
		const schedule = await runSchedule(seed);
		ran += schedule.ran;
		violations.push(...schedule.violations.map((each) => `schedule ${seed}: ${each}`));
	});
	expect(violations).toEqual([]);
	expect(ran).toBeGreaterThan(4 * schedules);
}, 3_000_000);
