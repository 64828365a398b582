import { pause } from '../../scripts/lib/processes.mjs';
import { N8n } from '../support/n8n.mjs';
import {
	deposit,
	depositEvent,
	hmac,
	otherEvent,
	timestamped,
	without,
} from '../unit/delivery/samples';
import { Listener, raiseN8n, SECRET, until } from '../support/triggerWorkflow';

jest.setTimeout(600_000);

const GENUINE = { status: 200, body: { received: true } };
const FILTERED = { status: 200, body: { received: true, ignored: 'filter' } };
const DUPLICATE = { status: 200, body: { received: true, ignored: 'duplicate' } };

let stage: Awaited<ReturnType<typeof raiseN8n>>;
let n8n: N8n;

beforeAll(async () => {
	stage = await raiseN8n();
	n8n = stage.n8n;
});

afterAll(async () => {
	await stage.strike();
});

const seconds = () => Math.floor(Date.now() / 1000);

describe('the delivery table, in a real n8n', () => {
	it('genuine, wanted, first time: started once, exactly as received', async () => {
		const listener = await Listener.start(n8n);
		const event = depositEvent({ extra: [1, { nested: null }] });
		expect(await listener.send(event)).toEqual(GENUINE);
		expect(await listener.outputs()).toEqual([[event]]);
	});

	it('genuine, filtered out: ignored, and taken once the filter lets it', async () => {
		const listener = await Listener.start(n8n, { parameters: { filters: { networks: ['base'] } } });
		expect(await listener.send(depositEvent())).toEqual(FILTERED);
		const onBase = depositEvent({ deposit: deposit({ network: 'base' }) });
		expect(await listener.send(onBase)).toEqual(GENUINE);
		expect(await listener.outputs()).toEqual([[onBase]]);
	});

	it('genuine, key seen before: ignored as a duplicate', async () => {
		const listener = await Listener.start(n8n);
		expect(await listener.send(depositEvent())).toEqual(GENUINE);
		expect(await listener.send(depositEvent())).toEqual(DUPLICATE);
		expect(await listener.outputs()).toEqual([[depositEvent()]]);
	});

	it('signature missing, wrong, too old or from the future: 401, no execution', async () => {
		const listener = await Listener.start(n8n);
		const body = JSON.stringify(depositEvent());
		const signed = (secret: string, time: number) => timestamped(secret, time, Buffer.from(body));
		for (const signature of [
			'',
			'nonsense',
			signed('another', seconds()),
			signed(SECRET, seconds() - 2_000),
			signed(SECRET, seconds() + 2_000),
		]) {
			const answer = await listener.send(body, { headers: { 'x-signature': signature } });
			expect(answer).toEqual({ status: 401, body: { error: expect.any(String) } });
		}
		expect(await listener.counts()).toEqual({});
	});

	it('address not on the allowlist: 403, by the address that n8n’s proxy setting trusts', async () => {
		const listener = await Listener.start(n8n, {
			parameters: { options: { ipAllowlist: '203.0.113.0/24' } },
		});
		const from = async (addresses: string) =>
			await listener.send(depositEvent(), { headers: { 'x-forwarded-for': addresses } });
		expect(await from('198.51.100.7')).toMatchObject({ status: 403 });
		expect(await from('203.0.113.7, 198.51.100.7')).toMatchObject({ status: 403 });
		expect(await listener.send(depositEvent())).toMatchObject({ status: 403 });
		expect(await listener.counts()).toEqual({});
		expect(await from('::ffff:203.0.113.7')).toEqual(GENUINE);
		expect(await from('198.51.100.7, 203.0.113.8')).toEqual(DUPLICATE);
	});

	it('not an event: 400 with what is wrong; broken JSON: n8n’s own 422', async () => {
		const listener = await Listener.start(n8n);
		for (const event of [
			without(otherEvent(), 'event_type'),
			without(otherEvent(), 'idempotency_key'),
			otherEvent({ object: 'charge' }),
			'[]',
		]) {
			const answer = await listener.send(event);
			expect(answer).toEqual({
				status: 400,
				body: { error: expect.stringMatching(/^Not an event: /) },
			});
		}
		const headers = { 'content-type': 'text/plain' };
		expect(await listener.send(depositEvent(), { headers })).toMatchObject({ status: 400 });
		expect(await listener.send('{"object":')).toMatchObject({ status: 422 });
		expect(await listener.counts()).toEqual({});
	});

	it('a required field is missing: 400 with the list, or emitted with it', async () => {
		const event = depositEvent({ deposit: without(deposit(), 'network') });
		const rejecting = await Listener.start(n8n);
		expect(await rejecting.send(event)).toEqual({
			status: 400,
			body: { error: 'The event is not valid', validation_issues: ['deposit.network is missing'] },
		});
		expect(await rejecting.counts()).toEqual({});

		const emitting = await Listener.start(n8n, {
			parameters: { options: { invalidPayload: 'emit' } },
		});
		expect(await emitting.send(event)).toEqual(GENUINE);
		expect(await emitting.outputs()).toEqual([
			[{ ...event, validation_issues: ['deposit.network is missing'] }],
		]);
	});

	it('unknown type, network and currency: delivered where any event is asked for', async () => {
		const listener = await Listener.start(n8n);
		const unknown = depositEvent({
			deposit: deposit({ network: 'solana', source_currency: 'XTS', destination_currency: 'XTS' }),
		});
		const settled = depositEvent({
			idempotency_key: 'key-3',
			deposit: deposit({ status: 'settled' }),
		});
		const later = otherEvent({ event_type: 'payroll.closed' });
		expect(await listener.send(unknown)).toEqual(GENUINE);
		expect(await listener.send(later)).toEqual(GENUINE);
		expect(await listener.send(settled)).toEqual(FILTERED);
		expect(await listener.outputs()).toEqual([[unknown], [later]]);

		const asking = await Listener.start(n8n, { parameters: { depositStatuses: ['unknown'] } });
		expect(await asking.send(settled)).toEqual(GENUINE);
	});

	it('simplified, with headers: one flat row, and no secret in it', async () => {
		const listener = await Listener.start(n8n, {
			parameters: { output: 'simplified', options: { includeHeaders: true } },
		});
		const headers = { authorization: 'Bearer x', cookie: 'a=b' };
		expect(await listener.send(depositEvent(), { headers })).toEqual(GENUINE);
		const [[row] = []] = await listener.outputs();
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

describe('every way to prove a delivery, in a real n8n', () => {
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

	it.each(Object.entries(ways))('%s, and a rotated secret', async (way, prove) => {
		const format = way.replace('sha256=', '');
		const method = way === 'sharedToken' ? { method: way } : { method: 'hmacSignature', format };
		const credentials = { ...method, header: 'X-Proof', secret: 'new', previousSecret: 'old' };
		for (const [secret, status] of [
			['other', 401],
			['old', 200],
			['new', 200],
		] as const) {
			const listener = await Listener.start(n8n, { credentials });
			const headers = { 'content-type': 'application/json', 'x-proof': prove(secret) };
			expect(await listener.deliver(body, headers)).toMatchObject({ status });
			expect(await listener.outputs()).toEqual(status === 200 ? [[depositEvent()]] : []);
		}
	});

	it('a gzipped body is verified as it was before', async () => {
		const listener = await Listener.start(n8n);
		const { gzipSync } = await import('node:zlib');
		const response = await fetch(listener.url, {
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

	it('the credentials are tested here, without a request', async () => {
		const test = async (data: Record<string, unknown>) => {
			const saved = await n8n.saveCredentials('payrollPaymentsWebhookApi', 'tested', data);
			return await n8n.testCredentials(saved, data);
		};
		expect(await test({ secret: SECRET })).toMatchObject({ status: 'OK' });
		expect(await test({ secret: `${SECRET} ` })).toEqual({
			status: 'Error',
			message: 'Secret has white space around it',
		});
	});

	it('an allowlist that is none is named when the workflow is activated', async () => {
		const { workflowId } = await Listener.save(n8n, {
			parameters: { options: { ipAllowlist: 'our office' } },
		});
		const reason = 'IP Allowlist: “our office” is no address and no CIDR range';
		if (n8n.installation.version !== '2.41.1') {
			await expect(n8n.activate(workflowId)).rejects.toThrow(reason);
			return;
		}
		/* n8n 2.41 activates a moment later, and shows the editor what each trigger said. */
		await n8n.activate(workflowId);
		const said = async () =>
			await n8n.query(
				`select status, errorMessage from workflow_publication_trigger_status
				where workflowId = '${workflowId}'`,
			);
		await until(async () => (await said()).length > 0);
		expect(await said()).toEqual([{ status: 'failed', errorMessage: reason }]);
	});
});

describe('once, in a real n8n', () => {
	it('after a restart a duplicate that only the store knows ends in the trigger', async () => {
		const listener = await Listener.start(n8n);
		expect(await listener.send(depositEvent())).toEqual(GENUINE);
		await listener.idle();
		await n8n.stop();
		await n8n.start();
		await n8n.signIn();
		await listener.ready();
		expect(await listener.send(depositEvent())).toEqual(GENUINE);
		expect(await listener.send(depositEvent())).toEqual(DUPLICATE);
		expect(await listener.outputs()).toEqual([[depositEvent()], []]);
		const { idempotency_key: key } = depositEvent();
		expect(n8n.log).toContain(`another one has its event (idempotency_key ${JSON.stringify(key)})`);
	});

	it('a delivery to the test URL neither reads nor writes the production record', async () => {
		const listener = await Listener.start(n8n);
		expect(await listener.send(depositEvent())).toEqual(GENUINE);
		await listener.idle();
		for (let time = 0; time < 2; time++) {
			await n8n.request('POST', `/rest/workflows/${listener.workflowId}/run`, {
				workflowData: await n8n.request('GET', `/rest/workflows/${listener.workflowId}`),
				triggerToStartFrom: { name: 'Trigger' },
			});
			await pause(500);
			const testUrl = listener.url.replace('/webhook/', '/webhook-test/');
			const body = JSON.stringify(depositEvent());
			const answer = await fetch(testUrl, {
				method: 'POST',
				body,
				headers: {
					'content-type': 'application/json',
					'x-signature': timestamped(SECRET, seconds(), Buffer.from(body)),
				},
			});
			expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
		}
		expect(await listener.outputs()).toEqual([[depositEvent()], [depositEvent()], [depositEvent()]]);
		expect(await listener.send(depositEvent())).toEqual(DUPLICATE);
	});
});
