import fc from 'fast-check';

import {
	approvalOf,
	checkRecords,
	keepApproved,
} from '../../../nodes/PayrollPayments/run/approval';
import type { CheckedWrite } from '../../../nodes/PayrollPayments/run/write';
import type { FailedItems, Job } from '../../../nodes/PayrollPayments/run/plan';
import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { isRecord, type JsonValue } from '../../../nodes/PayrollPayments/shared/json';
import { runs } from '../../support/propertyRuns';
import { refusalOf } from '../../support/refusals';

const OF = { operation: 'payment.create', baseUrl: 'https://api.example.com' };

/** Everything that an approval covers of one payment, as plain data. */
const sheet = (rows: number) =>
	Array.from({ length: rows }, (_, row) => ({
		method: 'PUT',
		path: '/v2/payments/external_entity/instant',
		reference: `INV-${row}`,
		body: {
			from: 'te-a1B2c3D4e5F6',
			amount_cents: 12_500 + row,
			signer: '0xAb',
			typed_data: { salt: `${row}`, expires: '1', data: { amount: `${row}`, token: '0xCd' } },
			external_recipient_email: `person${row}@example.com`,
			currency_symbol: 'USD',
			network: 'arbitrum',
		},
		signs: {
			domain: { name: 'Payments', chainId: 42_161, verifyingContract: '0xEf' },
			primaryType: 'Payment',
			types: { Payment: [{ name: 'salt', type: 'string' }] },
			message: { salt: `${row}`, tags: ['a', 'b'] },
		},
	}));

type Row = ReturnType<typeof sheet>[number];

const writeOf = ({ method, path, reference, body, signs }: Row): CheckedWrite => ({
	summary: 'Pay',
	request: { method: method === 'PUT' ? 'PUT' : 'POST', path, body },
	signs,
	reference,
	send: async () => await Promise.resolve({}),
});

const jobsOf = (rows: readonly Row[]): Job[] =>
	rows.map((row, item) => ({
		items: [item],
		cents: 12_500,
		writes: [writeOf(row)],
		send: async () => await Promise.resolve([]),
	}));

const approvalOfRun = (rows: readonly Row[], of = OF) => approvalOf(of, rows.map(writeOf));

const limits = {
	access: 'everything',
	permissions: new Set<never>(),
	requireApproval: true,
	...{ maximumPaymentCents: undefined, paymentRecipients: undefined },
} as const;

/** What becomes of jobs, where the first items name these approvals. */
const keep = (jobs: readonly Job[], approvals: readonly string[], refusals: FailedItems[] = []) =>
	keepApproved(OF, { jobs, refusals }, { limits, name: undefined }, new Map(approvals.entries()));

/** What becomes of a run whose items all name this approval, or each its own. */
const judge = (rows: readonly Row[], approval: string | readonly string[]) =>
	keep(jobsOf(rows), typeof approval === 'string' ? rows.map(() => approval) : approval);

/** The rows with each plain value replaced by what `change` makes of it. */
function withValues(
	rows: readonly Row[],
	change: (value: unknown, place: number) => unknown,
): Row[] {
	let place = 0;
	return JSON.parse(JSON.stringify(rows), (_name, value: unknown) =>
		typeof value === 'object' ? value : change(value, place++),
	);
}

