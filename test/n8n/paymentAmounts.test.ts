import type { INodeParameters } from 'n8n-workflow';

import { useActionSandbox } from '../support/actionSandbox';

const sandbox = useActionSandbox();

/** A payment in dollars, with typed data for so many cents. */
async function inDollars(
	amountDollars: unknown,
	cents: number,
	change: INodeParameters = {},
): Promise<INodeParameters> {
	const parameters = await sandbox.payment(change, { amount_cents: cents });
	delete parameters.amountCents;
	return Object.assign(parameters, { amountUnit: 'dollars', amountDollars });
}

const sentCents = () => sandbox.writes().map(({ body }) => Object(body).amount_cents);

describe('an amount in dollars', () => {
	it.each([
		['125', 12_500],
		['125.5', 12_550],
		['125.50', 12_550],
		['1', 100],
		['1.15', 115],
		['4.35', 435],
		['1129.6', 112_960],
		['5000.00', 500_000],
	])('%j is paid to the cent', async (amountDollars, cents) => {
		const { output, error } = await sandbox.run(await inDollars(amountDollars, cents));
		expect(error).toBeUndefined();
		expect(output[0]?.json).toHaveProperty('transaction');
		expect(sentCents()).toEqual([cents]);
	});

	it.each([
		[125.5, 12_550],
		[125, 12_500],
		[1.1, 110],
		[8.2, 820],
		[1_001.15, 100_115],
	])('%d from a sheet is paid to the cent', async (amount, cents) => {
		const parameters = await inDollars('={{ $json.amount }}', cents);
		const { error } = await sandbox.run(parameters, { items: [{ amount }] });
		expect(error).toBeUndefined();
		expect(sentCents()).toEqual([cents]);
	});

	it('may be the most that the service takes', async () => {
		await sandbox.run(await inDollars('100000000.00', 10_000_000_000));
		expect(sentCents()).toEqual([10_000_000_000]);
	});

	const form = 'dollars in plain digits with at most two decimals, e.g. 125.00';
	const notPlain = `must be ${form}`;
	const missing = `is missing; enter ${form}`;
	const range = 'must be from $1.00 to $100,000,000.00';
	it.each([
		['125.505', notPlain],
		['1,250.00', notPlain],
		['1e3', notPlain],
		[' 5', notPlain],
		['5\n', notPlain],
		['-1', notPlain],
		['', missing],
		['0', `${range}, not $0.00`],
		['0.99', `${range}, not $0.99`],
		['100000000.01', `${range}, not $100,000,000.01`],
		['1000000000000', notPlain],
		['9'.repeat(400), notPlain],
		['$125', notPlain],
		['0125', notPlain],
		['125.', notPlain],
		['.5', notPlain],
		['+5', notPlain],
		['0x64', notPlain],
		['١٢٥', notPlain],
		[0.1 + 0.2, notPlain],
		[41.7 * 3, notPlain],
		[-0, `${range}, not $0.00`],
		[1e21, notPlain],
		[1e-7, notPlain],
		[null, missing],
		[true, notPlain],
		[['125'], notPlain],
	])('%j is refused, by the label and the item, and nothing is sent', async (amount, reason) => {
		const parameters = await inDollars('={{ $json.amount }}', 12_500);
		const items = [{ amount: '125' }, { amount }];
		const { output, error } = await sandbox.run(parameters, { items });
		expect(output).toEqual([]);
		expect(error?.message).toBe(`Amount (Dollars) ${reason} [item 1]`);
		expect(error?.description).toContain('Nothing was sent.');
		expect(sandbox.wire()).toEqual([]);
	});

	it('is what the typed data must have', async () => {
		const { error } = await sandbox.run(await inDollars('125.01', 12_500));
		expect(error?.message).toContain('Authorization: $125.00. Form: $125.01');
		expect(sandbox.writes()).toEqual([]);
	});

	it('counts against the maximum payment', async () => {
		const { runNode } = await import('../support/actionHost');
		const parameters = await inDollars('125.00', 12_500);
		const low = await runNode(sandbox.credentials({ maximumPayment: '124.99' }), parameters);
		expect(low.error?.message).toBe(
			'These credentials allow payments up to $124.99, and this one is $125.00 [item 0]',
		);
		expect(sandbox.writes()).toEqual([]);
		const enough = await runNode(sandbox.credentials({ maximumPayment: '125' }), parameters);
		expect(enough.error).toBeUndefined();
	});
});

describe('the unit', () => {
	it('is dollars where the form has none, as n8n leaves out a default', async () => {
		const parameters = await sandbox.payment({ amountDollars: '125' });
		delete parameters.amountUnit;
		expect((await sandbox.run(parameters)).error).toBeUndefined();
		expect(sentCents()).toEqual([12_500]);
	});

	it('decides which of two filled-in amounts counts', async () => {
		const both = { amountCents: 12_500, amountDollars: '999' };
		await sandbox.run(await sandbox.payment({ ...both, amountUnit: 'cents' }));
		await sandbox.run(
			await sandbox.payment({ ...both, amountUnit: 'dollars' }, { amount_cents: 99_900 }),
		);
		expect(sentCents()).toEqual([12_500, 99_900]);
	});

	it('may differ from item to item', async () => {
		const parameters = await sandbox.payment({
			amountUnit: '={{ $json.unit }}',
			amountCents: '={{ $json.amount }}',
			amountDollars: '={{ $json.amount }}',
			typedData: '={{ $json.typedData }}',
		});
		const item = async (unit: string, cents: number) => {
			const { typedData } = await sandbox.payment({}, { amount_cents: cents });
			return { unit, amount: 250, typedData: String(typedData) };
		};
		const items = [await item('cents', 250), await item('dollars', 25_000)];
		await sandbox.run(parameters, { items });
		expect(sentCents()).toEqual([250, 25_000]);
	});

	it.each([
		['', 'is missing. Choose Cents or Dollars (cents, dollars)'],
		['={{ $json.missing }}', 'is missing. Choose Cents or Dollars (cents, dollars)'],
		['Dollars', 'must be Cents or Dollars (cents, dollars)'],
		['euros', 'must be Cents or Dollars (cents, dollars)'],
	])('%j is refused, and nothing is sent', async (amountUnit, fault) => {
		const parameters = await sandbox.payment({ amountUnit, amountDollars: '125' });
		const { error } = await sandbox.run(parameters);
		expect(error?.message).toBe(`Amount Unit ${fault} [item 0]`);
		expect(sandbox.wire()).toEqual([]);
	});

	it('leaves 125.5 cents refused', async () => {
		const { error } = await sandbox.run(await sandbox.payment({ amountCents: 125.5 }));
		expect(error?.message).toContain('Amount (Cents) must be a whole number of cents');
		expect(sandbox.wire()).toEqual([]);
	});
});
