import fc from 'fast-check';

import { readCredentials } from '../../../nodes/PayrollPayments/api/credentials';
import {
	approvalOf,
	approve,
	checkRecords,
	refuseDeclined,
} from '../../../nodes/PayrollPayments/run/approve';
import type { Row, State } from '../../../nodes/PayrollPayments/run/rows';
import type { ShownWrite } from '../../../nodes/PayrollPayments/run/write';
import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { isRecord } from '../../../nodes/PayrollPayments/shared/json';
import { runs } from '../../support/propertyRuns';

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

type Payment = ReturnType<typeof sheet>[number];

const writeOf = ({ method, path, reference, body, signs }: Payment): ShownWrite => ({
	summary: 'Pay',
	request: { method: method === 'PUT' ? 'PUT' : 'POST', path, body },
	signs,
	reference,
});

const READY: State = { is: 'ready', act: async () => await Promise.resolve([]) };

const rowsOf = (payments: readonly Payment[]): Row[] =>
	payments.map((payment, item) => ({ numbers: [item], writes: [writeOf(payment)], state: READY }));

const approvalOfRun = (rows: readonly Payment[], of = OF) => approvalOf(of, rows.map(writeOf));

const { limits } = readCredentials({
	...{ baseUrl: OF.baseUrl, authentication: 'accessToken', accessToken: 'a-token' },
	...{ access: 'everything', requireApproval: true },
});

/** What becomes of rows, where the first items name these approvals. */
const keep = (rows: readonly Row[], approvals: readonly string[], contentOf?: () => string) =>
	approve(
		{ contentOf },
		rows,
		{ approvable: OF, credentials: { limits } },
		new Map(approvals.entries()),
	);

/** What becomes of a run whose items all name this approval, or each its own. */
const judge = (payments: readonly Payment[], approval: string | readonly string[]) =>
	keep(rowsOf(payments), typeof approval === 'string' ? payments.map(() => approval) : approval);

const refusals = (rows: readonly Row[]) =>
	rows.flatMap(({ numbers: items, state }) => {
		if (state.is !== 'refused' || !(state.error instanceof UserError)) return [];
		return [{ items, why: state.why, message: state.error.message, hint: state.error.hint }];
	});

it('a no refuses what is ready and names the same approval, and nothing else', () => {
	/* The items 1, 5 and 9 say no; 4 and 5 name none. */
	const named = ['AAAA', 'bb-bb', 'BBBB', 'BBBB', '', '', 'BBBB', 'CCCC', 'DDDD', 'DDDD'];
	const approved = new Map([...named.entries()].filter(([, approval]) => approval !== ''));
	const items = named.map((_, item) => ({ json: { data: { approved: item % 4 !== 1 } } }));
	const row = (state: State, ...of: number[]): Row => ({ numbers: of, writes: [], state });
	const done = row({ is: 'done', records: [] }, 3);
	const ready = [[0], [1], [2], [4], [5], [6, 7], [8, 9]].map((of) => row(READY, ...of));
	const judged = refuseDeclined([...ready, done], items, approved);
	const refused = refusals(judged);
	expect(refused.map((each) => each.items)).toEqual([[1], [2], [6, 7], [8, 9]]);
	expect(refused[0]?.hint).toMatch(/^n8n goes on after a no, too: put an If node/);
	expect(judged.at(-1)).toBe(done);
});

/** The rows with each plain value replaced by what `change` makes of it. */
function withValues(
	rows: readonly Payment[],
	change: (value: unknown, place: number) => unknown,
): Payment[] {
	let place = 0;
	return JSON.parse(JSON.stringify(rows), (_name, value: unknown) =>
		typeof value === 'object' ? value : change(value, place++),
	);
}

describe('an approval', () => {
	it('is the first 80 bits of SHA-256 in Crockford’s Base32, in groups of four', () => {
		expect(approvalOf(OF, [])).toBe('9X9W-V8CC-5EN0-R0TM');
		/* Its hash begins with eight zeros. */
		const write = { summary: '', request: null, signs: null };
		expect(approvalOf({ ...OF, operation: '259', baseUrl: 'b' }, [write])).toBe(
			'00FZ-Q38N-N4NN-JP6B',
		);
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
				expect(refusals(judge(changed, approval))).toHaveLength(rows.length);
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
				const written: Payment[] = JSON.parse(JSON.stringify(again, null, spaces));
				expect(refusals(judge(written, approval))).toEqual([]);
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
			expect(refusals(judge(rows, typed))).toEqual([]);
		}
		expect(refusals(judge(rows, approval.slice(0, -1)))).toHaveLength(16);
		expect(refusals(judge([...rows, ...rows.slice(0, 1)], approval))).toHaveLength(17);
	});
});

