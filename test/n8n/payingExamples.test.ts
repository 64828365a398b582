import '../support/withoutPauses';
import { randomUUID } from 'node:crypto';

import {
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type IRun,
} from 'n8n-workflow';

import { sentByProcess } from '../../nodes/PayrollPayments/idempotency/processMemory';
import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { engineNode, nodeTypeOf, NodeTypes, runInEngine } from '../../n8nHost/engine';
import { EXAMPLES, readExample } from '../../practice/exampleFiles';
import { forSandbox } from '../../practice/readyExamples';
import { useActionSandbox } from '../support/actionSandbox';
import { without } from '../../n8nHost/sampleEvents';
import type { Workflow } from '../../n8nHost/workflows';

/* n8n’s engine and our node are real here. What is around them is as small as these examples need. */

const sandbox = useActionSandbox();

interface Condition {
	readonly leftValue: unknown;
	readonly rightValue: unknown;
	readonly operator: { readonly operation: string };
}

function isMet({ leftValue, rightValue, operator }: Condition): boolean {
	if (operator.operation === 'true') return leftValue === true;
	if (operator.operation === 'notEmpty') return String(leftValue ?? '') !== '';
	if (operator.operation === 'gt') return Number(leftValue) > Number(rightValue);
	return leftValue === rightValue;
}

const areMet = (all: unknown): boolean => Object(all).conditions.every(isMet);

const valuesOf = (pairs: ReadonlyArray<{ name: string; value: string }>) =>
	Object.fromEntries(pairs.map(({ name, value }) => [name, value]));

const NONE = /^$/;

/** What is left of one run for the next, and the node that fails once, after all its tries. */
const world = {
	sheet: new Array<IDataObject>(),
	record: new Map<unknown, IDataObject>(),
	said: new Array<string>(),
	failing: '',
	/** What a person answers. */
	decision: 'Pay',
	/** What someone does to the sheet while the approval waits. */
	meanwhile: (sheet: IDataObject[]): unknown => sheet,
	/** What the finance system answers for some references, in place of the usual. */
	odd: { references: NONE, answers: (usual: IDataObject) => [usual] },
};

const APPROVED_AT = '2026-03-31T09:40:00.000Z';
const APPROVED = {
	approved: true,
	responder: { id: 'U0ADA', name: 'ada' },
	respondedAt: APPROVED_AT,
};
const FORM = { Decision: 'Pay', 'Your name': 'Ada', submittedAt: APPROVED_AT };
const ACCOUNT = { id: '1', email: 'ada@example.com' };

type Outcome = ReadonlyArray<readonly [output: number, json: IDataObject]>;

/** What a node of n8n makes of an item. */
async function act(host: IExecuteFunctions, item: number, json: IDataObject): Promise<Outcome> {
	const { kind, ...of } = Object(host.getNodeParameter('of', item));
	const { value: row = {}, matchingColumns: [key] = ['key'] } = Object(of.columns);
	switch (kind) {
		case 'googleSheets':
			if (of.operation === 'read') return world.sheet.map((each) => [0, { ...each }]);
			/* n8n empties a cell for which there is no value, and adds no column. */
			for (const name of Object.keys(row)) row[name] ??= '';
			for (const cells of world.sheet.filter((each) => each[key] === row[key]).slice(0, 1))
				for (const name of Object.keys(cells)) cells[name] = row[name] ?? cells[name];
			return [[0, row]];
		case 'dataTable':
			if (of.operation === 'upsert') world.record.set(row.key, row);
			return [[0, json]];
		case 'filter':
			return areMet(of.conditions) ? [[0, json]] : [];
		case 'if':
			return [[areMet(of.conditions) ? 0 : 1, json]];
		case 'switch': {
			const met: number = of.rules.values.findIndex((rule: typeof of) => areMet(rule.conditions));
			return [[met < 0 ? of.rules.values.length : met, json]];
		}
		case 'set':
			return [[0, of.jsonOutput ?? valuesOf(of.assignments.assignments)]];
		case 'httpRequest': {
			const { method, url, nodeCredentialType: type } = of;
			const qs = valuesOf(of.queryParameters?.parameters ?? []);
			const body = valuesOf(of.bodyParameters?.parameters ?? []);
			const request = method === 'GET' ? { method, url, qs } : { method, url, body };
			const { httpRequest, httpRequestWithAuthentication: signedIn } = host.helpers;
			const answer = type ? signedIn.call(host, type, request) : httpRequest(request);
			/* As with On Error: Continue. */
			const usual = await answer.catch((error: unknown) => ({ error: String(error) }));
			const isOdd = world.odd.references.test(String(qs.reference));
			return isOdd ? world.odd.answers(usual).map((each) => [0, each]) : [[0, usual]];
		}
		case 'slack':
			world.said.push(String(of.text ?? of.message ?? of.options.initialComment));
			if (host.getNode().name === 'Ask for approval') world.meanwhile(world.sheet);
			if (of.operation !== 'sendAndWait') return [[0, json]];
			return [[0, { data: { ...APPROVED, approved: world.decision === 'Pay' } }]];
		case 'wait':
		case 'form': {
			const { domain, types, message } = Object(json);
			if (domain === undefined) return [[0, { ...FORM, Decision: world.decision, user: ACCOUNT }]];
			const { signature } = await sandbox.signed({ domain, types, message });
			return [[0, { ...FORM, Signature: String(signature) }]];
		}
		default:
			return [[0, json]];
	}
}

