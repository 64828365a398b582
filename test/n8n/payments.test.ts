import type { IDataObject } from 'n8n-workflow';

import '../support/withoutPauses';
import { runNode } from '../support/actionHost';
import { useActionSandbox, without } from '../support/actionSandbox';

const sandbox = useActionSandbox();

const CODE = /[0-9A-F]{4}-[0-9A-F]{4}-\d/;
const sent = () => sandbox.writes();
const match = { path: 'instant' };
const PAID = { outcome: 'paid', transaction: expect.stringMatching(/^tx-/), amount: '125.00' };

describe('a payment', () => {
	it('that has a reference is made once, though the authorization is made again', async () => {
		const pay = async (paymentReference: string) =>
			await sandbox.run(await sandbox.payment({ paymentReference }));
		expect((await pay('INV-1')).output[0]?.json).toMatchObject(PAID);
		expect((await pay('INV-1')).error?.message).toContain('was already paid');
		expect((await pay('=INV-{{ 0 }}{{ 2 }}')).output[0]?.json).toMatchObject(PAID);
		expect((await pay('INV-02')).error?.message).toContain('was already paid');
		expect(sent()).toHaveLength(2);
	});

	/* test/unit/shared/cellFaults.test.ts has what else is none. */
	it.each([
		[' #N/A', 'has #N/A, the error of a formula in a sheet'],
		['={{ "INV-" + $json.none }}', 'contains undefined; check its expression'],
		[
			'={{ $now }}',
			'is a date, not text. In a sheet, format its column as text; in an expression, add .toISO(), e.g. {{ $now.toISO() }}',
		],
		[
			'={{ new Date() }}',
			'is a date, not text. In a sheet, format its column as text; in an expression, add .toISOString(), e.g. {{ new Date().toISOString() }}',
		],
		['=INV-{{ $json.none }}', 'has an expression that resolved to nothing'],
		['={{ "E12" }}-{{ " " }}', 'has an expression that resolved to nothing'],
		...['2 ** 53', '2026.10'].map((number) => [
			`={{ ${number} }}`,
			'is a number with decimals, or with more digits than n8n keeps; make it text',
		]),
		['={{ true }}', 'must be text'],
	])('has no reference %j', async (paymentReference, fault) => {
		const { error } = await sandbox.run(await sandbox.payment({ paymentReference }));
		expect(error?.message).toBe(`Payment Reference ${fault} [item 0]`);
		expect(sandbox.wire()).toEqual([]);
	});

	it('is refused as paid in a later run of the node in a loop', async () => {
		const { error, stored } = await sandbox.run(await sandbox.payment(), { secondRun: [{}] });
		expect(error?.message).toContain('was already paid');
		expect(stored).not.toContain('already_sent');
		expect(sent()).toHaveLength(1);
	});

	it('is refused as paid by another name of the service, too, and before it is signed', async () => {
		const parameters = await sandbox.payment();
		await sandbox.run(parameters);
		const baseUrl = sandbox.url.replace('127.0.0.1', 'localhost');
		/* This signer would fail. */
		for (const saved of [sandbox.credentials({ baseUrl }), sandbox.remoteSigner()]) {
			const { error } = await runNode(saved, parameters);
			expect(error?.message).toContain('was already paid');
		}
		expect(sent()).toHaveLength(1);
	});

	it('whose outcome is not known says so with its code and status, on either output', async () => {
		const error = expect.stringContaining('may or may not have been made');
		const known = { outcome: 'unknown', attempt_code: expect.stringMatching(CODE) };
		const run = async (onError: 'continueRegularOutput' | 'continueErrorOutput') => {
			await sandbox.fault({ match, kind: 'status', status: 503, times: 1 });
			return await sandbox.run(await sandbox.payment(), { node: { onError } });
		};
		const { output } = await run('continueRegularOutput');
		expect(output[0]?.json).toMatchObject({ error, http_status: 503, ...known });
		const { errorOutput } = await run('continueErrorOutput');
		expect(errorOutput[0]?.json).toMatchObject({ error, details: known });
	});
});