describe('an approval', () => {
	it('is 16 characters of Crockford’s Base32 in groups of four', () => {
		fc.assert(
			fc.property(fc.string(), (salt) => {
				const approval = approvalOfRun(sheet(1), { ...OF, baseUrl: salt });
				expect(approval).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
			}),
			/* Its hash begins with eight zeros. */
			{ examples: [['21']] },
		);
	});

	it('is the first 80 bits of SHA-256', () => {
		expect(approvalOf(OF, [])).toBe('9X9W-V8CC-5EN0-R0TM');
	});

	it('refuses the run after any change of one field of one row, one of many', () => {
		const rows = sheet(3);
		const approval = approvalOfRun(rows);
		const places: number[] = [];
		withValues(rows, (_value, place) => places.push(place));
		const anyChange = fc.oneof(
			fc.constant((value: unknown) =>
				typeof value === 'number' ? value + 1 : `${String(value)} `,
			),
			fc.constant((value: unknown) => (typeof value === 'number' ? `${value}` : [value])),
			fc.constant((value: unknown) => String(value).replace(/.$/, '') || null),
			fc.constant((): unknown => null),
			fc.jsonValue().map((value) => (): unknown => value),
		);
		fc.assert(
			fc.property(fc.constantFrom(...places), anyChange, (place, change) => {
				const changed = withValues(rows, (value, at) => {
					if (at !== place) return value;
					const other = change(value);
					return JSON.stringify(other) === JSON.stringify(value) ? `${String(value)}!` : other;
				});
				if (changed.some(({ method }) => method !== 'PUT')) return;
				expect(() => judge(changed, approval)).toThrow(/approved$/);
			}),
			{ numRuns: runs(300) },
		);
	});

	it('accepts the run however its JSON was written', () => {
		const rows = sheet(3);
		const approval = approvalOfRun(rows);
		const shuffled = (value: unknown, order: () => number): unknown => {
			if (Array.isArray(value)) return value.map((each) => shuffled(each, order));
			if (!isRecord(value)) return value;
			return Object.fromEntries(
				Object.entries(value)
					.map(([name, member]) => [order(), name, shuffled(member, order)] as const)
					.sort(([a], [b]) => a - b)
					.map(([, name, member]) => [name, member]),
			);
		};
		fc.assert(
			fc.property(fc.infiniteStream(fc.double({ noNaN: true })), fc.nat(4), (stream, spaces) => {
				const again = shuffled(rows, () => Number(stream.next().value));
				const written: Row[] = JSON.parse(JSON.stringify(again, null, spaces));
				expect(judge(written, approval)).toMatchObject({ refusals: [] });
			}),
			{ numRuns: runs(100) },
		);
	});

	it('covers operation and base URL', () => {
		const changes = [{}, { operation: 'invite.create' }, { baseUrl: 'https://b.example' }];
		const approvals = changes.map((change) => approvalOfRun(sheet(1), { ...OF, ...change }));
		expect(new Set(approvals).size).toBe(3);
	});

	it('may be typed by a person', () => {
		const rows = sheet(16);
		const approval = approvalOfRun(rows);
		for (const typed of [
			approval.toLowerCase(),
			approval.replaceAll('-', ''),
			` ${approval.replaceAll('-', ' ')} `,
			approval.replaceAll('0', 'O').replaceAll('1', 'l'),
			approval.replaceAll('0', 'o').replaceAll('1', 'I'),
		]) {
			expect(judge(rows, typed)).toMatchObject({ refusals: [] });
		}
		expect(() => judge(rows, approval.slice(0, -1))).toThrow('isn’t the one');
		expect(() => judge([...rows, ...rows.slice(0, 1)], approval)).toThrow('isn’t the one');
	});
});

it('the value of an item refuses only that item', () => {
	const rows = sheet(3);
	const [first = '', second = ''] = rows.map((row) => approvalOfRun([row]));
	expect(judge(rows, [first, second, second])).toMatchObject({
		jobs: [{ items: [0] }, { items: [1] }],
		refusals: [{ items: [2], error: { message: 'This isn’t what was approved' } }],
	});
	/* What an earlier try paid is told nevertheless. */
	const paid = jobsOf(rows).map((job) => ({ ...job, kind: 'repeat' as const }));
	expect(keep(paid, [first, second, second])).toEqual({ jobs: paid, refusals: [] });
});

it('several items that share a request all name its approval', () => {
	const both = jobsOf(sheet(1)).map((job) => ({ ...job, items: [0, 1] }));
	const [own, wrong] = [approvalOfRun(sheet(1)), '0000-0000-0000-0000'];
	const refusals = [{ items: [2], error: new UserError('refused') }];
	expect(keep(both, [own, own], refusals)).toEqual({ jobs: both, refusals });
	/* What sends nothing needs none. */
	const idle = both.map((job) => ({ ...job, writes: [] }));
	expect(keep(idle, []).jobs).toEqual(idle);

	const changed = [
		'This isn’t what was approved',
		'Something changed after the check. Check it again, and have the new check approved.',
	];
	const missing = [
		'Approved Check is missing, and these credentials require it',
		'Run this first with Check Only, have a person approve it, and use its approval as Approved Check under Options.',
	];
	for (const approvals of [[own, wrong], [own], [wrong], []]) {
		const [message, next] = approvals.length === 0 ? missing : changed;
		const hint = `${next} Nothing was signed or sent.`;
		const context = { hint, outcome: 'refused', page: 'payments.md', refusesRun: false };
		const error = { message, context };
		expect(keep(both, approvals)).toMatchObject({ jobs: [], refusals: [{ error }] });
	}
});

