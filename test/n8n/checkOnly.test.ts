import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { RUN_OPTIONS } from '../../nodes/PayrollPayments/run/commonOptions';
import { CONTINUE, processedKeys, recordsOf, runNode } from '../support/actionHost';
import { useActionSandbox, without } from '../support/actionSandbox';
import { malleable } from '../support/malleable';
import { formFor } from '../support/sandboxForms';

const sandbox = useActionSandbox();

function checking(parameters: INodeParameters, checkOnly: unknown = true): INodeParameters {
	const { options, ...rest } = parameters;
	return Object.assign(rest, { options: { ...Object(options), checkOnly } });
}

async function providedPayment(isDescribed: boolean): Promise<INodeParameters> {
	const payload = await sandbox.authorization();
	const parameters = sandbox.paying(payload, await sandbox.signed(payload));
	return isDescribed ? parameters : { ...parameters, options: {} };
}

async function providedExecution(isDescribed: boolean): Promise<INodeParameters> {
	const parameters = await formFor(sandbox, 'administratorInvite.complete');
	const structure = Object(JSON.parse(String(parameters.typedData)));
	const { domain, types, typed_data: message } = structure;
	const typedData = JSON.stringify(isDescribed ? structure : message);
	return { ...parameters, ...(await sandbox.signed({ domain, types, message })), typedData };
}

const INVITED = 'Invite 2 people (one@example.com, two@example.com) to team {team} as Team: Viewer';
const EXECUTED =
	'Execute 2 invites ({invite}, {invite}). {service}. Gives code 4 (Team: Viewer, if Expected Role Code is right) to {address}, code 4 (Team: Viewer, if Expected Role Code is right) to {address}, signed by {wallet}';
const PAID = 'Pay $125.00 to {email} from team {team}. {service}. Authorization';
const AMOUNT = '$125.00 (125000000 token units)';
const SIGNED = `${AMOUNT} on Arbitrum Sepolia (test network), chain {any}, to {address}, token {address}, contract {address}, signed by {wallet}`;

/** What {@link formFor} lacks for a write. */
type Change = () => INodeParameters | Promise<INodeParameters>;

/**
 * Every write, from every source of signatures and of invitees, with its summary. Names in braces
 * stand for what differs from run to run.
 */
const WRITES: Readonly<Record<string, readonly [summary: string, change?: Change]>> = {
	'administratorInvite.create': [`${INVITED}; Execute then sets the role`],
	'administratorInvite.send': [
		`${INVITED}, then check the typed data that the service returns and set the role. {service}. Signed by {wallet}`,
	],
	'administratorInvite.complete': [EXECUTED],
	'administratorInvite.complete with a provided signature': [
		EXECUTED,
		async () => await providedExecution(true),
	],
	'administratorInvite.complete with a provided signature of the inner object': [
		EXECUTED,
		async () => await providedExecution(false),
	],
	'authentication.verify': [
		'Exchange the signed sign-in message for a token, which will be in the output',
	],
	'invite.create from the form': [
		'Invite 3 people (ana@example.com, ben@example.com, cleo@example.com) to team {team} as Contractor',
		() => {
			const people = ['ana', 'ben', 'cleo'].map((name) => ({ email: `${name}@example.com` }));
			return { inviteesSource: 'fields', invitees: { invitee: people } };
		},
	],
	'invite.create from JSON': [
		'Invite 1 person (ana@example.com) to team {team} as Contractor, anonymously',
		() => ({ anonymous: true }),
	],
	'nameReview.update': [
		'Cancel the name review of user {user} in team {team}, as reviewed in version {time}',
		() => ({ decision: 'cancel' }),
	],
	'payment.create': [`${PAID}: ${SIGNED}`],
	'payment.create with a provided signature': [
		`${PAID} with a provided signature that was checked: ${SIGNED}`,
		async () => await providedPayment(true),
	],
	'payment.create with a provided signature that can only be sent': [
		`${PAID} with a provided signature that can’t be checked, since its domain and types aren’t known: ${AMOUNT} to {address}, token {address}, signed by {wallet}`,
		async () => await providedPayment(false),
	],
	'webhook.send': [
		'Send a test event invite.accepted of version 3 to webhook {webhook}',
		() => ({ eventType: 'invite.accepted', version: 3 }),
	],
};

const host = () => new URL(sandbox.url).host;

