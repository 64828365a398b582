import { runInNewContext } from 'node:vm';

import type { IDataObject } from 'n8n-workflow';

import { sampleEvent } from '../../scripts/lib/exampleSamples';
import { SavedCredentials } from '../support/actionHost';
import { engineNode, nodeTypeOf, NodeTypes, runInEngine } from '../support/engine';
import { EXAMPLES, readExample } from '../support/examples';
import { useTriggerHosts } from '../support/triggerHost';
import { chain } from '../support/workflows';

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

/** What a node of an example puts out, where those before it, the last of them its input, put out rows. */
async function outputOf(example: string, name: string, before: Rows): Promise<string> {
	const of = readExample(example).nodes.find((each) => each.name === name)?.parameters;
	const nodes = [...Object.keys(before), name].map((each) =>
		engineNode({ name: each, type: 'standIn', parameters: { of: Object(of) } }),
	);
	const pinned = ([each, rows]: [string, IDataObject[]]) => [each, rows.map((json) => ({ json }))];
	const pinData = Object.fromEntries(Object.entries(before).map(pinned));
	const workflow = { nodes, connections: Object(chain(example, nodes).connections), pinData };
	const types = new NodeTypes({ standIn });
	const { data } = await runInEngine(workflow, types, new SavedCredentials({}), example);
	return JSON.stringify(data.resultData.runData[name]?.[0]?.data?.main?.[0]);
}

const [MARCH, APRIL] = ['2026-03-31T09:30:00.000Z', '2026-04-01T09:30:00.000Z'];
const deposit = { status: 'complete', received_at: MARCH, amount: 10, currency: 'USD' };
const MONTH: Rows = {
	'Which month': [{ month: '2026-03' }],
	'Read the deposits': [
		{ ...deposit, deposit_id: 'de-2', status: 'reverted', updated_at: APRIL },
		{ ...deposit, deposit_id: 'de-2', updated_at: MARCH },
		{ ...deposit, deposit_id: 'de-3', received_at: '3/28/2026' },
		{ ...deposit, deposit_id: 'de-1', reference: '=1+1' },
	],
	'Read the payments': [{ outcome: ' Paid', amount: '4200.00', paid_at: MARCH }],
};
const REFUSED: Rows = {
	Decide: [{ 'Your name': 'Ada' }],
	'The same payments': [{ amount: '4200.00' }],
	Pay: [{ outcome: 'refused', transaction: null, error: 'It expired' }],
};
const INVITES: Rows = { 'Read the sheet': [{ email: ' a@b.co' }], Invited: [{ email: 'a@b.co' }] };
const BEFORE: Rows = {
	'The same payments': [{ reference: 'A' }],
	Pay: [{ outcome: 'already_paid' }],
};
const REVIEWS: Rows = {
	'Still to do': [{}],
	Resolve: [{ outcome: 'unknown', error: 'No answer' }],
};
const LEFT: Rows = { 'Read the sheet': [{ outcome: 'Paid' }] };
const STATEMENT =
	/"'=1\+1".*"1 deposits".*"1 payments".*"3\/28\/2026","type":"deposit without a date"/;

it.each([
	['month-end-statement', 'Statement', MONTH, STATEMENT],
	['payroll-run-with-approval', 'Left to pay?', LEFT, /"leftValue":false/],
	['payroll-run-with-approval', 'Outcomes', BEFORE, /{"reference":"A","outcome":"paid"}/],
	['payroll-run-with-approval', 'Totals', REFUSED, /1 refused \(\$4200\.00\)\. It expired/],
	['payroll-sheet-to-invites', 'Write the outcome', INVITES, /" a@b\.co"/],
	['name-reviews-from-queue', 'Outcome', REVIEWS, /Not known yet: No answer/],
])('%s: what “%s” makes of the rows of a sheet', async (example, node, before, expected) => {
	expect(await outputOf(example, node, before)).toMatch(expected);
});
