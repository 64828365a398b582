/* What n8n's mechanisms make of one run: later tries, agents' calls, nodes with one ID, loops. */
import {
	NodeConnectionTypes,
	type IDataObject,
	type INode,
	type INodeParameters,
} from 'n8n-workflow';

import '../support/withoutPauses';
import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { sentByProcess } from '../../nodes/PayrollPayments/idempotency/processMemory';
import { engineNode, nodeTypeOf, NodeTypes, runInEngine } from '../../n8nHost/engine';
import {
	CONTINUE,
	outcomesOf,
	processedKeys,
	recordsOf,
	runNode,
	TWICE,
	type RunResult,
} from '../support/actionHost';
import { PAYMENT, useActionSandbox, without } from '../support/actionSandbox';
import { formFor } from '../support/sandboxForms';

const sandbox = useActionSandbox();
const REFUSED = { kind: 'status', status: 400, match: PAYMENT } as const;
const CUT = { kind: 'cutAfter', match: PAYMENT } as const;
const LOST = expect.stringContaining('database is locked');
const THRICE = { ...TWICE, maxTries: 3 };
const CONTINUED = { ...TWICE, ...CONTINUE.node };
const SKIP = { ifAlreadyPaid: 'skip' };
/** As n8n's engine runs a tool that an agent asked for (requests-response.js). */
const TOOL: Partial<INode> = {
	type: 'payrollPaymentsTool',
	rewireOutputLogTo: NodeConnectionTypes.AiTool,
};

async function sheet(
	names = ['ana', 'ben', 'cleo'],
	amount_cents = 12_500,
): Promise<IDataObject[]> {
	const amount = `${amount_cents / 100}.00`;
	const rows = names.map(async (name) => {
		const email = `${name}@example.com`;
		const authorization = JSON.stringify(await sandbox.authorization({ email, amount_cents }));
		return { email, amount, reference: `INV-${name}`, authorization };
	});
	return await Promise.all(rows);
}

const form = (change: INodeParameters = {}): INodeParameters => ({
	...{ resource: 'payment', operation: 'create', teamId: sandbox.team, paymentsSource: 'items' },
	...change,
});

/** Credentials that differ by how many changes the service got. */
function changingCredentials(
	differ: (made: number) => object,
	made = () => sandbox.writes().length,
) {
	const saved = sandbox.credentials();
	const { data } = saved;
	const read = async () => await Promise.resolve({ ...data, ...differ(made()) });
	jest.spyOn(saved, 'getDecrypted').mockImplementation(read);
	return saved;
}

/** Credentials that n8n can't read any more once the service got more than some changes. */
const lostCredentials = (changes: number, made?: () => number) =>
	changingCredentials((count) => {
		if (count > changes) throw new Error('SQLITE_BUSY: database is locked');
		return {};
	}, made);

/** What an item holds in one try after the other. */
const inTurn = <Held>(...held: readonly Held[]): readonly Held[] => held;

const LISTS = { paymentsSource: 'json', paymentsJson: '={{ $json.lists.shift() }}' };

/** Pays lists of rows, of which each item holds another one in each try. */
async function payLists(
	lists: ReadonlyArray<readonly unknown[]>,
	node: Partial<INode> = TWICE,
	options: INodeParameters = {},
	saved = sandbox.credentials(),
) {
	const items = lists.map((each) => ({ lists: [...each] })) as IDataObject[];
	return await runNode(saved, form({ ...LISTS, options }), { items, node });
}

/** A form that reads another row in each try. */
const rereadForm = async (change: INodeParameters = {}) =>
	sandbox.paying(await sandbox.authorization(), {
		recipientEmail: '={{ $json.email.shift() }}',
		typedData: '={{ $json.authorization.shift() }}',
		paymentReference: '={{ $json.reference.shift() }}',
		...change,
	});

/** Pays with that form. */
async function payForms(rows: ReadonlyArray<readonly IDataObject[]>, node = TWICE) {
	const items = rows.map((held) =>
		Object.fromEntries(
			['email', 'authorization', 'reference'].map((name) => [name, held.map((row) => row[name])]),
		),
	) as IDataObject[];
	return await sandbox.run(await rereadForm(), { items, node });
}

/** The same row for a form, or for a list, that can’t be read any more. */
const unread = (row: IDataObject, email: boolean | null = null): IDataObject => ({ ...row, email });
const unpriced = (row: IDataObject): IDataObject => ({ ...row, amount: '' });
const TWO_PAID = /^2 of 3 paid \(\$250\.00\), 1 refused\./;
const MAYBE = /may or may not have been made/;

type Rows = readonly [ana: IDataObject, ben: IDataObject, cleo: IDataObject];

