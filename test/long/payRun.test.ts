import { z } from 'zod';

import { outputOf, type Execution } from '../../n8nHost/executions';
import { markdownTable } from '../../tooling/markdown';
import { writeSection } from './reliabilityReport';
import { startTestEnvironment, AS_INSTALLED } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { waitUntil } from '../../n8nHost/waiting';
import { action, chain, code, START } from '../../n8nHost/workflows';

const ROWS = 50;
const CUT_AT = 20;
const KILLED_AT = 35;

const PAYMENTS = { method: 'PUT', path: 'instant' };

const body = z.object({ typed_data: z.object({ salt: z.string() }) });

const environment = useEnvironment(async () => await startTestEnvironment(AS_INSTALLED));

async function sheet() {
	const { sandbox, teamId, account } = environment;
	const rows: Array<{ email: string; reference: string; authorization: unknown }> = [];
	for (let row = 1; row <= ROWS; row++) {
		const email = `payee-${row}@example.com`;
		const authorization = await sandbox.authorization(teamId, account, email);
		rows.push({ email, reference: `INV-${row}`, authorization });
	}
	return rows;
}

it('pays 50 rows once, over a cut connection, a kill -9 and three runs', async () => {
	const { n8n, n8nProcess, sandbox, api, teamId } = environment;
	const funds = { nanoid: teamId, currency: 'USD', balance_cents: '100000000' };
	await sandbox.control('POST', 'balances', funds);
	const jsCode = `return ${JSON.stringify(await sheet())}.map((json) => ({ json }));`;
	const save = async (options: Record<string, unknown>): Promise<string> => {
		const pay = action(
			'Pay',
			{
				resource: 'payment',
				operation: 'create',
				teamId,
				recipientEmail: '={{ $json.email }}',
				amountUnit: 'dollars',
				amountDollars: '125.00',
				paymentReference: '={{ $json.reference }}',
				typedData: '={{ $json.authorization }}',
				signatureSource: 'wallet',
				options: { ifAlreadyPaid: 'skip', ...options },
			},
			/* The record of what was paid belongs to the node. */
			{ id: 'b1f0c0de-0000-4000-8000-000000000001', onError: 'continueRegularOutput' },
		);
		const workflow = chain('Pay run', [START, code('Sheet', jsCode), pay]);
		return (await n8n.saveWorkflow(workflow, [api])).id;
	};
	const table: unknown[][] = [];
	const requests = async () => await sandbox.requests('createInstantPayment', body);
	const tell = async (what: string, execution: Execution) => {
		const outcomes = outputOf(execution, 'Pay').map(({ outcome }) => String(outcome));
		const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
		const said = ['paid', 'already_paid', 'unknown', 'not_sent'].map(count);
		table.push([what, execution.status, ...said, (await requests()).length]);
		return outcomes;
	};
	const id = await save({});

	const cut = { kind: 'cutBefore', match: PAYMENTS, skip: CUT_AT - 1 };
	await sandbox.control('POST', 'faults', cut);
	const first = await tell(`connection cut at ${CUT_AT}`, await n8n.runWorkflow(id, 180_000));
	expect(first.indexOf('unknown')).toBe(CUT_AT - 1);

	const held = { kind: 'latency', delay: 2_000, match: PAYMENTS, skip: KILLED_AT - CUT_AT - 1 };
	await sandbox.control('POST', 'faults', held);
	const killed = await n8n.startWorkflow(id);
	const isOnTheWire = async () => (await requests()).length >= KILLED_AT;
	await waitUntil(`payment ${KILLED_AT} is on the wire`, isOnTheWire, { interval: 20 });
	await n8nProcess.kill();
	await n8nProcess.start();
	await n8n.signIn();
	const crashed = await n8n.waitForExecution(killed);
	expect(crashed.status).toBe('crashed');
	await tell(`kill -9 at ${KILLED_AT}`, crashed);

	const thirdRun = await n8n.runWorkflow(id, 180_000);
	const third = await tell('third run', thirdRun);
	expect(third.flatMap((outcome, index) => (outcome === 'unknown' ? [index + 1] : []))).toEqual([
		CUT_AT,
		KILLED_AT,
	]);
	const salts = (await requests()).map(({ body: { typed_data } }) => typed_data.salt);
	expect([salts.length, new Set(salts).size]).toEqual([ROWS, ROWS]);

	/* Nobody paid row 20: a person asked the service. Its code releases it, and only it. */
	const released = outputOf(thirdRun, 'Pay')[CUT_AT - 1]?.attempt_code;
	expect(released).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/);
	await save({ confirmedNotPaid: released });
	const last = await tell('released by its code', await n8n.runWorkflow(id, 180_000));
	expect(last.filter((outcome) => outcome === 'paid')).toHaveLength(1);
	expect(last[CUT_AT - 1]).toBe('paid');
	const made = (await requests()).filter(({ status }) => status === 200);
	expect(new Set(made.map(({ body: { typed_data } }) => typed_data.salt)).size).toBe(made.length);

	writeSection('payRun', {
		versions: `n8n ${n8nProcess.installation.version}`,
		result: `${made.length} of ${ROWS} payments made over a cut, a kill -9 and three runs, none twice`,
		figures: [
			`A sheet of ${ROWS} payments with *If Already Paid: Skip* and *On Error: Continue*. The connection is cut at payment ${CUT_AT}, n8n is killed with kill -9 while payment ${KILLED_AT} is under way, and the workflow runs a third time. Then a person releases payment ${CUT_AT} with its attempt code; payment ${KILLED_AT} was made, so it is left alone.`,
			markdownTable(
				['run', 'n8n shows', 'paid', 'already paid', 'unknown', 'not sent', 'requests on the wire'],
				table,
			),
		],
	});
	expect(made).toHaveLength(ROWS);
});