const CREDENTIAL = 'payrollPaymentsApi';
const main = NodeConnectionTypes.Main;

const standIn = nodeTypeOf(
	'standIn',
	async function () {
		if (this.getNode().name === world.failing) {
			world.failing = '';
			throw new Error('This failure was planned');
		}
		const outputs = [0, 1, 2, 3].map(() => new Array<{ json: IDataObject; pairedItem: object }>());
		for (const [item, { json }] of this.getInputData().entries())
			for (const [output, each] of await act(this, item, json))
				outputs[output]?.push({ json: each, pairedItem: { item } });
		return Object(outputs);
	},
	{
		outputs: [main, main, main, main],
		credentials: [{ name: CREDENTIAL }],
		properties: [{ name: 'of', displayName: 'Of', type: 'json', default: {} }],
	},
);

const types = new NodeTypes({ standIn, payrollPayments: new PayrollPayments() });

/** The example, with the attempt code in these of its nodes. */
function withCode(text: string, code: string, names: readonly string[]): string {
	const workflow: Workflow = JSON.parse(text);
	for (const { parameters } of workflow.nodes.filter(({ name }) => names.includes(name)))
		parameters.options = { ...Object(parameters.options), confirmedNotPaid: code };
	return JSON.stringify(workflow);
}

/** Runs an example from its first node, with its sample event if it has one. */
async function run(example: string, edit = (text: string) => text) {
	const { url, team } = sandbox;
	const text = edit(JSON.stringify(readExample(example, team)));
	const { nodes, connections, pinData, settings }: Workflow = JSON.parse(
		forSandbox(text, { url, webhookId: 'wh-1', wallet: sandbox.wallet().address }),
	);
	const [, ...engineNodes] = nodes.map(({ type, parameters, ...node }) => {
		const kind = type.split('.').at(-1) ?? '';
		const isOurs = kind === 'payrollPayments';
		return engineNode({
			...node,
			position: [node.position[0] ?? 0, node.position[1] ?? 0],
			retryOnFail: false,
			type: isOurs ? kind : 'standIn',
			parameters: Object(isOurs ? parameters : { of: { ...parameters, kind } }),
			credentials: { [CREDENTIAL]: { id: '1', name: 'saved' } },
		});
	});
	const workflow = {
		nodes: engineNodes,
		connections: Object(connections),
		pinData: Object(without(Object(pinData), 'Read the sheet')),
		settings,
	};
	const runIt = async (retryOf?: IRun) =>
		await runInEngine(workflow, types, sandbox.credentials(), {
			executionId: randomUUID(),
			retryOf,
		});
	const result = await runIt();
	const hasFailed = result.data.resultData.error !== undefined;
	return { hasFailed, retry: async () => await runIt(result) };
}

/** The sample rows of an example’s sheet. */
const samplesOf = (example: string): IDataObject[] =>
	(readExample(example).pinData?.['Read the sheet'] ?? []).map(({ json }) => ({ ...json }));

/** Fills the sheet, where nothing else has happened yet and the team can pay everything. */
function begin(sheet: IDataObject[], failing = ''): void {
	sandbox.firstTeam.balances.set('USD', 99_999_999n);
	Object.assign(world, {
		sheet,
		record: new Map(),
		said: [],
		failing,
		decision: 'Pay',
		meanwhile: () => 0,
	});
}

const payments = () => sandbox.writes().filter(({ path }) => path.endsWith('/instant'));

const PAID = /^Paid: .*`tx-|^3 of 3 paid .* Approved by/m;
const PAID_BEFORE = /already paid|0 of 3 paid \(\$0\.00\), 3 paid before/;

/** The last steps of every example that pays. */
const ends = EXAMPLES.flatMap((example) => {
	const { nodes, connections } = readExample(example);
	const isEnd = (name: string) =>
		!['Read me', 'Last page'].includes(name) && !(name in connections);
	const names = nodes.map(({ name }) => name);
	return names.includes('Pay') ? names.filter(isEnd).map((name) => [example, name] as const) : [];
});

/** The signed file has no yes or no, and a wallet says no itself. */
const ASKING = new Set(ends.map(([name]) => name).filter((name) => !/^(confirm|sign)-/.test(name)));

it.each([...ASKING])('%s pays nothing after a no', async (example) => {
	begin(samplesOf(example));
	world.decision = 'Don’t pay';
	expect((await run(example)).hasFailed).toBe(false);
	expect(payments()).toEqual([]);
	expect(world.said.at(-1)).toMatch(/^Declined by `ada/i);
});

