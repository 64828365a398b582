import { letterOfTheDocument } from '../../sandbox/server';
import type { SettingsInput } from '../../sandbox/settings';
import { useActionSandbox } from '../support/actionSandbox';
import { startHttpServer, type HttpServer } from '../support/httpServer';
import { SandboxClient } from '../support/sandboxClient';

/* The events that payments and invites cause. */

const sandbox = useActionSandbox({ paymentDelay: 0 });
let client: SandboxClient;
let receiver: HttpServer;
const received: Array<Record<string, unknown>> = [];

beforeAll(async () => {
	client = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
});
beforeEach(async () => {
	received.length = 0;
	receiver = await startHttpServer(({ body }) => received.push(JSON.parse(body)));
	await sandbox.control('POST', 'endpoints', { url: receiver.url });
});
afterEach(async () => {
	await receiver.stop();
	for (const event of received) {
		expect(sandbox.service.description.eventProblems(event)).toEqual([]);
	}
});

const events = async (count: number) => {
	while (received.length < count) await new Promise(setImmediate);
	return received;
};
const cents = () => sandbox.firstTeam.balances.get('USD') ?? 0n;

/** Pays $125.00 to Ana, and returns the transaction. */
async function pay(settings: SettingsInput = {}): Promise<string> {
	sandbox.service.change(settings);
	const { body } = await client.pay(await sandbox.authorization());
	return Object(body).data.transaction;
}

it.each([
	['sent', 12_500n],
	['failed', 0n],
	['canceled', 0n],
] as const)('a payment is announced when it is made, and when it is %s', async (outcome, paid) => {
	const before = cents();
	const transaction = await pay({ paymentOutcome: outcome });
	const [group, ended] = await events(2);
	const payment = {
		nanoid: expect.stringMatching(/^pa-/),
		creation_transaction: transaction,
		process_transaction: null,
		recipients: [expect.objectContaining({ email: 'ana@example.com' })],
		amount: '125000000',
		amount_cents: 12_500,
	};
	expect(group).toMatchObject({
		event_type: 'payment.group.created',
		event_version: '1.0',
		request_id: sandbox.wire().at(-1)?.requestId,
		payment_group: { nanoid: expect.stringMatching(/^pg-/), payments: [payment] },
	});
	const process_transaction = outcome === 'sent' ? transaction : null;
	expect(ended).toMatchObject({
		event_type: `payment.${outcome}`,
		payment: { ...payment, process_transaction },
	});
	expect(before - cents()).toBe(paid);
});

it.each([
	['another', expect.stringMatching(/^tx-/)],
	['null', null],
] as const)('a payment may be carried out by a transaction that is %s', async (which, expected) => {
	const transaction = await pay({ processTransaction: which });
	const { payment } = Object((await events(2))[1]);
	expect(payment).toMatchObject({
		creation_transaction: transaction,
		process_transaction: expected,
	});
	expect(payment.process_transaction).not.toBe(transaction);
});

it('a payment that is left open ends when somebody says so, once', async () => {
	const transaction = await pay({ paymentOutcome: 'open' });
	const statuses = async () => Object(await sandbox.control('GET', 'payments')).payments;
	expect(await statuses()).toMatchObject([{ transaction, status: 'processing' }]);
	await sandbox.control('POST', 'payments/end', { transaction, outcome: 'failed' });
	expect(await statuses()).toMatchObject([{ transaction, status: 'failed' }]);
	expect((await events(2))[1]).toMatchObject({ event_type: 'payment.failed' });
	const again = sandbox.control('POST', 'payments/end', { transaction, outcome: 'sent' });
	await expect(again).rejects.toThrow('404');
});

it('an invite is announced when a person accepts it', async () => {
	const { nanoid, email, role } = { ...sandbox.firstTeam.invites[0] };
	await sandbox.control('POST', 'invites/end', { nanoid, outcome: 'accepted' });
	const user_nanoid = sandbox.firstTeam.users.at(-1)?.nanoid;
	const [invited_by, invited_to] = [expect.stringMatching(/^us-/), sandbox.team];
	expect((await events(1))[0]).toMatchObject({
		event_type: 'invite.accepted',
		invite: { nanoid, user_nanoid, email, role, invited_by, invited_to },
	});
});

it('test events have one key if the settings say so', async () => {
	sandbox.service.change({ testEventKey: 'the one key' });
	const path = `/v2/webhooks/test/${sandbox.organisation.firstWebhookId}`;
	for (let time = 0; time < 2; time++) await client.post(path, { event_type: 'document.signed' });
	const keys = (await events(2)).map(({ idempotency_key }) => idempotency_key);
	expect(keys).toEqual(['the one key', 'the one key']);
});

it('by the letter of the document, nothing is announced, and the version is the payload’s', async () => {
	sandbox.service.change(letterOfTheDocument);
	await pay();
	const [invite] = sandbox.firstTeam.invites;
	await sandbox.control('POST', 'invites/end', { nanoid: invite?.nanoid, outcome: 'accepted' });
	await sandbox.control('POST', 'events', { event_type: 'payment.sent', version: 7 });
	expect(await events(1)).toMatchObject([{ event_type: 'payment.sent', event_version: '7' }]);
});
