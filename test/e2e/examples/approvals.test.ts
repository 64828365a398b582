import { Wallet } from 'ethers';

import { startRemoteSigner, type RemoteSigner } from '../../../sandbox/remoteSigner';
import { outputOf } from '../../../n8nHost/executions';
import { OWNER, type Credentials } from '../../../n8nHost/n8nRest';
import { administrator, saveWalletCredentials } from '../../../n8nHost/sandboxCredentials';
import { formLink, signedOutside } from '../../support/exampleForms';
import { waitFor } from '../../../n8nHost/waiting';
import {
	environment,
	parties,
	type Edit,
	importExample,
	run,
	listen,
	ended,
	waitingExecution,
	decide,
	textOf,
	requests,
	setBalance,
	deposit,
} from './importedExamples';

describe('the provider’s authorization to a payment', () => {
	it('after a yes', async () => {
		const { id } = await importExample('provider-authorization-to-payment');
		const running = environment.n8n.runWorkflow(id);
		const { form, lastPage } = await decide(id, 'Pay');
		expect(form).toContain('supplier@example.com');
		expect(lastPage).toMatch(
			/^Paid: \$777\.00 .*Approved by `Ada` on \d.* UTC, transaction `tx-\S+`$/,
		);
		expect((await running).error).toBeUndefined();
		expect((await parties.received('Tell the channel')).text).toBe(lastPage);
		expect(await requests('createInstantPayment')).toBe(1);
	});

	it('asks nobody about an authorization of another amount', async () => {
		await run('provider-authorization-to-payment', (text) =>
			text.replace('"={{ $json.amount }}"', '"778.00"'),
		);
		expect(parties.from('Ask for approval')).toEqual([]);
		expect((await parties.received('Tell the channel')).text).toMatch(
			/^The payment of \$777\.00 to `supplier@example\.com` didn’t pass the check.*\$778\.00/,
		);
	});
});

describe('confirm in your own wallet', () => {
	let signer: RemoteSigner;
	let wallet: Credentials;

	beforeAll(async () => {
		signer = await startRemoteSigner({ asksPerson: true });
		const { n8n, sandbox } = environment;
		const saved = await saveWalletCredentials(n8n, { url: sandbox.url, signerUrl: signer.url });
		if (saved === undefined) throw new Error('The signer has an address.');
		wallet = saved;
	});
	afterAll(async () => await signer.close());

	it.each([
		[
			'confirmed',
			1,
			/^Paid: \$777\.00 .*\. Confirmed in the wallet `0x\w{40}`, transaction `tx-\S+`$/,
		],
		['declined', 0, /^The payment was refused: \$777\.00 /],
	] as const)('which shows what the channel says, and is %s', async (decision, sent, said) => {
		const { n8n } = environment;
		const edit: Edit = (text) => text.replace('INV-1043', `INV-${decision}`);
		const { id } = await importExample('confirm-in-your-wallet', edit, [wallet]);
		const execution = await n8n.startWorkflow(id);
		const shown = await waitFor('the wallet shows the payment', async () => {
			const [request] = signer.waiting();
			if (request === undefined) return undefined;
			if (!('text' in request)) return request;
			/* It asks to sign in first, if at all. */
			signer.decide(request.id, 'confirmed');
			return undefined;
		});
		const { text } = await parties.received('Confirm in the wallet');
		expect(text).toMatch(/^Confirm in your wallet: \$777\.00 to `supplier@example\.com`/);
		const { recipient, amount } = Object(Object(shown).message).data;
		expect(amount).toBe('777000000');
		expect(text?.toLowerCase()).toContain(String(recipient).toLowerCase());
		expect(text).toContain(Object(shown).domain.verifyingContract);
		signer.decide(shown.id, decision);
		expect((await n8n.waitForExecution(execution)).error).toBeUndefined();
		expect((await parties.received('Tell the channel')).text).toMatch(said);
		expect(await requests('createInstantPayment')).toBe(sent);
	});
});

it.each([
	[
		'the wallet',
		1,
		/^Paid: \$777\.00 .*Signature pasted by `Ada` on \d.* UTC, transaction `tx-\S+`$/,
	],
	['another wallet', 0, /^The payment was refused: /],
	['nobody', 0, /^That isn’t a signature, so nothing was sent: /],
])('sign outside n8n, by %s', async (who, sent, said) => {
	const { n8n, sandbox } = environment;
	const { privateKey } = await administrator(sandbox.url);
	const { id } = await importExample('sign-outside', (text) => text.replace('1044', who));
	const running = n8n.runWorkflow(id);
	const { text = '' } = await parties.received('Send the file');
	const [link = ''] = /http\S+$/.exec(text) ?? [];
	const waiting = await n8n.execution(await waitingExecution(id));
	const key = who === 'the wallet' ? new Wallet(privateKey) : Wallet.createRandom();
	const signature = await signedOutside(waiting, key);
	const body = new FormData();
	body.append('field-1', who === 'nobody' ? 'Pay it' : ` ${signature}`);
	body.append('field-2', 'Ada');
	const answer = await fetch(link, { method: 'POST', body });
	expect(textOf(await answer.text())).toMatch(said);
	expect((await running).error).toBeUndefined();
	expect(await requests('createInstantPayment')).toBe(sent);
});

