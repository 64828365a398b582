import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { startTestEnvironment } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { waitUntil } from '../../n8nHost/waiting';
import { action, chain, paymentForm, START } from '../../n8nHost/workflows';

const environment = useEnvironment(startTestEnvironment);

/** The parameters of a payment of $125.00 that the sandbox accepts. */
async function payment(recipientEmail: string): Promise<Record<string, unknown>> {
	const { sandbox, teamId, account } = environment;
	const authorization = await sandbox.authorization(teamId, account, recipientEmail);
	return paymentForm({ teamId, recipientEmail, typedData: JSON.stringify(authorization) });
}

const paymentBody = z.object({ external_recipient_email: z.string() });

/** How many requests for a payment reached the service so far, answered or not. */
async function requests(email: string): Promise<number> {
	const all = await environment.sandbox.requests('createInstantPayment', paymentBody);
	return all.filter(({ body }) => body.external_recipient_email === email).length;
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

const REFUSED = /was already (sent|paid)|another execution is sending it right now/;

/** Pays in five executions at the same time; returns how many of them made the payment. */
async function payAtOnce(workflowId: string): Promise<number> {
	const outcomes = await Promise.all(Array.from({ length: 5 }, async () => await pay(workflowId)));
	const refused = outcomes.filter(({ error = '' }) => REFUSED.test(error));
	const made = outcomes.filter(({ output }) => output?.transaction !== undefined);
	expect(refused).toHaveLength(outcomes.length - made.length);
	return made.length;
}

async function fault(kind: string, more: Record<string, unknown> = {}): Promise<void> {
	const { sandbox } = environment;
	await sandbox.control('POST', 'faults', { match: { path: 'instant' }, kind, times: 1, ...more });
}

const UNKNOWN = /^The payment of \$125\.00 to \S+ may or may not have been made\. .* \[item 0\]$/;

describe('sends a payment only once', () => {
	it('when five executions run at the same time', async () => {
		expect(await payAtOnce(await save('At once', await payment('dana@example.com')))).toBe(1);
		expect(await requests('dana@example.com')).toBe(1);
	});

	it('when n8n is killed after the connection broke, before an answer and after a code', async () => {
		const { n8n, n8nProcess, sandbox } = environment;
		await fault('cutAfter', { times: 3 });
		const thrice = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
		const cut = await save('Cut', await payment('ben@example.com'), thrice);
		expect((await pay(cut)).error).toMatch(UNKNOWN);
		await sandbox.control('DELETE', 'faults');

		/* A person enters the code of a payment that the service didn't make. */
		await fault('cutBefore');
		const parameters = await payment('gail@example.com');
		const node = { id: randomUUID() };
		const coded = await save('Coded', parameters, node);
		const { error, hint } = await pay(coded);
		expect(error).toMatch(UNKNOWN);
		const [confirmedNotPaid] = /[0-9A-F]{4}-[0-9A-F]{4}-1/.exec(hint ?? '') ?? [];
		expect(confirmedNotPaid).toBeDefined();
		await save('Coded', { ...parameters, options: { confirmedNotPaid } }, node);
		expect(await payAtOnce(coded)).toBe(1);

		await fault('latency', { delay: 20_000 });
		const held = await save('Held', await payment('cleo@example.com'));
		await n8n.startWorkflow(held);
		await waitUntil('the payment is sent', async () => (await requests('cleo@example.com')) === 1);
		await n8nProcess.kill();
		await n8nProcess.start();
		await n8n.signIn();

		for (const id of [cut, held]) {
			expect((await pay(id)).error).toContain('was already sent');
		}
		expect((await pay(coded)).error).toContain('was already paid');
		expect(await requests('ben@example.com')).toBe(1);
		expect(await requests('cleo@example.com')).toBe(1);
		/* The attempt whose connection was cut, and one more. */
		expect(await requests('gail@example.com')).toBe(2);
	});
});
