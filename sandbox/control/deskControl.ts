import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import type { Message } from '../inbox';
import { PAYMENT_OUTCOMES } from '../payments';
import { typedCell } from '../sheet';
import type { SimulatedService } from '../simulatedService';
import { bodyOf, formOf } from './body';
import { found } from './found';
import { lastOf } from './lastOf';

const messageShape = z
	.object({
		/** The message, or a value that is shown as JSON. */
		content: z.unknown(),
		by: z.enum(['channel', 'mail']).default('channel'),
		to: z.string().default('#payroll'),
		/** The workflow or node that sends it. */
		from: z.string().default(''),
		subject: z.string().default(''),
		file: z.instanceof(File).optional(),
	})
	.strict();
const rowShape = z.record(z.unknown());
const sheetShape = z
	.object({
		operation: z.enum(['read', 'append', 'update', 'appendOrUpdate']),
		tab: z.string().min(1),
		row: rowShape.default({}),
		matching: z.array(z.string()).default([]),
		filter: rowShape.default({}),
	})
	.strict();
const tabShape = z
	.object({
		tab: z.string().min(1),
		columns: z.array(z.string()).default([]),
		rows: z.array(rowShape).default([]),
	})
	.strict();
/** A row as a person changes it; without a number, it is a new one. */
const editShape = z
	.object({
		tab: z.string().min(1),
		row_number: z.number().int().min(2).optional(),
		cells: z.record(z.string()).default({}),
	})
	.strict();
const removalShape = z.object({ tab: z.string(), row_number: z.number().int().min(2) }).strict();
const endShape = z.object({ transaction: z.string(), outcome: z.enum(PAYMENT_OUTCOMES) }).strict();

/** Routes for the practice desk: an inbox, a sheet, and the payments that arrived. */
export function addDeskControl(app: FastifyInstance, service: SimulatedService): void {
	app.get('/sandbox/messages', async (request) => ({
		messages: lastOf(service.inbox.list(), request.query),
	}));
	app.post('/sandbox/messages', async (request) => {
		const { content, file, ...more } = messageShape.parse(await formOf(request));
		const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
		return answerTo(service.inbox.add({ ...more, text: text ?? '' }, await file?.text()));
	});
	app.get('/sandbox/messages/:id/file', async (request, reply) => {
		const { id } = z.object({ id: z.string() }).parse(request.params);
		const { name, content } = found(service.inbox.file(id), `A file of the message ${id}`);
		const isCsv = name.toLowerCase().endsWith('.csv');
		return await reply
			.header('content-type', isCsv ? 'text/csv; charset=utf-8' : 'application/octet-stream')
			.header('content-disposition', `attachment; filename*=UTF-8''${encoded(name)}`)
			.header('x-content-type-options', 'nosniff')
			.send(content);
	});

	app.get('/sandbox/sheet', async (request) => {
		const { tab } = z.object({ tab: z.string().optional() }).parse(request.query);
		const tabs = service.sheet.names();
		const name = tab ?? tabs[0] ?? '';
		return { tabs, tab: name, ...found(service.sheet.tab(name), `The tab ${name}`) };
	});
	app.post('/sandbox/sheet', async (request) =>
		service.sheet.perform(sheetShape.parse(bodyOf(request))),
	);
	app.post('/sandbox/sheet/tabs', async (request) => {
		const { tab, ...content } = tabShape.parse(bodyOf(request));
		service.sheet.replace(tab, content);
		return { tab, ...service.sheet.tab(tab) };
	});
	app.post('/sandbox/sheet/rows', async (request) => {
		const { tab, row_number: number, cells } = editShape.parse(bodyOf(request));
		const typed = Object.entries(cells).map(([column, text]) => [column, typedCell(text)]);
		const row = Object.fromEntries(typed);
		if (number === undefined) service.sheet.append(tab, row);
		else found(service.sheet.change(tab, number, row), `Row ${number}`);
		return { tab, ...service.sheet.tab(tab) };
	});
	app.post('/sandbox/sheet/rows/remove', async (request) => {
		const { tab, row_number: number } = removalShape.parse(bodyOf(request));
		found(service.sheet.remove(tab, number), `Row ${number}`);
		return { tab, ...service.sheet.tab(tab) };
	});

	app.get('/sandbox/payments', async (request) => ({
		payments: lastOf(service.payments.list(), request.query),
	}));
	app.post('/sandbox/payments/end', async (request) => {
		const { transaction, outcome } = endShape.parse(bodyOf(request));
		const ended = service.payments.end(transaction, outcome, service);
		return found(ended, `A payment in progress with ${transaction}`);
	});
}

/** As a header has a name in any letters (RFC 8187). */
const encoded = (name: string): string =>
	encodeURIComponent(name).replace(
		/['()*]/g,
		(character) => `%${character.charCodeAt(0).toString(16)}`,
	);

/** What Slack's and n8n's own mail node put out for a message. */
function answerTo({ id, at, by, to, text }: Message): object {
	if (by === 'mail') return { accepted: [to], rejected: [], messageId: `<${id}@example.com>` };
	return { ok: true, channel: to, ts: String(Date.parse(at) / 1000), message: { text } };
}