it.each<
	[
		what: string,
		fault: Parameters<typeof sandbox.fault>[0],
		run: (rows: Rows) => Promise<RunResult>,
		told: { message?: RegExp; description?: RegExp; completed?: object[] },
	]
>([
	[
		'what an earlier one paid, though n8n can’t read the credentials any more',
		{ ...REFUSED, skip: 1, times: 'always' },
		async (items) => await runNode(lostCredentials(1), form(), { items, node: TWICE }),
		{
			description: /^1 of 3 paid \(\$125\.00\), 2 refused\. Already done before this error: /,
			completed: [{ transaction: expect.stringMatching(/^tx-/) }],
		},
	],
	[
		'what an earlier one paid, though the service refuses every token since',
		{ kind: 'status', status: 401, match: { path: 'balance|instant' }, skip: 2, times: 'always' },
		async (items) => await sandbox.run(form(), { items, node: TWICE }),
		/* Two are made where the token needs no read that confirms it. */
		{
			description:
				/^[12] of 3 paid \(\$\d+\.00\), 1 refused.* Already done before this error: row 1/,
		},
	],
	[
		'what an earlier one left unknown, though n8n can’t read the credentials any more',
		CUT,
		async (items) => await runNode(lostCredentials(0), form(), { items, node: TWICE }),
		{ message: MAYBE },
	],
	[
		'what an earlier one paid, though it can’t read the form any more',
		{ ...REFUSED, skip: 1, times: 'always' },
		async ([ana, ben]) => await payForms([inTurn(ana, unread(ana)), inTurn(ben, ben)]),
		{ description: /^1 of 2 paid \(\$125\.00\)/ },
	],
	[
		'what an earlier one left unknown, though it can’t read the form any more',
		CUT,
		async ([ana, ben]) => await payForms([inTurn(ana, unread(ana)), inTurn(ben, ben)]),
		{ description: /enter [\dA-F]{4}-[\dA-F]{4}-1 as/ },
	],
	[
		'what is paid where the form of another item can’t be read',
		{ ...REFUSED, skip: 2, times: 'always' },
		async ([ana, ben, cleo]) =>
			await payForms([inTurn(ana, ana), inTurn(ben, ben), inTurn(cleo, unread(cleo, false))]),
		{ description: TWO_PAID, completed: [{}, {}] },
	],
	[
		'what an earlier one left unknown of a row that can’t be read any more',
		CUT,
		async ([ana, ben]) => await payLists([inTurn([ana, ben], [unpriced(ana), ben])]),
		{ message: MAYBE },
	],
	[
		'of the row that it can’t read any more, if that was paid',
		{ ...REFUSED, skip: 2 },
		async ([ana, ...rest]) => await payLists([inTurn([ana, ...rest], [unpriced(ana), ...rest])]),
		{ message: /^Row 1: amount is missing; /, description: TWO_PAID, completed: [{}, {}] },
	],
	[
		'that an earlier one paid only a part of what can’t be read any more',
		{ ...REFUSED, skip: 2 },
		async (rows) => await payLists([inTurn(rows)]),
		{ description: TWO_PAID, completed: [{}, {}] },
	],
	[
		'what was paid for an item that held another payment since',
		{ ...REFUSED, skip: 1, times: 'always' },
		async ([ana, ben, dan]) =>
			await payForms([inTurn(ana, dan, unread(ana)), inTurn(ben, ben, ben)], THRICE),
		{ completed: [{ recipient_email: 'ana@example.com' }] },
	],
	[
		'which item it can’t read, not the one that waits for it',
		{ ...REFUSED, skip: 2, times: 'always' },
		async ([ana, ben, cleo]) =>
			await payForms([inTurn(ana, ana), inTurn(ben, unread(ben, false)), inTurn(cleo, cleo)]),
		{ message: /^Recipient Email must be text \[item 1\]$/ },
	],
	[
		'that a row which the last one didn’t come to can’t be read',
		{ ...REFUSED, skip: 1, times: 'always' },
		async ([ana, ben, cleo]) =>
			await payLists(
				[inTurn<unknown>([ana, ben], [ana, ben], ''), inTurn<unknown>([cleo], '', [{}])],
				THRICE,
			),
		{ message: /^Payments \(JSON\) is an expression that resolved to nothing \[item 0\]$/ },
	],
])('a later try tells %s', async (_what, fault, run, { message, description, completed }) => {
	const [ana = {}, ben = {}, cleo = {}] = await sheet();
	await sandbox.fault(fault);
	const { error } = await run([ana, ben, cleo]);
	if (message !== undefined) expect(error?.message).toMatch(message);
	if (description !== undefined) expect(error?.description).toMatch(description);
	if (completed !== undefined) expect(error?.data).toMatchObject({ completed });
	expect(error?.description).not.toContain('Nothing was signed or sent');
});

