import { useActionSandbox } from '../support/actionSandbox';

/* The practice desk: an inbox, and a sheet that behaves as Google Sheets does in n8n. */

const sandbox = useActionSandbox();

const post = async (route: string, body: object) =>
	Object(await sandbox.control('POST', route, body));
const read = async (tab: string, filter: object = {}) =>
	await sandbox.control('POST', 'sheet', { operation: 'read', tab, filter });
const write = async (operation: string, row: object, matching: readonly string[] = []) =>
	await post('sheet', { operation, tab: 'Payments', row, matching });

describe('the inbox', () => {
	const messages = async () => Object(await sandbox.control('GET', 'messages')).messages;

	it('keeps what went to the channel and by mail, and answers as these do', async () => {
		const answer = await post('messages', { content: 'Paid', to: '#finance', from: 'Payroll run' });
		expect(answer).toMatchObject({ ok: true, channel: '#finance', message: { text: 'Paid' } });
		const mail = { by: 'mail', to: 'ana@example.com', subject: 'Statement', content: { total: 1 } };
		expect(await post('messages', mail)).toMatchObject({ accepted: ['ana@example.com'] });
		expect(await messages()).toMatchObject([
			{ by: 'channel', to: '#finance', from: 'Payroll run', text: 'Paid' },
			{ by: 'mail', to: 'ana@example.com', subject: 'Statement', text: '{\n  "total": 1\n}' },
		]);
	});

	it('keeps a file that a workflow sends, and gives it back as a download', async () => {
		const content = 'date,party\n2026-11-01,"Zoë, <b>Ltd</b>"\n';
		const form = new FormData();
		const fields = { content: 'Statement', to: 'C1', from: 'Month end', subject: 'März’s (1).csv' };
		for (const [name, text] of Object.entries(fields)) form.set(name, text);
		form.set('file', new File([content], 'data.csv', { type: 'text/html' }));
		const route = `${sandbox.url}/sandbox/messages`;
		const posted = await fetch(route, { method: 'POST', body: form });
		expect(await posted.json()).toMatchObject({ ok: true, channel: 'C1' });
		const { content: text, ...others } = fields;
		const [message] = await messages();
		expect(message).toMatchObject({ ...others, text, hasFile: true });
		expect(JSON.stringify(message)).not.toContain('Ltd');

		const file = await fetch(`${route}/${message.id}/file`);
		expect(await file.text()).toBe(content);
		expect(Object.fromEntries(file.headers)).toMatchObject({
			'content-type': 'text/csv; charset=utf-8',
			'content-disposition': `attachment; filename*=UTF-8''M%C3%A4rz%E2%80%99s%20%281%29.csv`,
			'x-content-type-options': 'nosniff',
		});
		await post('messages', { content: 'No file' });
		const { id } = (await messages()).at(-1);
		for (const none of [id, 'ms-none'])
			expect((await fetch(`${route}/${none}/file`)).status).toBe(404);
	});
});

describe('the sheet', () => {
	it('has the rows that the examples read, with their numbers', async () => {
		expect(await read('Payments')).toMatchObject([
			{ row_number: 2, reference: 'PAY-001', amount: 4200, outcome: '' },
			{ row_number: 3, reference: 'PAY-002', amount: 3850.5 },
			{ row_number: 4, reference: 'PAY-003', amount: 5125 },
		]);
		const [review] = sandbox.firstTeam.nameReviews.keys();
		expect(await read('Name reviews', { user_id: review })).toMatchObject([
			{ team_id: sandbox.team, decision: 'approve' },
		]);
		expect(await read('Nothing')).toEqual([]);
	});

	it('is written by the columns that match, and answers with the columns of the row', async () => {
		const paid = { reference: 'PAY-002', outcome: 'paid', transaction: 'tx-1' };
		expect(await write('update', paid, ['reference'])).toEqual(paid);
		const noted = { row_number: 4, note: 'n' };
		expect(await write('update', noted, ['row_number'])).toEqual(noted);
		await write('update', { reference: 'PAY-009' }, ['reference']);
		const added = { reference: 'PAY-004', amount: 10 };
		expect(await write('appendOrUpdate', added, ['reference'])).toEqual(added);
		await write('appendOrUpdate', { ...added, amount: 11 }, ['reference']);
		await write('append', added);
		expect(await read('Payments')).toMatchObject([
			{ reference: 'PAY-001', outcome: '' },
			{ ...paid, amount: 3850.5 },
			{ reference: 'PAY-003', note: 'n' },
			{ row_number: 5, reference: 'PAY-004', amount: 11 },
			{ row_number: 6, reference: 'PAY-004', amount: 10 },
		]);
		const { columns } = Object(await sandbox.control('GET', 'sheet?tab=Payments'));
		expect(columns.slice(-2)).toEqual(['paid_at', 'note']);
	});

	it('is changed by a person, for whom digits become a number', async () => {
		const tab = 'Payments';
		const changed = { amount: '4200.75', reference: '1001' };
		await post('sheet/rows', { tab, row_number: 2, cells: changed });
		await post('sheet/rows', { tab, cells: { reference: "'1001", amount: '$4200' } });
		await post('sheet/rows/remove', { tab, row_number: 3 });
		expect(await read(tab)).toMatchObject([
			{ row_number: 2, amount: 4200.75, reference: 1001 },
			{ row_number: 3, reference: 'PAY-003' },
			{ row_number: 4, reference: '1001', amount: '$4200' },
		]);
	});

	it.each([
		['sheet/rows', { row_number: 99, cells: { amount: '1' } }],
		['sheet/rows/remove', { row_number: 99 }],
	])('answers 404 to %s for a row that isn’t there', async (route, body) => {
		await expect(post(route, { tab: 'Payments', ...body })).rejects.toThrow('404');
	});
});

it('starts over: messages, rows, payments and what else was changed', async () => {
	const reset = async () => Object(await sandbox.control('GET', 'reset'));
	const before = (await reset()).resets;
	await post('messages', { content: 'Paid' });
	await post('sheet/tabs', { tab: 'Payments', rows: [{ reference: 'X' }] });
	await post('sheet/tabs', { tab: 'New', rows: [{ a: 1 }] });
	await sandbox.control('GET', 'authorization?amount=1&email=ana@example.com');
	await post('reset', { keepEndpoints: true });
	expect(await sandbox.control('GET', 'messages')).toEqual({ messages: [] });
	expect(await sandbox.control('GET', 'payments')).toEqual({ payments: [] });
	expect(await read('Payments')).toHaveLength(3);
	await expect(sandbox.control('GET', 'sheet?tab=New')).rejects.toThrow('404');
	const { at, ...state } = await reset();
	expect(state).toEqual({ resets: before + 1 });

	await post('reset/followed', { resets: before });
	expect(await reset()).toMatchObject({ resets: before + 1, followed: { resets: before } });
	const { followed } = await post('reset/followed', { resets: before + 1 });
	expect(followed.resets).toBe(before + 1);
	expect(Date.parse(followed.at)).toBeGreaterThanOrEqual(Date.parse(at));
	expect(await post('reset/followed', { resets: before + 1 })).toMatchObject({ followed });
});
