import { runInNewContext } from 'node:vm';

import type { IDataObject } from 'n8n-workflow';

import { sampleEvent } from '../../practice/exampleSamples';
import { SavedCredentials } from '../support/actionHost';
import { engineNode, nodeTypeOf, NodeTypes, runInEngine } from '../../n8nHost/engine';
import { EXAMPLES, readExample } from '../../practice/exampleFiles';
import { useTriggerHosts } from '../support/triggerHost';
import { without } from '../../n8nHost/sampleEvents';
import { chain } from '../../n8nHost/workflows';

const start = useTriggerHosts();

it.each(EXAMPLES)(
	'the example %s pins what the trigger puts out when the sample is delivered',
	async (name) => {
		const workflow = readExample(name);
		for (const { name: node, parameters, type } of workflow.nodes) {
			if (!type.endsWith('.payrollPaymentsTrigger')) continue;
			const { events, ...rest } = JSON.parse(JSON.stringify(parameters));
			const host = await start({ parameters: { ...rest, events } });
			const answer = await host.send(sampleEvent(events[0]));
			expect(answer.status).toBe(200);
			const [items = []] = await host.outputs();
			expect(items.map((json) => ({ json }))).toEqual(workflow.pinData?.[node]);
		}
	},
);

it.each(EXAMPLES)('n8n takes no row of the example %s for a failure, and tries again', (name) => {
	for (const { parameters, retryOnFail } of readExample(name).nodes) {
		/* With a column of this name, even an empty one, n8n counts a try as failed (workflow-execute.js). */
		if (retryOnFail === true) expect(JSON.stringify(parameters)).not.toContain('"error":');
	}
});

/** Stands in for n8n's own nodes: puts out what the code makes, or the expressions for each item. */
const standIn = nodeTypeOf(
	'standIn',
	async function () {
		const { $, DateTime } = this.getWorkflowDataProxy(0);
		const of = (item: number) => ({ json: Object(this.getNodeParameter('of', item)) });
		const { jsCode } = of(0).json;
		if (jsCode === undefined) return [this.getInputData().map((_item, item) => of(item))];
		return [runInNewContext(`(() => {${jsCode}})()`, { $, DateTime })];
	},
	{ properties: [{ name: 'of', displayName: 'Of', type: 'json', default: {} }] },
);

type Rows = Record<string, IDataObject[]>;

/** What a node of an example puts out, or its error, where those before it, last its input, put out rows. */
async function outputOf(example: string, name: string, before: Rows): Promise<string> {
	const of = readExample(example).nodes.find((each) => each.name === name)?.parameters;
	/* n8n fills in the page of a form, though it isn't marked as an expression. */
	const asExpression = (key: string, value: unknown): unknown =>
		key === 'html' ? `=${String(value).replace(/^=/, '')}` : value;
	const evaluated = JSON.parse(JSON.stringify(of), asExpression);
	const nodes = [...Object.keys(before), name].map((each) =>
		engineNode({ name: each, type: 'standIn', parameters: { of: evaluated } }),
	);
	const pinned = ([each, rows]: [string, IDataObject[]]) => [each, rows.map((json) => ({ json }))];
	const pinData = Object.fromEntries(Object.entries(before).map(pinned));
	const workflow = { nodes, connections: Object(chain(example, nodes).connections), pinData };
	const types = new NodeTypes({ standIn });
	const { data } = await runInEngine(workflow, types, new SavedCredentials({}), {
		executionId: example,
	});
	const { error, data: output } = { ...data.resultData.runData[name]?.[0] };
	return error?.message ?? JSON.stringify(output?.main?.[0]);
}