function summaryOf(name: string): RegExp {
	const [summary = ''] = WRITES[name] ?? [];
	const patterns: Readonly<Record<string, string>> = {
		any: '.*',
		address: '0x\\w{40}',
		email: '[\\w.]+@example\\.com',
		invite: 'in-[\\w-]{12}',
		service: `Service: ${host()}`,
		team: sandbox.team,
		time: '[\\d:.TZ-]+',
		user: 'us-[\\w-]{12}',
		wallet: sandbox.wallet().address,
		webhook: sandbox.organisation.firstWebhookId,
	};
	const whole = summary.includes('{service}') ? summary : `${summary}. {service}`;
	const literal = whole.replace(/[.$()]/g, '\\$&');
	return new RegExp(
		`^${literal.replace(/\{(\w+)\}/g, (_, part: string) => patterns[part] ?? '')}$`,
	);
}

/** Parameters of a write. What reached the service for them is forgotten. */
async function prepared(name: string, more: INodeParameters = {}): Promise<INodeParameters> {
	const [operation = ''] = name.split(' ');
	const change = await WRITES[name]?.[1]?.();
	const parameters = { ...(await formFor(sandbox, operation)), ...change, ...more };
	sandbox.service.wireLog.clear();
	return parameters;
}

const asTool = { type: 'payrollPaymentsTool' };
const NAMES = Object.keys(WRITES);

it('covers every operation that changes something', () => {
	const writes = CATALOGUE.filter(({ effect }) => effect === 'write');
	expect([...new Set(NAMES.map((name) => name.split(' ')[0]))]).toEqual(
		writes.map(({ resource, operation }) => `${resource}.${operation}`),
	);
	for (const { effect, runOptions } of CATALOGUE) {
		expect(runOptions.checkOnly).toBe(effect === 'write' ? RUN_OPTIONS.write.checkOnly : undefined);
	}
});