/** Examples that write down what was paid, too. There, a message that can’t be sent stops nothing. */
const WRITES = /^(payroll-run-|payment-by-)/;

it.each(ends)('%s: “%s” fails, the workflow runs again, and is retried', async (example, last) => {
	const rows = samplesOf(example);
	begin([...rows], last);
	const count = Math.max(rows.length, 1);
	const isWrittenAtOnce = WRITES.test(example) && last === 'Tell the channel';

	const { hasFailed, retry } = await run(example);
	expect(payments()).toHaveLength(count);
	expect(world.said.join('\n')).not.toContain('has no column');
	expect(hasFailed).toBe(!isWrittenAtOnce);

	/* The sheet is in another order by then. */
	world.sheet.reverse();
	expect((await run(example)).hasFailed).toBe(false);
	if (rows.length === 0 || !isWrittenAtOnce) expect(world.said.at(-1)).toMatch(PAID_BEFORE);
	expect(world.sheet.map(({ outcome }) => outcome)).toEqual(rows.map(() => 'paid'));

	/* n8n goes on at the node that failed, and knows what the first execution paid. */
	if (hasFailed) await retry();
	if (!isWrittenAtOnce) expect(world.said.join('\n')).toMatch(PAID);
	expect([...world.sheet, ...world.record.values()]).toEqual(
		Array(WRITES.test(example) ? count : 0).fill(
			expect.objectContaining({
				...{ outcome: 'paid', transaction: expect.stringMatching(/^tx-/) },
				...{ approved_by: expect.stringMatching(/^ada/i), approved_at: APPROVED_AT },
				fingerprint: expect.stringMatching(/^\w{4}-/),
			}),
		),
	);
	expect(payments()).toHaveLength(count);
});

/** That in Slack differs only in how it asks and reads the answer (contract/examples.test.ts). */
const RUNS = EXAMPLES.filter((name) => /^payroll-run-(by|with)-/.test(name));

it.each(RUNS)(
	'%s tells of a row whose authorization isn’t one, and pays nothing; it may be in `data`',
	async (example) => {
		const row = 'Row 3 of the sheet (PAY-002): authorization';
		const rows: Array<[RegExp, (usual: IDataObject) => IDataObject[], string]> = [
			[/002/, () => [], `${row} is missing`],
			[/002/, (usual) => [usual, usual], `${row} is missing`],
			[/002/, () => [{ data: '<html>' }], `${row} isn’t valid JSON`],
			[/PAY/, () => [], 'Row 4 of the sheet (PAY-003): authorization is missing'],
		];
		for (const [references, answers, said] of rows) {
			begin(samplesOf(example));
			world.odd = { references, answers };
			await run(example);
			expect(world.said.join('\n')).toContain(said);
		}
		expect(payments()).toEqual([]);
		begin(samplesOf(example));
		world.odd = { references: /PAY/, answers: ({ authorization }) => [{ data: authorization }] };
		await run(example);
		world.odd.references = NONE;
		expect(payments()).toHaveLength(world.sheet.length);
	},
);

/** What a restart of n8n does to what its process remembers. */
function restart(): void {
	const { keys } = Object(sentByProcess);
	keys.clear();
}

it.each(RUNS)('%s leaves a paid row as it is if its reference is used again', async (example) => {
	begin(samplesOf(example));
	await run(example);
	const paid = world.sheet.map((row) => ({ ...row }));
	/* Without it, the check would name the row. */
	restart();
	const reference = String(world.sheet[0]?.reference).toLowerCase().replace('-', '–');
	const recipient_email = 'contractor.9@example.com';
	world.sheet.push({ reference, recipient_email, amount: '300.00', outcome: '' });
	await run(example);
	expect(world.sheet).toEqual([...paid, expect.objectContaining({ recipient_email, outcome: '' })]);
	expect(world.said.join('\n')).toContain('another row has this reference');
	expect(payments()).toHaveLength(paid.length);
});

it.each(RUNS)('%s leaves what was paid since as it is when it is retried', async (example) => {
	begin(samplesOf(example), 'Write the outcome');
	await sandbox.fault({ kind: 'cutBefore', match: { path: 'instant' } });
	const { retry } = await run(example);
	await run(example);
	const [, ...paid] = world.sheet.map((row) => ({ ...row }));
	expect(paid.map(({ outcome }) => outcome)).toEqual(['paid', 'paid']);
	await retry();
	expect(world.sheet).toEqual([expect.objectContaining({ outcome: 'unknown' }), ...paid]);
});

