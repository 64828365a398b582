import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CONTINUE } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { waitUntil } from '../support/waiting';

/* The record of payments pauses for other processes: test/unit/idempotency has those. */
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async () => {},
}));

const sandbox = useActionSandbox();

const PAYEES = ['ana', 'ben', 'cleo', 'dan', 'eva'].map((name) => `${name}@example.com`);

/** A sheet: one row per payee, each with its authorization and reference. */
async function sheet(payees: readonly string[] = PAYEES): Promise<IDataObject[]> {
	const rows: IDataObject[] = [];
	for (const [index, email] of payees.entries()) {
		const authorization = JSON.stringify(await sandbox.authorization({ email }));
		rows.push({ email, reference: `INV-${index}`, authorization });
	}
	return rows;
}

const form = (options: INodeParameters = {}): INodeParameters =>
	sandbox.paymentForm({
		teamId: { __rl: true, mode: 'id', value: sandbox.team },
		recipientEmail: '={{ $json.email }}',
		amountUnit: 'dollars',
		amountDollars: '125.00',
		paymentReference: '={{ $json.reference }}',
		typedData: '={{ $json.authorization }}',
		options,
	});

const check = async (items: readonly IDataObject[]) =>
	(await sandbox.run(form({ checkOnly: true, checkOutput: 'run' }), { items })).output[0]?.json;

const outcomes = (output: ReadonlyArray<{ json: IDataObject }>) =>
	output.map(({ json }) => json.outcome);

