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

/* controlPage.test.ts has what a person changes; start.test.ts starts over, too. */
it('the sheet is written by the columns that match, and answers with the columns of the row', async () => {
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
	expect(await read('Payments', { reference: 'PAY-003' })).toMatchObject([{ row_number: 4 }]);
	const { columns } = Object(await sandbox.control('GET', 'sheet?tab=Payments'));
	expect(columns.slice(-2)).toEqual(['status_at', 'note']);
});