it.each(RUNS)('%s writes what was paid before, whatever rows are left out', async (example) => {
	const [first = {}, ...others] = samplesOf(example);
	const unused = { reference: '', recipient_email: '', amount: 0, outcome: '' };
	begin([first, unused, ...others], 'Write the outcome');
	await run(example);
	await run(example);
	expect(world.sheet.map(({ outcome }) => outcome)).toEqual(['paid', '', 'paid', 'paid']);
});

const change = (cells: IDataObject) => (sheet: IDataObject[]) =>
	Object.assign(sheet[1] ?? {}, cells);

it.each([
	[change({ amount: '3850.51' }), 'isn’t the one that was approved'],
	[change({ recipient_email: 'contractor.9@example.com' }), 'isn’t the one that was approved'],
	[change({ reference: 'PAY-020' }), 'row 3 of the sheet (PAY-002) (amount must be dollars'],
	[change({ outcome: 'Paid' }), 'row 3 of the sheet (PAY-002) (amount must be dollars'],
	[(sheet: IDataObject[]) => sheet.splice(0), 'wasn’t open any more when the sheet was read again'],
])('pays nothing if the sheet changes while the approval waits (%#)', async (meanwhile, said) => {
	for (const example of RUNS) {
		begin(samplesOf(example));
		Object.assign(world, { meanwhile });
		await run(example);
		expect(payments()).toEqual([]);
		expect(world.said.at(-1)).toContain(said);
	}
});

it.each(RUNS)(
	'%s pays once it is retried, if the sheet could not be read again',
	async (example) => {
		begin(samplesOf(example), 'Read it again');
		const { retry } = await run(example);
		expect(payments()).toEqual([]);
		await retry();
		expect(world.sheet.map(({ outcome }) => outcome)).toEqual(['paid', 'paid', 'paid']);
	},
);

it.each(RUNS)('%s pays what was approved if rows move or are added meanwhile', async (example) => {
	const rows = samplesOf(example);
	begin([...rows]);
	world.meanwhile = (sheet) => sheet.reverse().unshift({ ...rows[0], reference: 'PAY-099' });
	await run(example);
	expect(world.sheet.map(({ outcome }) => outcome)).toEqual(['', 'paid', 'paid', 'paid']);
});

/** The sample rows of an example, with another header for one of their columns. */
function withHeader(example: string, column: string, header: string): IDataObject[] {
	return samplesOf(example).map(({ [column]: cell, ...row }) => ({ ...row, [header]: cell }));
}

it.each(RUNS)('%s pays nothing from a sheet without the column reference', async (example) => {
	begin(withHeader(example, 'reference', 'Invoice No'));
	await run(example);
	expect(payments()).toEqual([]);
	expect(world.said.join('\n')).toContain('no row has that column');
});

it.each(RUNS)(
	'%s pays once, and says before that the sheet has no column outcome',
	async (example) => {
		const sheet = withHeader(example, 'outcome', 'Outcome');
		begin(sheet);
		await run(example);
		expect(world.said[0]).toContain('The sheet has no column outcome');
		/* A sheet takes no value for a column that it doesn’t have. */
		world.sheet = world.sheet.map((row) => without(row, 'outcome'));
		await run(example);
		expect(world.said.at(-1)).toMatch(PAID_BEFORE);
		expect(payments()).toHaveLength(sheet.length);
	},
);

const BOTH = ['Check the run', 'Pay'];

it.each([
	['in both nodes', false, BOTH, 'paid'],
	['in Pay only', false, ['Pay'], ''],
	['in both nodes, after a restart', true, BOTH, ''],
	['in Pay only, after a restart', true, ['Pay'], 'paid'],
])('a payroll run with the attempt code %s', async (_where, isRestarted, names, outcome) => {
	const example = 'payroll-run-with-approval';
	begin(samplesOf(example).slice(0, 1));
	await sandbox.fault({ kind: 'cutBefore', match: { path: 'instant' } });
	await run(example);
	expect(world.sheet).toMatchObject([{ outcome: 'unknown' }]);
	const [, code = ''] = /code ([\dA-F-]{9}-1)/.exec(world.said.join('\n')) ?? [];
	Object.assign(world.sheet[0] ?? {}, { outcome: '' });
	if (isRestarted) restart();
	/* The second code: the sandbox issues another authorization for each run. */
	await run(example, (text) => withCode(text, `${code}N`, names));

	expect(world.sheet).toMatchObject([{ outcome }]);
});
