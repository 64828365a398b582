import type { IDataObject, INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { CONTINUE, recordsOf, type RunResult } from '../support/actionHost';
import { expectValidRequests, PAYMENT, useActionSandbox, without } from '../support/actionSandbox';

const sandbox = useActionSandbox();
expectValidRequests(sandbox);

const DOLLARS = ['125.00', '4200.00', '13175.50'];
const RUN_CHECK = { checkOnly: true, checkOutput: 'run' };

/** A row of a sheet, as n8n reads it, with its authorization. */
async function row(index: number, amount = DOLLARS[index % 3] ?? ''): Promise<IDataObject> {
	const email = `contractor.${index + 1}@example.com`;
	const cents = Math.round(Number(amount) * 100);
	return {
		row_number: index + 2,
		reference: `PAY-00${index + 1}`,
		recipient_email: email,
		amount,
		authorization: { ...(await sandbox.authorization({ email, amount_cents: cents })) },
	};
}

const sheet = async (count = 3) =>
	await Promise.all(Array.from({ length: count }, async (_, index) => await row(index)));

const form = (
	paymentsSource: string,
	options: INodeParameters = {},
	change: INodeParameters = {},
) => ({
	...{ resource: 'payment', operation: 'create', teamId: sandbox.team },
	...{ currency: 'USD', network: 'arbitrum', paymentsSource, options, ...change },
});

type Run = (
	rows: readonly IDataObject[],
	options?: INodeParameters,
	how?: Parameters<typeof sandbox.run>[1],
) => Promise<RunResult>;

const runItems: Run = async (items, options, how) =>
	await sandbox.run(form('items', options), { items, ...how });

const runList: Run = async (rows, options, how) =>
	await sandbox.run(form('json', options, { paymentsJson: '={{ $json.rows }}' }), {
		items: [{ rows: [...rows] }],
		...how,
	});

const runText: Run = async (rows, options, how) =>
	await sandbox.run(form('json', options, { paymentsJson: JSON.stringify(rows) }), how);

const outcomes = ({ output }: RunResult) => recordsOf(output).map(({ outcome }) => outcome);

it.each([
	['amount', { Net: '', amount_cents: '12500' }, 'Net is missing'],
	['amount_cents', { 'Net Cents': '', amount: '125.00' }, 'Net Cents is missing'],
	['amount', { Net: '125.00', amount_cents: '99900' }, undefined],
	['amount_cents', { 'Net Cents': '12500', amount: '999.00' }, undefined],
	['amount amount_cents', { Net: '125.00', 'Net Cents': '', amount: '999.00' }, undefined],
	['amount amount_cents', { Net: '', 'Net Cents': '12500', amount_cents: '99900' }, undefined],
] as const)('of an amount, only named columns count: %s', async (named, columns, fault) => {
	const column = Object.entries({ amount: 'Net', amount_cents: 'Net Cents' })
		.filter(([field]) => named.split(' ').includes(field))
		.map(([field, name]) => ({ field, name }));
	const rows = [{ ...without(await row(0), 'amount'), ...columns }];
	const { error, output } = await runItems(rows, { columnNames: { column } });
	expect(recordsOf(output).map(({ amount }) => amount)).toEqual(fault ? [] : ['125.00']);
	if (fault === undefined) expect(error).toBeUndefined();
	else expect(error?.message).toContain(fault);
});

it('a list of which a row was paid before is sent with its own approval', async () => {
	const rows = await sheet();
	await runItems(rows.slice(0, 1));
	const lists = [rows.slice(0, 2), rows.slice(2)];
	const run = async (options: INodeParameters, approvals: readonly unknown[] = []) =>
		await sandbox.run(form('json', options, { paymentsJson: '={{ $json.rows }}' }), {
			items: lists.map((each, index) => ({ rows: each, approval: String(approvals[index]) })),
			...CONTINUE,
		});
	const [, ben, cleo] = recordsOf((await run({ checkOnly: true })).output);
	const approvals = [ben?.approval, cleo?.approval];
	const paid = await run({ approvedCheck: '={{ $json.approval }}' }, approvals);
	expect(outcomes(paid)).toEqual(['refused', 'paid', 'paid']);
});

const PLAIN = 'dollars in plain digits with at most two decimals, e.g. 125.00';

const LOST =
	'reference has \ufffd, a letter that was lost when the file was read; save the file as UTF-8';

const CHANGES: ReadonlyArray<readonly [change: IDataObject, fault: string]> = [
	...['abc', '$4200', '4.200,00', '4 200'].map(
		(amount) => [{ amount }, `amount must be ${PLAIN}, not "${amount}"`] as const,
	),
	[{ amount: '' }, `amount is missing; enter ${PLAIN}`],
	[{ amount: '0.5' }, 'amount must be from $1.00 to $100,000,000.00, not $0.50'],
	[
		{ amount_cents: 12_500 },
		'amount and amount_cents are both filled in; leave one of the two empty',
	],
	[{ recipient_email: 'ben(at)example.com' }, '"ben(at)example.com" isn’t an email address'],
	[{ recipient_email: "'ana@example.com" }, '"\'ana@example.com" isn’t an email address'],
	[{ recipient_email: ' ' }, 'recipient_email is missing'],
	[{ authorization: null }, 'authorization is missing'],
	[{ authorization: 'none yet' }, 'authorization isn’t valid JSON'],
	[{ authorization: {} }, 'authorization is empty'],
	[{ authorization: { from: '0x' } }, 'authorization, To is missing'],
	...[{ Currency: 'EUR' }, { currency: '$', 'Currency Code': 'EUR' }].map(
		(cells) =>
			[cells, `${Object.keys(cells).at(-1)} is EUR, and the form’s Currency is USD`] as const,
	),
	[{ currency: { value: 'USD' } }, 'currency is an object, and the form’s Currency is USD'],
	[{ reference: 'n/a' }, 'reference is n/a, which stands for no'],
	/* Windows letters in a file that was read as UTF-8, or as Latin 1. */
	...['\ufffd', '\u0096'].map((letter) => [{ reference: `N${letter} 12` }, LOST] as const),
];

describe.each([
	['input items', runItems],
	['an array from an expression', runList],
	['JSON as text', runText],
])('rows from %s', (_what, run) => {
	const itemOf = (index: number) => (run === runItems ? index : 0);

	it('are checked together, approved once, and paid', async () => {
		const rows = await sheet();
		const { output } = await run(rows, RUN_CHECK);
		expect(output).toHaveLength(1);
		const checked = output[0]?.json ?? {};
		expect(checked).toMatchObject({
			...{ check: 'passed', count: 3, total: '17500.50', to_send_count: 3 },
			payments: DOLLARS.map((amount, index) => ({ amount, reference: `PAY-00${index + 1}` })),
		});
		expect(sandbox.writes()).toEqual([]);

		const size = { expectedPayments: 3, expectedTotal: '17500.50' };
		const paid = await run(rows, { approvedCheck: String(checked.approval), ...size });
		expect(paid.error).toBeUndefined();
		const message = '3 of 3 paid ($17,500.50).';
		expect(paid.output).toMatchObject(
			DOLLARS.map((amount, index) => ({
				json: {
					...{ outcome: 'paid', transaction: expect.stringMatching(/^tx-/), amount },
					...{ reference: `PAY-00${index + 1}`, run_message: message },
				},
				pairedItem: { item: itemOf(index) },
			})),
		);
		expect(sandbox.writes()).toHaveLength(3);
	});

	it.each([
		[
			'a row that was changed',
			async () => [await row(0), await row(1, '126.00')],
			'the one that was approved',
		],
		['a missing row', async () => [await row(0)], 'what was approved'],
		['another order', async () => (await sheet(2)).reverse(), 'the one that was approved'],
		[
			'a row that can’t be read',
			async () => [await row(0), { ...(await row(1)), amount: 'x' }],
			'the one that was approved, because of row 3 of the sheet (PAY-002)',
		],
	])('aren’t paid with %s', async (_what, others, fault) => {
		const { output } = await run(await sheet(2), RUN_CHECK);
		const approvedCheck = String(output[0]?.json.approval);
		const refused = await run(await others(), { approvedCheck }, CONTINUE);
		expect(new Set(outcomes(refused))).toEqual(new Set(['refused']));
		expect(refused.output[0]?.json.error).toContain(`isn’t ${fault}`);
		const items = refused.output.map((_, index) => ({ item: itemOf(index) }));
		expect(refused.output.map(({ pairedItem }) => pairedItem)).toEqual(items);
		expect(sandbox.writes()).toEqual([]);
	});

	it('reach the check whatever is wrong with them', async () => {
		const rows = await Promise.all(
			CHANGES.map(async ([change], index) => ({ ...(await row(index)), ...change })),
		);
		const { output } = await run([...rows, await row(rows.length)], RUN_CHECK);
		const { refused, ...checked } = output[0]?.json ?? {};
		const named = expect.stringContaining('Row 2 of the sheet (PAY-001): amount must be dollars');
		expect(checked).toMatchObject({
			...{ check: 'failed', approval: null, count: rows.length + 1, to_send_count: 1 },
			...{ message: named, html: named },
			summary: expect.stringContaining('the first is row 2 of the sheet (PAY-001): amount must be'),
		});
		expect(String(checked.html).match(/row \d+ of the sheet/gi)).toHaveLength(rows.length);
		expect(refused).toEqual(
			CHANGES.map(([, error], index) => ({
				...{ row: index + 1, error: expect.stringContaining(error) },
				summary: expect.any(String),
			})),
		);
		expect(sandbox.writes()).toEqual([]);
	});

	it.each(['', '  ', null, undefined])(
		'need a reference where the sheet has a column for it, not %j',
		async (reference) => {
			const rows = await sheet();
			rows[1] = { ...rows[1], reference };
			const { error } = await run(rows);
			expect(error?.message).toBe('Row 3 of the sheet: reference is empty');
			expect(error?.description).toContain('Enter your invoice or payout number');
			expect(sandbox.writes()).toEqual([]);
		},
	);

	it('are named by their row and reference', async () => {
		const rows = await sheet();
		rows[1] = { ...rows[1], amount: 'abc' };
		const fault = `amount must be ${PLAIN}, not "abc"`;
		const named = `Row 3 of the sheet (PAY-002): ${fault}`;
		/* The output of a check may still be set. */
		expect((await run(rows, { checkOutput: 'run' })).error?.message).toBe(named);
		const bare = rows.map((each) => without(each, 'row_number', 'reference'));
		expect((await run(bare)).error?.message).toBe(`Row 2: ${fault}`);
		expect(sandbox.writes()).toEqual([]);
		const { output } = await run(rows, {}, CONTINUE);
		const said = {
			...{ outcome: 'refused', transaction: null, error: named },
			...{ reference: 'PAY-002', recipient_email: 'contractor.2@example.com', currency: 'USD' },
			run_message: `2 of 3 paid ($13,300.50), 1 refused. PAY-002: ${fault}.`,
		};
		expect(output[1]).toMatchObject({ json: said, pairedItem: { item: itemOf(1) } });
		expect(output[1]?.json).not.toHaveProperty('amount');
	});

	it('are left out without any value, and refused if all are', async () => {
		const empty = { row_number: 3, reference: '', recipient_email: ' ', amount: null, more: [] };
		const [first = {}, last = {}] = await sheet(2);
		/* Unticked boxes, and formulas without input. */
		const unticked = [{ paid: false }, { paid: 'FALSE' }, { sum: 0 }, { sum: ' 0,00 € ' }];
		const { output, stored } = await run([first, empty, {}, ...unticked, last]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: itemOf(0) },
			{ item: itemOf(7) },
		]);
		expect(recordsOf(output)).toMatchObject([{ outcome: 'paid' }, { outcome: 'paid' }]);
		expect(stored).toContain('6 rows without any value were left out');
		expect(stored).toContain('"location":"outputPane"');
		const one = await run([first, empty], RUN_CHECK, CONTINUE);
		expect(one.stored).toContain('1 row without any value was left out');
		expect((await run([empty, {}], {}, CONTINUE)).output).toMatchObject([
			{ json: { outcome: 'refused' }, pairedItem: { item: 0 } },
		]);
		expect((await run([empty, {}], RUN_CHECK, CONTINUE)).output[0]?.json).toMatchObject({
			check: 'failed',
			refused: [{ row: 1, error: 'All rows are empty' }],
		});
		const { error } = await run([empty, {}]);
		expect(error?.message).toBe('All rows are empty [item 0]');
		expect(error?.description).toMatch(/^Check the node that reads the sheet\./);
		expect(sandbox.writes()).toHaveLength(2);
	});

	it('may name the form’s currency, and keep what can be read of one that is refused', async () => {
		const [first = {}, second = {}] = await sheet(2);
		const rows = [
			{
				...first,
				currency: 'USD',
				'Currency Code': '840',
				'Currency Symbol': 'US$',
				reference: 42,
			},
			{ ...second, recipient_email: 'ben(at)example.com', reference: null },
		];
		const { output } = await run(rows, {}, CONTINUE);
		expect(recordsOf(output)).toMatchObject([
			{ outcome: 'paid', reference: '42' },
			{ outcome: 'refused', amount: second.amount },
		]);
		expect(output[1]?.json).not.toHaveProperty('recipient_email');
		expect(output[1]?.json).not.toHaveProperty('reference');
	});

	it('aren’t as many as expected where a list can’t be read', async () => {
		const [first, ...others] = await sheet(3);
		const lists = form('json', { expectedPayments: 3 }, { paymentsJson: '={{ $json.rows }}' });
		const items = [[first, 5], others].map((rows) => ({ rows: JSON.stringify(rows) }));
		expect(outcomes(await sandbox.run(lists, { items, ...CONTINUE }))).not.toContain('paid');
	});

	it('are named where one has the payment of another', async () => {
		const [first = {}, second = {}] = await sheet(2);
		const lists = form('json', {}, { paymentsJson: JSON.stringify([first, second]) });
		const twice = await sandbox.run(lists, { items: [{}, {}] });
		expect(twice.error?.description).toContain('turn on Execute Once in its settings. Remove');
		const { error } = await run([first, { ...second, reference: 'pay-001' }]);
		expect(error?.message).toContain('because row 2 of the sheet (PAY-001) has the same reference');
		expect(error?.message).toMatch(/^Row 3 of the sheet \(pay-001\): /);
	});

	it('end at the first failure, or under Continue at the first unknown outcome', async () => {
		await sandbox.fault({ kind: 'status', status: 400, match: PAYMENT, skip: 1 });
		const rows = await sheet(3);
		const { error } = await run(rows);
		expect(error?.message).toMatch(/^Row 3 of the sheet \(PAY-002\): The payment of /);
		expect(error?.description).toMatch(
			/^1 of 3 paid \(\$125\.00\), 1 refused, 1 not sent\. Already done before this error: row 2 \(tx-/,
		);
		expect(error?.data).toMatchObject({
			completed: [{ item: 0, row: 2, reference: 'PAY-001' }],
		});
		await sandbox.fault({ kind: 'cutBefore', match: PAYMENT });
		const unknown = await run(rows, { ifAlreadyPaid: 'skip' }, CONTINUE);
		expect(outcomes(unknown)).toEqual(['already_paid', 'unknown', 'not_sent']);
		expect(unknown.output[2]?.json.run_message).toMatch(
			/^0 of 3 paid \(\$0\.00\), 1 paid before, 1 unknown, 1 not sent\. Ask the service whether it made PAY-002 \(\$4,200\.00 to contractor\.2@example\.com, code \w{4}-\w{4}-1\), and don’t pay it in another way\. Name team, recipient, amount and time: it doesn’t know your references or attempt codes\. PAY-002: /,
		);
		await sandbox.fault({ kind: 'cutBefore', match: PAYMENT });
		const later = await run(rows, { ifAlreadyPaid: 'skip' }, CONTINUE);
		expect(later.output[1]?.json.run_message).toMatch(
			/codes\. If a payment that isn’t known yet.* Left alone, as paid before: PAY-001\.$/,
		);
	});
});

