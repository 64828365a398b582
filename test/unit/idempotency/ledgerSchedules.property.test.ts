import { Refusal } from '../../../nodes/PayrollPayments/shared/errors';
import type { ProcessedStore } from '../../../nodes/PayrollPayments/idempotency/keyStore';
import {
	PaymentLedger,
	type Payment,
	type PaymentRecord,
} from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { NoResponseError, ServiceError } from '../../../nodes/PayrollPayments/shared/errors';
import { MemoryStore, runVirtualClock } from './memoryStore';

runVirtualClock();

/** How many times as often as usual; `npm run test:long -- properties` raises it. */
const FACTOR = Number(process.env.PROPERTY_FACTOR ?? 1);
const PROCESSES = 4;
const paid = { transaction: 'tx-123456789012' };

/** Numbers from 0 up to, but not including, 1: the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/* The pauses before calls, too, are the same in every run. */
beforeEach(() => {
	jest.spyOn(Math, 'random').mockImplementation(randomFrom(1));
});

afterEach(() => {
	jest.restoreAllMocks();
});

const pass = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

const never = async () => await new Promise<never>(() => {});

const invoices: readonly Payment[] = ['INV-1', 'INV-2', undefined].map((reference, number) => ({
	baseUrl: 'https://api.example.com',
	teamId: 'te-123456789012',
	signer: '0xef',
	typedData: { salt: `${number}` },
	...(reference === undefined ? {} : { reference }),
	summary: `invoice ${number}`,
	item: 0,
}));

/** The code that an error shows, and the number of its attempt. */
function codeIn(error: Refusal): { readonly code: string; readonly attempt: number } | undefined {
	const [code, attempt] = /[0-9A-F]{4}-[0-9A-F]{4}-(\d+)/.exec(error.hint ?? '') ?? [];
	return code === undefined ? undefined : { code, attempt: Number(attempt) };
}

/** One try to send a payment. */
interface Send {
	readonly name: string;
	outcome?: 'accepted' | 'refused' | 'unknown';
}

type Speed = 'quick' | 'slow';

/**
 * Up to four processes that share one store and one service, with everything that goes wrong.
 *
 * @returns how many payments were sent, and what went wrong; `expect` would be slow here
 */
