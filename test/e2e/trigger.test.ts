import { N8N_VERSIONS } from '../../scripts/lib/n8nVersions.mjs';
import { shareN8n, type N8nEnvironment } from '../support/testEnvironment';
import {
	saveTriggerWorkflow,
	SECRET,
	signatureHeaders,
	TriggerWorkflow,
} from '../support/triggerWorkflow';
import { waitUntil } from '../support/waiting';
import {
	deposit,
	depositEvent,
	hmac,
	otherEvent,
	timestamped,
	without,
} from '../support/sampleEvents';

jest.setTimeout(600_000);

const GENUINE = { status: 200, body: { received: true } };
const FILTERED = { status: 200, body: { received: true, ignored: 'filter' } };
const DUPLICATE = { status: 200, body: { received: true, ignored: 'duplicate' } };

let environment: N8nEnvironment;

beforeAll(async () => {
	environment = await shareN8n();
});

afterAll(async () => {
	await environment.stop();
});

const seconds = () => Math.floor(Date.now() / 1000);

describe('the delivery table, in a real n8n', () => {
	it('starts once for a new event that passes the filters, with the event as received', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		const event = depositEvent({ extra: [1, { nested: null }] });
		expect(await workflow.send(event)).toEqual(GENUINE);
		expect(await workflow.outputs()).toEqual([[event]]);
	});

	it('ignores a filtered event, and accepts it once the filter allows it', async () => {
		const workflow = await TriggerWorkflow.start(environment, {
			parameters: { filters: { networks: ['base'] } },
		});
		expect(await workflow.send(depositEvent())).toEqual(FILTERED);
		const onBase = depositEvent({ deposit: deposit({ network: 'base' }) });
		expect(await workflow.send(onBase)).toEqual(GENUINE);
		expect(await workflow.outputs()).toEqual([[onBase]]);
	});

	it('ignores a duplicate', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		expect(await workflow.send(depositEvent())).toEqual(GENUINE);
		expect(await workflow.send(depositEvent())).toEqual(DUPLICATE);
		expect(await workflow.outputs()).toEqual([[depositEvent()]]);
	});

	it('answers 401 to a missing, wrong, old or future signature, without an execution', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		const body = JSON.stringify(depositEvent());
		const signed = (secret: string, time: number) => timestamped(secret, time, Buffer.from(body));
		for (const signature of [
			'',
			'nonsense',
			signed('another', seconds()),
			signed(SECRET, seconds() - 2_000),
			signed(SECRET, seconds() + 2_000),
		]) {
			const answer = await workflow.send(body, { headers: { 'x-signature': signature } });
			expect(answer).toEqual({ status: 401, body: { error: expect.any(String) } });
		}
		expect(await workflow.counts()).toEqual({});
	});

	it('answers 403 to an address that isn’t on the allowlist, by n8n’s proxy setting', async () => {
		const workflow = await TriggerWorkflow.start(environment, {
			parameters: { options: { ipAllowlist: '203.0.113.0/24' } },
		});
		const from = async (addresses: string) =>
			await workflow.send(depositEvent(), { headers: { 'x-forwarded-for': addresses } });
		expect(await from('198.51.100.7')).toMatchObject({ status: 403 });
		expect(await from('203.0.113.7, 198.51.100.7')).toMatchObject({ status: 403 });
		expect(await workflow.send(depositEvent())).toMatchObject({ status: 403 });
		expect(await workflow.counts()).toEqual({});
		expect(await from('::ffff:203.0.113.7')).toEqual(GENUINE);
		expect(await from('198.51.100.7, 203.0.113.8')).toEqual(DUPLICATE);
	});

	it('answers 400 with the reason if the body isn’t an event; n8n answers 422 to bad JSON', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		for (const event of [
			without(otherEvent(), 'event_type'),
			without(otherEvent(), 'idempotency_key'),
			otherEvent({ object: 'charge' }),
			'[]',
		]) {
			const answer = await workflow.send(event);
			expect(answer).toEqual({
				status: 400,
				body: { error: expect.stringMatching(/^Not an event: /) },
			});
		}
		const headers = { 'content-type': 'text/plain' };
		expect(await workflow.send(depositEvent(), { headers })).toMatchObject({ status: 400 });
		expect(await workflow.send('{"object":')).toMatchObject({ status: 422 });
		expect(await workflow.counts()).toEqual({});
	});

	it('answers 400 with the missing fields, or outputs the event with them', async () => {
		const event = depositEvent({ deposit: without(deposit(), 'network') });
		const rejecting = await TriggerWorkflow.start(environment);
		expect(await rejecting.send(event)).toEqual({
			status: 400,
			body: { error: 'The event is not valid', validation_issues: ['deposit.network is missing'] },
		});
		expect(await rejecting.counts()).toEqual({});

		const emitting = await TriggerWorkflow.start(environment, {
			parameters: { options: { invalidPayload: 'emit' } },
		});
		expect(await emitting.send(event)).toEqual(GENUINE);
		expect(await emitting.outputs()).toEqual([
			[{ ...event, validation_issues: ['deposit.network is missing'] }],
		]);
	});

	it('accepts an unknown type, network and currency if it listens to all events', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		const unknown = depositEvent({
			deposit: deposit({ network: 'solana', source_currency: 'XTS', destination_currency: 'XTS' }),
		});
		const settled = depositEvent({
			idempotency_key: 'key-3',
			deposit: deposit({ status: 'settled' }),
		});
		const later = otherEvent({ event_type: 'payroll.closed' });
		expect(await workflow.send(unknown)).toEqual(GENUINE);
		expect(await workflow.send(later)).toEqual(GENUINE);
		expect(await workflow.send(settled)).toEqual(FILTERED);
		expect(await workflow.outputs()).toEqual([[unknown], [later]]);

		const asking = await TriggerWorkflow.start(environment, {
			parameters: { depositStatuses: ['unknown'] },
		});
		expect(await asking.send(settled)).toEqual(GENUINE);
	});

	it('outputs one flat row with headers and without secrets', async () => {
		const workflow = await TriggerWorkflow.start(environment, {
			parameters: { output: 'simplified', options: { includeHeaders: true } },
		});
		const headers = { authorization: 'Bearer x', cookie: 'a=b' };
		expect(await workflow.send(depositEvent(), { headers })).toEqual(GENUINE);
		const [[row] = []] = await workflow.outputs();
		expect(row).toMatchObject({
			created_at: '2026-03-31T09:30:00.000Z',
			destination_amount: '10842.05',
			headers: { 'content-type': 'application/json' },
		});
		for (const hidden of ['authorization', 'cookie', 'x-signature']) {
			expect(row).not.toHaveProperty(['headers', hidden]);
		}
	});
});