describe('a later try for which n8n can’t read the credentials', () => {
	it('keeps nothing of what an earlier one read', async () => {
		const items = [{ team: 'te-000000000000' }, { team: sandbox.team }];
		const balances = () => sandbox.wire().filter(({ path }) => path === '/v2/balance').length;
		const parameters = sandbox.balance({ entityId: '={{ $json.team }}' });
		const saved = lostCredentials(1, balances);
		const { output } = await runNode(saved, parameters, { items, node: CONTINUED });
		expect(recordsOf(output)).toMatchObject([{ error: LOST }, { error: LOST }]);
	});

	it('tells what earlier tries and runs paid or left unknown, with Continue', async () => {
		const [first = {}, second = {}, third = {}, fourth = {}] = await sheet([...'abcd']);
		await sandbox.run(form(), { items: [second] });
		await sandbox.fault(CUT);
		await sandbox.run(form(), { items: [third], ...CONTINUE });
		await sandbox.fault(REFUSED);
		const options = { items: [first, second, third, fourth], node: CONTINUED };
		const { output } = await runNode(lostCredentials(3), form({ options: SKIP }), options);
		expect(outcomesOf(output)).toEqual(['refused', 'already_paid', 'unknown', 'paid']);
		expect(output.map(({ json }) => 'already_sent' in json)).toEqual([false, false, false, true]);
	});
});

describe('a later try that reads other rows than an earlier one', () => {
	it('pays a row though the list before it was shorter in the earlier one', async () => {
		const rows = await sheet(['ana', 'ben', 'ben']);
		const [ana, ben, again] = rows.map((row) => without(row, 'reference'));
		const lists = [inTurn<unknown>('', [ana, ben]), inTurn([again], [again])];
		const { output } = await payLists(lists, CONTINUED, SKIP);
		expect(sandbox.writes()).toHaveLength(3);
		const transactions = recordsOf(output).map(({ transaction }) => transaction);
		expect(new Set(transactions).size).toBe(3);
	});

	it('doesn’t take a row for one of another list', async () => {
		const [a, b, c, d, e] = await sheet(['ana', 'ben', 'cleo', 'dan', 'eva']);
		await sandbox.fault(REFUSED);
		await sandbox.fault({ ...REFUSED, skip: 2, times: 2 });
		const lists = [inTurn([a, b, c]), inTurn([d, e], [d, e])];
		const { output } = await payLists(lists, CONTINUED, { expectedPayments: 5 });
		const references = recordsOf(output).map(({ reference }) => reference);
		expect(references).toEqual(expect.arrayContaining(['INV-dan', 'INV-eva']));
	});

	it('moves no more than Maximum per Run with what it can’t read any more', async () => {
		const [ana = {}, ben = {}] = await sheet();
		await sandbox.fault(REFUSED);
		const lists = [inTurn([ana, ben], [ana, unpriced(ben)])];
		const { output } = await payLists(
			lists,
			CONTINUED,
			{},
			changingCredentials((made) => ({ maximumPerRun: made < 2 ? '250' : '249.99' })),
		);
		expect(sandbox.writes()).toHaveLength(2);
		const error = expect.stringContaining('and this one would move $250.00');
		expect(recordsOf(output)[0]).toMatchObject({ outcome: 'refused', error });
	});

	it('moves no more than Maximum per Run by what is signed, in the earlier one, too', async () => {
		const given = [['', 'ana@example.com'], ['ben@example.com']].map(async (emails) => {
			const payload = await sandbox.authorization({ email: emails.at(-1) });
			const again = [...emails, ...emails];
			return { emails: again, message: payload.message, ...(await sandbox.signed(payload)) };
		});
		const fromItem = { signature: '={{ $json.signature }}', signer: '={{ $json.signer }}' };
		const provided = sandbox.paymentForm({
			...{ recipientEmail: '={{ $json.emails.shift() }}', typedData: '={{ $json.message }}' },
			...{ signatureSource: 'provided', ...fromItem, options: { typedAmountUnit: 'cents' } },
		});
		const saved = sandbox.credentials({ maximumPerRun: '1250200' });
		const items = (await Promise.all(given)) as IDataObject[];
		const { output } = await runNode(saved, provided, { items, node: CONTINUED });
		expect(sandbox.writes()).toHaveLength(1);
		const error = expect.stringContaining('and this one would move $2,500,000.00');
		expect(recordsOf(output)[0]).toMatchObject({ outcome: 'refused', error });
	});

	it('sends nothing after an unknown outcome whose row it can’t read', async () => {
		const [a = {}, b = {}, c = {}] = await sheet();
		await sandbox.fault(REFUSED);
		await sandbox.fault(CUT);
		const { output } = await payLists([inTurn([a, b, c], [a, unpriced(b), c])], CONTINUED);
		expect(sandbox.writes()).toHaveLength(2);
		expect(outcomesOf(output)).toEqual(['refused', 'unknown', 'not_sent']);
	});

	it('doesn’t say of another reference that it is paid', async () => {
		const rows = await sheet(['ana', 'ana']);
		const [one, two] = rows.map((row, index) => ({ ...row, reference: `PAY-${index}` }));
		await sandbox.fault({ ...REFUSED, skip: 1 });
		const { output, error } = await payLists([inTurn([one, two], [two, one])], TWICE, SKIP);
		expect(output).toEqual([]);
		expect(error?.message).toContain('an earlier try of this run paid');
		expect(error?.description).not.toContain('Nothing was signed or sent');
		expect(sandbox.writes()).toHaveLength(2);
	});
});