describe('payment by signed-in approvers', () => {
	let owner: string;
	let colleague: string;

	beforeAll(async () => {
		const { n8n } = environment;
		owner = await n8n.signInCookie();
		type Invited = { user: { inviteAcceptUrl: string } }[];
		const invitation = [{ email: 'ben@example.com', role: 'global:member' }];
		const [invited] = await n8n.request<Invited>('POST', '/rest/invitations', invitation);
		const token = new URL(invited?.user.inviteAcceptUrl ?? '').searchParams.get('token');
		const person = { firstName: 'Ben', lastName: 'Second', password: OWNER.password };
		const accepted = await fetch(`${n8n.url}/rest/invitations/accept`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ token, ...person }),
		});
		[colleague = ''] = accepted.headers.getSetCookie();
	});

	const people = { owner: () => owner, colleague: () => colleague };
	const [owners, bens] = [OWNER.email, 'ben@example.com'].map((email) => `\`${email}\``);

	it.each<[string, [keyof typeof people, string] | undefined, number, string]>([
		['one', undefined, 1, `. Approved by ${owners} on `],
		['two', ['colleague', 'Pay'], 1, `. Approved by ${owners} and ${bens} on `],
		['one twice', ['owner', 'Pay'], 0, `Both approvals came from ${owners}, so nothing was sent`],
		['one who declines', ['colleague', 'Don’t pay'], 0, `Declined by ${bens}, so nothing was sent`],
	])('with %s', async (who, second, sent, said) => {
		const { n8n } = environment;
		await setBalance('99999999');
		/* Above $5,000.00, two have to approve. */
		const amount = second === undefined ? '777.00' : '6000.00';
		const { id } = await importExample('payment-by-signed-in-approvers', (text) =>
			text.replace('INV-1045', `INV ${who}`).replace('"amount":"777.00"', `"amount":"${amount}"`),
		);
		const executionId = await n8n.startWorkflow(id);
		const answer = async (person: keyof typeof people, decision: string) => {
			await waitingExecution(id);
			const link = (await formLink(n8n, executionId)) ?? '';
			/* Without a login, n8n asks for one. */
			const body = new FormData();
			body.append('field-1', JSON.stringify([decision]));
			expect((await fetch(link, { redirect: 'manual' })).status).toBe(302);
			expect((await fetch(link, { method: 'POST', body })).status).toBe(401);
			const headers = { cookie: people[person]() };
			expect(await (await fetch(link, { headers })).text()).toContain('supplier@example.com');
			expect((await fetch(link, { method: 'POST', body, headers })).status).toBe(200);
		};
		await answer('owner', 'Pay');
		if (second !== undefined) {
			await parties.received('Ask a second person');
			await answer(...second);
		}
		const execution = await n8n.waitForExecution(executionId);
		expect(execution.error).toBeUndefined();
		expect((await parties.received('Tell the channel')).text).toContain(said);
		expect(await requests('createInstantPayment')).toBe(sent);
		const [check] = outputOf(execution, 'Check the payment');
		const record = {
			...{ approved_by: OWNER.email, outcome: 'paid', fingerprint: check?.approval },
			second_approved_by: second === undefined ? '' : 'ben@example.com',
			...(second === undefined ? { second_approved_at: '' } : {}),
		};
		expect(outputOf(execution, 'Add to the record')).toMatchObject(sent === 1 ? [record] : []);
	});
});

const responder = { id: 'U0ADA', name: 'ada', source: 'slack' };
const respondedAt = '2026-03-31T09:40:00.000Z';

it.each([
	[
		'by Ada',
		{ approved: true, responder, respondedAt },
		1,
		'. Approved by `ada` (`U0ADA`) on 31 Mar 2026 at 09:40 UTC, transaction `tx-',
	],
	['by nobody with a name', { approved: true }, 0, 'Slack named nobody who approved, so'],
	['without an answer', undefined, 0, 'No answer in time, so nothing was sent'],
])('cleared deposit to payment, approved in Slack %s', async (_who, data, sent, said) => {
	const { sandbox } = environment;
	parties.answers.set('Ask for approval', data === undefined ? {} : { data });
	const id = await listen('deposit-payment-approved-in-slack');
	await sandbox.control('POST', 'deposits', { deposit });
	expect((await parties.received('Ask for approval')).text).toContain('$777.00');
	expect((await parties.received('Tell the channel')).text).toContain(said);
	await ended(id);
	expect(await requests('createInstantPayment')).toBe(sent);
});
