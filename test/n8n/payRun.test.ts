import type { IDataObject, INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import {
	CONTINUE,
	outcomesOf,
	recordsOf,
	runNode,
	TWICE,
	type RunResult,
} from '../support/actionHost';
import { PAYMENT, useActionSandbox } from '../support/actionSandbox';
import { useLog } from '../support/n8nLog';
import { waitUntil } from '../../n8nHost/waiting';

const sandbox = useActionSandbox();
const log = useLog();

const PAYEES = ['ana', 'ben', 'cleo', 'dan', 'eva'].map((name) => `${name}@example.com`);

/** A sheet: one row per payee, each with its authorization and reference. */
async function sheet(
	payees: readonly string[] = PAYEES,
	team = sandbox.firstTeam,
): Promise<IDataObject[]> {
	const rows = payees.map(async (email, index) => {
		const authorization = JSON.stringify(await sandbox.authorization({ email, team }));
		return { team: team.nanoid, email, reference: `INV-${index}`, authorization };
	});
	return await Promise.all(rows);
}

const form = (options: INodeParameters = {}): INodeParameters =>
	sandbox.paymentForm({
		teamId: { __rl: true, mode: 'id', value: '={{ $json.team }}' },
		recipientEmail: '={{ $json.email }}',
		amountUnit: 'dollars',
		amountDollars: '125.00',
		paymentReference: '={{ $json.reference }}',
		typedData: '={{ $json.authorization }}',
		options,
	});

const pay = async (
	items: readonly IDataObject[],
	options: INodeParameters = {},
	how: Parameters<typeof runNode>[2] = {},
	saved = sandbox.credentials(),
) => await runNode(saved, form(options), { items, ...how });

const SKIP = { ifAlreadyPaid: 'skip' };
const RUN_CHECK = { checkOnly: true, checkOutput: 'run' };

const check = async (items: readonly IDataObject[], options: INodeParameters = {}) =>
	(await pay(items, { ...RUN_CHECK, ...options })).output[0]?.json;

const OTHERS = 'others are paid only if';

const approvalOf = async (items: readonly IDataObject[]) => String((await check(items))?.approval);

const host = () => new URL(sandbox.url).host;

function signedFor([row]: readonly IDataObject[]) {
	const { domain } = JSON.parse(String(row?.authorization));
	const chain = `Arbitrum Sepolia (test network), chain ${domain.chainId}`;
	return { chain, contract: String(domain.verifyingContract), service: host() };
}

function on(items: readonly IDataObject[]): string {
	const { chain, contract } = signedFor(items);
	return `${chain}, contract ${contract}`;
}

/** What n8n's list of executions can be searched for. */
const metadataOf = ({ stored }: RunResult): unknown => JSON.parse(stored).metadata;

describe('a pay run', () => {
	it('is checked as a whole, approved once, and paid', async () => {
		const items = await sheet();
		const cents = sandbox.firstTeam.balances.get('USD') ?? 0n;
		const checked = await check(items);
		expect(checked).toMatchObject({
			check: 'passed',
			summary: `Pay 5 of 5 rows, $625.00 of $625.00. Service: ${host()}. Signed for ${on(items)}`,
			service: host(),
			payments: items.map(() => expect.objectContaining(signedFor(items))),
			balance: (Number(cents) / 100).toFixed(2),
			balance_after: (Number(cents) / 100 - 625).toFixed(2),
			duplicates: [],
		});
		expect(sandbox.writes()).toEqual([]);

		const approvedCheck = String(checked?.approval);
		const size = { expectedPayments: 5, expectedTotal: ' 625 ' };
		const paid = await pay(items, { approvedCheck, ...SKIP, ...size });
		expect(paid.error).toBeUndefined();
		expect(metadataOf(paid)).toMatchObject({
			...{ payments_paid: '5', payments_total: '625.00', payments_refused: '0' },
			...{ payments_unknown: '0', payments_not_sent: '0' },
		});
		expect(paid.output.map(({ json, pairedItem }) => [json.outcome, pairedItem])).toEqual(
			items.map((_, item) => ['paid', { item }]),
		);
		expect(sandbox.writes()).toHaveLength(5);

		/* The same approval holds for the same sheet again, and nobody is paid twice. */
		const again = await pay(items, { approvedCheck, ...SKIP });
		const left = { outcome: 'already_paid', transaction: null };
		expect(recordsOf(again.output)).toMatchObject(Array(5).fill(left));
		expect(sandbox.writes()).toHaveLength(5);
		const skipping = await pay(items, { ...SKIP, checkOnly: true });
		expect(skipping.output[0]?.json.summary).toMatch(/^Already paid, so not sent again: Pay /);
		expect(await check(items)).toMatchObject({
			approval: approvedCheck,
			to_send_count: 0,
			already_paid: PAYEES.map((email, index) => ({
				row: index + 1,
				summary: `$125.00 to ${email}`,
			})),
		});
		/* The balance is that of the team that pays the rest, or of the only one. */
		const more = await sheet(['hal@example.com'], sandbox.organisation.teams[1]);
		const known = { balance: expect.any(String), message: expect.stringContaining(OTHERS) };
		expect(await check([...items, ...more])).toMatchObject({ to_send_count: 1, ...known });
		for (const [options, how] of [[SKIP], [{}, CONTINUE]] as const) {
			const { output } = await pay([...items, ...more], { ...RUN_CHECK, ...options }, how);
			expect(output[0]?.json.message).not.toContain(OTHERS);
		}
		expect((await check(items))?.balance).toEqual(expect.any(String));
	});

	it('names several people whose money goes to one wallet, unless all of it does', async () => {
		const [ana = '', ben = '', cleo = ''] = PAYEES;
		const [first = {}, second = {}, third = {}] = await sheet([ana, ana, cleo]);
		const textOf = async (...rows: IDataObject[]) => String((await check(rows))?.message);
		const other = { ...second, email: ben };
		expect(await textOf(first, other, third)).toMatch(/with one wallet:\n• INV-0, INV-1\n/);
		expect(await textOf(first, other)).not.toContain('one wallet');
		expect(await textOf(first, second, third)).not.toContain('one wallet');
		const withoutWallet = [first, other].map(({ authorization, ...row }: IDataObject) => ({
			...row,
			authorization: String(authorization)
				.replace('"recipient","type":"address"', '"recipient","type":"string"')
				.replace(/"recipient":"0x\w+"/, '"recipient":""'),
		}));
		expect(await textOf(...withoutWallet, third)).not.toContain('one wallet');
	});

	it('shows in its check what would become of each row', async () => {
		/* Only then does an authorization say whose it is. */
		sandbox.service.change({ paymentForm: 'texts' });
		const items = await sheet([...PAYEES, 'EVA@example.com', 'fay@example.com']);
		/* Digits that a sheet turned into a number. */
		items[0] = { ...items[0], reference: 42 };
		await pay(items.slice(0, 1));
		await sandbox.fault({ kind: 'cutBefore', match: PAYMENT });
		await pay(items.slice(1, 2));
		items[2] = { ...items[2], reference: ' 42' };
		items[3] = { ...items[3], email: 'dan(at)example.com' };
		items[4] = { ...items[4], reference: ' INV-4 ' };
		/* Its authorization is another person's. */
		items[6] = { ...items[6], email: 'gus@example.com' };
		items.push(...(await sheet(['hal@example.com'], sandbox.organisation.teams[1])));
		const { output } = await pay(items, RUN_CHECK);
		const unread = 'Recipient Email must be a valid email address, not "dan(at)example.com"';
		const again =
			'The payment of $125.00 to cleo@example.com would be refused, because row 1 has the same reference';
		const foreign =
			'In Payment Authorization, data.data is "fay@example.com", which contains an email address other than gus@example.com';
		const json = {
			check: 'failed',
			summary: `Check failed: 3 of 8 rows refused, the first is row 3 (42): ${again}. Pay 3 of 8 rows, $375.00 of $1,000.00; 1 already paid, 1 unknown, 3 refused, 2 with the same recipient and amount as another. Service: ${host()}. Signed for ${on(items)}`,
			service: host(),
			approval: null,
			...{ message: expect.any(String), html: expect.any(String) },
			count: 8,
			total: '1000.00',
			to_send_count: 3,
			to_send_total: '375.00',
			currency: 'USD',
			/* There are two teams. */
			...{ balance: null, balance_after: null },
			payments: [0, 1, 2, 4, 5, 7].map((index) => {
				const { team, email, reference } = items[index] ?? {};
				const row = { team, recipient_email: email, reference: String(reference).trim() };
				return expect.objectContaining(row);
			}),
			already_paid: [{ row: 1, summary: '$125.00 to ana@example.com' }],
			unknown: [
				{
					row: 2,
					summary: '$125.00 to ben@example.com',
					attempt_code: expect.stringMatching(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/),
					error: expect.stringContaining('was already sent'),
				},
			],
			refused: [
				{ row: 3, summary: '$125.00 to cleo@example.com', error: again },
				{ row: 4, summary: '$125.00 with reference INV-3', error: unread },
				{ row: 7, summary: '$125.00 to gus@example.com', error: foreign },
			],
			duplicates: [[5, 6]],
		};
		expect(output).toEqual([{ json, pairedItem: items.map((_, item) => ({ item })) }]);
		const each = recordsOf((await pay(items, { checkOnly: true }, CONTINUE)).output);
		expect(each.map((row) => row.outcome ?? row.check).join(' ')).toBe(
			'refused unknown refused refused passed passed refused passed',
		);
		const failed = { check: 'failed', approval: null };
		expect(each[3]).toMatchObject({ ...failed, error: `${unread} [item 3]` });
		expect(each[3]).not.toHaveProperty('signer');
		expect(each.some((row) => 'run_message' in row)).toBe(false);
	});

	it('moves no more than Maximum per Run, whatever On Error says', async () => {
		const all = await sheet([...PAYEES, 'fay@example.com']);
		const items = all.slice(0, 3);
		const limited = async (options: INodeParameters = {}, how = {}, rows = items) =>
			await pay(rows, options, how, sandbox.credentials({ maximumPerRun: '250' }));
		const message = 'These credentials allow runs up to $250.00, and this one would move $375.00';

		expect((await limited()).error).toMatchObject({
			message: `${message} [item 0]`,
			description: expect.stringContaining('The limit is Maximum per Run in'),
		});
		expect((await limited({ checkOnly: true })).error?.message).toBe(`${message} [item 0]`);
		expect((await limited({ typedAmountUnit: 'notChecked' })).error?.message).toContain(
			'The signed amount can’t be compared with the limit',
		);
		expect(recordsOf((await limited({}, CONTINUE)).output)).toMatchObject(
			items.map(({ email }, row) => ({
				...{ outcome: 'refused', error: `${message} [item ${row}]`, amount: '125.00' },
				recipient_email: email,
			})),
		);
		expect(recordsOf((await limited(RUN_CHECK)).output)).toMatchObject([
			{
				...{ check: 'failed', approval: null, total: '375.00', to_send_count: 0 },
				refused: items.map(({ email }, index) => ({
					row: index + 1,
					summary: `$125.00 to ${String(email)}`,
					error: message,
				})),
			},
		]);
		expect(sandbox.writes()).toEqual([]);

		/* What was paid before, or is refused, isn't sent: it doesn't count. */
		expect((await limited({}, {}, items.slice(0, 2))).error).toBeUndefined();
		expect(outcomesOf((await limited(SKIP)).output)).toEqual([
			'already_paid',
			'already_paid',
			'paid',
		]);
		all[4] = { ...all[4], authorization: String(all[3]?.authorization) };
		const partly = await limited({}, CONTINUE, all.slice(3));
		expect(outcomesOf(partly.output)).toEqual(['paid', 'refused', 'paid']);
		expect(sandbox.writes()).toHaveLength(5);
	});

	it('is checked with each contract, and without a balance where it or all rows can’t be read', async () => {
		await sandbox.fault({ kind: 'status', status: 403, match: { path: 'balance' } });
		const items = await sheet();
		const other = JSON.parse(String(items[1]?.authorization));
		other.domain.verifyingContract = `0x${'cd'.repeat(20)}`;
		items[1] = { ...items[1], authorization: JSON.stringify(other) };
		const unread = { balance: null, balance_after: null };
		expect(await check(items, { typedAmountUnit: 'notChecked' })).toMatchObject({
			...{ check: 'passed', ...unread },
			summary: expect.stringMatching(
				/; 5 whose authorization wasn’t compared with the amount\. .* Signed for Arbitrum .*, contract 0x\w{40} and Arbitrum .*, contract 0x/,
			),
		});
		sandbox.service.wireLog.clear();
		expect(await check([{}])).toMatchObject({
			...{ check: 'failed', count: 1, ...unread },
			refused: [{ row: 1, summary: '$125.00', error: expect.any(String) }],
		});
		expect(sandbox.wire()).toEqual([]);
	});

	it('names the fault of a row, and for the others that of the run', async () => {
		const [first, second] = await sheet(PAYEES.slice(0, 2));
		const items = [{ ...first, email: 'ana(at)example.com' }, { ...second }];
		const fault =
			'Recipient Email must be a valid email address, not "ana(at)example.com" [item 0]';
		const saved = sandbox.credentials({ access: 'readOnly' });
		const { output } = await pay(items, {}, CONTINUE, saved);
		expect(output.map(({ json }) => json.error)).toEqual([
			fault,
			'These credentials don’t allow sending payments [item 1]',
		]);
		expect(output[1]?.json).toMatchObject({ reference: 'INV-1', amount: '125.00' });
		const { error } = await pay(items, {}, {}, saved);
		expect(error?.message).toBe(fault);
		expect(error?.description).not.toContain('These credentials');

		/* So does the size of the run. */
		const unread = 'and 1 of its rows can’t be read';
		const hint = 'Check the rows, or correct the number under Options. Nothing was signed or sent.';
		for (const [options, message] of [
			[{ expectedPayments: 3 }, `Expected Payments is 3, but this run has 2, ${unread}`],
			[
				{ expectedTotal: '125.00' },
				`Expected Total is $125.00, but this run has $125.00, ${unread}`,
			],
		] as const) {
			const refused = await pay(items, options, CONTINUE);
			expect(recordsOf(refused.output)).toMatchObject([
				{ error: fault, outcome: 'refused', reference: 'INV-0', amount: '125.00' },
				{ error: `${message} [item 1]`, outcome: 'refused', amount: '125.00', hint },
			]);
			expect(refused.output[0]?.json.run_message).toBe(
				`0 of 2 paid ($0.00), 2 refused. INV-0: ${fault.slice(0, -9)}. ${message}.`,
			);
			const { output: checked } = await pay(items, { ...options, ...RUN_CHECK }, CONTINUE);
			expect(checked[0]?.json).toMatchObject({ check: 'failed', count: 2, total: '250.00' });
		}
		const counted = await pay(items, { expectedPayments: 2 }, CONTINUE);
		expect(outcomesOf(counted.output)).toEqual(['refused', 'paid']);
	});

	it('doesn’t pass its check where a reference was paid to someone else', async () => {
		const [ana, ben, cleo] = await sheet(PAYEES.slice(0, 3));
		const items = [{ ...ben, reference: 'inv-001' }, { ...cleo }];
		const approvedCheck = await approvalOf(items);
		await pay([{ ...ana, reference: 'INV-001' }]);
		const error = expect.stringContaining(
			'reference inv-001 was used for another recipient or amount',
		);
		expect(await check(items)).toMatchObject({
			check: 'failed',
			already_paid: [],
			refused: [{ row: 1, summary: '$125.00 to ben@example.com', error }],
		});
		const { output } = await pay(items.slice(0, 1), SKIP, CONTINUE);
		expect(output[0]?.json).toMatchObject({ outcome: 'refused', error });
		const whole = await pay(items, { ...SKIP, approvedCheck }, CONTINUE);
		expect(recordsOf(whole.output)).toMatchObject([
			{ outcome: 'refused', error },
			{
				outcome: 'refused',
				error: expect.stringMatching(
					/^This run isn’t the one that was approved, because of row 1 \(The payment of .*reference inv-001 was used for another recipient or amount\) \[item 1\]$/,
				),
				hint: expect.stringContaining('Correct or leave out what was refused'),
			},
		]);
		expect(sandbox.writes()).toHaveLength(1);
	});

	it('names a recipient that the credentials don’t allow with its row', async () => {
		const items = await sheet(PAYEES.slice(0, 3));
		const saved = () => sandbox.credentials({ paymentRecipients: '@example.org, ana@example.com' });
		const message = 'These credentials don’t allow paying ben@example.com';
		const { error } = await pay(items, {}, {}, saved());
		expect(error?.message).toBe(`Row 2: ${message}`);
		expect(error?.description).toContain('Also failed: Row 3: These credentials don’t allow');
		const one = await pay(items.slice(1, 2), {}, {}, saved());
		expect(one.error?.message).toBe(`${message} [item 0]`);
		const { output } = await pay(items, {}, CONTINUE, saved());
		expect(recordsOf(output)).toMatchObject([
			{ outcome: 'paid' },
			{ outcome: 'refused', error: `Row 2: ${message}`, recipient_email: PAYEES[1] },
			{ outcome: 'refused', recipient_email: PAYEES[2], reference: 'INV-2' },
		]);
	});

	it.each<[INodeParameters, string]>([
		[{ expectedPayments: 4 }, 'Expected Payments is 4, but this run has 5'],
		[{ expectedPayments: 0 }, 'Expected Payments must be a whole number, 1 or more'],
		[{ expectedTotal: '625.01' }, 'Expected Total is $625.01, but this run has $625.00'],
		[{ expectedTotal: '' }, 'Expected Total is empty'],
		[{ expectedTotal: '625,00' }, 'Expected Total must be dollars in digits, e.g. 34500.00'],
		[{ expectedTotal: true }, 'Expected Total must be dollars in digits, e.g. 34500.00'],
		[{ approvedCheck: '' }, 'Approved Check is empty'],
	])('isn’t paid with %j', async (options, message) => {
		const { error } = await pay(await sheet(), options);
		expect(error?.message.replace(/ \(the same in .*\)/, '')).toBe(`${message} [item 0]`);
		expect(sandbox.writes()).toEqual([]);
	});

	it('goes on after a refusal with Continue, and ends at the first unknown outcome', async () => {
		const items = await sheet();
		await sandbox.fault({ kind: 'status', status: 400, match: PAYMENT });
		await sandbox.fault({ kind: 'cutBefore', match: PAYMENT, skip: 1 });
		const options = { ...SKIP, approvedCheck: await approvalOf(items) };
		const { output: first } = await pay(items, options, CONTINUE);
		expect(outcomesOf(first)).toEqual(['refused', 'paid', 'unknown', 'not_sent', 'not_sent']);
		const confirmedNotPaid = String(first[2]?.json.attempt_code);
		expect(confirmedNotPaid).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/);

		/* The next day: the rest is paid, the unknown one is left alone. */
		const { output: second } = await pay(items, options, CONTINUE);
		expect(outcomesOf(second)).toEqual(['paid', 'already_paid', 'unknown', 'paid', 'paid']);
		expect(sandbox.writes()).toHaveLength(3 + 3);

		/* A person asked the service: it wasn't made, so its code releases exactly this one. */
		const { output: third } = await pay(items, { ...options, confirmedNotPaid });
		const others = Array<string>(2).fill('already_paid');
		expect(outcomesOf(third)).toEqual([...others, 'paid', ...others]);
	});

	it('counts in its error what was paid, and what wasn’t', async () => {
		const items = await sheet();
		await sandbox.fault({ kind: 'cutAfter', match: PAYMENT, skip: 2 });
		const { error } = await pay(items, {}, { node: TWICE });
		expect(error?.description).toMatch(
			/^2 of 5 paid .{9}, 1 unknown, 2 not sent\. (?!.*must be left out)/,
		);
		expect(error?.data).toMatchObject({
			completed: [{ item: 0 }, { item: 1 }],
			failures: [{ item: 2, outcome: 'unknown', attempt_code: expect.any(String) }],
		});
		const { error: later } = await pay(items, SKIP);
		expect(later?.description).toContain('0 of 5 paid ($0.00), 2 paid before, 1 unknown,');
		expect(sandbox.writes()).toHaveLength(3);
	});

	it('puts an unknown outcome before refusals in its error, and names every failure', async () => {
		const refuse = async (status: number, message: string) =>
			await sandbox.fault({ kind: 'status', status, message, match: PAYMENT });
		await refuse(400, 'Limit reached');
		await sandbox.fault({ kind: 'cutAfter', match: PAYMENT });
		await refuse(403, 'Not today');
		const { error } = await pay(await sheet(PAYEES.slice(0, 3)), { concurrency: 3 });
		expect(error?.message).toMatch(/may or may not have been made/);
		expect(error?.description).toMatch(
			/Also failed: .*(Limit reached|Not today).*; .*(Limit reached|Not today)/,
		);
		expect(error?.data).toMatchObject({
			failures: [
				{ outcome: 'unknown', attempt_code: expect.any(String) },
				{ outcome: 'refused', http_status: expect.any(Number) },
				{ outcome: 'refused', http_status: expect.any(Number) },
			],
		});
	});

	/** Runs a node, and stops the execution once a request of it has arrived. */
	async function stopDuring(
		match: { readonly method?: string; readonly path: string },
		start: (stop: AbortSignal) => Promise<RunResult>,
		fault: Partial<Parameters<typeof sandbox.fault>[0]> = {},
	): Promise<RunResult> {
		await sandbox.fault({ kind: 'latency', delay: 500, match, ...fault });
		const count = () => sandbox.requests().filter(({ path }) => path.includes(match.path)).length;
		const [before, stop] = [count(), new AbortController()];
		const run = start(stop.signal);
		const isSent = async () => await Promise.resolve(count() > before + (fault.skip ?? 0));
		await waitUntil('the request is sent', isSent, { milliseconds: 30_000 });
		stop.abort();
		return await run;
	}

	const notes = () => log.lines.filter((line) => line.includes('Execution execution-'));

	it('leaves typed data of new administrators in n8n’s log, since nothing else keeps it', async () => {
		const parameters = sandbox.administratorInvites('a@example.com', { operation: 'send' });
		await stopDuring(
			{ method: 'POST', path: 'manager' },
			async (stop) => await sandbox.run(parameters, { stop }),
		);
		expect(notes()).toEqual([
			expect.stringMatching(/unknown: item 0; for Execute: \[\{"invites":\["in-.*"typed_data":\{/),
		]);
	});

	it('pays only the first of five when it is stopped during that one, and the rest the next time', async () => {
		const items = await sheet();
		await stopDuring(PAYMENT, async (stop) => await pay(items, SKIP, { ...CONTINUE, stop }));
		/* What was under way is awaited, and nothing else starts. */
		const isRecorded = async () => (await check(items))?.to_send_count === 4;
		await waitUntil('the first payment is recorded', isRecorded, { milliseconds: 30_000 });
		const note =
			/Execution execution-\d+, node Payroll: Stopped in .* payment\.create; done: item 0 \(tx-\S{12}\)$/;
		expect(notes()).toEqual([expect.stringMatching(note)]);
		expect(sandbox.writes()).toHaveLength(1);
		expect(await check(items)).toMatchObject({ already_paid: [{ row: 1 }], unknown: [] });

		const next = await pay(items, SKIP);
		expect(outcomesOf(next.output)).toEqual(['already_paid', ...Array(4).fill('paid')]);
		expect(metadataOf(next)).toMatchObject({ payments_paid: '4' });
		expect(sandbox.writes()).toHaveLength(5);
		expect(notes()).toHaveLength(1);
	});

	it('leaves nothing in n8n’s log when a check, a read or a refused payment is stopped', async () => {
		const items = await sheet(PAYEES.slice(0, 1));
		const balance = { path: 'balance' };
		await stopDuring(balance, async (stop) => await pay(items, RUN_CHECK, { stop }));
		const reading = sandbox.balance({ options: { concurrency: 1 } });
		await stopDuring(
			balance,
			async (stop) => await sandbox.run(reading, { items: [{}, {}], stop }),
			{ skip: 1 },
		);
		const refused = { kind: 'status', status: 400 } as const;
		await stopDuring(PAYMENT, async (stop) => await pay(items, {}, { stop }), refused);
		expect(notes()).toEqual([]);
	});

	it('doesn’t say that nothing was sent once the service has refused a payment', async () => {
		const [first, second] = await sheet(PAYEES.slice(0, 2));
		await sandbox.fault({ kind: 'status', status: 400, match: PAYMENT, times: 'always' });
		const items = [{ ...first }, { ...second, email: 'ben(at)example.com' }];
		const { output } = await pay(items, {}, CONTINUE);
		expect(output.map(({ json }) => json.hint)).toEqual([
			'Check the values that were sent; the service’s message may say what is wrong. Fix the problem, then run the node again.',
			'Correct the field, then run the node again. This was not sent.',
		]);
		const { error } = await pay(items.slice(0, 1));
		expect(error?.description).not.toMatch(/Nothing was signed|not sent/);
	});

	it('isn’t paid twice by Retry On Fail, and says what was paid before the failure', async () => {
		const items = await sheet();
		await sandbox.fault({ kind: 'status', status: 400, match: PAYMENT, skip: 2, times: 'always' });
		const unnamed = { ...form(), paymentReference: '' };
		const { error } = await sandbox.run(unnamed, { items, node: { ...TWICE, maxTries: 3 } });
		expect(error?.message).toMatch(/wasn’t accepted\. .* \[item 2\]$/);
		expect(error?.description).toMatch(
			/^2 of 5 paid \(\$250\.00\), 1 refused, 2 not sent\. Already done before this error: item 0 \(tx-[\w-]{12}\), item 1 \(tx-[\w-]{12}\)\. Payments without a Payment Reference must be left out/,
		);
		const made = { transaction: expect.stringMatching(/^tx-/), already_sent: true };
		expect(error?.data).toMatchObject({ completed: [0, 1].map((item) => ({ item, ...made })) });
		/* The first two once, and the third in each try. */
		expect(sandbox.writes()).toHaveLength(5);
	});

	it('sends nothing more after an unknown outcome behind a refused one, with Retry On Fail and Continue', async () => {
		await sandbox.fault({ kind: 'status', status: 400, match: PAYMENT });
		await sandbox.fault({ kind: 'cutAfter', match: PAYMENT, times: 'always' });
		const retried = { ...CONTINUE.node, ...TWICE, maxTries: 3 };
		const { output } = await pay(await sheet(), {}, { node: retried });
		expect(outcomesOf(output)).toEqual(['refused', 'unknown', ...Array(3).fill('not_sent')]);
		/* What the first try sent is not said to be unsent. */
		expect(output[0]?.json.hint).toBe(
			'Check the values that were sent; the service’s message may say what is wrong. Fix the problem, then run the node again.',
		);
		expect(output[2]?.json).toMatchObject({
			error: 'This was not sent, because the run ended before it [item 2]',
			hint: 'Look at the failure before it, then run the node again.',
		});
		expect(sandbox.writes()).toHaveLength(2);
	});

	it('from the team’s account reads that once, and says if it can’t', async () => {
		await sandbox.control('POST', 'settings', { typedDataFrom: 'teamAccount' });
		const items = await sheet();
		const balances = () => sandbox.requests().filter(({ path }) => path.startsWith('/v2/balance'));
		const { output } = await pay(items, { checkOnly: true });
		expect(recordsOf(output)).toEqual(Array(5).fill(expect.objectContaining({ check: 'passed' })));
		expect(balances()).toHaveLength(1);

		const refusal = { kind: 'status', status: 403, match: { path: 'balance' } } as const;
		await sandbox.fault({ ...refusal, times: 'always' });
		const { error } = await pay(items.slice(0, 1));
		expect(error?.message).toMatch(
			/^In Payment Authorization, from is 0x\w{40}, not the signing wallet 0x\w{40}, and the account of team \S+ can’t be read\. .*told to fail/,
		);
		expect(error?.description).toMatch(/role/);
	});

	it('from the team’s account tells what an earlier try did, where that can’t be read any more', async () => {
		await sandbox.control('POST', 'settings', { typedDataFrom: 'teamAccount' });
		await sandbox.fault({ kind: 'cutAfter', match: PAYMENT, skip: 2, times: 'always' });
		const match = { path: 'balance' };
		await sandbox.fault({ kind: 'status', status: 403, match, skip: 1, times: 'always' });
		const stops = await pay(await sheet(), {}, { node: TWICE });
		expect(stops.error?.message).toMatch(/^The payment of .* may or may not have been made/);
		expect(stops.error?.description).toMatch(
			/2 of 5 paid \(\$250\.00\), 2 refused, 1 unknown\. Already done before this error: item 0 \(tx-/,
		);
		expect(stops.error?.description).not.toContain('Nothing was signed or sent');
		const columns = { amount: '125.00', currency: 'USD', signer: sandbox.wallet().address };
		expect(stops.error?.data).toMatchObject({
			completed: [0, 1].map((item) => ({ item, already_sent: true, ...columns })),
		});
	});

	it('refuses only the row whose own Approved Check differs, with Continue', async () => {
		const items = await sheet();
		const checked = await pay(items, { checkOnly: true });
		const approved = items.map((item, index) => ({
			...item,
			approval: index === 2 ? '0000-0000-0000-0000' : checked.output[index]?.json.approval,
		}));
		const approvedCheck = '={{ $json.approval }}';
		expect((await pay(approved, { approvedCheck })).error?.message).toMatch(/\[item 2\]$/);
		expect(sandbox.writes()).toEqual([]);
		const { output } = await pay(approved, { approvedCheck, ...SKIP }, CONTINUE);
		expect(outcomesOf(output)).toEqual(['paid', 'paid', 'refused', 'paid', 'paid']);
		expect(sandbox.writes()).toHaveLength(4);
	});

	it('says where it isn’t the run that was approved how much is left of it, unless an outcome is unknown', async () => {
		const items = await sheet(PAYEES.slice(0, 2));
		const approvedCheck = '0000-0000-0000-0000';
		const refuse = async () => (await pay(items, { approvedCheck, ...SKIP })).error?.description;
		expect(await refuse()).toContain('The run now has 2 payments totaling $250.00. Give');
		await pay(items.slice(0, 1));
		expect(await refuse()).toContain('The run now has 1 payment totaling $125.00. Give');
		items[0] = { ...(await sheet(['cleo@example.com']))[0], reference: 'INV-2' };
		await sandbox.fault({ match: { method: 'PUT' }, kind: 'cutAfter' });
		await pay(items.slice(0, 1));
		expect(await refuse()).not.toContain('approved');
		const { output } = await pay(items, { approvedCheck }, CONTINUE);
		expect(outcomesOf(output)).toEqual(['unknown', 'refused']);
	});

	it('isn’t paid once a person declined, although n8n goes on', async () => {
		const rows = await sheet(['ana@example.com']);
		const list = rows.map((row) => ({ ...row, amount: '125.00' }));
		const settings = { paymentsSource: 'json', paymentsJson: JSON.stringify(list) };
		const run = async (approved: boolean, options: INodeParameters) =>
			await runNode(
				sandbox.credentials(),
				{ ...form(options), teamId: sandbox.firstTeam.nanoid, ...settings },
				{ items: [{ data: { approved } }] },
			);
		const checked = await run(false, RUN_CHECK);
		const approvedCheck = String(checked.output[0]?.json.approval);
		const declined = await run(false, { approvedCheck });
		expect(declined.error?.message).toContain('The approval before this node was declined');
		/* A no declines what it is about in every row, with Continue too. */
		const people = await sheet();
		const said = people.map((row, item) =>
			item === 0 ? { ...row, data: { approved: false } } : row,
		);
		const { output } = await pay(said, { approvedCheck: await approvalOf(people) }, CONTINUE);
		expect(outcomesOf(output)).toEqual(Array(5).fill('refused'));
		expect(sandbox.writes()).toEqual([]);
		expect(outcomesOf((await run(true, { approvedCheck })).output)).toEqual(['paid']);
	});

	it('counts as refused where only a read before it failed', async () => {
		const saved = sandbox.credentials({ signInDomain: new URL(sandbox.url).host });
		await sandbox.fault({ match: { path: '^/v2/balance' }, kind: 'cutBefore', times: 9 });
		const { output } = await pay(await sheet(), {}, CONTINUE, saved);
		expect(outcomesOf(output)).toEqual(Array(5).fill('refused'));
		await sandbox.fault({ match: { path: '^/v2/invites' }, kind: 'cutBefore', times: 9 });
		const invite = { resource: 'invite', operation: 'create', teamId: sandbox.team };
		const rows = { inviteesSource: 'items', options: { retries: 0 } };
		const how = { items: await sheet(), ...CONTINUE };
		const invited = await sandbox.run({ ...invite, ...rows }, how);
		expect(outcomesOf(invited.output)).toEqual(Array(5).fill('refused'));
	});

	it('can be found by its invoice in n8n’s list of executions, unless it was only checked', async () => {
		const items = await sheet(['ana@example.com']);
		expect(metadataOf(await pay(items, { checkOnly: true })) ?? {}).toEqual({});
		expect(metadataOf(await pay(items))).toMatchObject({
			payment_reference: 'INV-0',
			payment_outcome: 'paid',
			payment_transaction: expect.stringMatching(/^tx-/),
		});
		await sandbox.fault({ kind: 'status', status: 400, match: PAYMENT, times: 1 });
		const [next] = await sheet(['ben@example.com']);
		const refused = await pay([{ ...next, reference: 'INV-1' }]);
		const unpaid = { payment_reference: 'INV-1', payment_outcome: 'refused' };
		expect(metadataOf(refused)).toEqual(unpaid);
		expect(refused.error?.message).toContain('wasn’t accepted');
		const unnamed = await sandbox.run({ ...form(), paymentReference: '' }, { items: [next ?? {}] });
		expect(unnamed.error).toBeUndefined();
		const skipped = { payment_reference: 'INV-0', payment_outcome: 'already_paid' };
		expect(metadataOf(await pay(items, SKIP))).toEqual(skipped);
	});
});