const MARCH = '2026-03-31T09:30:00.000Z';
const APRIL = '2026-04-01T09:30:00.000Z';
const deposit = { status: 'complete', received_at: MARCH, amount: 10, currency: 'USD' };
const taken = { status: 'reverted', reverted_at: APRIL, updated_at: APRIL };
const MONTH: Rows = {
	'Which month': [{ month: '2026-03' }],
	'Read the deposits': [
		{ ...deposit, deposit_id: 'de-2', ...taken },
		{ ...deposit, deposit_id: 'de-2', updated_at: MARCH },
		{ ...deposit, deposit_id: 'de-3', received_at: '3/28/2026' },
		{ ...deposit, deposit_id: 'de-1', reference: '=1+1' },
	],
	'Read the payments': [
		{ outcome: ' Paid', amount: '4200.00', paid_at: MARCH },
		{ outcome: 'paid', status: 'failed', amount: '10.00', paid_at: MARCH },
		{ outcome: 'Unknown', amount: '7.00' },
	],
};
const NEXT_MONTH = { ...MONTH, 'Which month': [{ month: '2026-04' }] };
const MISSPELLED = { ...MONTH, 'Which month': [{ month: '2026-3' }] };
const decided: Rows = {
	'Check the run': [{ check: 'passed' }],
	Decide: [{ 'Your name': '<Ada>', submittedAt: '2026-03-31T11:30:34.352+02:00' }],
};
const REFUSED: Rows = {
	...decided,
	Pay: [{ run_message: '0 of 1 paid ($0.00), 1 refused.', error: 'It expired' }],
};
const ALL_REFUSED =
	/"0 of 1 paid \(\$0\.00\), 1 refused\. Approved by ` Ada ` on 31 Mar 2026 at 09:30 UTC, fingerprint /;
const FAILED_CHECK: Rows = { 'Check the run': [{ check: 'failed' }] };
const FAILED: Rows = { ...FAILED_CHECK, Decide: [{ Decision: 'Pay', user: { id: '1' } }] };
/** Where nothing can be paid, a form has only its button, and Slack one. */
const NOTHING_TO_DECIDE = /"fieldLabel":"Decision","fieldType":"html"(?!.*"(radio|text)")/;
const ONE_BUTTON = /"approvalType":"single","approveLabel":"OK"/;
/** What Decide puts out after a no to a run, or after no answer. */
const declined = (to_send_count: number, Decision = 'Don’t pay'): Rows => ({
	'Check the run': [{ check: 'passed', to_send_count, to_send_total: '13175.50' }],
	Decide: [{ Decision, 'Your name': '<Ada>' }],
});
const UNANSWERED = /"No answer in time, so this wasn’t paid: \$13,175\.50 in 3 payments"/;
const DECLINED = /<p>Declined by “ Ada ”\. Nothing was paid: \$13,175\.50 in 3 payments<\/p>/;
const broken = (outcome?: string): Rows => ({
	...decided,
	Pay: [{ error: 'It <broke>', outcome }],
});
/** The last page of a run with these outcomes. */
const ended = (...outcomes: string[]): Rows => ({
	...decided,
	Pay: outcomes.map((outcome) => ({ run_message: 'What became of it.', outcome })),
});
const slack = (data?: IDataObject): Rows => ({ 'Ask for approval': [{ data }] });
const ADA = { id: 'U0ADA', name: 'ada' };
const UNNAMED = /Don’t pay.*n8n, since Slack named nobody/;
const INVITES: Rows = { 'Read the sheet': [{ email: ' a@b.co' }], Invited: [{ email: 'a@b.co' }] };
const BEFORE: Rows = {
	'Read it again': [{ reference: 'A', transaction: 'tx-1', paid_at: MARCH }],
	'Check the run': [{ already_paid: [{ row: 1 }] }],
	'Left to pay': [{ reference: ' A' }],
	Pay: [{ reference: 'A', outcome: 'already_paid', transaction: null }],
};
/** A reference that was used again, where its first row is closed, and what became of the second. */
const usedAgain = (first: IDataObject): Rows => ({
	...decided,
	'Read it again': [
		{ reference: ' A', transaction: 'tx-1', ...first },
		{ reference: 'A', outcome: '' },
	],
	Pay: [{ reference: 'A', outcome: 'refused' }],
});
const LEFT_ALONE = /"reference":"Written before: A"/;
const UNKNOWN: Rows = {
	'What failed': [{ unknown: [{ error: 'It may be paid', hint: 'Don’t pay it.' }] }],
};
const stopped = (error: string): Rows => ({ 'What failed': [{ unknown: [], error }] });
const CRASHED = stopped('Workflow did not finish, possible out-of-memory issue');
/** A node that waited for someone’s system. Nothing has been paid there. */
const TIMED_OUT = stopped('Gateway timed out - perhaps try again later?');
const ENDED_AT = /made\. The execution ended at `–`: `Workflow did not .* issue`\. Workflow/;
/** Of these payments, the first arrived, and the last failed. */
const CHANGED: Rows = {
	'What changed': ['sent', ...Array<string>(11).fill('no event'), 'failed'].map(
		(status, index) => ({ status, transaction: `tx-${index}` }),
	),
};
const TEN_TOLD =
	/"A payment failed: .*`tx-12`\.\\nNo .*`tx-9`\.\\nAnd 2 more: .*\\nIf no event .*n8n\. To pay a failed .*\."/;