it('a later try of an approved run keeps why a row was refused, and says not sent of what an unknown outcome left', async () => {
	const items = await sheet(['ana', 'ben', 'cleo', 'dan']);
	await sandbox.fault(CUT);
	await sandbox.run(form(), { items: items.slice(3), ...CONTINUE });
	const check = form({ options: { checkOnly: true, checkOutput: 'run' } });
	const [{ approval = '' } = {}] = recordsOf((await sandbox.run(check, { items })).output);
	await sandbox.fault(REFUSED);
	await sandbox.fault(CUT);
	const parameters = form({ options: { approvedCheck: String(approval) } });
	const { output } = await sandbox.run(parameters, { items, node: CONTINUED });
	expect(outcomesOf(output)).toEqual(['refused', 'unknown', 'not_sent', 'unknown']);
	expect(output[0]?.json.error).toContain('wasn’t accepted');
	expect(sandbox.writes()).toHaveLength(3);
});

describe('a later try of what the service doesn’t do twice', () => {
	it.each([
		['administratorInvite.send', 'PUT', 'manager', '.* it isn’t known whether the role was set'],
		['administratorInvite.complete', 'PUT', 'manager', ''],
		['nameReview.update', 'POST', 'name_review', ''],
	])('doesn’t call it refused: %s', async (name, method, path, said) => {
		const parameters = await formFor(sandbox, name);
		await sandbox.fault({ kind: 'cutAfter', match: { method, path } });
		const { output } = await sandbox.run(parameters, { node: CONTINUED });
		expect(output[0]?.json).toMatchObject({
			outcome: 'unknown',
			error: expect.stringMatching(
				`may have made this change. The last try: The service refused: .*${said}`,
			),
		});
	});

	it.each([
		['approve', 'cancel', / differ about user us-.* in team te-.*: approve and cancel \[item 1\]$/],
		['approve', 'approve', /^User: us-.* is already in item 0 \[item 1\]$/],
	])('doesn’t send two decisions on a user: %s, %s', async (first, second, words) => {
		const [form, later] = [await formFor(sandbox, 'nameReview.update'), '2026-05-01T00:00:00Z'];
		const parameters = {
			...form,
			decision: '={{ $json.decision }}',
			reviewVersion: '={{ $json.at }}',
		};
		const items = [
			{ decision: first, at: String(form.reviewVersion) },
			{ decision: second, at: later },
		];
		const { output } = await sandbox.run(parameters, { items, ...CONTINUE });
		expect(output.at(-1)?.json.error).toMatch(words);
		expect(sandbox.writes()).toHaveLength(first === second ? 1 : 0);
	});
});

describe('a tool that n8n’s engine runs for an agent', () => {
	it('pays once, though an expression gives each try a new authorization', async () => {
		const salted =
			'Object.assign({}, $json.message, { salt: String(Math.floor(Math.random() * 1e9)) })';
		const typedData = `={{ JSON.stringify(${salted}) }}`;
		const payload = await sandbox.authorization();
		const parameters = sandbox.paying(payload, { typedData, allowToolWrites: true });
		await sandbox.fault(CUT);
		const items = [{ message: { ...payload.message } }];
		const { error } = await sandbox.run(parameters, { items, node: { ...TOOL, ...TWICE } });
		expect(error?.message).toMatch(/may or may not have been made/);
		expect(sandbox.writes()).toHaveLength(1);
	});

	it('sends nothing after an unknown outcome, in a later try either', async () => {
		const items = await sheet();
		await sandbox.fault(REFUSED);
		await sandbox.fault({ ...CUT, times: 'always' });
		const node = { ...TOOL, ...CONTINUED };
		await sandbox.run(form({ allowToolWrites: true }), { items, node });
		expect(sandbox.writes()).toHaveLength(2);
	});

	it('says what was paid, and what failed', async () => {
		const items = await sheet();
		await sandbox.fault({ ...REFUSED, message: 'Limit reached', skip: 2, times: 'always' });
		const node = { ...TOOL, ...TWICE };
		const { error } = await sandbox.run(form({ allowToolWrites: true }), { items, node });
		expect(error?.message).toContain('Limit reached');
		expect(error?.data).toMatchObject({
			completed: [{ already_sent: true }, { already_sent: true }],
		});
	});

	it('tells the agent, which gets the message only, not to pay again', async () => {
		await sandbox.fault(CUT);
		const { stored } = await sandbox.run(await sandbox.payment({ allowToolWrites: true }), {
			node: TOOL,
		});
		const [[item]] = JSON.parse(stored).runData.Payroll[0].data.ai_tool;
		expect(item.json.error).toMatch(
			/Don’t pay this again in another way\..* enter [\dA-F]{4}-[\dA-F]{4}-1 as/,
		);
	});
});