describe('the columns of a sheet', () => {
	it('are recognized in any style, and can be named', async () => {
		const { recipient_email, amount, reference, authorization } = await row(0);
		const styled = {
			'E-Mail': recipient_email,
			'Amount Cents': String(Number(amount) * 100),
			'Payment Reference': ` ${String(reference)} `,
			AUTHORIZATION: JSON.stringify(JSON.stringify(authorization)),
		};
		const named = {
			Gross: amount,
			'Pay To': recipient_email,
			email: 'manager@example.com',
			Invoice: reference,
			reference: 'of the manager',
			authorization,
		};
		const column = [
			{ field: 'recipient_email', name: 'pay to' },
			{ field: 'amount', name: 'Gross' },
			{ field: 'reference', name: 'Invoice' },
		];
		for (const [each, options] of [
			[styled, {}],
			[named, { columnNames: { column } }],
		] as const) {
			const { output } = await runList([each], { checkOnly: true, ...options });
			expect(output[0]?.json).toMatchObject({
				...{ check: 'passed', amount, reference, recipient_email },
			});
		}
		/* A named column is the only one that counts. */
		const unnamed = { ...without(named, 'Gross'), amount: '125.00' };
		const { error } = await runList([named, unnamed], { columnNames: { column } });
		expect(error?.message).toContain('Row 2 (PAY-001): Gross is missing');
	});

	it('refuse what isn’t a list of rows', async () => {
		for (const [rows, fault] of [
			['[', 'Payments (JSON) isn’t valid JSON [item 0]'],
			['{}', 'Payments (JSON) must be a JSON list [item 0]'],
			['[]', 'Payments (JSON) is empty. Add at least one row [item 0]'],
			['["PAY-001"]', 'Payments (JSON), entry 1 must be an object [item 0]'],
		] as const) {
			const { error } = await sandbox.run(form('json', {}, { paymentsJson: rows }));
			expect(error?.message).toBe(fault);
		}
	});
});

