import { gzipSync } from 'node:zlib';

import { DUPLICATE, FILTERED, GENUINE, signatureHeaders } from '../support/deliveries';
import { deposit, depositEvent } from '../../n8nHost/sampleEvents';
import { shareN8n } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { SECRET, TriggerWorkflow } from '../support/triggerWorkflow';

const environment = useEnvironment(shareN8n);

describe('the delivery table, in a real n8n', () => {
	it('starts once for a new event that passes the filters, with the event as received', async () => {
		const workflow = await TriggerWorkflow.start(environment, {
			parameters: { filters: { networks: ['base'] } },
		});
		const onBase = deposit({ network: 'base' });
		const event = depositEvent({ extra: [1, { nested: null }], deposit: onBase });
		expect(await workflow.send(depositEvent())).toEqual(FILTERED);
		expect(await workflow.send(event)).toEqual(GENUINE);
		expect(await workflow.send({ ...event, note: 'changed' })).toEqual(DUPLICATE);
		expect(await workflow.outputs()).toEqual([[event]]);
	});

	it('refuses what isn’t signed or isn’t an event; n8n answers 422 to bad JSON', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		const event = depositEvent();
		const asText = { headers: { 'content-type': 'text/plain' } };
		const noEvent = { error: expect.stringMatching(/^Not an event: /) };
		const forged = await workflow.send(event, { secret: 'another' });
		expect(forged).toEqual({ status: 401, body: { error: expect.any(String) } });
		expect(await workflow.send('[]')).toEqual({ status: 400, body: noEvent });
		expect(await workflow.send(event, asText)).toMatchObject({ status: 400 });
		expect(await workflow.send('{"object":')).toMatchObject({ status: 422 });
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

	it('verifies a gzipped body as it was before compression', async () => {
		const workflow = await TriggerWorkflow.start(environment);
		const body = JSON.stringify(depositEvent());
		const headers = { ...signatureHeaders(body, SECRET), 'content-encoding': 'gzip' };
		const response = await fetch(workflow.url, { method: 'POST', body: gzipSync(body), headers });
		expect(response.status).toBe(200);
	});
});

/* test/unit/trigger/webhookCredentials.test.ts has what else is wrong with credentials. */
it.each([
	[{ secret: 'copied by accident ' }, 'Secret has whitespace around it'],
	[{ method: 'sharedToken', format: 'standardWebhooks', secret: 'token', header: 'X-A' }, 'OK'],
])('n8n’s test of the credential %j says %j', async (data, verdict) => {
	const { n8n } = environment;
	const saved = await n8n.saveCredentials('payrollPaymentsWebhookApi', 'tested', data);
	const { status, message } = await n8n.testCredentials(saved, data);
	expect(status === 'OK' ? status : message).toBe(verdict);
});
