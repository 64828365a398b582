import type { IDataObject, INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { CONTINUE, outcomesOf } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { FORMS } from '../support/operationForms';

/* Rows as n8n's own nodes read the files of offices: Excel, LibreOffice, CSV in a Windows encoding. */

const sandbox = useActionSandbox();

const RUN_CHECK = { checkOnly: true, checkOutput: 'run' };

const pay = async (
	items: readonly IDataObject[],
	options: INodeParameters = {},
	more: Parameters<typeof sandbox.run>[1] = {},
	teamId = sandbox.team,
) =>
	await sandbox.run(
		{
			...{ resource: 'payment', operation: 'create', paymentsSource: 'items', teamId },
			...{ currency: 'USD', network: 'arbitrum', options },
		},
		{ items, ...more },
	);

const invite = async (items: readonly IDataObject[]) =>
	await sandbox.run(
		{ ...FORMS.createInvites, teamId: sandbox.team, inviteesSource: 'items' },
		{ items },
	);

async function payment(number: number, change: IDataObject = {}): Promise<IDataObject> {
	const email = `contractor.${number}@example.com`;
	const authorization = { ...(await sandbox.authorization({ email })) };
	const own = { reference: `PAY-00${number}`, recipient_email: email, amount: 125 };
	return { ...own, authorization, ...change };
}

describe('a row in which nobody entered anything', () => {
	it.each<[string, boolean | number | string]>([
		['an unticked box', false],
		['the same as text', 'FALSE'],
		['a formula without input', 0],
		['the same as text', ' 0.00 '],
	])('is left out with %s', async (_what, value) => {
		const row = { row_number: 3, reference: '', recipient_email: '', amount: '', approved: value };
		const { output, stored, error } = await pay([await payment(1), row, await payment(2)]);
		expect(error).toBeUndefined();
		expect(outcomesOf(output)).toEqual(['paid', 'paid']);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(stored).toContain('1 row without any value was left out');
		const guest = { email: 'ana@example.com' };
		expect((await invite([guest, { ...row, email: '' }])).error).toBeUndefined();
	});

	it('needs no team where each row names its own', async () => {
		const rows = [await payment(1, { team: sandbox.team }), { team: '' }];
		const { output, error } = await pay(rows, {}, {}, '={{ $json.team }}');
		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
	});

	it('is one only if it has nothing else', async () => {
		const { error } = await pay([await payment(1, { recipient_email: '', approved: false })]);
		expect(error?.message).toContain('Row 1 (PAY-001): recipient_email is missing');
	});
});

it.each([
	['UTF-8', '�'],
	['Latin 1', '\u0096'],
])('refuses Windows letters that were lost when a file was read as %s', async (_what, letter) => {
	const fault = 'has �, a letter that was lost when the file was read; save the file as UTF-8';
	const { error } = await pay([await payment(1, { reference: `N${letter} 12` })]);
	expect(error?.message).toBe(`Row 1: reference ${fault}`);
	const guest = { email: 'ana@example.com', last_name: `M${letter}ller` };
	expect((await invite([guest])).error?.message).toBe(`Row 1: last_name ${fault}`);
	expect(sandbox.writes()).toEqual([]);
});

it('takes no address with the apostrophe that marks text in a sheet', async () => {
	const email = "'ana@example.com";
	const fault = `"${email}" isn’t an email address`;
	expect((await invite([{ email }])).error?.message).toBe(`Row 1: ${fault}`);
	const { error } = await pay([await payment(1, { recipient_email: email })]);
	expect(error?.message).toBe(`Row 1 (PAY-001): ${fault}`);
	const { output } = await invite([{ email: "o'brien@example.com" }]);
	expect(output).toHaveLength(1);
});

it.each(['E‑Mail', 'e–mail', '\ufeffE-Mail\u00a0'])('recognizes the header %j', async (header) => {
	expect((await invite([{ [header]: 'ana@example.com' }])).error).toBeUndefined();
});

it('names payments without a reference in the check and the run, as new authorizations pay them again', async () => {
	const rows = async () => {
		const [first, second] = [await payment(1), await payment(2)];
		return [first, second].map(({ reference, ...row }) => ({ ...row, 'Reference No.': reference }));
	};
	const { output } = await pay(await rows(), RUN_CHECK);
	const { message, html } = output[0]?.json ?? {};
	const warning =
		'Without a reference: 2. A new authorization would pay again. If a column has references, enter its header in Column Names under Options';
	expect(message).toContain(warning);
	expect(html).toContain(warning);
	const [check] = (await pay([await payment(1)], RUN_CHECK)).output;
	expect(JSON.stringify(check?.json)).not.toMatch(/without a reference/i);
	const paid = await pay(await rows(), { ifAlreadyPaid: 'skip' });
	expect(paid.output[1]?.json.run_message).toBe(
		'2 of 2 paid ($250.00). Payments without a Payment Reference must be left out of the next run: a new authorization would pay them again.',
	);
});

it('names the row of the sheet that isn’t as it was approved, and that fails a check', async () => {
	const rows = [await payment(1, { row_number: 2 }), await payment(2, { row_number: 3 })];
	const approvedCheck = String((await pay(rows, RUN_CHECK)).output[0]?.json.approval);
	rows[1] = { ...rows[1], amount: 'x' };
	const { output } = await pay(rows, { approvedCheck }, CONTINUE);
	expect(output[0]?.json.error).toContain('because of row 3 of the sheet (PAY-002)');
	const [check] = (await pay(rows, RUN_CHECK)).output;
	expect(check?.json.summary).toContain('first row 3 of the sheet (PAY-002): amount must be');
});

it('says in the check what to do about a column with another header', async () => {
	const { recipient_email: email, ...row } = await payment(1);
	const { output } = await pay([{ ...row, 'Email Address': email }], RUN_CHECK);
	expect(output[0]?.json.message).toContain(
		'Row 1 (PAY-001): recipient_email is missing in all rows; if it is in another column, enter its header in Column Names under Options',
	);
	const both = [await payment(1), { ...row, reference: 'PAY-002' }];
	const [other] = (await pay(both, RUN_CHECK)).output;
	expect(other?.json.message).toMatch(/Row 2 \(PAY-002\): recipient_email is missing$/m);
});
