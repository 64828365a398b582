import { outputOf } from '../../../n8nHost/executions';
import { EVERY_SECOND } from '../../support/pollingWorkflow';
import {
	environment,
	parties,
	type Edit,
	importExample,
	run,
	listen,
	ended,
	statusesOf,
	setBalance,
	deposit,
	sendEventsTo,
} from './importedExamples';

function pollingEverySecond(text: string): string {
	return text.replace('[{"mode":"everyMinute"}]', JSON.stringify(EVERY_SECOND));
}

/** Resolves when the workflow that is switched on has polled. */
async function watching<Value>(switchOn: () => Promise<Value>): Promise<Value> {
	const [value] = await Promise.all([switchOn(), environment.sandbox.asked('getBalance', 2)]);
	return value;
}

it('deposit to Slack', async () => {
	await run('deposit-to-slack');
	expect((await parties.received('Tell the team')).text).toMatch(/ arrived in Engineering /);
	parties.sent = [];
	await listen('deposit-to-slack');
	const unnamed = { ...deposit, entity_nanoid: 'co-a1B2c3D4e5F6' };
	await environment.sandbox.control('POST', 'deposits', { deposit: unnamed });
	const { text } = await parties.received('Tell the team');
	expect(text).toBe('$1,250.00 arrived in account co-a1B2c3D4e5F6');
	parties.sent = [];
	const reverted = { ...unnamed, status: 'reverted', reference: 'INV-1' };
	await environment.sandbox.control('POST', 'deposits', { deposit: reverted });
	expect((await parties.received('Tell the team')).text).toBe(
		'$1,250.00 that arrived in account co-a1B2c3D4e5F6 (reference `INV-1`) was taken back',
	);
});

const day = (number: number) => `2026-03-0${number}T10:00:00.000Z`;
const life = ['pending', 'complete', 'reverted'].map((status, index) => ({
	...deposit,
	nanoid: 'de-SameDeposit',
	status,
	transaction_date: day(1),
	updated_at: day(index + 1),
}));

it('deposit to a sheet, in order and then all of it again, failing once', async () => {
	const { sandbox, database } = environment;
	const order = [0, 1, 2, 0, 1, 2];
	const id = await listen('deposit-to-sheet', (text) =>
		text.replace('"depositStatuses":[', '"depositStatuses":["pending",'),
	);
	const before = (await database.executions(id)).length;
	parties.failures.set('Write the row', 1);
	for (const [index, state] of order.entries()) {
		const created = Date.parse(day(state + 1)) / 1000;
		/* The second time, the event comes with another key: a repeat that the trigger can't know. */
		const envelope = { created, idempotency_key: `${order.join()} ${state} ${index}` };
		await sandbox.control('POST', 'deposits', { deposit: life[state], envelope });
		/* One at a time, since a sheet has no lock; the first is delivered again. */
		await statusesOf(id, before + index + 2);
	}
	expect(parties.rows('Deposits')).toEqual([
		{
			deposit_id: 'de-SameDeposit',
			status: 'reverted',
			account: 'Engineering',
			amount: 1250,
			currency: 'USD',
			reference: '',
			received_at: day(1),
			updated_at: day(3),
			reverted_at: day(3),
		},
	]);
});

it('nightly balance check, told once until the balance has recovered', async () => {
	const alarms = async (cents: string | null) => {
		parties.sent = [];
		await setBalance(cents);
		await run('nightly-balance-check');
		return parties.sent.map(({ text }) => text);
	};
	const alarm = [
		'The payroll account holds $4,999.99, which is below your minimum. Top it up before the next payroll.',
	];
	expect(await alarms('500000')).toEqual([]);
	expect(await alarms('499999')).toEqual(alarm);
	expect(await alarms('499999')).toEqual([]);
	expect(await alarms('500001')).toEqual([]);

	/* An alarm that couldn't be sent is sent the next night. */
	parties.failures.set('Raise the alarm', 1);
	const once: Edit = (text) => text.replace('"retryOnFail":true', '"retryOnFail":false');
	await setBalance('499999');
	const { id } = await importExample('nightly-balance-check', once);
	expect((await environment.n8n.runWorkflow(id)).error).toBeDefined();
	expect(await alarms('499999')).toEqual(alarm);
	expect(await alarms('499999')).toEqual([]);
	expect(await alarms('500001')).toEqual([]);

	/* A currency that isn't listed counts as 0. */
	expect((await alarms(null)).join()).toMatch(/^The payroll account holds \$0\.00,[^,]+$/);
	expect(await alarms('500000')).toEqual([]);
});