describe('what a check says to people', () => {
	it('is a message and a page, of one payment and of a run', async () => {
		const one = await runList([await row(2)], { checkOnly: true });
		const { host } = new URL(sandbox.url);
		const { message, html } = one.output[0]?.json ?? {};
		expect(String(message).split('\n')).toEqual([
			'Pay $13,175.50 to contractor.3@example.com?',
			`From team: ${sandbox.team}`,
			`Service: ${host}`,
			expect.stringMatching(/^Chain: Arbitrum .*, chain \d+$/),
			expect.stringMatching(/^Contract: 0x[\dA-Fa-f]{40}$/),
			expect.stringMatching(
				/^\$13,175\.50, PAY-003, contractor\.3@example\.com, 0x[\dA-Fa-f]{40}, valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
			),
		]);
		expect(html).toMatch(/<p><b>&#36;13,175\.50<\/b><br>PAY-003<br>contractor\.3@example\.com<br>/);

		const { json } = (await runList(await sheet(12), RUN_CHECK)).output[0] ?? {};
		expect(json?.message).toMatch(/\nand 2 more$/);
		expect(String(json?.html).match(/<p><b>&#36;/g)).toHaveLength(12);
	});

	it('holds no markup of others', async () => {
		const forged = '<!channel> [pay](https://evil.example) @everyone `*x*` ~y~ a|b { $now } $&';
		const rows = [
			{ ...(await row(0)), reference: forged },
			{ ...(await row(1)), reference: 'X'.repeat(90) },
			{ ...(await row(2)), amount: '<img src=x onerror=alert(1)>' },
		];
		const { output } = await runList(rows, RUN_CHECK);
		const { message, html } = output[0]?.json ?? {};
		expect(message).toContain(
			'‹!channel› (pay)(https: //evil.example) @ everyone ’∗x∗’ ∼y∼ a¦b { $now } $&',
		);
		expect(message).not.toMatch(/[<>[\]`*]/);
		expect(output[0]?.json.refused).toMatchObject([
			{ row: 3, summary: 'a payment to contractor.3@example.com' },
		]);
		expect(
			String(html).replace(/<\/?(?:div|p|b)>|<br>|<div style="overflow-wrap:anywhere">/g, ''),
		).not.toMatch(/[<>"'`{}$]/);
		const words = String(html)
			.replace(/<[^>]+>/g, ' ')
			.split(' ');
		expect(words.filter((word) => word.replace(/&#\d+;/g, '.').length > 30)).toEqual([]);

		const { output: paid } = await runList(rows.slice(0, 1));
		expect(paid[0]?.json).toMatchObject({ outcome: 'paid', reference: forged });
		const again = await runList(rows.slice(0, 1), {}, CONTINUE);
		expect(again.output[0]?.json.run_message).toContain('‹!channel›');
	});
});

it('refuses a row that lacks the cell of the column that is named for the reference', async () => {
	const column = [{ field: 'reference', name: 'Invoice No' }];
	const [{ reference, ...first } = {}, second = {}] = await sheet(2);
	const rows = [{ ...first, 'Invoice No': reference }, without(second, 'reference')];
	const { error } = await runItems(rows, { columnNames: { column } });
	expect(error?.message).toBe('Row 3 of the sheet: Invoice No is empty');
	expect(sandbox.writes()).toEqual([]);
});

it('pays no row again that the approved check left alone', async () => {
	const rows = await sheet(2);
	await sandbox.fault({ kind: 'cutBefore', match: PAYMENT });
	const [first] = (await runItems(rows.slice(0, 1), {}, CONTINUE)).output;
	const { output } = await runItems(rows, RUN_CHECK, { node: { id: 'check' } });
	expect(output[0]?.json).toMatchObject({ to_send_count: 1, unknown: [{ row: 1 }] });
	const approvedCheck = String(output[0]?.json.approval);
	const confirmedNotPaid = String(first?.json.attempt_code);
	const paid = await runItems(rows, { approvedCheck, confirmedNotPaid }, CONTINUE);
	expect(outcomes(paid)).toEqual(['refused', 'refused']);
	/* A row that is left alone is approved as it was, too. */
	const [other = {}] = await sheet(2);
	const changed = await runItems([other, ...rows.slice(1)], { approvedCheck }, CONTINUE);
	expect(outcomes(changed)).toEqual(['unknown', 'refused']);
	expect(sandbox.writes()).toHaveLength(1);
	/* With the code in the check, too, it shows what is paid. */
	const shown = await runItems(rows, { ...RUN_CHECK, confirmedNotPaid }, { node: { id: 'check' } });
	expect(shown.output[0]?.json).toMatchObject({
		...{ to_send_count: 2, summary: expect.stringContaining('; 1 sent again. ') },
		message: expect.stringMatching(/\nSent before, sent again:\n• PAY-\d+\n/),
	});
	const approved = { approvedCheck: String(shown.output[0]?.json.approval), confirmedNotPaid };
	expect(outcomes(await runItems(rows, approved))).toEqual(['paid', 'paid']);
});

it('of a sheet in which each names its own team need none where they are empty', async () => {
	const parameters = form('items', {}, { teamId: '={{ $json.team }}' });
	const items = [{ ...(await row(0)), team: sandbox.team }, { team: '' }];
	const { output, error } = await sandbox.run(parameters, { items });
	expect(error).toBeUndefined();
	expect(output).toHaveLength(1);
});

it('names payments without a reference in the check and the run, as new authorizations pay them again', async () => {
	const rows = async () =>
		(await sheet(2)).map(({ reference, ...each }) => ({ ...each, 'Reference No.': reference }));
	const { message, html } = (await runItems(await rows(), RUN_CHECK)).output[0]?.json ?? {};
	const warning =
		'Without a reference: 2. A new authorization would pay again. If a column has references, enter its header in Column Names under Options';
	expect(message).toContain(warning);
	expect(html).toContain(warning);
	const [check] = (await runItems(await sheet(1), RUN_CHECK)).output;
	expect(JSON.stringify(check?.json)).not.toMatch(/without a reference/i);
	const paid = await runItems(await rows(), { ifAlreadyPaid: 'skip' });
	expect(paid.output[1]?.json.run_message).toBe(
		'2 of 2 paid ($4,325.00). Payments without a Payment Reference must be left out of the next run: a new authorization would pay them again.',
	);
});

it('says so where the input is no sheet, and tells its rows apart where the run is refused', async () => {
	const { error } = await runItems([{ data: { approved: true } }]);
	expect(error?.message).toContain(
		'The input has no column that this node knows, such as recipient_email. Its columns: data',
	);
	expect(error?.description).toContain('set Payments From to JSON and take');
	const { error: ofList } = await runList([{ data: 1 }]);
	expect(ofList?.message).toContain('Payments (JSON) has no column that this node knows');
	expect(ofList?.description).toContain('Take the json of an earlier node’s items');
	const names = { columnNames: { column: [{ field: 'authorization', name: 'No' }] } };
	const { output } = await runItems(await sheet(2), names, CONTINUE);
	expect(recordsOf(output)[1]).toMatchObject({ reference: 'PAY-002', outcome: 'refused' });
	const refused = await runItems([{ ...(await row(0)), Amount: '1' }], names, CONTINUE);
	expect(recordsOf(refused.output)).toMatchObject([{ team: sandbox.team, outcome: 'refused' }]);
});

it('names a column for the team that decides nothing, unless the form has one for each row', async () => {
	const { nanoid: other = '' } = sandbox.organisation.teams[1] ?? {};
	const [one = {}, two = {}] = await sheet(2);
	const named = (each: IDataObject, Team: string) => ({ ...each, Team, Network: 'Arbitrum' });
	const rows = [named(one, sandbox.team), named(two, other)];
	const { stored } = await runItems(rows, RUN_CHECK);
	expect(stored).toMatch(/Column Team isn’t used: the node’s own field decides/);
	expect(stored).not.toContain('Column Network');
	const each = form('items', RUN_CHECK, { teamId: '={{ $json.Team }}' });
	expect((await sandbox.run(each, { items: rows })).stored).not.toContain('isn’t used');
	const { error } = await runItems([{ ...one, Currency: 'EUR' }]);
	expect(error?.description).toContain('If the column means something else, rename it.');
});

it('says in the check what to do about a column with another header', async () => {
	const [first = {}, second = {}] = await sheet(2);
	const check = async (...rows: IDataObject[]) =>
		(await runItems(rows, RUN_CHECK)).output[0]?.json.message;
	const unnamed = { ...without(second, 'recipient_email'), 'Email Address': 'ben@example.com' };
	expect(await check(unnamed)).toContain(
		'Row 3 of the sheet (PAY-002): recipient_email is missing in all rows; if it is in another column, enter its header in Column Names under Options',
	);
	expect(await check(first, unnamed)).toMatch(/\(PAY-002\): recipient_email is missing$/m);
});