const NO_OUTCOME = /The .* no column outcome/;
const OVERDRAWN = { balance: '-123456.78', previous_balance: '1', change: '-5', currency: 'USD' };
const IN_MINUS = /-\$123,456\.78/;
/** The first event of a deposit, whose date can’t be read. */
const UNDATED: Rows = {
	'Name the account': [{ status: 'complete', updated_at: '31/03/2026' }],
	'Read the row': [{}],
};
/** An event of March 31, and the rows of its deposit. */
const depositRows = (...times: string[]): Rows => ({
	'Name the account': [{ status: 'reverted', updated_at: MARCH }],
	'Read the row': times.map((updated_at) => ({ deposit_id: 'de-1', updated_at, status: '' })),
});
const REVIEWS: Rows = {
	'Still to do': [{}],
	Resolve: [{ outcome: 'unknown', error: 'No answer' }],
};
const sheet = (row: IDataObject): Rows => ({ 'Read the sheet': [row] });
const NO_PAYMENT = {
	...{ recipient_email: '', amount: '', approved_by: '', approved_at: '', fingerprint: '' },
};
/** **Pay** couldn’t read its form, so what it puts out has no reference. The sheet has a row without one. */
const UNREAD: Rows = { 'Read it again': [{ reference: '' }], ...broken('refused') };
/** A check without anything to send, of a sheet with this header. */
const asked = (header: string, outcome = '', reference: string | number = 'PAY-001'): Rows => ({
	...sheet({ ...NO_PAYMENT, [header]: reference, outcome, transaction: '', paid_at: '' }),
	'Left to pay': [{ reference }],
	'Get the authorizations': [outcome === '' ? {} : { error: '401' }],
	'Check the run': [{ check: 'passed', to_send_count: 0, message: 'Nothing to pay' }],
});
const UNUSED = { ...NO_PAYMENT, reference: '' };
const NAME_ONLY = { ...asked('reference'), ...sheet({ ...UNUSED, outcome: '', name: 'Dora' }) };
const ON_HOLD = /isn’t empty: PAY-001: on hold \..*ns failed/;
/** The two conditions of **Left to pay**: it isn’t paid yet, and it isn’t empty. */
const DONE = /"leftValue":false.*"leftValue":true/;
const EMPTY = /"leftValue":true.*"leftValue":false/;
const TO_PAY = /"leftValue":true.*"leftValue":true/;
const STATEMENT =
	/"'=1\+1".*"2 deposits".*"0 reversals".*"1 payment".*"3\/28\/2026","type":"deposit without a date".*"payment without a known outcome"[^}]*"-7.00"/;
const TAKEN_BACK = /"type":"reversal".*"amount":"-10.00".*"0 deposits".*"1 reversal"/;
const depositsOf = (...rows: IDataObject[]): Rows => ({ ...MONTH, 'Read the deposits': rows });
/** Two deposits that someone entered, and two rows of another one. */
const BY_HAND = depositsOf(
	{ ...deposit, deposit_id: 'de-2', ...taken },
	{ ...deposit, deposit_id: '', status: ' Complete' },
	{ ...deposit, deposit_id: '', status: 'Reverted', reverted_at: MARCH, currency: 'usd ' },
	{ ...deposit, deposit_id: 'de-2', updated_at: MARCH },
);
const TAKEN_BY_HAND = /"3 deposits"[^}]*"30.00".*"1 reversal"[^}]*"-10.00","currency":"USD"/;
/** Of these, only the second can be added up; the last is of another month. */
const WITHOUT_AMOUNT = depositsOf(
	{ ...deposit, amount: ' ' },
	deposit,
	{ ...deposit, deposit_id: 'de-9', amount: '1,200.00' },
	{ ...deposit, amount: '', received_at: APRIL },
	...['1.200', '1e3', true, 1.125].map((amount) => ({ ...deposit, amount })),
);
const NO_AMOUNT =
	/"1 deposit"[^}]*"10.00"(?:[^]*?"deposit without an amount"[^}]*"amount":""){6}(?![^]*deposit without)/;
/** Neither has all that it takes. */
const UNREADABLE = depositsOf(
	{ ...deposit, ...taken, received_at: '2026', reverted_at: '' },
	{ ...deposit, currency: ' ' },
);
const NOT_COUNTED =
	/"0 deposits".*"0 reversals".*"deposit without a date".*"reversal without a date".*"deposit without a currency"/;