describe('a pay run', () => {
	it('is checked as a whole, approved once, and paid', async () => {
		const items = await sheet();
		const checked = await check(items);
		expect(checked).toMatchObject({
			check: 'passed',
			count: 5,
			total: '625.00',
			to_send_count: 5,
			to_send_total: '625.00',
			currency: 'USD',
			already_paid: [],
			unknown: [],
			refused: [],
			duplicates: [],
		});
		const { balance, balance_after: after } = checked ?? {};
		expect(Number(balance) - Number(after)).toBeCloseTo(625, 2);
		expect(sandbox.writes()).toEqual([]);

		const approvedCheck = String(checked?.approval);
		const size = { expectedPayments: 5, expectedTotal: '625' };
		const options = { approvedCheck, ifAlreadyPaid: 'skip', ...size };
		const paid = await sandbox.run(form(options), { items });
		expect(paid.error).toBeUndefined();
		expect(JSON.parse(paid.stored).metadata).toMatchObject({
			...{ payments_paid: '5', payments_total: '625.00', payments_refused: '0' },
			...{ payments_unknown: '0', payments_not_sent: '0' },
		});
		expect(outcomes(paid.output)).toEqual(Array(5).fill('paid'));
		expect(paid.output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3, 4].map((item) => ({ item })),
		);
		expect(sandbox.writes()).toHaveLength(5);

		/* The same approval holds for the same sheet again, and nobody is paid twice. */
		const again = await sandbox.run(form({ approvedCheck, ifAlreadyPaid: 'skip' }), { items });
		expect(outcomes(again.output)).toEqual(Array(5).fill('already_paid'));
		expect(sandbox.writes()).toHaveLength(5);
		expect(await check(items)).toMatchObject({
			approval: approvedCheck,
			to_send_count: 0,
			already_paid: PAYEES.map((email, index) => ({
				row: index + 1,
				summary: `$125.00 to ${email}`,
			})),
		});
	});

	it('doesn’t pass its check where a reference was paid to someone else', async () => {
		const [ana, ben] = await sheet(['ana@example.com', 'ben@example.com']);
		await sandbox.run(form(), { items: [{ ...ana, reference: 'INV-001' }] });
		const items = [{ ...ben, reference: 'inv-001' }];
		const message = 'reference inv-001 was used by this node for another recipient or amount';
		const error = expect.stringContaining(message);
		expect(await check(items)).toMatchObject({
			check: 'failed',
			already_paid: [],
			refused: [{ row: 1, summary: '$125.00 to ben@example.com', error }],
		});
		const { output } = await sandbox.run(form({ ifAlreadyPaid: 'skip' }), { items, ...CONTINUE });
		expect(output[0]?.json).toMatchObject({ outcome: 'refused', error });
		expect(sandbox.writes()).toHaveLength(1);
	});

	it('names the rows that pay the same person the same amount', async () => {
		const [ana = '', ben = ''] = PAYEES;
		const items = await sheet([ana, ben, ana]);
		expect(await check(items)).toMatchObject({ check: 'passed', duplicates: [[1, 3]] });
	});

	it('knows a reference however it’s written', async () => {
		const [first, ...others] = await sheet(Array<string>(4).fill('ana@example.com'));
		await sandbox.run(form(), { items: [{ ...first, reference: 42 }] });
		const references = ['42', ' 42 ', '４２'];
		const items = others.map((row, index) => ({ ...row, reference: references[index] }));
		const { output } = await sandbox.run(form(), { items, ...CONTINUE });
		expect(output.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('was already paid'),
			expect.stringContaining('row 1 has the same payment'),
			expect.stringContaining('row 1 has the same payment'),
		]);
	});

	it('has in its total the rows that are refused', async () => {
		const items = await sheet(PAYEES.slice(0, 3));
		/* Its authorization is another person's. */
		items[1] = { ...items[1], email: 'dan@example.com' };
		expect(await check(items)).toMatchObject({
			check: 'failed',
			count: 3,
			total: '375.00',
			to_send_count: 2,
			to_send_total: '250.00',
			refused: [{ row: 2 }],
		});
	});

	it.each([
		['a changed reference', (rows: IDataObject[]) => [{ ...rows[0], reference: 'other' }, rows[1]]],
		['a missing row', (rows: IDataObject[]) => [rows[1], rows[2]]],
		['another order', (rows: IDataObject[]) => [rows[1], rows[0], rows[2]]],
	])('isn’t paid with %s', async (_what, change) => {
		const items = await sheet(PAYEES.slice(0, 3));
		const approvedCheck = String((await check(items))?.approval);
		const changed = change(items).map((row) => ({ ...row }));
		const { error } = await sandbox.run(form({ approvedCheck }), { items: changed });
		expect(error?.message).toContain('This run isn’t the one that was approved');
		const continued = await sandbox.run(form({ approvedCheck }), { items: changed, ...CONTINUE });
		expect(outcomes(continued.output)).toEqual(changed.map(() => 'refused'));
		expect(sandbox.writes()).toEqual([]);
	});

	it.each<[INodeParameters, string]>([
		[{ expectedPayments: 4 }, 'Expected Payments is 4, but this run has 5'],
		[{ expectedTotal: '625.01' }, 'Expected Total is $625.01, but this run has $625.00'],
		[{ expectedTotal: '' }, 'Expected Total is empty'],
		[{ approvedCheck: '' }, 'Approved Check is empty'],
	])('isn’t paid with %j', async (options, message) => {
		const { error } = await sandbox.run(form(options), { items: await sheet() });
		expect(error?.message).toContain(message);
		expect(sandbox.writes()).toEqual([]);
	});

	it('sends nothing where one row is refused, and says which', async () => {
		const items = await sheet();
		items[3] = { ...items[3], email: 'dan(at)example.com' };
		const { error } = await sandbox.run(form(), { items });
		expect(error?.message).toMatch(/\[item 3\]$/);
		expect(sandbox.writes()).toEqual([]);
		expect(await check(items)).toMatchObject({
			check: 'failed',
			approval: null,
			refused: [{ row: 4 }],
		});
	});

	it('goes on after a refusal with Continue, and ends at the first unknown outcome', async () => {
		const items = await sheet();
		const match = { method: 'PUT', path: 'instant' };
		await sandbox.fault({ kind: 'status', status: 400, match });
		await sandbox.fault({ kind: 'cutBefore', match, skip: 1 });
		const first = await sandbox.run(form({ ifAlreadyPaid: 'skip' }), { items, ...CONTINUE });
		const known = outcomes(first.output);
		expect(known.filter((outcome) => outcome === 'refused')).toHaveLength(1);
		expect(known.filter((outcome) => outcome === 'unknown')).toHaveLength(1);
		expect(known.slice(known.indexOf('unknown') + 1).every((one) => one === 'not_sent')).toBe(true);
		const unknown = first.output.find(({ json }) => json.outcome === 'unknown')?.json;
		expect(unknown?.attempt_code).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/);

		/* The next day: the rest is paid, the unknown one is left alone. */
		const before = sandbox.writes().length;
		const second = await sandbox.run(form({ ifAlreadyPaid: 'skip' }), { items, ...CONTINUE });
		expect(outcomes(second.output).filter((outcome) => outcome === 'unknown')).toHaveLength(1);
		expect(outcomes(second.output)).not.toContain('not_sent');
		const paid = outcomes(second.output).filter((outcome) => outcome === 'paid').length;
		expect(sandbox.writes().length - before).toBe(paid);

		/* A person asked the service: it wasn't made, so its code releases exactly this one. */
		const confirmedNotPaid = String(unknown?.attempt_code);
		const third = await sandbox.run(form({ ifAlreadyPaid: 'skip', confirmedNotPaid }), { items });
		expect(outcomes(third.output).sort()).toEqual([...Array(4).fill('already_paid'), 'paid']);
	});

	it('counts in its error what was paid, and what wasn’t', async () => {
		const items = await sheet();
		const match = { method: 'PUT', path: 'instant' };
		await sandbox.fault({ kind: 'cutAfter', match, skip: 2 });
		const { error } = await sandbox.run(form(), { items });
		expect(error?.description).toContain('2 of 5 paid ($250.00), 1 not known, 2 not sent.');
		expect(error?.data).toMatchObject({
			completed: [{ item: 0 }, { item: 1 }],
			failures: [{ item: 2, outcome: 'unknown', attempt_code: expect.any(String) }],
		});
	});

	it('pays only the first of five when it is stopped during that one, and the rest the next time', async () => {
		const items = await sheet();
		const match = { method: 'PUT', path: 'instant' };
		await sandbox.fault({ kind: 'latency', delay: 500, match });
		const stop = new AbortController();
		const stopped = sandbox.run(form({ ifAlreadyPaid: 'skip' }), {
			items,
			...CONTINUE,
			stop: stop.signal,
		});
		await waitUntil(
			'a payment is sent',
			async () => await Promise.resolve(sandbox.writes().length > 0),
			{ milliseconds: 30_000 },
		);
		stop.abort();
		await stopped;
		/* What was under way is awaited, and nothing else starts. */
		await waitUntil(
			'the first payment is recorded',
			async () => (await check(items))?.to_send_count === 4,
			{ milliseconds: 30_000 },
		);
		expect(sandbox.writes()).toHaveLength(1);
		expect(await check(items)).toMatchObject({ already_paid: [{ row: 1 }], unknown: [] });

		const next = await sandbox.run(form({ ifAlreadyPaid: 'skip' }), { items });
		expect(outcomes(next.output)).toEqual(['already_paid', ...Array(4).fill('paid')]);
		expect(JSON.parse(next.stored).metadata).toMatchObject({ payments_paid: '4' });
		expect(sandbox.writes()).toHaveLength(5);
	});

	it('isn’t paid twice by Retry On Fail', async () => {
		const items = await sheet();
		await sandbox.fault({
			kind: 'status',
			status: 400,
			match: { method: 'PUT', path: 'instant' },
			skip: 2,
			times: 'always',
		});
		const retried = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { error } = await sandbox.run(form(), { items, node: retried });
		expect(error?.description).toContain('2 of 5 paid ($250.00)');
		const salts = sandbox.writes().map(({ body }) => JSON.stringify(body));
		const paid = salts.filter((salt) => salt === salts[0] || salt === salts[1]);
		expect(paid).toHaveLength(2);
	});

	it('tells what an earlier try paid, where the next one can’t sign in', async () => {
		const items = await sheet();
		/* Two payments are made, or three where the token needs no read that confirms it. */
		const match = { path: 'balance|instant' };
		await sandbox.fault({ kind: 'status', status: 401, match, skip: 3, times: 'always' });
		const retried = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { error } = await sandbox.run(form(), { items, node: retried });
		expect(error?.description).toMatch(
			/^[23] of 5 paid \(\$\d+\.00\), [23] refused\. Already done before this error: item 0 \(tx-\w+\), item 1 /,
		);
	});

	it('sends nothing more after an unknown outcome, with Retry On Fail and Continue', async () => {
		const items = await sheet();
		await sandbox.fault({ kind: 'cutAfter', match: { path: 'instant' }, times: 'always' });
		const retried = { ...CONTINUE.node, retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { output } = await sandbox.run(form(), { items, node: retried });
		expect(outcomes(output)).toEqual(['unknown', ...Array(4).fill('not_sent')]);
		expect(sandbox.writes()).toHaveLength(1);
	});

	it('says in its check that an amount wasn’t compared', async () => {
		const options = { checkOnly: true, checkOutput: 'run', typedAmountUnit: 'notChecked' };
		const { output } = await sandbox.run(form(options), { items: await sheet() });
		expect(output[0]?.json.summary).toMatch(/; 5 whose authorization wasn’t compared/);
		expect((await check(await sheet()))?.summary).not.toContain('compared');
	});

	it('refuses a reference that is a number with more digits than JavaScript keeps', async () => {
		const [row] = await sheet(['ana@example.com']);
		const { error } = await sandbox.run(form(), { items: [{ ...row, reference: 2 ** 53 }] });
		expect(error?.message).toBe(
			'Payment Reference is a number with more digits than n8n keeps; make it text [item 0]',
		);
	});

	it('refuses only the row whose own Approved Check differs, with Continue', async () => {
		const items = await sheet();
		const checked = await sandbox.run(form({ checkOnly: true }), { items });
		const approved = items.map((item, index) => ({
			...item,
			approval: index === 2 ? '0000-0000-0000-0000' : checked.output[index]?.json.approval,
		}));
		const approvedCheck = '={{ $json.approval }}';
		const whole = await sandbox.run(form({ approvedCheck }), { items: approved });
		expect(whole.error?.message).toMatch(/\[item 2\]$/);
		expect(sandbox.writes()).toEqual([]);
		const skip = form({ approvedCheck, ifAlreadyPaid: 'skip' });
		const { output } = await sandbox.run(skip, { items: approved, ...CONTINUE });
		expect(outcomes(output)).toEqual(['paid', 'paid', 'refused', 'paid', 'paid']);
		expect(sandbox.writes()).toHaveLength(4);
	});

	it('can be found by its invoice in n8n’s list of executions, unless it was only checked', async () => {
		const items = await sheet(['ana@example.com']);
		const { stored: checked } = await sandbox.run(form({ checkOnly: true }), { items });
		expect(JSON.parse(checked).metadata ?? {}).toEqual({});
		const { stored } = await sandbox.run(form(), { items });
		expect(JSON.parse(stored).metadata).toMatchObject({
			payment_reference: 'INV-0',
			payment_outcome: 'paid',
			payment_transaction: expect.stringMatching(/^tx-/),
		});
	});
});
