import type { INodeParameters } from 'n8n-workflow';

import { useActionSandbox } from '../support/actionSandbox';
import { SECRET, useTriggerHosts } from '../support/triggerHost';

const sandbox = useActionSandbox();
const host = useTriggerHosts();

/** Delivers deposits of the sandbox to a trigger, and returns what started executions. */
async function deliver(parameters: INodeParameters, request: object) {
	await sandbox.reset();
	const n8n = await host({ nodeId: 'trigger', parameters });
	sandbox.service.deliveries.register({ url: n8n.url, secret: SECRET });
	await sandbox.control('POST', 'deposits', { ...request, delivery: { retries: false } });
	const started = (await n8n.outputs()).flat();
	const [attempt] = sandbox.service.deliveries.log();
	const sent: unknown = JSON.parse(attempt?.body ?? '');
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
		const unknown = await deliver({ depositStatuses: ['unknown'] }, request);
		expect([unknown.status, unknown.started]).toEqual([200, [unknown.sent]]);
	});

	it('of version 2 are refused without a required field', async () => {
		const { status, started } = await deliver({}, { deposit: { network: null } });
		expect([status, started]).toEqual([400, []]);
	});
});