/** A row that was copied. *Was it paid?* writes to the first one. */
const paidIn = (currency: string, status = ''): Rows => {
	const payment = { outcome: 'paid', amount: '4200.00', paid_at: MARCH, currency };
	const row = { ...payment, reference: 'A', transaction: 'tx-1' };
	return { ...MONTH, 'Read the payments': [{ ...row, status }, row] };
};
/** Headers as people write them. */
const CAPITALIZED: Rows = {
	...depositsOf({ Status: 'complete', 'Received at': MARCH, Amount: 10, Currency: 'USD' }),
	'Read the payments': [{ Outcome: 'paid', Amount: '4200.00', 'Paid at': MARCH }],
};
const BOTH_READ = /"1 deposit"[^}]*"10.00".*"1 payment"[^}]*"-4200.00"/;
/** What the message of a statement is made of. */
const statement = (...types: string[]): Rows => ({
	'Which month': [{ month: '2026-03' }],
	'Get the balance': [{ entity_id: 'te-1', balance: '7500.00', currency: 'USD' }],
	Statement: types.map((type) => ({ type, amount: '10.00', currency: 'USD', party: '1 deposit' })),
});
const WITH_BALANCE = /: \$10\.00 in 1 deposit\. Balance of te-1 now: \$7,500\.00"/;
const NOT_ADDED_UP = statement(
	'total of deposits',
	'deposit without a date',
	'payment without an amount',
);
const TWO_ROWS =
	/\$7,500\.00\. Not in the totals: 2 rows without a date, amount, currency or known outcome, at the end of the file"/;
const IN_DOLLARS = /"1 payment"[^}]*"amount":"-4200.00","currency":"USD"/;
const NAMELESS: Rows = {
	'Deposit received': [{ entity_id: null, destination_amount: null, destination_currency: null }],
};
const NO_ID: Rows = { 'Deposit received': [{ idempotency_key: '1', deposit_id: null }] };
const NO_NAMES = /"an unknown account".*"A deposit"/;
const NO_CURRENCY: Rows = { 'Deposit received': [{ destination_amount: '1250.00' }] };

/** A second event of a deposit whose row is there. */
const event = { deposit_id: 'de-1', created_at: APRIL, updated_at: APRIL, transaction_date: MARCH };
const again = (status: string, row: IDataObject, updated_at: string | null = APRIL): Rows => ({
	'Name the account': [{ ...event, status, updated_at }],
	'Read the row': [row],
});
const first = { received_at: MARCH, reverted_at: MARCH };
const DONE_ROW = { deposit_id: 'de-1', status: 'complete', updated_at: MARCH };
const TAKEN_ROW = { deposit_id: 'de-1', status: 'reverted', updated_at: '' };
const KEPT = /"received_at":"2026-03-31T09:30:00.000Z","updated_at":"2026-04-01.*"reverted_at":""/;
const KEPT_TWICE = /"received_at":"2026-03-31.*"reverted_at":"2026-03-31/;
const TAKEN_NOW = /"received_at":"2026-03-31.*"reverted_at":"2026-04-01/;

/** Cards of one person that two executions added at once, and two others of one name. */
const twice: Rows = {
	'Add a card': [{ name: 'a@b.co' }],
	'Get the cards again': [
		{ id: 'b', name: 'a@b.co' },
		{ id: 'a', name: 'a@b.co' },
		{ id: 'd', name: 'c@d.co' },
		{ id: 'c', name: 'c@d.co' },
	],
};

const FORM = 'payroll-run-with-approval';
const SLACK = 'payroll-run-approved-in-slack';
const SIGNED_IN = 'payroll-run-by-signed-in-approver';
const MONTH_END = 'month-end-statement';
const ROSE = 'balance-rose-without-deposit';