it('a tool outside n8n’s engine, as in MCP, changes nothing with Retry On Fail', async () => {
	const parameters = { ...(await formFor(sandbox, 'invite.create')), allowToolWrites: true };
	const node = { type: 'payrollPaymentsTool', ...TWICE };
	const { error } = await sandbox.run(parameters, { node, executionId: '' });
	expect(error?.message).toContain('Turn off Retry On Fail, with which it could be done twice');
	expect(sandbox.writes()).toEqual([]);
});

it('two nodes with one ID each make their own payment', async () => {
	const start = nodeTypeOf('start', async () => [[{ json: {} }]], { inputs: [] });
	const types = new NodeTypes({ start, payrollPayments: new PayrollPayments() });
	const to = (node: string) => ({ main: [[{ node, type: NodeConnectionTypes.Main, index: 0 }]] });
	const pay = async (name: string) =>
		engineNode({
			...{ name, id: '0f5532f9', type: 'payrollPayments' },
			parameters: await sandbox.payment({ paymentReference: name }),
			credentials: { payrollPaymentsApi: { id: '1', name: 'saved' } },
		});
	const names = ['INV-1', 'INV-2'];
	const nodes = [
		engineNode({ name: 'Start', type: 'start' }),
		...(await Promise.all(names.map(pay))),
	];
	const connections = { Start: to('INV-1'), 'INV-1': to('INV-2') };
	const workflow = { nodes, connections };
	const execution = { executionId: 'twins' };
	const { data } = await runInEngine(workflow, types, sandbox.credentials(), execution);
	const paid = names.map(
		(name) => data.resultData.runData[name]?.[0]?.data?.main?.[0]?.[0]?.json.transaction,
	);
	expect(new Set(paid).size).toBe(2);
	expect(sandbox.writes()).toHaveLength(2);
});

it('an execution’s data doesn’t mix two payments of a loop', async () => {
	const [first = {}, second = {}] = await sheet();
	await sandbox.fault({ ...CUT, skip: 1 });
	const options = { items: [first], secondRun: [second], ...CONTINUE };
	const { stored } = await sandbox.run(form(), options);
	expect(JSON.parse(stored).metadata).toMatchObject({
		...{ payment_reference: 'INV-ben', payment_outcome: 'unknown', payment_transaction: '' },
	});
	const [third = {}, ...others] = await sheet(['dan', 'eva', 'fay']);
	const { stored: mixed } = await sandbox.run(form(), { items: [third], secondRun: others });
	expect(JSON.parse(mixed).metadata).toMatchObject({
		...{ payment_reference: '', payment_outcome: '', payments_paid: '2' },
	});
});

it('a form after a list that couldn’t be read is paid once, and keeps its item', async () => {
	const rows = await sheet(['ana', 'cleo', 'ben', 'ben']);
	const [ana, cleo, ben, again] = rows.map((row) => without(row, 'reference'));
	const parameters = await rereadForm({
		...{ ...LISTS, paymentsSource: '={{ $json.source }}' },
		...{ recipientEmail: 'ben@example.com', paymentReference: '' },
		...{ amountDollars: '125.00', signer: sandbox.account().address, signature: '0x00' },
	});
	const items = [
		{ source: 'json', lists: ['', [ana, cleo]] },
		{ source: 'fields', authorization: [ben?.authorization, again?.authorization] },
	] as IDataObject[];
	const { output } = await sandbox.run(parameters, { items, node: CONTINUED });
	expect(sandbox.writes()).toHaveLength(3);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 0 },
		{ item: 1 },
	]);
});

