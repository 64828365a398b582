import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { N8nRest } from '../../n8nHost/n8nRest';
import { saveSandboxCredentials } from '../../n8nHost/sandboxCredentials';
import type { SandboxProcess } from '../../n8nHost/sandboxProcess';
import { waitUntil } from '../../n8nHost/waiting';
import { WebhookStart } from './webhookStart';
import { action, paymentForm } from '../../n8nHost/workflows';

const CENTS = 12_500;
/** More than all payments together. */
const FUNDS = 10_000_000_000;
const RECIPIENT = 'supplier@example.com';

type Organisation = { teams: [{ nanoid: string; balances: { USD: string } }] };

const teamOf = async (sandbox: SandboxProcess) =>
	(await sandbox.control<Organisation>('GET', 'organisation')).teams[0];

const paymentBody = z.object({ typed_data: z.object({ salt: z.string() }) });

/** A workflow that pays what it is sent, and the service that it pays at. */
export class PaymentWorkflow {
	private constructor(
		private readonly n8n: N8nRest,
		private readonly sandbox: SandboxProcess,
		readonly id: string,
		readonly start: WebhookStart,
		/** Publishes it with other options. */
		readonly publish: (options?: Record<string, unknown>) => Promise<unknown>,
		/** A payment that was never asked for, as the workflow is sent it. */
		readonly newPayment: () => Promise<{ body: string; salt: string }>,
	) {}

	/** @param processes the URLs of the processes that take deliveries */
	static async open(
		n8n: N8nRest,
		processes: readonly string[],
		sandbox: SandboxProcess,
	): Promise<PaymentWorkflow> {
		const { account, api } = await saveSandboxCredentials(n8n, sandbox);
		const { nanoid: teamId } = await teamOf(sandbox);
		const funds = { nanoid: teamId, currency: 'USD', balance_cents: String(FUNDS) };
		await sandbox.control('POST', 'balances', funds);
		const start = new WebhookStart(n8n, processes);
		const parameters = paymentForm({
			teamId,
			amountCents: CENTS,
			recipientEmail: RECIPIENT,
			typedData: '={{ JSON.stringify($json.body) }}',
		});
		/* The record belongs to the node, so it keeps its ID. */
		const payId = randomUUID();
		const publish = async (options: Record<string, unknown> = {}): Promise<string> => {
			const pay = action('Pay', { ...parameters, options }, { id: payId });
			const { id } = await n8n.saveWorkflow(start.workflow([pay]), [api]);
			await start.publish(id);
			return id;
		};
		const newPayment = async () => {
			const payment = await sandbox.authorization(teamId, account, RECIPIENT, CENTS);
			return { body: JSON.stringify(payment), salt: paymentBody.parse(payment).typed_data.salt };
		};
		return new PaymentWorkflow(n8n, sandbox, await publish(), start, publish, newPayment);
	}

	/** Asks for a payment through every process at the same instant. */
	async askEverywhere(body: string): Promise<void> {
		await Promise.all(this.start.urls.map(async (url) => await this.start.start(url, body)));
	}

	/** The newest execution of such a status, and how many there are. */
	private async executions(...status: string[]) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: this.id, status }));
		const route = `/rest/executions?filter=${filter}&limit=1`;
		return await this.n8n.request<{ count: number; results: { id: string }[] }>('GET', route);
	}

	async idle(): Promise<void> {
		await waitUntil(
			'no payment is under way',
			async () => (await this.executions('new', 'running')).count === 0,
		);
	}

	async requests() {
		return await this.sandbox.requests('createInstantPayment', paymentBody);
	}

	/**
	 * How many requests for a payment reached the service, and how many of them it carried out. One
	 * with an expired token doesn't count: n8n signs in and repeats it.
	 */
	async sent(salt: string): Promise<{ sent: number; made: number }> {
		const own = (await this.requests()).filter(
			({ status, body }) => status !== 401 && body.typed_data.salt === salt,
		);
		return { sent: own.length, made: own.filter(({ status }) => status === 200).length };
	}

	/** The payments that have left the balance. */
	async booked(): Promise<number> {
		const { balances } = await teamOf(this.sandbox);
		return (FUNDS - Number(balances.USD)) / CENTS;
	}

	/** The attempt code that the newest failed execution shows. */
	async latestCode(): Promise<string> {
		const { results } = await this.executions('error');
		const { runs } = await this.n8n.execution(results[0]?.id ?? '');
		const hint = runs.Pay?.at(-1)?.error?.description ?? '';
		const [code] = /[0-9A-F]{4}-[0-9A-F]{4}-1/.exec(hint) ?? [];
		if (code === undefined) throw new Error(`no attempt code in “${hint}”`);
		return code;
	}
}