it.each([
	[MONTH_END, 'Statement', MONTH, STATEMENT],
	[MONTH_END, 'Statement', NEXT_MONTH, TAKEN_BACK],
	[MONTH_END, 'Statement', BY_HAND, TAKEN_BY_HAND],
	[MONTH_END, 'Statement', WITHOUT_AMOUNT, NO_AMOUNT],
	[MONTH_END, 'Statement', UNREADABLE, NOT_COUNTED],
	[MONTH_END, 'Statement', MISSPELLED, /as 2026-03 in place/],
	[MONTH_END, 'Statement', depositsOf({ State: 'complete' }), /deposits has no column status/],
	[MONTH_END, 'Statement', { ...MONTH, 'Read the payments': [{ Result: '' }] }, NO_OUTCOME],
	[MONTH_END, 'Statement', paidIn('', 'failed'), /"0 payments"/],
	[MONTH_END, 'Statement', CAPITALIZED, BOTH_READ],
	[MONTH_END, 'Send the statement', statement('deposit', 'total of deposits'), WITH_BALANCE],
	[MONTH_END, 'Send the statement', NOT_ADDED_UP, TWO_ROWS],
	[MONTH_END, 'Statement', paidIn(''), IN_DOLLARS],
	[MONTH_END, 'Statement', paidIn('usd'), IN_DOLLARS],
	['deposit-to-message', 'Name the account', NAMELESS, NO_NAMES],
	['deposit-to-slack', 'Name the account', NAMELESS, NO_NAMES],
	['deposit-to-sheet', 'Name the account', NAMELESS, /"an unknown account"/],
	['deposit-to-message', 'Name the account', NO_CURRENCY, /"1,250.00 in an unknown currency"/],
	['deposit-to-sheet', 'Name the account', NO_ID, /"deposit_id".*"value":"event 1"/],
	['deposit-to-sheet', 'Write the row', again('complete', first), KEPT],
	['deposit-to-sheet', 'Write the row', again('reverted', first), KEPT_TWICE],
	['deposit-to-sheet', 'Write the row', again('reverted', {}), TAKEN_NOW],
	['deposit-to-sheet', 'Write the row', again('reverted', {}, null), /"reverted_at":"2026-04-01/],
	['onboarding-to-board', 'Added twice?', twice, /true.*false.*false.*false/],
	[FORM, 'Left to pay', sheet({ outcome: 'Paid' }), DONE],
	[FORM, 'Left to pay', sheet({ Outcome: ' unknown' }), DONE],
	[FORM, 'Left to pay', sheet({ Outcome: 'paid by wire' }), DONE],
	[FORM, 'Left to pay', sheet({ outcome: 'Refused', amount: 1 }), DONE],
	[FORM, 'Left to pay', sheet({ row_number: 2, amount: ' ' }), EMPTY],
	[FORM, 'Left to pay', sheet({ row_number: 2, Betrag: 10 }), TO_PAY],
	[FORM, 'Left to pay', sheet({ ...UNUSED, currency: 'USD' }), EMPTY],
	[FORM, 'Write the outcome', UNREAD, /"reference":"Not a row of this sheet"/],
	[FORM, 'Ask for approval', asked('Reference'), /no column reference\./],
	[SLACK, 'Ask for approval', asked('Reference'), /no column reference\./],
	[FORM, 'Ask for approval', asked('reference'), /^(?!.*(no column|Left out)).*choose Pay/],
	[FORM, 'Ask for approval', asked('reference', 'on\n“hold”'), ON_HOLD],
	[SLACK, 'Ask for approval', asked('reference', 'unknown'), /isn’t empty: PAY-001: unknown\./],
	[FORM, 'Ask for approval', asked('reference', '', 202603), /references are numbers: 202603\./],
	[FORM, 'Ask for approval', NAME_ONLY, /Left out because .* are empty: 1 row\./],
	[FORM, 'Decide', asked('reference'), /"Nothing to pay".*Pay sends nothing here/],
	[SIGNED_IN, 'Decide', asked('reference'), /"Nothing to pay"/],
	[FORM, 'Tell the channel', declined(0), /"There was nothing to pay/],
	[FORM, 'Last page', declined(0, ''), /<p>There was nothing to pay/],
	[FORM, 'Last page', ended('refused', 'not_sent'), /Refused<\/h1>/],
	[SIGNED_IN, 'Decide', FAILED_CHECK, NOTHING_TO_DECIDE],
	[SIGNED_IN, 'Approved?', FAILED, /"leftValue":false/],
	[SLACK, 'Ask for approval', { ...asked('reference'), ...FAILED_CHECK }, ONE_BUTTON],
	[FORM, 'Write the outcome', BEFORE, /"paid","transaction":"tx-1".*-31T/],
	[FORM, 'Write the outcome', { ...BEFORE, 'Check the run': [{ already_paid: [] }] }, LEFT_ALONE],
	[FORM, 'Write the outcome', usedAgain({ outcome: ' Paid' }), LEFT_ALONE],
	[FORM, 'Write the outcome', usedAgain({ outcome: 'unknown' }), LEFT_ALONE],
	[FORM, 'Write the outcome', usedAgain({ outcome: '' }), /"reference":"Not written: A"/],
	[FORM, 'Tell the channel', REFUSED, ALL_REFUSED],
	[FORM, 'Tell the channel', declined(1), /` Ada `\. .*\.50 in 1 payment"/],
	[FORM, 'Last page', declined(3), DECLINED],
	[FORM, 'Tell the channel', declined(3, ''), UNANSWERED],
	[FORM, 'Tell the channel', broken(), /isn’t known yet.*: `It broke `"/],
	[FORM, 'Tell the channel', broken('unknown'), /isn’t known yet.*: `It/],
	[FORM, 'Tell the channel', broken('refused'), /"Nothing was paid: `It/],
	[FORM, 'Last page', broken('refused'), /Refused<\/h1><p>Nothing was paid/],
	[FORM, 'Last page', broken('unknown'), /Not known yet<\/h1>/],
	[FORM, 'Last page', ended('paid', 'already_paid'), /Done<\/h1>/],
	[FORM, 'Last page', ended('paid', 'refused'), /Not all paid<\/h1>/],
	[FORM, 'Last page', ended('paid', 'not_sent'), /Not all paid<\/h1>/],
	[FORM, 'Last page', ended('refused', 'unknown'), /Not known yet<\/h1>/],
	[SLACK, 'Decide', slack({ approved: true }), UNNAMED],
	[SLACK, 'Decide', slack({ responder: ADA }), /Don’t pay.*ada \(U0/],
	[SLACK, 'Decide', slack(), /"name":"Decision"[^}]*"value":""/],
	['unknown-outcome-alarm', 'Wake someone', UNKNOWN, /`It may be paid`\. `Don’t pay it\.`/],
	['unknown-outcome-alarm', 'Outcome unknown?', CRASHED, /"leftValue":true/],
	['unknown-outcome-alarm', 'Outcome unknown?', stopped('It failed to be processed'), /":true/],
	['unknown-outcome-alarm', 'Wake someone', CRASHED, ENDED_AT],
	['unknown-outcome-alarm', 'Outcome unknown?', TIMED_OUT, /"leftValue":false/],
	['was-it-paid', 'Needs a message?', CHANGED, /"leftValue":true/],
	['was-it-paid', 'Tell the channel', CHANGED, TEN_TOLD],
	['nightly-balance-check', 'Raise the alarm', { 'Not told yet?': [OVERDRAWN] }, IN_MINUS],
	['balance-changed-to-message', 'Message', { 'Balance changed': [OVERDRAWN] }, IN_MINUS],
	[ROSE, 'Raise the alarm', { 'Read the deposits': [OVERDRAWN] }, IN_MINUS],
	['onboarding-to-board', 'What to do?', { 'Match by name': [{ onboarded: null }] }, /":false/],
	['deposit-to-sheet', 'Newer than the row?', UNDATED, /"leftValue":true/],
	['deposit-to-sheet', 'Newer than the row?', depositRows('12/05/2026'), /"leftValue":true/],
	['deposit-to-sheet', 'Newer than the row?', depositRows(MARCH, APRIL), /"leftValue":false/],
	['deposit-to-sheet', 'Newer than the row?', again('reverted', DONE_ROW, null), /":true/],
	['deposit-to-sheet', 'Newer than the row?', again('complete', TAKEN_ROW), /"leftValue":false/],
	['was-it-paid', 'The event', { 'Payment ended': [{ created: APRIL, event_type: '' }] }, /04-01T/],
	['payroll-sheet-to-invites', 'Write the outcome', INVITES, /" a@b\.co"/],
	['payroll-sheet-to-invites', 'Left to invite', sheet({ email: '', Outcome: '' }), NO_OUTCOME],
	['name-reviews-from-queue', 'Still to do', { 'Read the queue': [{ Outcome: '' }] }, NO_OUTCOME],
	['name-reviews-from-queue', 'Note that it is sent', REVIEWS, /"Sent on \d.* UTC, and/],
	['name-reviews-from-queue', 'Outcome', REVIEWS, /Not known yet: No answer/],
])('%s: what “%s” makes of the rows of a sheet', async (example, node, before, expected) => {
	expect(await outputOf(example, node, before)).toMatch(expected);
});

it('marks a name review as sent before it sends the decision', () => {
	const text = JSON.stringify(readExample('name-reviews-from-queue').connections);
	expect(text).toMatch(/"Note that it is sent":{"main":\[\[{"node":"Resolve"/);
	expect(text.match(/"node":"Resolve"/g)).toHaveLength(1);
});

it('the canary hears every test event, although all of them have one key', async () => {
	const { nodes } = readExample('webhook-canary');
	const node = nodes.find(({ type }) => type.endsWith('.payrollPaymentsTrigger'));
	const host = await start({ parameters: JSON.parse(JSON.stringify(node?.parameters)) });
	for (let hour = 0; hour < 2; hour++) await host.send(sampleEvent('document.signed'));
	expect(await host.outputs()).toHaveLength(2);
});

it.each([
	['of an hour ago', 0, new Date(Date.now() - 3_600_000).toISOString()],
	['of last week', 1, new Date(Date.now() - 7 * 86_400_000).toISOString()],
	['that is missing', 1, ''],
	['that can’t be read', 1, '28/03/2026'],
	['that a spreadsheet made a number', 1, 46112],
	['that a spreadsheet made a number, as text', 1, '46112'],
	['in the wrong year', 1, '2099-03-28'],
])('was it paid? A payment without an event, with a date %s, is told %i times', (_d, count, at) => {
	const row = { reference: 1001, outcome: 'paid', transaction: 'tx-1', paid_at: at, status: '' };
	/* The others can’t be written to. A sheet finds a number by its text, and the last one was copied. */
	const lost = { ...row, reference: '1001', transaction: 'tx-2' };
	const rows: Rows = {
		'Read the payments': [row, lost, { ...row, reference: ' ' }],
		'Read the events': [{}],
	};
	const { nodes } = readExample('was-it-paid');
	const code = nodes.find(({ name }) => name === 'What changed')?.parameters.jsCode;
	/* Its schedule has started it. */
	const $ = (node: string) => ({
		isExecuted: false,
		all: () => (rows[node] ?? []).map((json) => ({ json })),
	});
	const changes = (): unknown => runInNewContext(`(() => {${String(code)}})()`, { $ });
	expect(changes()).toHaveLength(count);
	/* Once nothing else is new, nobody would hear of them. */
	row.status = 'no event';
	lost.paid_at = '';
	expect(changes).toThrow(/row above: row \S+ \(no event\)\./);
	rows['Read the payments']?.forEach((each) => delete each.transaction);
	expect(changes).toThrow('no column transaction.');
});

/* test/e2e/examples/deposits.test.ts has another account and another amount. */
const minutes = (number: number) => new Date(Date.parse(MARCH) + number * 60_000).toISOString();
const account = { entity_id: 'te-1', currency: 'USD' };
let count = 0;
const arrived = (at: number, cents: number): IDataObject => ({
	deposit_id: `de-${++count}`,
	created_at: minutes(at),
	entity_id: 'te-1',
	destination_currency: 'usd',
	destination_amount_cents: cents,
});
const isAlarm = async (cents: number, deposits: IDataObject[]): Promise<boolean> => {
	const rise = { ...account, change_cents: String(cents), observed_at: minutes(0) };
	const before = { 'Wait an hour': [rise], 'Read the deposits': deposits };
	return (await outputOf(ROSE, 'Rises without a deposit', before)).includes('te-1');
};
const several = (length: number, of: (index: number) => IDataObject) =>
	Array.from({ length }, (_, index) => of(index));
/* Amounts of which some sum to nearly anything: the first, third and fifth to 30,021. */
const eighteen = several(18, (index) => arrived(-index, 10_000 + 2 ** index));
const thousands = several(2_000, (index) => arrived(-index / 100, 100_000 + index));

it.each<[string, boolean, number, () => IDataObject[]]>([
	['its event came later', false, 125_000, () => [arrived(30, 125_000)]],
	['the same event twice', false, 125_000, () => [arrived(-2, 125_000), arrived(-3, 5)]],
	['two deposits', false, 26_000, () => [arrived(-300, 6_000), arrived(-1, 20_000)]],
	['nothing', true, 125_000, () => [{}]],
	['too long ago', true, 125_000, () => [arrived(-90, 125_000)]],
	['an amount that some of eighteen add up to by chance', true, 30_021, () => eighteen],
	['two thousand deposits', true, 999_999_999, () => thousands],
])('a balance that rose, %s: an alarm is %s', async (_name, expected, cents, deposits) => {
	expect(await isAlarm(cents, deposits())).toBe(expected);
});

/* What others write: the sender of a deposit, who answers a form, people of the team, a service’s errors. */
const HOSTILE =
	"=<!channel> &lt;!here&gt; \\n <https://evil.example|x> https://evil.example ` $`$'";
const FOREIGN = [
	...['reference', 'error', 'Your name', 'decision', 'first_name', 'last_name'],
	...['email', 'recipient_email'],
];
/** What else the expressions of examples expect of a row. */
const USUAL = {
	...{ type: 'total of deposits', amount: '1.00', currency: 'USD', party: '1 deposits' },
	/* Our node writes it; what it quotes may look like this. */
	message: 'Pay PAY-1 &lt;!here&gt; \\n',
};

/** What n8n makes of the text of a question in Slack: markup of what was escaped, and new lines. */
const asQuestion = (text: string) =>
	text.replaceAll('\\n', '<new line>').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

/** Where texts leave a workflow: by chat, on a page, in the cells of a sheet. */
function outletsOf(json: object) {
	const { text, message, description, responseBody, options, ...lists } = Object(json);
	const { value: columns = {}, matchingColumns = [] } = Object(lists.columns);
	const comment = options?.initialComment;
	const fields: object[] = lists.formFields?.values ?? [];
	const pairs: Array<{ name: string; value?: unknown }> = lists.assignments?.assignments ?? [];
	const assigned = (wanted: string) =>
		pairs.filter(({ name }) => name === wanted).map(({ value }) => value);
	return {
		chat: [text, asQuestion(String(message ?? '')), description, comment, ...assigned('text')],
		page: [responseBody],
		forms: fields.map((field) => Object(field).html),
		cells: [...Object.values(without(columns, ...matchingColumns)), ...assigned('outcome')],
	};
}

/** Rows with everything that these expressions ask for, hostile where others write it. */
function hostileRows(expressions: string): Rows {
	const asked = [...expressions.matchAll(/json(?:\.(\w+)|\['([^']+)'\])/g)];
	const fields = asked.map(([, name, quoted]): [string, string] => [name ?? quoted ?? '', '1']);
	const hostile = FOREIGN.map((name): [string, string] => [name, HOSTILE]);
	const row = { ...Object.fromEntries(fields), ...USUAL, ...Object.fromEntries(hostile) };
	const named = [...expressions.matchAll(/\$\('([^']+)'\)/g)].map(([, name = '']) => name);
	return Object.fromEntries([...new Set(named), 'Input'].map((name) => [name, [row]]));
}

it.each(EXAMPLES)(
	'the example %s passes on what others write as text: no markup, no links, no formulas',
	async (name) => {
		for (const { name: node, parameters, type } of readExample(name).nodes) {
			if (!/\.(slack|set|wait|form|googleSheets|trello|respondToWebhook)$/.test(type)) continue;
			const before = hostileRows(JSON.stringify(parameters).replaceAll('\\"', '"'));
			const items = JSON.parse(await outputOf(name, node, before));
			expect(items).toHaveLength(1);
			const { chat, page, forms, cells } = outletsOf(items[0].json);
			for (const text of chat.map((each) => String(each ?? ''))) {
				expect(text).not.toMatch(/[<>]/);
				expect(text.replaceAll(/`[^`]*`/g, '')).not.toMatch(/evil|`/);
			}
			for (const html of [...page, ...forms]) expect(String(html)).not.toMatch(/<(!|https?:)/);
			/* n8n puts a text into a form with String.replace, which makes something of a $. */
			for (const html of forms) expect(String(html)).not.toMatch(/\$[`'&$]/);
			for (const cell of cells) expect(String(cell)).not.toMatch(/^[=+@-]/);
		}
	},
);

it('keeps formulas out of the statement, whoever wrote them', async () => {
	const hostile = { reference: HOSTILE, account: HOSTILE, recipient_email: HOSTILE };
	const rows = await outputOf(MONTH_END, 'Statement', {
		'Which month': [{ month: '2026-03' }],
		'Read the deposits': [{ ...deposit, ...hostile, deposit_id: HOSTILE }],
		'Read the payments': [
			{ ...hostile, outcome: 'paid', amount: 1, paid_at: MARCH, transaction: '@x' },
		],
	});
	expect(rows.match(/":"'[=@]/g)).toHaveLength(6);
	expect(rows).not.toMatch(/":"[=@+]/);
});