it('a later try sends what another process has let go since the first one', async () => {
	const items = await sheet(['ana', 'ben']);
	/* What another process that is about to send it leaves in n8n's store. */
	await sandbox.fault({ kind: 'status', status: 503, match: PAYMENT });
	await sandbox.run(form(), { items: items.slice(0, 1), ...CONTINUE });
	const { execute } = PayrollPayments.prototype;
	let tries = 0;
	const runs = jest.spyOn(PayrollPayments.prototype, 'execute').mockImplementation(async function (
		this: unknown,
	) {
		tries += 1;
		if (tries === 2) processedKeys.clear();
		return await execute.call(this as never);
	});
	const { output, error } = await sandbox.run(form(), { items, node: TWICE });
	runs.mockRestore();
	expect(error).toBeUndefined();
	expect(output).toHaveLength(2);
});

it('a later try invites nobody of another group again', async () => {
	const invitees = { inviteesSource: 'items', role: 'contractor', existingPeople: 'invite' };
	const parameters: INodeParameters = {
		...{ resource: 'invite', operation: 'create', teamId: '={{ $json.teams.shift() }}' },
		...invitees,
	};
	const items = ['ana', 'ben', 'cleo'].map((name, index) => ({
		email: `${name}@new.example.com`,
		/* The first one can't be read in the first try. */
		teams: [index === 0 ? '' : sandbox.team, sandbox.team],
	}));
	const { output } = await sandbox.run(parameters, { items, node: CONTINUED });
	expect(sandbox.writes()).toHaveLength(1);
	expect(recordsOf(output)).toContainEqual({ nanoids: [expect.any(String), expect.any(String)] });
});

it('a later try sends nothing else for an item that an earlier one has changed, or may have', async () => {
	await sandbox.fault({ kind: 'cutAfter', match: { method: 'PUT', path: 'manager' } });
	const items = [{ emails: ['zoe@example.com', 'zoe@example.com, ann@example.com'] }];
	const parameters = sandbox.administratorInvites('={{ $json.emails.shift() }}');
	const { output } = await sandbox.run(parameters, { items, node: CONTINUED });
	expect(sandbox.writes()).toHaveLength(2);
	expect(recordsOf(output)).toMatchObject([
		{ outcome: 'refused', error: expect.stringContaining('has sent another request') },
		{ outcome: 'unknown' },
	]);
});

describe('a later try of invites that skip existing people', () => {
	const invite = async (items: IDataObject[]) => {
		const parameters: INodeParameters = {
			...{ resource: 'invite', operation: 'create', teamId: '={{ $json.teams.shift() }}' },
			...{ inviteesSource: 'items', role: 'contractor', existingPeople: 'skip' },
			options: { inviteesPerRequest: 1 },
		};
		const { output } = await sandbox.run(parameters, { items, node: CONTINUED });
		return outcomesOf(output).sort();
	};
	/** The team can't be read in the tries that have none. */
	const person = (name: string, ...teams: string[]) => ({
		email: `${name}@later.example.com`,
		teams,
	});
	const refuseOne = async () =>
		await sandbox.fault({ kind: 'status', status: 400, match: { method: 'POST', path: 'invite' } });

	it('tells of each person once, though it looked them up again', async () => {
		const { team } = sandbox;
		await refuseOne();
		const items = [person('ana', team, team), person('ben', team, team), person('cleo', '', team)];
		expect(await invite(items)).toEqual(['invited', 'invited', 'pending']);
	});

	it('tells of a person whom it can’t look up any more', async () => {
		const { team } = sandbox;
		await invite([person('ana', team)]);
		await refuseOne();
		const items = [person('ben', team, team), person('ana', team, '')];
		expect(await invite(items)).toEqual(['invited', 'pending']);
	});
});

it.each(['paid', 'unknown'])(
	'a later try tells what is paid for an item that now holds what an earlier run left %s',
	async (left) => {
		const [ana = {}, ben = {}, old = {}] = await sheet(['ana', 'ben', 'old']);
		if (left === 'unknown') await sandbox.fault(CUT);
		await sandbox.run(form(), { items: [old] });
		await sandbox.fault({ ...REFUSED, skip: 1 });
		const lists = [inTurn([ana, ben], [old, ben])];
		const { output, error } = await payLists(lists, TWICE, SKIP);
		const told = left === 'paid' ? recordsOf(output) : Object(error?.data).completed;
		const transaction = expect.stringMatching(/^tx-/);
		expect(told).toContainEqual(expect.objectContaining({ reference: 'INV-ana', transaction }));
	},
);

