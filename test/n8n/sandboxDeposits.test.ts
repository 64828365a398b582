import type { INodeParameters } from 'n8n-workflow';

import { useActionSandbox } from '../support/actionSandbox';
import { TriggerHost } from '../support/triggerHost';

const SECRET = 'whsec_1';

const sandbox = useActionSandbox();
let n8n: TriggerHost;

afterEach(async () => {
	await n8n.stop();
});

/** Delivers deposits of the sandbox to a trigger, and returns what started executions. */
async function deliver(parameters: INodeParameters, request: object) {
	n8n = await TriggerHost.start({
		nodeId: 'trigger',
		parameters,
		credentials: { method: 'hmacSignature', secret: SECRET, format: 'timestamped' },
	});
	sandbox.service.deliveries.register({ url: n8n.url, secret: SECRET });
	const response = await fetch(`${sandbox.url}/sandbox/deposits`, {
		method: 'POST',
		body: JSON.stringify({ ...request, delivery: { retries: false } }),
	});
	expect(response.status).toBe(200);
	await n8n.idle();
	const [attempt] = sandbox.service.deliveries.log();
	const sent: unknown = JSON.parse(attempt?.body ?? '');
	const started = n8n.executions.flatMap(({ output }) => output.map(({ json }) => json));
	return { status: attempt?.status, sent, started };
}

describe('deposits', () => {
	it.each([false, true])('start the workflow, optional fields: %j', async (optionalFields) => {
		const { status, sent, started } = await deliver({}, { optionalFields });
		expect([status, started]).toEqual([200, [sent]]);
	});

	it.each([false, true])('have all columns when simplified: %j', async (optionalFields) => {
		const { started } = await deliver({ output: 'simplified' }, { optionalFields });
		expect(started).toMatchObject([
			{
				deposit_id: expect.any(String),
				destination_amount: expect.stringMatching(/^[0-9]+\.[0-9]{2}$/),
				reference: optionalFields ? expect.any(String) : null,
				funding_blockchain_txn: optionalFields ? expect.any(String) : null,
			},
		]);
	});

	it('of another major version need no field of version 2', async () => {
		const without = { status: null, token: null, network: null, destination_amount_cents: null };
		const request = { version: 3, deposit: without };
		const complete = await deliver({ depositStatuses: ['complete'] }, request);
		expect([complete.status, complete.started]).toEqual([200, []]);
		await n8n.stop();
		await sandbox.reset();
		const unknown = await deliver({ depositStatuses: ['unknown'] }, request);
		expect([unknown.status, unknown.started]).toEqual([200, [unknown.sent]]);
	});

	it('of version 2 are refused without a required field', async () => {
		const { status, started } = await deliver({}, { deposit: { network: null } });
		expect([status, started]).toEqual([400, []]);
	});
});