describe('a payment that a person confirmed as not made', () => {
	async function unknownOutcome() {
		await sandbox.fault({ match, kind: 'cutBefore', times: 1 });
		const payload = await sandbox.authorization();
		const { error } = await sandbox.run(sandbox.paying(payload));
		const [confirmedNotPaid = ''] = CODE.exec(error?.description ?? '') ?? [];
		return { payload, confirmedNotPaid };
	}

	it('goes out once more, in two executions, a loop or five items at once', async () => {
		for (const options of [
			{},
			{ secondRun: [{}] },
			{ items: [{}, {}, {}, {}, {}], node: { onError: 'continueRegularOutput' as const } },
		]) {
			const before = sent().length;
			const { payload, confirmedNotPaid } = await unknownOutcome();
			const again = sandbox.paying(payload, { options: { confirmedNotPaid, concurrency: 5 } });
			await sandbox.run(again, options);
			const last = await sandbox.run(again, options);
			expect(last.error?.message ?? last.output[0]?.json.error).toContain('was already paid');
			/* The first attempt reached the wire, where its connection was cut, and one more did. */
			expect(sent().length - before).toBe(2);
		}
	});

	it.each([',', ' ', '\n', ', ; '])('is one of several, separated by %j', async (separator) => {
		const payments = [await unknownOutcome(), await unknownOutcome()];
		const confirmedNotPaid = payments.map((each) => separator + each.confirmedNotPaid).join('');
		for (const { payload } of payments) {
			const again = sandbox.paying(payload, { options: { confirmedNotPaid } });
			expect((await sandbox.run(again)).output[0]?.json).toMatchObject(PAID);
		}
	});

	it.each(['yes', '7F3A-91C2-1, yes'])('has a code, not %s', async (confirmedNotPaid) => {
		const { error } = await sandbox.run(await sandbox.payment({ options: { confirmedNotPaid } }));
		expect(error?.message).toBe(
			'Confirmed Not Paid must hold attempt codes, e.g. 7F3A-91C2-1, separated by commas or spaces [item 0]',
		);
		expect(sandbox.wire()).toEqual([]);
	});
});

/* test/unit/operations/amounts and the conformance test have the amounts in text. */
describe('the amount', () => {
	const sentCents = () => sent().map(({ body }) => Object(body).amount_cents);
	const inDollars = async (amountDollars: string, cents: number) =>
		await sandbox.payment({ amountUnit: 'dollars', amountDollars }, { amount_cents: cents });

	it.each([
		[1.1, 110],
		[1_001.15, 100_115],
	])('%d in dollars from a sheet is paid to the cent', async (amount, cents) => {
		const parameters = await inDollars('={{ $json.amount }}', cents);
		expect((await sandbox.run(parameters, { items: [{ amount }] })).error).toBeUndefined();
		expect(sentCents()).toEqual([cents]);
	});

	const plain = 'dollars in plain digits with at most two decimals, e.g. 125.00';
	const ROUND = '; round it where you calculate it';
	it.each([
		[0.1 + 0.2, `must be ${plain}, not 0.30000000000000004${ROUND}`],
		[41.7 * 3, `must be ${plain}, not 125.10000000000001${ROUND}`],
		[1e21, `must be ${plain}, not 1e+21`],
		[1e-7, `must be ${plain}, not 1e-7`],
		[true, `must be ${plain}, not true`],
		[['125'], `must be ${plain}, not a list`],
		['١٢٥', `must be ${plain}, not "١٢٥"`],
		[-0, 'must be from $1.00 to $100,000,000.00, not $0.00'],
		[null, 'is an expression that resolved to nothing'],
	])(
		'%j from a sheet is refused by label and item, and nothing is sent',
		async (amount, reason) => {
			const parameters = await inDollars('={{ $json.amount }}', 12_500);
			const items: IDataObject[] = [{ amount: '125' }, { amount }];
			const { output, error } = await sandbox.run(parameters, { items });
			expect(output).toEqual([]);
			expect(error?.message).toBe(`Amount (Dollars) ${reason} [item 1]`);
			expect(error?.description).toContain('Nothing was signed or sent.');
			expect(sandbox.wire()).toEqual([]);
		},
	);

	it('is in dollars where the form has no unit, as n8n leaves out a default', async () => {
		const parameters = without(await inDollars('125', 12_500), 'amountUnit');
		expect((await sandbox.run(parameters)).error).toBeUndefined();
		expect(sentCents()).toEqual([12_500]);
	});

	it('is the one of the chosen unit, which may differ from item to item', async () => {
		const parameters = await sandbox.payment({
			amountUnit: '={{ $json.unit }}',
			amountCents: '={{ $json.amount }}',
			amountDollars: '={{ $json.amount }}',
			typedData: '={{ $json.typedData }}',
		});
		const item = async (unit: string, cents: number) => {
			const { message } = await sandbox.authorization({ amount_cents: cents });
			return { unit, amount: 250, typedData: JSON.stringify(message) };
		};
		const items = [await item('cents', 250), await item('dollars', 25_000)];
		await sandbox.run(parameters, { items });
		expect(sentCents()).toEqual([250, 25_000]);
	});

	it.each([
		['={{ $json.missing }}', 'is an expression that resolved to nothing'],
		['euros', 'must be Cents or Dollars (cents, dollars)'],
	])('has no unit %j', async (amountUnit, fault) => {
		const parameters = await sandbox.payment({ amountUnit, amountDollars: '125' });
		const { error } = await sandbox.run(parameters);
		expect(error?.message).toBe(`Amount Unit ${fault} [item 0]`);
		expect(sandbox.wire()).toEqual([]);
	});
});