describe('the value of a run', () => {
	const rows = sheet(3);
	const approval = approvalOfRun(rows);
	/* Rows 0 and 2; the other one was held back by a check. */
	const rest = jobsOf(rows).filter((_, item) => item !== 1);
	const judgeRest = (writes: CheckedWrite[] = [], approvals = rows.map(() => approval)) => {
		const held = { items: [1], error: new UserError('earlier attempt') };
		const refusals = [writes.length === 0 ? held : { ...held, writes }];
		return keep(rest, approvals, refusals);
	};
	const [, second, third] = rows.map(writeOf).map((write) => [write]);

	it('holds for the same sheet again, with a row whose outcome isn’t known', () => {
		expect(judgeRest(second)).toMatchObject({
			jobs: [{ items: [0] }, { items: [2] }],
			refusals: [{ items: [1] }],
		});
	});

	it('refuses the run where a row was refused or changed', () => {
		const left =
			'Item 1 was refused: earlier attempt. Correct it or leave it out, check the run again,';
		for (const [writes, why] of [
			[[], left] as const,
			[third ?? [], 'It has 2 payments of'] as const,
		]) {
			const { message, hint } = refusalOf(() => judgeRest([...writes]));
			expect(`${message}. ${hint}`).toContain(`This run isn’t the one that was approved. ${why}`);
		}
		/* Not even an approval over the others lets them pass. */
		const others = approvalOfRun(rows.filter((_, item) => item !== 1));
		expect(() => judgeRest([], [others, others])).toThrow('isn’t the one');
	});

	it('is not that of one of its jobs, and the error says so', () => {
		const jobs = jobsOf(rows);
		const own = approvalOf(OF, jobs[0]?.writes ?? []);
		const given = jobs.map(() => own);
		expect(refusalOf(() => keep(jobs, given))).toMatchObject({
			message: 'Approved Check covers only some of the requests of this run',
			context: { outcome: 'refused', refusesRun: true },
			hint: 'Give each row the approval of its own request, or send one team and role at a time. Nothing was signed or sent.',
		});
	});

	const payment = jobsOf(sheet(1));
	const request = payment.map((each) => ({ ...each, cents: undefined }));
	const requests = request.map((each) => ({ ...each, writes: sheet(2).map(writeOf) }));

	it.each([
		['1 payment of $125.00 in all', payment],
		['3 payments of $375.00 in all', jobsOf(rows)],
		['1 request', request],
		['3 requests', [...request, ...requests]],
	])('is not for a run of %s, and the error says so', (size, run) => {
		const wrong = Array<string>(2).fill('0000-0000-0000-0000');
		expect(refusalOf(() => keep(run, wrong))).toMatchObject({
			message: 'This run isn’t the one that was approved',
			context: { outcome: 'refused', refusesRun: true },
			hint: `It has ${size} now. Check it again, and have the new check approved. Nothing was signed or sent.`,
		});
	});
});

it('the check of several requests puts out the approval over all of them', () => {
	const writes = sheet(2).map(writeOf);
	const [one, other] = checkRecords(OF, writes);
	const approval = approvalOf(OF, writes);
	expect([one?.approval, other?.approval]).toEqual([approval, approval]);
	const columns: Record<string, JsonValue> = { amount: '125.00' };
	const empty = writes.slice(1).map((write) => ({ ...write, request: null, signs: null, columns }));
	expect(checkRecords(OF, empty)).toEqual([
		{
			check: 'passed',
			summary: 'Pay',
			approval: expect.any(String),
			amount: '125.00',
			request: null,
			signs: null,
		},
	]);
});
