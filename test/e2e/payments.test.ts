import { randomUUID } from 'node:crypto';

import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { startTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { action, chain, START } from '../support/workflows';

jest.setTimeout(300_000);

let environment: TestEnvironment;

beforeAll(async () => {
	environment = await startTestEnvironment();
});

afterAll(async () => {
	await environment.stop();
});

const readyToSign = z.object({
	typed_data: z.unknown(),
	domain: z.unknown(),
	types: z.unknown(),
	primary_type: z.string(),
});

/** The parameters of a payment of $125.00 that the sandbox accepts. */
async function payment(email: string): Promise<Record<string, unknown>> {
	const query = new URLSearchParams({
		from: environment.teamId,
		amount_cents: '12500',
		email,
		signer: environment.account.address,
	});
	const ready = readyToSign.parse(
		await environment.sandbox.control('GET', `payment-typed-data?${query.toString()}`),
	);
	return {
		resource: 'payment',
		operation: 'create',
		teamId: environment.teamId,
		amountUnit: 'cents',
		amountCents: 12500,
		recipientEmail: email,
		typedData: JSON.stringify(ready),
		signatureSource: 'wallet',
		currency: 'USD',
		network: 'arbitrum',
	};
}

/** How many payments reached the service so far, answered or not. */
async function paymentsOnTheWire(): Promise<number> {
	const { counts } = z
		.object({ counts: z.record(z.number()) })
		.parse(await environment.sandbox.control('GET', 'log'));
	return counts.createInstantPayment ?? 0;
}

async function save(name: string, parameters: Record<string, unknown>, more = {}) {
	const workflow = chain(name, [START, action('Pay', parameters, more)]);
	return (await environment.n8n.saveWorkflow(workflow, [environment.api])).id;
}

async function pay(workflowId: string) {
	const { runs } = await environment.n8n.runWorkflow(workflowId);
	const last = runs.Pay?.at(-1);
	return {
		output: last?.data?.main?.[0]?.[0]?.json,
		error: last?.error?.message,
		hint: last?.error?.description,
	};
}

const SENT_BEFORE = (email: string) =>
	expect.stringMatching(
		new RegExp(
			`^The payment of \\$125\\.00 to ${email} was already (sent|paid) by this node, so it was not`,
		),
	);

describe('sends a payment only once', () => {
	it('when the workflow runs again after a success', async () => {
		const id = await save('Twice', await payment('ana@example.com'));
		expect((await pay(id)).output).toEqual({ transaction: expect.stringMatching(/^tx-/) });
		expect((await pay(id)).error).toEqual(SENT_BEFORE('ana@example.com'));
		expect(await paymentsOnTheWire()).toBe(1);
	});

	it('when the connection breaks after the body was read in three tries, and after kill -9', async () => {
		const before = await paymentsOnTheWire();
		await environment.sandbox.control('POST', 'faults', {
			match: { path: 'instant' },
			kind: 'cutAfter',
			times: 3,
		});
		const id = await save('Cut', await payment('ben@example.com'), {
			retryOnFail: true,
			maxTries: 3,
			waitBetweenTries: 10,
		});
		expect((await pay(id)).error).toMatch(
			/^The payment of \$125\.00 to ben@example\.com may or may not have been made\. .* \[item 0\]$/,
		);
		await environment.sandbox.control('DELETE', 'faults');
		await environment.n8nProcess.kill();
		await environment.n8nProcess.start();
		await environment.n8n.signIn();
		expect((await pay(id)).error).toEqual(SENT_BEFORE('ben@example.com'));
		expect(await paymentsOnTheWire()).toBe(before + 1);
	});

	it('when n8n is killed before the answer arrives', async () => {
		const before = await paymentsOnTheWire();
		await environment.sandbox.control('POST', 'faults', {
			match: { path: 'instant' },
			kind: 'latency',
			delay: 20_000,
			times: 1,
		});
		const id = await save('Killed', await payment('cleo@example.com'));
		const running = pay(id).catch(() => undefined);
		while ((await paymentsOnTheWire()) === before) {
			await pause(50);
		}
		await environment.n8nProcess.kill();
		await running;
		await environment.sandbox.control('DELETE', 'faults');
		await environment.n8nProcess.start();
		await environment.n8n.signIn();
		expect((await pay(id)).error).toEqual(SENT_BEFORE('cleo@example.com'));
		expect(await paymentsOnTheWire()).toBe(before + 1);
	});

	it('when five executions run at the same time', async () => {
		const before = await paymentsOnTheWire();
		const id = await save('At once', await payment('dana@example.com'));
		const outcomes = await Promise.all(Array.from({ length: 5 }, async () => await pay(id)));
		expect(outcomes.filter(({ error }) => error === undefined)).toHaveLength(1);
		expect(
			outcomes.filter(({ error }) => /was already (sent|paid)/.test(error ?? '')),
		).toHaveLength(4);
		expect(await paymentsOnTheWire()).toBe(before + 1);
	});

	it('when five items of one execution are the same and run in parallel', async () => {
		const before = await paymentsOnTheWire();
		const parameters = { ...(await payment('eli@example.com')), options: { concurrency: 5 } };
		const node = action('Pay', parameters, { onError: 'continueRegularOutput' });
		const pinData = { Start: [1, 2, 3, 4, 5].map((n) => ({ json: { n } })) };
		const workflow = { ...chain('Items', [START, node]), pinData };
		const { id } = await environment.n8n.saveWorkflow(workflow, [environment.api]);
		const { runs } = await environment.n8n.runWorkflow(id);
		const output = runs.Pay?.at(-1)?.data?.main?.[0]?.map(({ json }) => json) ?? [];
		expect(output.filter((json) => 'transaction' in json)).toHaveLength(1);
		expect(output).toHaveLength(5);
		expect(await paymentsOnTheWire()).toBe(before + 1);
	});
});

it('sends a payment again after a definite refusal', async () => {
	const before = await paymentsOnTheWire();
	await environment.sandbox.control('POST', 'faults', {
		match: { path: 'instant' },
		kind: 'status',
		status: 403,
		times: 1,
	});
	const refused = await save('Refused', await payment('finn@example.com'));
	expect((await pay(refused)).error).toContain('The service refused');
	expect((await pay(refused)).output).toHaveProperty('transaction');
	expect(await paymentsOnTheWire()).toBe(before + 2);
});

it('is sent once more after a person entered the code, in five executions at once and after kill -9', async () => {
	const before = await paymentsOnTheWire();
	await environment.sandbox.control('POST', 'faults', {
		match: { path: 'instant' },
		kind: 'cutBefore',
		times: 1,
	});
	const parameters = await payment('gail@example.com');
	const node = { id: randomUUID() };
	const id = await save('Unknown', parameters, node);
	const { error, hint } = await pay(id);
	expect(error).toContain('may or may not have been made');
	const [confirmedNotPaid] = /[0-9A-F]{4}-[0-9A-F]{4}-1/.exec(hint ?? '') ?? [];
	expect(confirmedNotPaid).toBeDefined();
	await save('Unknown', { ...parameters, options: { confirmedNotPaid } }, node);
	const outcomes = await Promise.all(Array.from({ length: 5 }, async () => await pay(id)));
	expect(outcomes.filter(({ output }) => output?.transaction !== undefined)).toHaveLength(1);
	await environment.n8nProcess.kill();
	await environment.n8nProcess.start();
	await environment.n8n.signIn();
	expect((await pay(id)).error).toContain('was already paid by this node');
	/* The first attempt reached the wire, where its connection was cut, and one more did. */
	expect(await paymentsOnTheWire()).toBe(before + 2);
});