/* test/n8n/payRun.test.ts has an item whose own value differs. */
it('what an earlier try paid is reported, whatever its item names', () => {
	const done: State = { is: 'done', records: [], when: 'earlierTry' };
	const paid = rowsOf(sheet(2)).map((row) => ({ ...row, state: done }));
	expect(keep(paid, [approvalOfRun(sheet(1)), '0000-0000-0000-0000'])).toEqual(paid);
});

it('several items that share a request all name its approval', () => {
	const both = rowsOf(sheet(1)).map((row) => ({ ...row, numbers: [0, 1] }));
	const [own, wrong] = [approvalOfRun(sheet(1)), '0000-0000-0000-0000'];
	const refused: State = { is: 'refused', error: new UserError('refused') };
	const rows = [...both, { numbers: [2], writes: [], state: refused }];
	expect(keep(rows, [own, own])).toEqual(rows);

	const changed = [
		'This isn’t what was approved',
		'Something changed after the check. Check it again, and have the new check approved.',
	];
	const missing = [
		'Approved Check is missing, and these credentials require it',
		'Run this first with Check Only, have a person approve it, and use its approval as Approved Check under Options.',
	];
	for (const approvals of [[own, wrong], [own], [wrong], []]) {
		const [message, hint] = approvals.length === 0 ? missing : changed;
		expect(refusals(keep(both, approvals))).toEqual([
			{ items: [0, 1], why: undefined, message, hint },
		]);
	}
});

describe('the value of a run', () => {
	const payments = sheet(3);
	const rows = rowsOf(payments);

	it('names what was refused where it isn’t that of the run, but no row that was made before', () => {
		const state: State = { is: 'refused', error: new UserError('earlier attempt') };
		const run = rows.map((row, item) => {
			if (item === 2) return row;
			return { ...row, writes: item === 1 ? [] : row.writes, state };
		});
		expect(
			refusals(
				keep(
					run,
					payments.map(() => approvalOfRun(payments)),
				),
			).slice(2),
		).toEqual([
			{
				items: [2],
				why: 'run',
				message: 'This run isn’t the one that was approved, because of row 2 (earlier attempt)',
				hint: 'Correct or leave out what was refused, check the run again, and have the new check approved.',
			},
		]);
	});

	it('is not that of one of its rows, and the error says so', () => {
		expect(refusals(judge(payments, approvalOfRun(sheet(1))))[0]).toMatchObject({
			why: 'run',
			message: 'Approved Check covers only some of the requests of this run',
			hint: expect.stringContaining('payments checked with Check Output One for the Run'),
		});
	});

	it('names the run as its operation does', () => {
		const wrong = Array<string>(3).fill('0000-0000-0000-0000');
		const page = { error: { context: { page: 'payments.md#approve-exactly-what-was-checked' } } };
		expect(keep(rows, wrong)).toMatchObject(rows.map(() => ({ state: page })));
		const done: State = { is: 'done', records: [], when: 'earlierRun' };
		const rest = rows.map((row, item) => (item === 0 ? row : { ...row, state: done }));
		expect(refusals(keep(rest, wrong))[0]?.hint).toContain('The run now has 1 request. Give');
		const twice = rest.map((row) => ({ ...row, writes: [...row.writes, ...row.writes] }));
		expect(refusals(keep(twice, wrong))[0]?.hint).toContain('The run now has 2 requests. Give');
		expect(refusals(keep(rows, wrong, () => '3 payments'))[0]).toMatchObject({
			message: 'This run isn’t the one that was approved',
			hint: expect.stringMatching(
				/^The run now has 3 payments\. Give .* in the same order; .* Then check it again, /,
			),
		});
	});
});

it('the check of several requests puts out the approval over all of them', () => {
	const writes = sheet(2).map(writeOf);
	const [one, other] = checkRecords(OF, writes);
	const approval = approvalOf(OF, writes);
	expect([one?.approval, other?.approval]).toEqual([approval, approval]);
});