it.each(['items', 'json'])(
	'an approval holds in a later try that no longer allows what is paid (%s)',
	async (paymentsSource) => {
		const rows = [await sheet(['ana']), await sheet(['ben'], 10_000)].flat();
		const items: IDataObject[] = paymentsSource === 'json' ? [{ list: rows }] : rows;
		const pay = (options: INodeParameters) =>
			form({ paymentsSource, paymentsJson: '={{ $json.list }}', options });
		const check = pay({ checkOnly: true, checkOutput: 'run' });
		const [{ approval = '' } = {}] = recordsOf((await sandbox.run(check, { items })).output);
		await sandbox.fault({ ...REFUSED, skip: 1 });
		const saved = changingCredentials((made) => ({ maximumPayment: made < 2 ? '125' : '110' }));
		const parameters = pay({ approvedCheck: String(approval) });
		const { output, error } = await runNode(saved, parameters, { items, node: TWICE });
		expect(error).toBeUndefined();
		expect(recordsOf(output)).toMatchObject([
			{ outcome: 'paid', already_sent: true, reference: 'INV-ana' },
			{ outcome: 'paid', reference: 'INV-ben' },
		]);
		expect(sandbox.writes()).toHaveLength(3);
	},
);

it('a later try tells each payment once, though a list has another order now', async () => {
	const [ana = {}, ben = {}, cleo = {}] = await sheet();
	await sandbox.fault({ ...REFUSED, skip: 2 });
	const { output } = await payLists([inTurn([ana, ben, cleo], [ben, ana, cleo])], TWICE, SKIP);
	expect(recordsOf(output)).toEqual(
		['INV-ana', 'INV-ben', 'INV-cleo'].map((reference) =>
			expect.objectContaining({
				...{ outcome: 'paid', reference, transaction: expect.stringMatching(/^tx-/) },
				run_message: '3 of 3 paid ($375.00).',
			}),
		),
	);
});

it('a later try doesn’t take a refused payment for the same one of another row, which was paid', async () => {
	const rows = await sheet(['ana', 'ana']);
	const [one, other] = rows.map((row) => without(row, 'reference'));
	await sandbox.fault({ ...REFUSED, skip: 1 });
	const { error } = await payLists([inTurn([one, other], [other, one])], TWICE, SKIP);
	expect(error?.description).toContain('1 of 2 paid');
	expect(sandbox.writes()).toHaveLength(2);
});

it('a later try tells what is unknown in its own row, too, though a list has another order now', async () => {
	const [ana = {}, ben = {}] = await sheet();
	await sandbox.fault(CUT);
	const { error } = await payLists([inTurn([ana, ben], [ben, ana])], TWICE, SKIP);
	expect(error?.description).toContain('0 of 2 paid ($0.00), 2 unknown.');
	expect(Object(error?.data).failures).toContainEqual(
		expect.objectContaining({ row: 2, error: expect.stringContaining('Row 2 (INV-ana): ') }),
	);
});

it('a later try tells of a row that can’t be read in the place of another one that is paid', async () => {
	const [ana = {}, ben = {}] = await sheet();
	await sandbox.fault({ ...REFUSED, skip: 1 });
	const { error } = await payLists([inTurn([ana, ben], [unpriced(ben), ana])], TWICE, SKIP);
	expect(error?.message).toMatch(/^Row 1 \(INV-ben\): amount is missing; /);
	expect(error?.description).toContain('1 of 2 paid ($125.00), 1 refused.');
});

it('a later try invites nobody again whom it now finds in another item', async () => {
	await sandbox.fault({ kind: 'status', status: 400, match: { method: 'POST', path: 'invite' } });
	const parameters: INodeParameters = {
		...{ resource: 'invite', operation: 'create', teamId: sandbox.team, role: 'contractor' },
		...{ inviteesSource: 'json', inviteesJson: '={{ [{ email: $json.emails.shift() }] }}' },
		existingPeople: 'invite',
	};
	const [bob, zoe] = ['bob@example.com', 'zoe@example.com'];
	const items = [{ emails: [bob, zoe] }, { emails: [zoe, bob] }];
	const { output } = await sandbox.run(parameters, { items, node: CONTINUED });
	expect(sandbox.writes()).toHaveLength(2);
	expect(recordsOf(output)).toMatchObject([
		{ error: expect.stringContaining('has sent this request for another item') },
		{ nanoids: [expect.any(String)] },
		{
			error: 'An earlier try of this run has sent another request for this item [item 1]',
			hint: expect.stringMatching(
				/^Check the result in the service\. Retry On Fail runs(?!.*Nothing was)/,
			),
		},
	]);
});

it('a later try sends again what was refused, though another item has sent the same', async () => {
	await sandbox.fault({ kind: 'status', status: 400, match: { method: 'POST' } });
	const parameters = await formFor(sandbox, 'webhook.send');
	const { output } = await sandbox.run(parameters, { items: [{}, {}], node: CONTINUED });
	expect(sandbox.writes()).toHaveLength(3);
	expect(output.some(({ json }) => 'error' in json)).toBe(false);
});

