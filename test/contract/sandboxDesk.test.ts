import { useActionSandbox } from '../support/actionSandbox';

/* Of the practice desk, sheetStandIn.test.ts has the sheet, and controlPage.test.ts the page. */

const sandbox = useActionSandbox();

const post = async (route: string, body: object) =>
	Object(await sandbox.control('POST', route, body));

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
	});
});
