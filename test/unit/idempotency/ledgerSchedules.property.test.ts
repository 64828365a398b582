import type {
	Payment,
	PaymentRecord,
} from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import {
	NoResponseError,
	ServiceError,
	stoppedError,
	UserError,
} from '../../../nodes/PayrollPayments/shared/errors';
import { runConcurrently } from '../../support/concurrency';
import { LedgerRun, paid } from './ledgerScene';
import { MemoryStore, never, pass, runVirtualClock, unreliable } from './memoryStore';
import { fixPauses, randomFrom } from './random';

runVirtualClock();

/** How many times as often as usual; `npm run test:long -- properties` raises it. */
const FACTOR = Number(process.env.PROPERTY_FACTOR ?? 1);

fixPauses();

/** A sheet: two rows with a reference, one without. */
const sheet: readonly Payment[] = ['INV-1', 'INV-2', undefined].map((reference, item) => ({
	teamId: 'te-123456789012',
	signer: '0xef',
	typedData: { salt: `${item}` },
	reference,
	recipient: 'ana@example.com',
	cents: 12_500,
	summary: `row ${item}`,
	item,
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
interface Send extends Pick<Payment, 'recipient' | 'cents'> {
	readonly row: number;
	readonly attempt: number;
	outcome?: 'accepted' | 'refused' | 'unknown';
}

interface Code {
	readonly code: string;
	readonly attempt: number;
}

interface Circumstances {
	readonly speed: 'quick' | 'slow';
	readonly processes: number;
	readonly hasFaults: boolean;
}

/**
 * Processes that share one store and one service, with everything that goes wrong: calls
 * that fail, crashes, executions that are stopped, answers that never come, codes that are entered.
 *
 * @returns how many payments were sent, and what went wrong; `expect` would be slow here
 */
async function runSchedule(seed: number, { speed, processes, hasFaults }: Circumstances) {
	const violations: string[] = [];
	const random = randomFrom(seed);
	const pick = (count: number) => Math.floor(random() * count);
	const [least, most, patience] = speed === 'quick' ? [0, 20, 3_000] : [250, 300, 30_000];
	const shared = new MemoryStore();
	shared.takesTime = async () => await pass(least + random() * (most - least));
	const crashTimes = Array.from({ length: processes }, () =>
		hasFaults && pick(4) === 0 ? random() * 800 : Infinity,
	);
	const begun = Date.now();
	const isCrashed = (process: number) => Date.now() - begun > (crashTimes[process] ?? Infinity);

	const storeOf = (process: number) =>
		unreliable(shared, {
			isDead: () => isCrashed(process),
			dice: () => (hasFaults ? pick(20) : -1),
		});
	const stores = Array.from({ length: processes }, (_, process) => storeOf(process));
	const nodeKey = `${seed} ${speed} ${processes} ${hasFaults}`;
	/* Between processes n8n’s store has no lock: there, a record that is too many is the safe side. */
	const isExact = processes === 1 && !hasFaults;

	const sends: Send[] = [];
	/** Rows whose payment was recorded as paid before this moment. */
	const recordedAsPaid = new Set<number>();
	/** The codes that errors have shown, by row: a person can enter no other. */
	const shown = sheet.map((): Code[] => []);
	const codesTried = new Set<number>();

	const wasAccepted = (row: number, payment: Payment) =>
		sends.some((send) => send.row === row && send.outcome === 'accepted' && isSame(send, payment));

	const note = (row: number, error: unknown) => {
		if (!(error instanceof UserError)) throw error;
		const { attemptCode: code, outcome } = error.context;
		if (outcome === 'unknown' && code === undefined) violations.push(`${row} has no code`);
		if (outcome !== 'unknown' && code !== undefined) violations.push(`${row} has a code`);
		if (code !== undefined) {
			shown[row]?.push({ code, attempt: Number(code.split('-').at(-1)) });
		}
	};

	/** One execution: some rows of the sheet, checked together, then sent one after the other. */
	const execute = async () => {
		const process = pick(processes);
		const store = stores[process];
		if (store === undefined) throw new Error('nothing picked');
		const stop = new AbortController();
		const stopsAfter = pick(4) === 0 ? random() * 600 : Infinity;
		const continues = pick(2) === 0;
		const isPatient = pick(2) === 0;
		const records = new Map<string, PaymentRecord>();
		const rows = sheet.flatMap((row, index): Array<Payment & { row: number }> => {
			if (pick(3) === 0) return [];
			const isFresh = row.reference !== undefined && pick(2) === 0;
			const typedData = isFresh ? { salt: `fresh ${random()}` } : row.typedData;
			return [{ ...row, ...CHANGES[pick(CHANGES.length)], typedData, row: index }];
		});
		const outcomes = rows.map(
			() => (['accepted', 'accepted', 'refused', 'unknown'] as const)[pick(4)],
		);
		const tries = 1 + pick(2);
		const duration = random() * 300;
		await pass(random() * 600 + (isPatient ? random() * patience : 0));
		const entered = isPatient ? shown.flatMap((codes) => codes[pick(codes.length)] ?? []) : [];
		const confirmedNotPaid = entered.map(({ code }) => code);
		for (const { row } of rows) {
			const own = shown[row] ?? [];
			if (own.some(({ code }) => confirmedNotPaid.includes(code))) codesTried.add(row);
		}
		if (stopsAfter < Infinity) void pass(stopsAfter).then(() => stop.abort());

		for (let count = 0; count < tries && !stop.signal.aborted; count++) {
			const options = { records, signal: stop.signal, nodeKey: `${nodeKey} ${process}` };
			const run = new LedgerRun(store, options);
			const payments = rows.map((row) => ({ ...row, confirmedNotPaid }));
			const states = await run.check(...payments).catch(() => undefined);
			if (states === undefined) return;
			for (const [index, state] of states.entries()) {
				const payment = payments[index];
				if (payment === undefined) throw new Error('a state of no payment');
				if (state.status === 'unknown') note(payment.row, state.error);
				if (state.status === 'paid' && !wasAccepted(payment.row, payment)) {
					violations.push(`${payment.row} is said to be paid to ${payment.recipient}`);
				}
			}
			const isHeld = states.some(({ status }) => status === 'refused' || status === 'unknown');
			if (isHeld && !continues) return;
			for (const [index, payment] of payments.entries()) {
				const state = states[index];
				if (state?.status !== 'payable') continue;
				const { row, recipient, cents } = payment;
				const { attempt } = state;
				const send = async () => {
					if (isCrashed(process)) return await never();
					if (stop.signal.aborted) throw stoppedError();
					const sending: Send = { row, attempt, recipient, cents };
					const isMadeTwice = sends.some(
						(other) =>
							other.row === row && other.attempt === attempt && other.outcome !== 'refused',
					);
					if (isMadeTwice) violations.push(`${row} goes out twice as attempt ${attempt}`);
					if (recordedAsPaid.has(row)) violations.push(`${row} is paid again`);
					sends.push(sending);
					await pass(duration);
					sending.outcome = outcomes[index];
					if (isCrashed(process)) return await never();
					if (sending.outcome === 'refused') {
						throw new ServiceError('no', { status: 400, nothingDone: true });
					}
					if (sending.outcome === 'unknown') throw new NoResponseError('no answer');
					return paid;
				};
				const before = sends.length;
				const wasStopped = stop.signal.aborted;
				const isPaid = await run.ledger.pay(payment, attempt, send).then(
					() => true,
					(error: unknown) => {
						note(row, error);
						return error instanceof UserError && error.context.outcome === 'unknown'
							? undefined
							: false;
					},
				);
				const isSent = sends.slice(before).some((other) => other.row === row);
				if (wasStopped && isSent && isPaid) violations.push(`${row} goes out after the stop`);
				if (isPaid === undefined || (isPaid === false && !continues)) break;
			}
			const made = sends.filter(({ outcome }) => outcome === 'accepted').map(({ row }) => row);
			await run.close();
			if (!isExact) continue;
			for (const { row } of rows) {
				const isPaid = records.get(`${row}`)?.answer !== undefined;
				if (isPaid && made.includes(row)) recordedAsPaid.add(row);
			}
		}
	};

	const executions = Array.from({ length: 2 + pick(5) }, execute);
	/* What a crashed process was doing never ends. */
	const hasEnded = await Promise.race([
		Promise.all(executions).then(() => true),
		pass(900_000).then(() => false),
	]);
	if (!hasEnded && crashTimes.every((time) => time === Infinity)) violations.push('never ends');

	const afterwards = new LedgerRun(shared, { nodeKey: `${nodeKey} afterwards` });
	const versions = sheet.flatMap((payment, row) =>
		CHANGES.slice(1).map((change) => ({ row, payment: { ...payment, ...change } })),
	);
	for (const { row, payment } of versions) {
		const made = sends.filter((send) => send.row === row && send.outcome !== 'refused');
		const stateOf = async (...confirmedNotPaid: string[]) =>
			(await afterwards.check({ ...payment, confirmedNotPaid }))[0]?.status;
		const status = await stateOf();
		const isPaid = wasAccepted(row, payment);
		/* Without a code nothing may go out again where any attempt was made. */
		if (made.length > 0 && status === 'payable') violations.push(`${row} is not recorded`);
		if (recordedAsPaid.has(row) && status !== (isPaid ? 'paid' : 'refused'))
			violations.push(`${row} isn't paid: ${status}`);
		if (status === 'paid' && !isPaid) violations.push(`${row} counts as paid`);
		for (const { code, attempt } of shown[row] ?? []) {
			const isNextMade = made.some((send) => send.attempt === attempt + 1);
			if (!isNextMade && status !== 'paid' && !recordedAsPaid.has(row)) continue;
			if ((await stateOf(code)) === 'payable') violations.push(`${row} is free with ${code}`);
		}
		/* Where a code was tried at the same time, a refused attempt may stay recorded: the safe side. */
		if (made.length === 0 && !codesTried.has(row) && isExact && status !== 'payable') {
			violations.push(`${row} is recorded`);
		}
	}
	return { sent: sends.length, violations };
}

const CIRCUMSTANCES: ReadonlyArray<Circumstances & { schedules: number }> = [
	{ speed: 'quick', processes: 1, hasFaults: false, schedules: 50 },
	{ speed: 'quick', processes: 1, hasFaults: true, schedules: 50 },
	{ speed: 'quick', processes: 4, hasFaults: false, schedules: 50 },
	{ speed: 'slow', processes: 4, hasFaults: false, schedules: 25 },
	{ speed: 'quick', processes: 4, hasFaults: true, schedules: 50 },
	{ speed: 'slow', processes: 4, hasFaults: true, schedules: 25 },
];

it.each(CIRCUMSTANCES)(
	'no attempt is made twice, and no record is lost: %j',
	async ({ schedules, ...circumstances }) => {
		let sent = 0;
		const violations: string[] = [];
		const seeds = Array.from({ length: Math.max(8, schedules * FACTOR) }, (_, index) => index + 1);
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
