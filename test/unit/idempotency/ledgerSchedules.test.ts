import { Refusal } from '../../../nodes/PayrollPayments/contract';
import type { ProcessedStore } from '../../../nodes/PayrollPayments/idempotency/keyStore';
import {
	PaymentLedger,
	type Payment,
	type PaymentRecord,
} from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { NoAnswer, ServiceError } from '../../../nodes/PayrollPayments/transport/serviceError';
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

async function codeAfter(payment: Payment, ledger: PaymentLedger): Promise<string> {
	const failing = ledger.pay(payment, async () => await Promise.reject(new NoAnswer('no answer')));
	const error: unknown = await failing.then(() => undefined, (caught: unknown) => caught);
	const hint = error instanceof Refusal ? (error.hint ?? '') : '';
	const code = /[0-9A-F]{4}-[0-9A-F]{4}-\d/.exec(hint)?.[0];
	if (code === undefined) throw new Error(`no code in ${hint}`);
	return code;
}

/** The codes of the first three attempts at a payment. They are the same wherever it is sent. */
async function codesOf(payment: Payment): Promise<Array<string | undefined>> {
	const store = new MemoryStore();
	const codes: Array<string | undefined> = [undefined];
	for (let attempt = 1; attempt <= 3; attempt++) {
		const ledger = new PaymentLedger(store, `codes of ${payment.summary}`, new Map());
		codes.push(await codeAfter({ ...payment, confirmedNotPaid: codes.at(-1) }, ledger));
	}
	return codes.slice(0, 3);
}

/** One try to send a payment. */
interface Send {
	readonly name: string;
	outcome?: 'accepted' | 'refused' | 'unknown';
}

type Speed = 'quick' | 'slow';

/** Up to four processes that share one store and one service, with everything that goes wrong. */
async function runSchedule(seed: number, speed: Speed, hasFaults: boolean, codes: ReadonlyArray<Array<string | undefined>>) {
	const random = randomFrom(seed);
	const pick = (count: number) => Math.floor(random() * count);
	const [least, most] = speed === 'quick' ? [0, 20] : [250, 300];
	const shared = new MemoryStore();
	shared.takesTime = async () => await pass(least + random() * (most - least));
	const crashTimes = Array.from({ length: PROCESSES }, () => (hasFaults && pick(4) === 0 ? random() * 800 : Infinity));
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
			removeProcessed: async (items) => await faulty(async () => await shared.removeProcessed(items)),
		};
	};
	const stores = Array.from({ length: PROCESSES }, (_, process) => storeOf(process));

	const sends: Send[] = [];
	const codesTried = new Set<number>();
	const tries = Array.from({ length: 2 + pick(7) }, async () => {
		const process = pick(PROCESSES);
		const number = pick(invoices.length);
		const attempt = pick(3) === 0 ? pick(3) : 0;
		if (attempt > 0) codesTried.add(number);
		const invoice = invoices[number];
		const store = stores[process];
		if (invoice === undefined || store === undefined) throw new Error('nothing picked');
		const payment: Payment = {
			...invoice,
			confirmedNotPaid: codes[number]?.[attempt],
			...(invoice.reference !== undefined && pick(2) === 0 ? { typedData: { salt: `fresh ${random()}` } } : {}),
		};
		const outcome = (['accepted', 'refused', 'refused', 'unknown'] as const)[pick(4)];
		const duration = random() * 300;
		const records = new Map<string, PaymentRecord>();
		const runs = 1 + pick(2);
		await pass(random() * 600);
		for (let run = 0; run < runs; run++) {
			const ledger = new PaymentLedger(store, `${seed} ${speed} ${hasFaults} ${process}`, records);
			const send = async () => {
				if (isCrashed(process)) return await never();
				const sending: Send = { name: `${number} attempt ${attempt + 1}` };
				const others = sends.filter(({ name, outcome: other }) => name === sending.name && other !== 'refused');
				expect(others).toEqual([]);
				sends.push(sending);
				await pass(duration);
				sending.outcome = outcome;
				if (isCrashed(process)) return await never();
				if (outcome === 'refused') throw new ServiceError('no', { status: 400, refused: true, hint: '' });
				if (outcome === 'unknown') throw new NoAnswer('no answer');
				return paid;
			};
			await ledger.pay(payment, send).catch((error: unknown) => {
				if (!(error instanceof Refusal)) throw error;
			});
		}
	});
	/* What a crashed process was doing never ends. */
	await Promise.race([Promise.all(tries), pass(900_000).then(async () => await assertOnlyCrashed())]);

	async function assertOnlyCrashed() {
		expect(crashTimes.some((time) => time < Infinity)).toBe(true);
	}

	for (const [number, invoice] of invoices.entries()) {
		for (const attempt of [0, 1, 2]) {
			const name = `${number} attempt ${attempt + 1}`;
			/* Without a code nothing may go out again where any attempt was made. */
			const wasMade = sends.some(
				(send) =>
					(attempt === 0 ? send.name.startsWith(`${number} `) : send.name === name) &&
					send.outcome !== 'refused',
			);
			const ledger = new PaymentLedger(shared, `${seed} ${speed} ${hasFaults} afterwards`, new Map());
			const check = ledger.check({ ...invoice, confirmedNotPaid: codes[number]?.[attempt] });
			const isFree = await check.then(() => true, () => false);
			if (wasMade) expect(`${name}: ${isFree ? 'free' : 'recorded'}`).toBe(`${name}: recorded`);
			/* Where a code was tried at the same time, a refused attempt may stay recorded: the safe side. */
			const onlyRefused = sends
				.filter((send) => send.name.startsWith(`${number} `))
				.every((send) => send.outcome === 'refused');
			if (attempt === 0 && onlyRefused && !codesTried.has(number) && !hasFaults) {
				expect(`${name}: ${isFree ? 'free' : 'recorded'}`).toBe(`${name}: free`);
			}
		}
	}
	return sends.length;
}

describe.each([
	['quick', false, 400],
	['slow', false, 100],
	['quick', true, 400],
	['slow', true, 100],
] as const)('in a %s store (crashes and failing calls: %s)', (speed, hasFaults, schedules) => {
	it('no attempt is made twice, and no record is lost', async () => {
		const codes = await Promise.all(invoices.map(codesOf));
		let sent = 0;
		for (let first = 0; first < schedules * FACTOR; first += 100) {
			const seeds = Array.from({ length: Math.min(100, schedules * FACTOR - first) }, (_, index) => first + index + 1);
			const counts = await Promise.all(
				seeds.map(async (seed) =>
					await runSchedule(seed, speed, hasFaults, codes).catch((error: unknown) => {
						throw new Error(`schedule ${seed}: ${String(error)}`);
					}),
				),
			);
			sent += counts.reduce((sum, count) => sum + count, 0);
		}
		expect(sent).toBeGreaterThan(schedules * FACTOR);
	});
});
