import type { IDataObject } from 'n8n-workflow';

import { processedKeys, runNode } from '../../../support/actionHost';
import {
	FORMS,
	OPERATION_IDS,
	withAccessToken,
	type OperationId,
} from '../../../support/operationForms';
import { useEchoService } from '../../../support/echoService';
import { startHttpServer } from '../../../support/httpServer';
import { examplesOf, isRecord } from '../examples';
import { operation } from '../openapi';

/** A complete answer of an operation, as the last page. */
export const answerOf = (id: OperationId): unknown =>
	lastPage(examplesOf(operation(id).answer).allowed[0]);

/** What the node puts out for `data`: lists record by record, everything else as one item. */
function outputOf(id: OperationId, data: unknown): unknown[] {
	if (id === 'listInvites') return Array.isArray(data) ? data : [];
	if (!isRecord(data)) return [];
	/* The one place where a token comes out, so nothing else does. */
	if (id === 'verifySignIn') return [{ jwt: data.jwt }];
	if (id === 'listTeamUsers') return Array.isArray(data.users) ? data.users : [];
	return [data];
}

const ROUNDS = 1_000;
/** Enough for a request that was sent with the others to arrive. */
const ROUNDS_AFTER = 50;

const STATUSES = [400, 401, 403, 404, 500];

/** Full and sparse answers, values and fields that the document doesn't know, and failures. */
export function answersSuite(): void {
	const echo = useEchoService();

	async function ask(id: OperationId, node = {}) {
		processedKeys.clear();
		return await runNode(withAccessToken(echo.url), FORMS[id], { node });
	}

	it.each(OPERATION_IDS)('%s: full, sparse and new answers come out as they are', async (id) => {
		const { answer } = operation(id);
		const { allowed: documented, bare } = examplesOf(answer);
		for (const data of [...documented, bare, ...documented.map(withNewField)].map(lastPage)) {
			echo.answer(() => ({ body: { success: true, data } }));
			const { output, error } = await ask(id);
			expect(error?.message).toBeUndefined();
			const records = output.map(({ json }) => json);
			/* A payment's answer comes with what the node itself knows of it. */
			if (id === 'createInstantPayment') expect(records).toMatchObject(outputOf(id, data));
			else expect(records).toEqual(outputOf(id, data));
		}
	});

	it.each(OPERATION_IDS)('%s: failures come out with their code, or without one', async (id) => {
		for (const status of STATUSES) {
			for (const code of [{ error_code: `code_${status}` }, {}]) {
				echo.answer(() => ({ status, body: { success: false, data: 'The reason', ...code } }));
				const { output, error } = await ask(id, { onError: 'continueRegularOutput' });
				expect(error).toBeUndefined();
				const [failed, ...others]: IDataObject[] = output.map(({ json }) => json);
				expect(others).toEqual([]);
				expect(failed).toMatchObject({
					error: expect.stringContaining('The reason'),
					http_status: status,
					...code,
				});
				expect('error_code' in (failed ?? {})).toBe('error_code' in code);
				const unlessRead = status === 500 ? 'unknown' : 'refused';
				expect(failed?.outcome).toBe(operation(id).method === 'GET' ? undefined : unlessRead);
			}
		}
	});

	/* No case waits for a clock. interface.test.ts has the other defaults, that of changes among them. */
	it('without an option, 5 reads wait at the same time', async () => {
		let waiting = 0;
		let open = () => {};
		const opened = new Promise<number>((resolve) => (open = () => resolve(200)));
		const { url } = await startHttpServer(
			() => ({ success: true, data: answerOf('getBalance') }),
			async ({ path }) => {
				if (path === '/ping') return 404;
				waiting += 1;
				return await opened;
			},
		);
		const items = Array.from({ length: 12 }, () => ({}));
		const run = runNode(withAccessToken(url), FORMS.getBalance, { items });
		const ping = async () => await (await fetch(`${url}/ping`)).text();
		for (let round = 0; round < ROUNDS && waiting < 5; round++) await ping();
		for (let round = 0; round < ROUNDS_AFTER; round++) await ping();
		const together = waiting;
		open();
		const { output, error } = await run;
		expect(error).toBeUndefined();
		expect(output).toHaveLength(items.length);
		expect(together).toBe(5);
	});
}

/** A page of users that no other page follows; what follows one, the pages of Team User show. */
function lastPage(data: unknown): unknown {
	if (!isRecord(data) || !isRecord(data.pagination)) return data;
	return { ...data, pagination: { ...data.pagination, has_more: false } };
}

/** The same with a field that isn't documented, at the top and in the records of lists. */
function withNewField(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withNewField);
	if (!isRecord(value)) return value;
	const inner = Object.entries(value).map(([name, each]): [string, unknown] => [
		name,
		Array.isArray(each) && each.every((one) => typeof one === 'object')
			? each.map(withNewField)
			: each,
	]);
	return { ...Object.fromEntries(inner), new_field: { of: ['the service'] } };
}
