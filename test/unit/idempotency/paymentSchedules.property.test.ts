import type { Payment } from '../../../nodes/PayrollPayments/idempotency/paymentKeys';
import { ProcessMemory } from '../../../nodes/PayrollPayments/idempotency/processMemory';
import { stoppedError, UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { runConcurrently } from '../../support/concurrency';
import { runs } from '../../support/propertyRuns';
import { MemoryStore, never, pass, runVirtualClock, unreliable } from './memoryStore';
import { broken, journalOf, paid, payment, refused } from './paymentScene';
import { fixPauses, randomFrom } from './random';

runVirtualClock();

fixPauses();

/** A sheet: two rows with a reference, one without. */
const sheet: readonly Payment[] = ['INV-1', 'INV-2', undefined].map((reference, number) => ({
	...payment,
	typedData: `authorization ${number}`,
	reference,
	summary: `row ${number}`,
	number,
	slot: `${number}`,
}));

/** What a row may say in a later run: the same reference, or authorization, for something else. */
const CHANGES: ReadonlyArray<Partial<Payment>> = [
	{},
	{},
	{ recipient: 'ben@example.com' },
	{ cents: 99_000 },
];

const isSame = (one: Pick<Payment, 'recipient' | 'cents'>, other: typeof one) =>
	one.recipient === other.recipient && one.cents === other.cents;

/** One try to send a payment. */
interface Send extends Payment {
	readonly node: number;
	readonly process: number;
	readonly attempt: number;
	outcome?: 'accepted' | 'refused' | 'unknown';
}

interface Circumstances {
	readonly speed: 'quick' | 'slow';
	readonly processes: number;
	readonly hasFaults: boolean;
}

/**
 * A node and its copy in processes that share n8n's store and one service, with everything that goes
 * wrong: calls that fail, processes that are killed and start again, executions that are stopped,
 * answers that never come, codes that are entered.
 *
 * @returns how many payments were sent, and what went wrong; `expect` would be slow here
 */
async function runSchedule(seed: number, { speed, processes, hasFaults }: Circumstances) {
	const violations: string[] = [];
	const random = randomFrom(seed);
	const pick = (count: number) => Math.floor(random() * count);
	const [least, most, patience] = speed === 'quick' ? [0, 20, 3_000] : [250, 300, 30_000];
	const lists = [new MemoryStore(), new MemoryStore()];
	for (const list of lists)
		list.takesTime = async () => await pass(least + random() * (most - least));
	const begun = Date.now();
	const crashTimes = Array.from({ length: processes }, () =>
		hasFaults && pick(4) === 0 ? random() * 800 : Infinity,
	);
	const isCrashed = (process: number) => Date.now() - begun > (crashTimes[process] ?? Infinity);
	/* Those that follow the processes that are killed have empty memories. */
	const memories = [...crashTimes, ...crashTimes].map(() => new ProcessMemory());
	const open = (process: number, node: number, executionId: string, signal: AbortSignal) => {
		const store = unreliable(lists[node] ?? new MemoryStore(), {
			isDead: () => isCrashed(process),
			dice: () => (hasFaults ? pick(20) : -1),
		});
		const nodeId = [seed, speed, processes, hasFaults, process, node].join();
		return journalOf(store, { nodeId, executionId, signal, memory: memories[process] });
	};
	/* Between processes n8n’s store has no lock: there, a record that is too many is the safe side. */
	const isExact = processes === 1 && !hasFaults;

	const sends: Send[] = [];
	/** What was about to be sent, though a process may have been killed before. */
	const performed: Array<Omit<Send, 'outcome'>> = [];
	/** Rows whose payment was recorded as paid before this moment. */
	const recordedAsPaid = new Set<number>();
	/** The codes that errors have shown, by row: a person can enter no other. */
	const shown = sheet.map((): string[] => []);
	const codesTried = new Set<number>();

	const wasAccepted = (payment: Payment, by = sends) =>
		by.some(({ outcome, ...send }) => {
			return outcome === 'accepted' && send.number === payment.number && isSame(send, payment);
		});

	const note = (row: number, error: unknown) => {
		if (!(error instanceof UserError)) throw error;
		const { attemptCode: code, outcome } = error.context;
		if (outcome === 'unknown' && code === undefined) violations.push(`${row} has no code`);
		if (outcome !== 'unknown' && code !== undefined) violations.push(`${row} has a code`);
		if (code !== undefined) shown[row]?.push(code);
	};

	/** What may not be sent. */
	const judge = (sending: Omit<Send, 'outcome'>, codes: readonly string[]) => {
		const { number, attempt, node, process, typedData, reference } = sending;
		const others = sends.filter(
			(other) => other.outcome !== 'refused' && (other.node === node || other.process === process),
		);
		if (others.some((other) => other.number === number && other.attempt === attempt)) {
			violations.push(`${number} goes out twice as attempt ${attempt}`);
		}
		/* Without a reference, a code speaks of the authorization, whichever row it went out for. */
		const isConfirmed = reference === undefined && attempt > 1;
		const isOfOther = (other: Send) => other.number !== number && other.typedData === typedData;
		if (!isConfirmed && others.some(isOfOther)) {
			violations.push(`${number} goes out with the authorization of another row`);
		}
		if (recordedAsPaid.has(number)) violations.push(`${number} is paid again`);
		const isFirst = attempt === 1 || reference === undefined;
		const hasSecondCode = codes.some((code) => code.endsWith(`-${attempt - 1}N`));
		const before = performed.filter(
			(other) => other.number === number && other.attempt === attempt - 1,
		);
		if (!isFirst && !hasSecondCode && before.every((other) => other.typedData !== typedData)) {
			violations.push(`${number} goes out with another authorization as attempt ${attempt}`);
		}
	};

	/** One execution: some rows of the sheet, checked together, then sent one after the other. */
	const execute = async (_: unknown, execution: number) => {
		const slot = pick(processes);
		const node = pick(4) === 0 ? 1 : 0;
		const stop = new AbortController();
		const stopsAfter = pick(4) === 0 ? random() * 600 : Infinity;
		const continues = pick(2) === 0;
		const isPatient = pick(2) === 0;
		const rows = sheet.flatMap((row): Payment[] => {
			if (pick(3) === 0) return [];
			const isFresh = row.reference !== undefined && pick(2) === 0;
			const isOther = row.reference !== undefined && pick(8) === 0;
			const fresh = isOther ? sheet[2]?.typedData : `fresh ${random()}`;
			return [
				{
					...row,
					...CHANGES[pick(CHANGES.length)],
					...(isFresh || isOther ? { typedData: fresh } : {}),
				},
			];
		});
		const outcomes = rows.map(
			() => (['accepted', 'accepted', 'refused', 'unknown'] as const)[pick(4)],
		);
		const tries = 1 + pick(2);
		const duration = random() * 300;
		await pass(random() * 600 + (isPatient ? random() * patience : 0));
		const process = isCrashed(slot) ? slot + processes : slot;
		const codes = isPatient ? shown.flatMap((own) => own[pick(own.length)] ?? []) : [];
		for (const { number } of rows) {
			if (shown[number]?.some((code) => codes.includes(code))) codesTried.add(number);
		}
		const payments = rows.map((row) => ({ ...row, confirmedNotPaid: codes }));
		if (stopsAfter < Infinity) void pass(stopsAfter).then(() => stop.abort());

		for (let count = 0; count < tries && !stop.signal.aborted; count++) {
			const journal = open(process, node, `${seed} ${execution}`, stop.signal);
			const known = await journal.look(payments).catch(() => undefined);
			if (known === undefined) return;
			for (const [index, each] of known.entries()) {
				const payment = payments[index];
				if (payment === undefined) throw new Error('a state of no payment');
				if (each.is === 'unknown') note(payment.number, each.error);
				if (each.is === 'done' && !wasAccepted(payment)) {
					violations.push(`${payment.number} is said to be paid to ${payment.recipient}`);
				}
			}
			const isHeld = known.some(({ is }) => is === 'refused' || is === 'unknown');
			if (isHeld && !continues) return;
			const made: number[] = [];
			for (const [index, payment] of payments.entries()) {
				const state = known[index];
				if (state?.is !== 'sendable') continue;
				const { number } = payment;
				const sending: Send = { ...payment, node, process, attempt: state.attempt };
				performed.push(sending);
				const send = async () => {
					if (isCrashed(process)) return await never();
					if (stop.signal.aborted) throw stoppedError();
					judge(sending, codes);
					sends.push(sending);
					await pass(duration);
					sending.outcome = outcomes[index];
					if (isCrashed(process)) return await never();
					if (sending.outcome === 'refused') throw refused;
					if (sending.outcome === 'unknown') throw broken;
					return paid;
				};
				const wasStopped = stop.signal.aborted;
				const isPaid = await journal.perform(payment, send).then(
					() => true,
					(error: unknown) => {
						note(number, error);
						return error instanceof UserError && error.context.outcome === 'unknown'
							? undefined
							: false;
					},
				);
				if (wasStopped && sends.includes(sending))
					violations.push(`${number} goes out after the stop`);
				if (isPaid === true) made.push(number);
				if (isPaid === undefined || (isPaid === false && !continues)) break;
			}
			await journal.close();
			if (isExact) for (const number of made) recordedAsPaid.add(number);
		}
	};

	const executions = Array.from({ length: 2 + pick(5) }, execute);
	/* What a crashed process was doing never ends. */
	const hasEnded = await Promise.race([
		Promise.all(executions).then(() => true),
		pass(900_000).then(() => false),
	]);
	if (!hasEnded && crashTimes.every((time) => time === Infinity)) violations.push('never ends');

	const versions = sheet.flatMap((payment) =>
		CHANGES.slice(1).map((change) => ({ ...payment, ...change })),
	);
	for (const [node, list] of lists.entries()) {
		const own = sends.filter((send) => send.node === node);
		for (const payment of versions) {
			const { number: row } = payment;
			const lasting = own.filter(({ outcome }) => outcome !== 'refused');
			const made = lasting.filter(({ number }) => number === row);
			const knownOf = async (...confirmedNotPaid: string[]) => {
				const journal = journalOf(list, {
					nodeId: `${seed} ${speed} ${processes} ${hasFaults} ${node}`,
				});
				return (await journal.look([{ ...payment, confirmedNotPaid }]))[0]?.is;
			};
			const is = await knownOf();
			const isPaid = wasAccepted(payment, own);
			/* Without a code nothing may go out again where any attempt was made. */
			if (made.length > 0 && is === 'sendable') violations.push(`${row} is not recorded`);
			const wasPaidHere =
				recordedAsPaid.has(row) && made.some(({ outcome }) => outcome === 'accepted');
			if (wasPaidHere && is !== (isPaid ? 'done' : 'refused'))
				violations.push(`${row} isn't paid: ${is}`);
			if (is === 'done' && !isPaid) violations.push(`${row} counts as paid`);
			for (const code of shown[row] ?? []) {
				const next = Number.parseInt(code.split('-').at(-1) ?? '') + 1;
				const isNextMade = made.some((send) => send.attempt === next);
				if (!isNextMade && is !== 'done' && !wasPaidHere) continue;
				if ((await knownOf(code)) === 'sendable') violations.push(`${row} is free with ${code}`);
			}
			/* Where a code was tried at the same time, a refused attempt may stay recorded: the safe side. */
			const isFree = lasting.every(({ number, typedData }) => {
				return number !== row && typedData !== payment.typedData;
			});
			if (isFree && !codesTried.has(row) && isExact && is !== 'sendable') {
				violations.push(`${row} is recorded`);
			}
		}
	}
	return { sent: sends.length, violations };
}

/** `found` failed once, among 10,000 schedules. */
const CIRCUMSTANCES: ReadonlyArray<
	Circumstances & { schedules: number; found?: readonly number[] }
> = [
	{ speed: 'quick', processes: 1, hasFaults: false, schedules: 50, found: [4081] },
	{ speed: 'quick', processes: 1, hasFaults: true, schedules: 50 },
	{ speed: 'quick', processes: 4, hasFaults: false, schedules: 50, found: [5177, 8409] },
	{ speed: 'slow', processes: 4, hasFaults: false, schedules: 25, found: [801, 2262] },
	{ speed: 'quick', processes: 4, hasFaults: true, schedules: 50 },
	{ speed: 'slow', processes: 4, hasFaults: true, schedules: 25 },
];

it.each(CIRCUMSTANCES)(
	'no attempt is made twice, and no record is lost: %j',
	async ({ schedules, found = [], ...circumstances }) => {
		let sent = 0;
		const violations: string[] = [];
		const first = Array.from({ length: Math.max(8, runs(schedules)) }, (_, index) => index + 1);
		const seeds = [...new Set([...first, ...found])];
		await runConcurrently(25, seeds, async (seed) => {
			const schedule = await runSchedule(seed, circumstances);
			sent += schedule.sent;
			violations.push(...schedule.violations.map((each) => `schedule ${seed}: ${each}`));
		});
		expect(violations).toEqual([]);
		/* Else the schedules would show nothing. */
		expect(sent).toBeGreaterThan(seeds.length / 2);
	},
);
