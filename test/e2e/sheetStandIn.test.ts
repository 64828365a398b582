import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';

import { installN8nUnderTest } from '../../n8nHost/n8nUnderTest';
import { sheetBody, type Values } from '../../practice/standIns';
import { Sheet } from '../../sandbox/sheet';

/* What stands in for Google Sheets against n8n’s own node, of which only Google’s answers are invented. */

const COLUMNS = ['reference', 'outcome', 'transaction'];
const KEY = ['reference'];
const ROWS = ['A,,', 'B,unknown,tx-1', ',on hold,'].map((cells) => cells.split(','));

type Operation = 'update' | 'appendOrUpdate';

/** The rows after n8n's own node has written one. */
async function byN8n(operation: Operation, value: Values): Promise<unknown[][]> {
	const { cli } = await installN8nUnderTest();
	const load = (file: string) =>
		Object(createRequire(cli)(`n8n-nodes-base/dist/nodes/Google/Sheet/v2/${file}`));
	const rows: unknown[][] = [COLUMNS, ...ROWS].map((cells) => [...cells]);
	const { GoogleSheet } = load('helpers/GoogleSheet.js');
	const google = Object.assign(new GoogleSheet('id', {}), {
		getData: async () => rows.map((cells) => cells.map(String)),
		batchUpdate: async (updates: ReadonlyArray<{ range: string; values: unknown[][] }>) => {
			for (const { range, values } of updates) {
				const [, column = '', row = ''] = /!([A-Z])(\d+)$/.exec(range) ?? [];
				rows[Number(row) - 1]?.splice(column.charCodeAt(0) - 65, 1, values[0]?.[0]);
			}
		},
		appendData: async (_range: string, added: unknown[][]) => rows.push(...added),
	});
	const schema = COLUMNS.map((id) => ({ id, displayName: id, type: 'string' }));
	const columns = { mappingMode: 'defineBelow', value, matchingColumns: KEY, schema };
	const parameters = { columns, options: { cellFormat: 'RAW', useAppend: true } };
	const host = {
		getInputData: () => [{ json: {} }],
		getNode: () => ({ typeVersion: 4.6 }),
		addExecutionHints: () => undefined,
		getNodeParameter: (path: string) =>
			structuredClone(
				(path.match(/\w+/g) ?? []).reduce((found, key) => Object(found)[key], Object(parameters)),
			),
	};
	await load(`actions/sheet/${operation}.operation.js`).execute.call(host, google, 'Payments', '0');
	return rows.slice(1);
}

/** The rows after the stand-in has been sent the same, as {@link sheetBody} has n8n send it. */
function byStandIn(operation: Operation, values: Values): unknown[][] {
	const named = (cells: string[]) => COLUMNS.map((column, at) => [column, cells[at]]);
	const rows = ROWS.map((cells) => Object.fromEntries(named(cells)));
	const sheet = new Sheet({ Payments: { columns: COLUMNS, rows } });
	const value = Object.fromEntries(
		Object.entries(values).map(([name, cell]) => [name, `={{ ${JSON.stringify(cell)} }}`]),
	);
	const columns = { value, matchingColumns: KEY };
	const { row = '' } = sheetBody({ operation, sheetName: { value: 'Payments' }, columns });
	const sent = JSON.parse(JSON.stringify(runInNewContext(row.replace(/^=\{\{|\}\}$/g, ''))));
	sheet.perform({ operation, tab: 'Payments', row: sent, matching: KEY, filter: {} });
	return (sheet.tab('Payments')?.rows ?? []).map((each) => COLUMNS.map((column) => each[column]));
}

it.each<[Operation, Values]>([
	['update', { reference: 'A', outcome: 'paid', transaction: 'tx-2' }],
	['update', { reference: 'B', outcome: null, transaction: undefined }],
	['update', { reference: 'B', outcome: 'paid', status: 'sent' }],
	['update', { reference: 'C', outcome: 'paid' }],
	['update', { reference: null, outcome: 'paid' }],
	['appendOrUpdate', { reference: 'B', outcome: 'paid', transaction: null }],
	['appendOrUpdate', { reference: 'C', outcome: 'paid', transaction: undefined }],
	['appendOrUpdate', { reference: null, outcome: 'paid', transaction: 'tx-3' }],
])('the sheet of the practice desk does as n8n’s Google Sheets node: %s %j', async (...given) => {
	expect(byStandIn(...given)).toEqual(await byN8n(...given));
});