it('balance changed to message', async () => {
	const { n8n, teamId } = environment;
	await setBalance('500000');
	const { id } = await importExample('balance-changed-to-message', pollingEverySecond);
	await watching(async () => await n8n.activate(id));
	await setBalance('487650');
	await statusesOf(id, 1);
	expect(outputOf(await ended(id), 'Message')).toEqual([
		expect.objectContaining({
			text: `${teamId} now holds $4,876.50, $123.50 less than before ($5,000.00)`,
		}),
	]);
	await n8n.deactivate(id);
});

it('balance rose without a deposit event', async () => {
	const { n8n, sandbox, teamId } = environment;
	await setBalance('500000');
	/* The row is written at the second try, five seconds later. */
	const quick = (text: string) =>
		pollingEverySecond(text).replace('"amount":1,"unit":"hours"', '"amount":15,"unit":"seconds"');
	parties.failures.set('Add or update the row', 1);
	const id = await watching(async () => await listen('balance-rose-without-deposit', quick));
	/* A small payment before a deposit doesn't make the two amounts differ. */
	await watching(async () => await setBalance('495000'));
	/* The sandbox adds a deposit to the balance of its team; the event comes twice. */
	const ours = { ...deposit, entity_nanoid: teamId, nanoid: 'de-OurDeposit01' };
	await sandbox.control('POST', 'deposits', { deposit: ours, delivery: { duplicates: 1 } });
	expect(await statusesOf(id, 3)).not.toContain('error');
	expect(parties.rows('Deposit events')).toHaveLength(1);
	expect(parties.from('Raise the alarm')).toEqual([]);

	/* Another team's deposit and one of another amount explain nothing. */
	const [row = {}] = parties.rows('Deposit events');
	const observed = new Date().toISOString();
	parties.fill('Deposit events', [
		{ ...row, deposit_id: 'a', entity_id: 'te-Another0000', created_at: observed },
		{ ...row, deposit_id: 'b', destination_amount_cents: 124_999, created_at: observed },
	]);
	await setBalance('745000');
	const { text } = await parties.received('Raise the alarm');
	expect(text).toMatch(
		/^The USD balance of te-\S+ rose by \$1,250\.00 to \$7,450\.00, and no deposit/,
	);
	await n8n.deactivate(id);
});

it('webhook canary: silent while events arrive, and loud when they don’t', async () => {
	const { sandbox, n8n } = environment;
	/* Its schedule must not start it, too, seven minutes after an hour. */
	const waiting = (seconds: number): Edit => {
		const wait = `"amount":${seconds},"unit":"seconds"`;
		return (text) =>
			text
				.replace('"amount":2,"unit":"minutes"', wait)
				.replace('"field":"hours","triggerAtMinute":7', '"field":"months"');
	};
	const id = await listen('webhook-canary', waiting(15));
	expect((await n8n.runWorkflow(id)).error).toBeUndefined();
	expect(parties.from('Raise the alarm')).toEqual([]);

	await sandbox.control('DELETE', 'endpoints');
	await sendEventsTo('http://127.0.0.1:1/');
	await run('webhook-canary', waiting(1));
	expect((await parties.received('Raise the alarm')).text).toMatch(/didn’t receive it within/);

	parties.sent = [];
	await sandbox.control('DELETE', 'endpoints');
	await n8n.runWorkflow(id);
	expect((await parties.received('Raise the alarm')).text).toMatch(/didn’t send a test event: /);
	await n8n.deactivate(id);
});