describe('every way to authenticate a delivery, in a real n8n', () => {
	const body = JSON.stringify(depositEvent());
	const hex = (secret: string) => hmac(secret, body).toString('hex');
	const base64 = (secret: string) => hmac(secret, body).toString('base64');
	const ways: Record<string, (secret: string) => string> = {
		timestamped: (secret) => timestamped(secret, seconds(), Buffer.from(body)),
		hex,
		base64,
		'sha256=hex': (secret) => `sha256=${hex(secret)}`,
		'sha256=base64': (secret) => `sha256=${base64(secret)}`,
		sharedToken: (secret) => secret,
	};

	it.each(Object.entries(ways))('accepts %s, also with a rotated secret', async (way, prove) => {
		const format = way.replace('sha256=', '');
		const method = way === 'sharedToken' ? { method: way } : { method: 'hmacSignature', format };
		const credentials = { ...method, header: 'X-Proof', secret: 'new', previousSecret: 'old' };
		for (const [secret, status] of [
			['other', 401],
			['old', 200],
			['new', 200],
		] as const) {
			const workflow = await TriggerWorkflow.start(environment, { credentials });
			const headers = { 'content-type': 'application/json', 'x-proof': prove(secret) };
			expect(await workflow.deliver(body, headers)).toMatchObject({ status });
			expect(await workflow.outputs()).toEqual(status === 200 ? [[depositEvent()]] : []);
		}
	});

	it('verifies a gzipped body as it was before compression', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		const { gzipSync } = await import('node:zlib');
		const response = await fetch(workflow.url, {
			method: 'POST',
			body: gzipSync(body),
			headers: {
				'content-type': 'application/json',
				'content-encoding': 'gzip',
				'x-signature': timestamped(SECRET, seconds(), Buffer.from(body)),
			},
		});
		expect(response.status).toBe(200);
	});

	it('tests the credentials locally, without a request', async () => {
		const test = async (data: Record<string, unknown>) => {
			const { n8n } = environment;
			const saved = await n8n.saveCredentials('payrollPaymentsWebhookApi', 'tested', data);
			return await n8n.testCredentials(saved, data);
		};
		expect(await test({ secret: SECRET })).toMatchObject({ status: 'OK' });
		expect(await test({ secret: `${SECRET} ` })).toEqual({
			status: 'Error',
			message: 'Secret has whitespace around it',
		});
	});

	it('reports an invalid allowlist when the workflow is activated', async () => {
		const { n8n, n8nProcess, database } = environment;
		const { workflowId } = await saveTriggerWorkflow(n8n, {
			parameters: { options: { ipAllowlist: 'our office' } },
		});
		const reason =
			"IP Allowlist, entry 1 is wrong: “our office” isn't a valid IP address or CIDR range";
		if (!N8N_VERSIONS[n8nProcess.installation.version].activatesInBackground) {
			await expect(n8n.activate(workflowId)).rejects.toThrow(reason);
			return;
		}
		/* It activates a moment later, and shows the error of each trigger in the editor. */
		await n8n.activate(workflowId);
		const said = async () =>
			await database.query(
				`select status, "errorMessage" from workflow_publication_trigger_status
				where "workflowId" = '${workflowId}'`,
			);
		await waitUntil(async () => (await said()).length > 0, {
			milliseconds: 180_000,
			interval: 250,
			failure: () => 'n8n has not reported an error after three minutes.',
		});
		expect(await said()).toEqual([{ status: 'failed', errorMessage: reason }]);
	});
});

describe('deduplication, in a real n8n', () => {
	it('neither reads nor writes the production record for a delivery to the test URL', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		expect(await workflow.send(depositEvent())).toEqual(GENUINE);
		await workflow.idle();
		for (let time = 0; time < 2; time++) {
			const testUrl = await workflow.listenForTest();
			const body = JSON.stringify(depositEvent());
			const answer = await fetch(testUrl, {
				method: 'POST',
				body,
				headers: signatureHeaders(body),
			});
			expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
		}
		expect(await workflow.outputs()).toEqual([
			[depositEvent()],
			[depositEvent()],
			[depositEvent()],
		]);
		expect(await workflow.send(depositEvent())).toEqual(DUPLICATE);
	});
});