async function runSchedule(seed: number, speed: Speed, hasFaults: boolean) {
	const violations: string[] = [];
	const random = randomFrom(seed);
	const pick = (count: number) => Math.floor(random() * count);
	const [least, most, patience] = speed === 'quick' ? [0, 20, 3_000] : [250, 300, 30_000];
	const shared = new MemoryStore();
	shared.takesTime = async () => await pass(least + random() * (most - least));
	const crashTimes = Array.from({ length: PROCESSES }, () =>
		hasFaults && pick(4) === 0 ? random() * 800 : Infinity,
	);
	const begun = Date.now();
	const isCrashed = (process: number) => Date.now() - begun > (crashTimes[process] ?? Infinity);

	const storeOf = (process: number): ProcessedStore => {
		const faulty = async <Result>(call: () => Promise<Result>): Promise<Result> => {
			if (isCrashed(process)) return await never();
			const fault = hasFaults ? pick(20) : -1;
			if (fault === 0) throw new Error('failed before the write');
			const result = await call();
			if (isCrashed(process)) return await never();
			if (fault === 1) throw new Error('failed after the write');
			return result;
		};
		return {
			checkProcessedAndRecord: async (...given) =>
				await faulty(async () => await shared.checkProcessedAndRecord(...given)),
			removeProcessed: async (...given) =>
				await faulty(async () => await shared.removeProcessed(...given)),
		};
	};
	const stores = Array.from({ length: PROCESSES }, (_, process) => storeOf(process));

	const sends: Send[] = [];
	/** The codes that errors have shown, by payment: a person can enter no other. */
	const shown = invoices.map((): Array<{ code: string; attempt: number }> => []);
	const codesTried = new Set<number>();
	const tries = Array.from({ length: 2 + pick(7) }, async () => {
		const process = pick(PROCESSES);
		const number = pick(invoices.length);
		const hasPatience = pick(2) === 0;
		const invoice = invoices[number];
		const store = stores[process];
		if (invoice === undefined || store === undefined) throw new Error('nothing picked');
		const payment: Payment = {
			...invoice,
			...(invoice.reference !== undefined && pick(2) === 0
				? { typedData: { salt: `fresh ${random()}` } }
				: {}),
		};
		const outcome = (['accepted', 'refused', 'refused', 'unknown'] as const)[pick(4)];
		const duration = random() * 300;
		const records = new Map<string, PaymentRecord>();
		const runs = 1 + pick(2);
		await pass(random() * 600 + (hasPatience ? random() * patience : 0));
		const codes = shown[number] ?? [];
		const entered = hasPatience ? codes[pick(codes.length)] : undefined;
		if (entered !== undefined) codesTried.add(number);
		for (let run = 0; run < runs; run++) {
			const ledger = new PaymentLedger(store, `${seed} ${speed} ${hasFaults} ${process}`, records);
			const send = async () => {
				if (isCrashed(process)) return await never();
				const sending: Send = { name: `${number} attempt ${(entered?.attempt ?? 0) + 1}` };
				for (const { name, outcome: other } of sends) {
					if (name === sending.name && other !== 'refused')
						violations.push(`${name} goes out twice`);
				}
				sends.push(sending);
				await pass(duration);
				sending.outcome = outcome;
				if (isCrashed(process)) return await never();
				if (outcome === 'refused')
					throw new ServiceError('no', { status: 400, refused: true, hint: '' });
				if (outcome === 'unknown') throw new NoResponseError('no answer');
				return paid;
			};
			await ledger
				.pay({ ...payment, confirmedNotPaid: entered?.code }, send)
				.catch((error: unknown) => {
					if (!(error instanceof Refusal)) throw error;
					const code = codeIn(error);
					if (code !== undefined) codes.push(code);
				});
		}
	});
	/* What a crashed process was doing never ends. */
	const hasEnded = await Promise.race([
		Promise.all(tries).then(() => true),
		pass(900_000).then(() => false),
	]);
	if (!hasEnded && crashTimes.every((time) => time === Infinity)) violations.push('never ends');

	for (const [number, invoice] of invoices.entries()) {
		const made = sends.filter(
			(send) => send.name.startsWith(`${number} `) && send.outcome !== 'refused',
		);
		const isFree = async (confirmedNotPaid?: string) => {
			const ledger = new PaymentLedger(
				shared,
				`${seed} ${speed} ${hasFaults} afterwards`,
				new Map(),
			);
			return await ledger.check({ ...invoice, confirmedNotPaid }).then(
				() => true,
				() => false,
			);
		};
		/* Without a code nothing may go out again where any attempt was made. */
		if (made.length > 0 && (await isFree())) violations.push(`${number} is not recorded`);
		for (const { code, attempt } of shown[number] ?? []) {
			const next = `${number} attempt ${attempt + 1}`;
			if (!made.some(({ name }) => name === next)) continue;
			if (await isFree(code)) violations.push(`${next} is not recorded`);
		}
		/* Where a code was tried at the same time, a refused attempt may stay recorded: the safe side. */
		if (made.length === 0 && !codesTried.has(number) && !hasFaults) {
			if (!(await isFree())) violations.push(`${number} is recorded`);
		}
	}
	return { sent: sends.length, violations };
}

describe.each([
	['quick', false, 400],
	['slow', false, 100],
	['quick', true, 400],
	['slow', true, 100],
] as const)('in a %s store (crashes and failing calls: %s)', (speed, hasFaults, schedules) => {
	it('no attempt is made twice, and no record is lost', async () => {
		let sent = 0;
		const violations: string[] = [];
		for (let first = 0; first < schedules * FACTOR; first += 100) {
			const seeds = Array.from(
				{ length: Math.min(100, schedules * FACTOR - first) },
				(_, index) => first + index + 1,
			);
			await Promise.all(
				seeds.map(async (seed) => {
					const schedule = await runSchedule(seed, speed, hasFaults);
					sent += schedule.sent;
					violations.push(...schedule.violations.map((each) => `schedule ${seed}: ${each}`));
				}),
			);
		}
		expect(violations).toEqual([]);
		expect(sent).toBeGreaterThan(schedules * FACTOR);
	});
});