it.each(NAMES)(
	'%s is shown as it would be sent, and neither signed, sent nor remembered',
	async (name) => {
		const signsIn = name === 'authentication.verify';
		const parameters = await prepared(name);
		const before = processedKeys.entries();
		const execution = { executionId: `checked ${name}` };
		/* The signer doesn't answer, so that a signature would fail. */
		const check = async (options = {}) =>
			await runNode(sandbox.remoteSigner(), checking(parameters), options);
		const shown = await check(execution);
		expect(shown.error).toBeUndefined();
		expect((await check(execution)).output).toEqual(shown.output);
		expect(shown.output).toMatchObject([
			{
				json: {
					check: 'passed',
					summary: expect.stringMatching(summaryOf(name)),
					approval: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/),
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(JSON.stringify(shown.output)).not.toMatch(/0x[0-9a-f]{130}|"sig(nature)?"/i);
		/* As a tool, it needs no permission to write. */
		const inTool = await check({ node: asTool });
		if (signsIn) expect(inTool.error?.message).toContain('refused because an AI agent called it');
		else expect(inTool.output).toEqual(shown.output);
		expect(sandbox.wire()).toEqual([]);
		expect(processedKeys.entries()).toEqual(before);

		/* The judge is what the service receives in a real run of the same execution. */
		const real = await sandbox.run(parameters, execution);
		expect(real.output[0]?.json ?? {}).not.toHaveProperty('already_sent');
		const [sent, ...others] = signsIn
			? sandbox.wire().filter(({ operation }) => operation === 'verifySignIn')
			: sandbox.writes();
		expect(others).toHaveLength(name === 'administratorInvite.send' ? 1 : 0);
		expect(shown.output[0]?.json.request).toEqual({
			method: sent?.method,
			path: sent?.path,
			body: without(Object(sent?.body), 'signature', 'sig'),
		});
		if (signsIn) expect((await sandbox.run(parameters, execution)).error).toBeDefined();
	},
);

describe('Check Only', () => {
	const WRONG: ReadonlyArray<readonly [unknown, string]> = [
		["={{ $fromAI('check', '', 'boolean') }}", 'can’t be an expression'],
		['true', 'can’t be an expression'],
		[1, 'must be true or false'],
		[{}, 'must be true or false'],
		[null, 'is empty'],
	];

	it.each(WRONG)('is refused where it is %j', async (checkOnly, fault) => {
		const { error } = await sandbox.run(checking(await prepared('payment.create'), checkOnly));
		expect(error?.message).toBe(`Check Only ${fault} [item 0]`);
		expect(sandbox.wire()).toEqual([]);
	});

	it.each([false, ...WRONG.map(([value]) => value)])(
		'lets no AI agent write where it is %j',
		async (checkOnly) => {
			const parameters = checking(await prepared('payment.create'), checkOnly);
			expect(await sandbox.run(parameters, { node: asTool })).toMatchObject({
				output: [],
				error: {
					message:
						'“Create instant payment” was refused because an AI agent called it. To allow it, turn on Allow Writes by AI in the node [item 0]',
					description: 'Nothing was signed or sent.',
				},
			});
			expect(sandbox.wire()).toEqual([]);
		},
	);
});

it('fails item by item with Continue On Fail, and the others are shown', async () => {
	const form = checking(await prepared('administratorInvite.create'));
	const entityId = `={{ $json.isBroken ? '' : ${JSON.stringify(form.entityId)} }}`;
	const options = { items: [{ isBroken: true }, {}], ...CONTINUE };
	const { output } = await sandbox.run({ ...form, entityId }, options);
	expect(output).toMatchObject([
		{ json: { error: expect.stringContaining('resolved to nothing [item 0]') } },
		{ json: { check: 'passed' }, pairedItem: { item: 1 } },
	]);
	expect(sandbox.wire()).toEqual([]);
});

/* Signed outside n8n, from nothing but what the check shows. */
describe.each(['payment.create', 'administratorInvite.complete'])(
	'a signature that %s has to be provided',
	(name) => {
		const unsigned = async (): Promise<INodeParameters> => {
			const provided = { signatureSource: 'provided', signer: sandbox.wallet().address };
			const parameters = await prepared(name);
			return { ...parameters, ...provided, signature: '' };
		};

		it('is made from the check, which has the approval of what is then sent', async () => {
			const parameters = await unsigned();
			const [shown] = recordsOf((await sandbox.run(checking(parameters))).output);
			const { domain, types, message } = Object(shown?.signs);
			const { signature = '', ...by } = await sandbox.signed({ domain, types, message });
			const signed = { ...parameters, ...by, signature: malleable(String(signature)) };
			const approvedCheck = String(shown?.approval);
			const options = { ...Object(parameters.options), approvedCheck };
			expect(shown?.summary).toMatch(/, (to be )?signed by 0x/);
			expect((await sandbox.run({ ...signed, options })).error).toBeUndefined();
			/* Contracts refuse the spelling that was provided. */
			expect(sandbox.writes()).toMatchObject([{ body: { signature } }]);
		});

		it('may be missing in a check only, and never is the wallet’s', async () => {
			const parameters = await unsigned();
			for (const tried of [parameters, checking(parameters, false)]) {
				const { error } = await sandbox.run(tried);
				expect(error).toMatchObject({
					message: 'Signature is missing [item 0]',
					description: expect.stringContaining('Check Only'),
				});
			}
			expect(sandbox.wire()).toEqual([]);
		});

		it('isn’t shown as something that nobody can sign', async () => {
			const parameters = await unsigned();
			const whole = JSON.parse(String(parameters.typedData));
			const bare = JSON.stringify(whole.typed_data ?? whole.message ?? whole);
			const form = { ...parameters, typedData: bare, options: { checkOnly: true } };
			const { error } = await sandbox.run(form);
			expect(error?.message).toMatch(/^(Domain is missing|Typed Data has no domain)/);
		});
	},
);

it.each(['create', 'send'])(
	'administratorInvite.%s gives one item per batch of 100',
	async (operation) => {
		const form = await formFor(sandbox, `administratorInvite.${operation}`);
		const emails = Array.from({ length: 250 }, (_, index) => `admin${index}@example.com`);
		const { output } = await sandbox.run(checking({ ...form, emails: emails.join() }));
		const records = recordsOf(output);
		const sizes = records.map(({ request }) => Object(request).body.emails.length);
		expect(sizes).toEqual([100, 100, 50]);
		expect(records.map(({ summary }) => summary)).toEqual([
			expect.stringMatching(/^Invite 100 people \(admin0@/),
			expect.stringMatching(/^Invite 100 people \(admin100@/),
			expect.stringMatching(/^Invite 50 people \(admin200@\S+ .*, admin249@example\.com\)/),
		]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(Array(3).fill({ item: 0 }));
		expect(sandbox.wire()).toEqual([]);
	},
);

const WITH_SIGNATURE = 'payment.create with a provided signature';

it.each<[string, string, INodeParameters, credentials?: ICredentialDataDecryptedObject]>([
	['a payment with another amount', 'payment.create', { amountCents: 12_501 }],
	['a reference that finds nothing', 'payment.create', { paymentReference: '={{ $json.none }}' }],
	['a payment without permission', 'payment.create', {}, { access: 'readOnly' }],
	['a payment beyond the limit', 'payment.create', {}, { maximumPayment: '124.99' }],
	['a payment without a wallet', 'payment.create', {}, { authentication: 'accessToken' }],
	['a signature that is not the signer’s', WITH_SIGNATURE, { signer: `0x${'1'.repeat(40)}` }],
	[
		'typed data for another role',
		'administratorInvite.complete',
		{ options: { expectedRoleCode: '5' } },
	],
	['other invites', 'administratorInvite.complete', { inviteIds: 'in-aaaaaaaaaaaa' }],
	['a role of the wrong kind', 'administratorInvite.create', { role: 'org_viewer' }],
	['a row without an email', 'invite.create', { inviteesSource: 'items' }],
	['a message without a nonce', 'authentication.verify', { message: 'no nonce' }],
])('a check refuses %s as a real run does', async (_what, name, change, credentials = {}) => {
	const parameters = await prepared(name, change);
	const before = processedKeys.entries();
	const saved = () => sandbox.remoteSigner({ accessToken: 'a-token', ...credentials });
	const shown = await runNode(saved(), checking(parameters));
	const real = await runNode(saved(), parameters);
	expect(shown.output).toEqual([]);
	expect(shown.error?.message).toMatch(/( \[item 0\]|^Row 1: .*)$/);
	expect(shown.error).toEqual(real.error);
	expect(sandbox.writes()).toEqual([]);
	expect(processedKeys.entries()).toEqual(before);
});

/* test/unit/idempotency/paymentJournal has what else the check of a payment finds. */
describe('payments', () => {
	it('with a code of an unknown outcome are shown as the next attempt, and leave no trace', async () => {
		const payload = await sandbox.authorization();
		const parameters = sandbox.paying(payload);
		await sandbox.fault({ match: { path: 'instant' }, kind: 'cutBefore', times: 1 });
		const { description } = (await sandbox.run(parameters)).error ?? {};
		const [confirmedNotPaid = ''] = /[0-9A-F]{4}-[0-9A-F]{4}-1\b/.exec(description ?? '') ?? [];
		expect(confirmedNotPaid).not.toBe('');
		const before = processedKeys.entries();
		const sent = sandbox.writes().length;

		const without = await sandbox.run(checking(parameters));
		expect(without.error?.message).toContain('was already sent');
		expect(without.error?.description).toContain(confirmedNotPaid);
		const confirmed = sandbox.paying(payload, { options: { confirmedNotPaid } });
		for (let count = 0; count < 2; count++) {
			expect((await sandbox.run(checking(confirmed))).output[0]?.json).toMatchObject({
				summary: expect.stringMatching(
					/^Pay .*, as attempt 2\. Service: .*, signed by 0x[0-9a-fA-F]{40}$/,
				),
				message: expect.stringMatching(/^Pay \$125\.00 to .*, as attempt 2\?\n/),
			});
		}
		expect((await sandbox.run(checking(confirmed), { node: asTool })).error?.message).toBe(
			'“Confirmed Not Paid” was refused because an AI agent called it. Clear it, and use it in a node outside the AI agent [item 0]',
		);
		expect(processedKeys.entries()).toEqual(before);
		expect(sandbox.writes()).toHaveLength(sent);

		expect(recordsOf((await sandbox.run(confirmed)).output)[0]).toHaveProperty('transaction');
		const paid = processedKeys.entries();
		expect((await sandbox.run(checking(confirmed))).error?.message).toContain('already paid');
		const inTool = await sandbox.run(checking(parameters), { node: asTool });
		expect(inTool.error?.message).toContain('already paid');
		expect(processedKeys.entries()).toEqual(paid);
		expect(sandbox.writes()).toHaveLength(sent + 1);
	});

	it('with a whole EIP-712 payload or an amount in dollars are shown in the same way', async () => {
		const payload = await sandbox.authorization();
		const { domain, types, primaryType, message } = payload;
		const dollars = { amountUnit: 'dollars', amountDollars: '125.00' };
		const form = sandbox.paymentForm({ typedData: JSON.stringify(payload), ...dollars });
		expect(recordsOf((await sandbox.run(checking(form))).output)).toEqual([
			{
				check: 'passed',
				...{ message: expect.any(String), html: expect.any(String) },
				summary: expect.any(String),
				approval: expect.any(String),
				signs: { domain, types, primaryType, message },
				amount: '125.00',
				currency: 'USD',
				network: 'arbitrum',
				team: sandbox.team,
				recipient_email: 'ana@example.com',
				recipient_address: Object(message.data).recipient,
				token: Object(message.data).token,
				reference: null,
				expires: message.expires,
				signer: sandbox.wallet().address,
				chain: `Arbitrum Sepolia (test network), chain ${domain.chainId}`,
				contract: domain.verifyingContract,
				service: host(),
				request: {
					method: 'PUT',
					path: '/v2/payments/external_entity/instant',
					body: {
						from: sandbox.team,
						amount_cents: 12_500,
						signer: sandbox.wallet().address,
						typed_data: message,
						external_recipient_email: 'ana@example.com',
						currency_symbol: 'USD',
						network: 'arbitrum',
					},
				},
			},
		]);
	});
});