describe('the approval of a list', () => {
	const list = (options: INodeParameters) =>
		form({ paymentsSource: 'json', paymentsJson: '={{ $json.list }}', options });

	/** Has what the check of a list passes approved. What it gives runs a list with this approval. */
	async function approved(rows: readonly IDataObject[]) {
		const checking = { items: [{ list: [...rows] }], ...CONTINUE };
		const checks = recordsOf((await sandbox.run(list({ checkOnly: true }), checking)).output);
		const approvedCheck = String(checks.find(({ check }) => check === 'passed')?.approval);
		return async (
			now = rows,
			options: INodeParameters = {},
			node: Partial<INode> = CONTINUE.node,
		) => {
			const items = [{ list: [...now] }];
			const parameters = list({ approvedCheck, ...options });
			return outcomesOf((await sandbox.run(parameters, { items, node })).output);
		};
	}

	it('doesn’t cover the refused one, if its record is lost since', async () => {
		const rows = await sheet(['ana', 'ben']);
		await sandbox.run(form(), { items: rows.slice(0, 1) });
		const run = await approved(rows);
		/* n8n was restarted, or another worker or node pays. */
		processedKeys.clear();
		const forgotten = jest.spyOn(sentByProcess, 'has').mockReturnValue(false);
		expect(await run()).toEqual(['refused', 'refused']);
		forgotten.mockRestore();
		expect(sandbox.writes()).toHaveLength(1);
	});

	it.each<[string, unknown: number, Parameters<typeof sandbox.fault>[0], ...string[][]]>([
		[
			'once one is paid',
			0,
			{ ...REFUSED, skip: 1 },
			['refused', 'paid', 'refused', 'paid'],
			['refused', 'refused', 'paid', 'refused'],
		],
		[
			'where the outcome of one isn’t known since',
			0,
			CUT,
			['refused', 'unknown', 'not_sent', 'not_sent'],
			['refused', 'unknown', 'paid', 'paid'],
		],
		[
			'where the outcome of one wasn’t known, and another is paid since',
			1,
			{ ...REFUSED, skip: 1 },
			['refused', 'unknown', 'paid', 'refused'],
			['refused', 'unknown', 'refused', 'paid'],
		],
	])('holds for the rest %s', async (_what, unknown, fault, ...outcomes) => {
		const [ana = {}, ...others] = await sheet(['ana', 'ben', 'cleo', 'dan']);
		if (unknown > 0) await sandbox.fault(CUT);
		await sandbox.run(form(), { items: others.slice(0, unknown) });
		const run = await approved([unpriced(ana), ...others]);
		await sandbox.fault(fault);
		for (const expected of outcomes) expect(await run()).toEqual(expected);
	});

	it('holds in a later try in which what it refused as paid is skipped', async () => {
		const rows = await sheet();
		await sandbox.run(form(), { items: rows.slice(0, 1) });
		const run = await approved(rows);
		await sandbox.fault({ ...REFUSED, skip: 1 });
		expect(await run(rows, SKIP, TWICE)).toEqual(['already_paid', 'paid', 'paid']);
	});

	type Choice = (rows: Rows) => readonly IDataObject[];

	it.each<[string, before: Choice, now: Choice]>([
		['left out of', ([ana, ben]) => [unpriced(ana), ben], ([, ben]) => [ben]],
		['corrected in', ([ana, ben]) => [unpriced(ana), ben], ([ana, ben]) => [ana, ben]],
		['replaced in', ([ana, ben]) => [ana, ben], ([ana, , cleo]) => [ana, cleo]],
		['added to', ([, ben]) => [ben], ([ana, ben]) => [unpriced(ana), ben]],
	])('doesn’t cover the list once a row is %s it', async (_what, before, now) => {
		const [ana = {}, ben = {}, cleo = {}] = await sheet();
		const rows: Rows = [ana, ben, cleo];
		const run = await approved(before(rows));
		const outcomes = await run(now(rows));
		expect(new Set(outcomes)).toEqual(new Set(['refused']));
		expect(sandbox.writes()).toEqual([]);
	});
});

it('keeps no token for a later try', async () => {
	const forms = [
		await formFor(sandbox, 'authentication.verify'),
		await formFor(sandbox, 'authentication.verify'),
	];
	const asked = () => sandbox.wire().filter(({ path }) => path.endsWith('/verify')).length;
	await sandbox.fault({ kind: 'status', status: 500, match: { path: 'verify' } });
	const fields = { message: '={{ $json.message }}', signature: '={{ $json.signature }}' };
	const items = forms.map(({ message, signature }) => ({ message, signature }));
	const before = asked();
	const saved = lostCredentials(1, () => asked() - before);
	const { output } = await runNode(saved, { ...forms[0], ...fields }, { items, node: CONTINUED });
	expect(output).toMatchObject([{ json: { error: LOST } }, { json: { error: LOST } }]);
	expect(asked() - before).toBe(2);
});
