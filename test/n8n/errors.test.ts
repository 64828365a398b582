import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import type { AccountName, FaultInput } from '../../sandbox/server';
import { repository } from '../../tooling/paths.mjs';
import { runNode } from '../support/actionHost';
import { PAYMENT, useActionSandbox } from '../support/actionSandbox';
import { markdownTable } from '../../tooling/markdown';
import { formFor } from '../support/sandboxForms';
import { TriggerHost, type Setup } from '../support/triggerHost';

const PAGE = path.join(repository, 'docs', 'errors.md');

const USER = 'us-a1B2c3D4e5F6';

const sandbox = useActionSandbox();

/** What goes wrong apart from the operation's parameters. */
interface Circumstances {
	readonly fault?: FaultInput;
	/** A control call to the sandbox: its route and body. */
	readonly control?: readonly [string, object];
	readonly account?: AccountName;
	/** Changes to the credentials. */
	readonly credentials?: ICredentialDataDecryptedObject;
	/** The input items; by default one empty item. */
	readonly items?: readonly IDataObject[];
	/** How often to run it; the last error counts. */
	readonly runs?: number;
}

/** What a person did; parameters that name no operation are for `balance.get`. */
type Situation = readonly [when: string, asked: INodeParameters, circumstances?: Circumstances];

/** One row of the page: the situation, the error, what to do. */
type Line = readonly [when: string, message: string, next: string];

const fault = (kind: FaultInput['kind'], more: Partial<FaultInput> = {}): Circumstances => ({
	fault: { kind, ...more },
});
const status = (code: number, message: string, more: Partial<FaultInput> = {}): Circumstances =>
	fault('status', { status: code, message, ...more });
const saved = (credentials: ICredentialDataDecryptedObject): Circumstances => ({ credentials });
const withToken = (accessToken: string, more = {}): Circumstances =>
	saved({ authentication: 'accessToken', accessToken, ...more });
const tampered = (tamper: string): Circumstances => ({ control: ['typed-data', { tamper }] });

const people = (...emails: readonly string[]) => emails.map((email) => ({ email }));

const payment = async (amountCents: number, more: INodeParameters = {}) =>
	await sandbox.payment({ amountCents, ...more }, { amount_cents: amountCents });

/** Administrator invites with a signature that the named signer didn't make. */
async function signedByAnother(): Promise<INodeParameters> {
	const form = await formFor(sandbox, 'administratorInvite.complete');
	const { domain, types, typed_data: message } = JSON.parse(String(form.typedData));
	const signed = await sandbox.signed({ domain, types, message }, 'viewer');
	return { ...form, ...signed, signer: sandbox.account().address };
}

async function chapters(): Promise<Readonly<Record<string, readonly Situation[]>>> {
	const invite = {
		...{ resource: 'invite', operation: 'create', teamId: sandbox.team, role: 'contractor' },
		inviteesSource: 'json',
	};
	const inviting = (...emails: readonly string[]): INodeParameters => ({
		...invite,
		inviteesJson: JSON.stringify(people(...emails)),
	});
	const fromItems = { ...invite, inviteesSource: 'items' };
	const rows = (...emails: readonly string[]): Circumstances => ({ items: people(...emails) });
	const admins = sandbox.administratorInvites('carla@example.com');
	const once = { options: { retries: 0 } };
	const batch = ['ana', 'ben', 'carla', 'dora', 'emil', 'fay'].map(
		(name) => `${name}.batch@example.com`,
	);
	const { address: walletAddress } = sandbox.account('viewer');
	const invitesOfTeam = await formFor(sandbox, 'invite.getAll');
	const review = await formFor(sandbox, 'nameReview.update');
	return {
		'A field is wrong': [
			['An identifier’s expression finds nothing', { entityId: '={{ "" }}' }],
			['The ID has the wrong format', { entityId: 'Team Lisbon' }],
			['A user’s identifier stands where a team’s belongs', sandbox.teamUsers({ teamId: USER })],
			['An identifier is too short', { entityId: 'te-a1B2c3' }],
			['An email address is misspelled', inviting('ana@example.com', 'ben@example')],
			['The same person is invited twice', inviting('ana@example.com', 'Ana@example.com')],
			['The input items have no column email', fromItems, { items: [{ name: 'Ana' }] }],
			['A row of the sheet is bad', fromItems, rows('ana@example.com', 'ben at example.com')],
			[
				'Two rows of the sheet are the same person',
				fromItems,
				rows('ana@example.com', 'ANA@example.com'),
			],
			['The expression for the email addresses finds nothing', { ...admins, emails: '={{ "" }}' }],
			['The JSON isn’t valid', { ...invite, inviteesJson: '[{' }],
			['The role doesn’t fit a team', { ...admins, role: 'org_admin' }],
			[
				'Review Version isn’t a date on the calendar',
				{ ...review, reviewVersion: '2026-02-30T09:00:00Z' },
			],
			['A payment is below a dollar', await payment(10_000, { amountCents: 99 })],
			['The amount isn’t a whole number of cents', await payment(10_000, { amountCents: 125.5 })],
			[
				'The amount in a row has a comma',
				{ ...(await payment(10_000)), paymentsSource: 'items' },
				{ items: [{ reference: 'INV-1', email: 'ana@example.com', amount: '1,250.00' }] },
			],
			['A payment has no domain to sign for', await payment(10_000, { options: { domain: '{}' } })],
		],
		'The credentials are wrong': [
			['The base URL is not https', {}, saved({ baseUrl: 'http://api.example.com' })],
			['The private key is cut', {}, saved({ privateKey: '0x1234' })],
			['The wallet address belongs to another key', {}, saved({ walletAddress })],
			['The wallet has no role', {}, { account: 'stranger' }],
			['The sign-in message names another site', {}, saved({ signInDomain: 'app.example.com' })],
			[
				'The sign-in message is for another wallet',
				{},
				{
					/* A different setting, so that no earlier token is reused. */
					credentials: { signInDomain: sandbox.signInDomain },
					control: ['sign-in-message', { tamper: 'anotherWallet' }],
				},
			],
			['The credentials only read', await payment(10_000), saved({ access: 'readOnly' })],
			['An access token has run out', {}, withToken('expired')],
			['A wallet is needed, but there is only a token', admins, withToken('some-token')],
		],
		'The service refuses the request': [
			['400', {}, status(400, 'nanoid must match pattern', { errorCode: 'BAD_REQUEST' })],
			['401 again after a new sign-in', {}, status(401, 'Unauthorized', { times: 4 })],
			['403 for the invites of a team', invitesOfTeam, status(403, 'Forbidden')],
			['404', { entityId: 'te-000000000000' }],
			['403 without a reason', once, fault('status', { status: 403, envelope: false })],
			['429', once, status(429, 'Too many requests')],
			['500', once, status(500, 'Internal error')],
			[
				'500 that is not in the service’s form',
				once,
				fault('status', { status: 500, envelope: false }),
			],
			['503', once, status(503, 'Down for maintenance')],
			['Success without the promised fields', once, fault('missingFields')],
		],
		'The service cannot be reached': [
			['Nobody listens', once, withToken('some-token', { baseUrl: 'http://127.0.0.1:9' })],
			['The connection breaks', once, fault('cutBefore')],
			[
				'The answer takes too long',
				{ options: { retries: 0, timeout: 300 } },
				fault('latency', { delay: 3_000 }),
			],
			['A proxy answers with a web page', once, fault('html')],
			['The answer breaks off', once, fault('truncatedJson')],
			['The service redirects', once, fault('redirect')],
		],
		'The node refuses to sign': [
			['The service asks for one account more than invited', admins, tampered('extraAccount')],
			['The service asks for another role than chosen', admins, tampered('anotherRole')],
			['The typed data names another wallet', admins, tampered('anotherFrom')],
			['The typed data has run out', admins, tampered('expired')],
			['A provided signature was made by another wallet', await signedByAnother()],
			[
				'The typed data pays another amount than the form',
				await payment(20_000, { amountCents: 25_000 }),
			],
		],
		Money: [
			[
				'The connection breaks after the payment was sent',
				await payment(30_000),
				fault('cutAfter', { match: PAYMENT }),
			],
			['The same payment is sent again', await payment(40_000), { runs: 2 }],
			[
				'The service refuses the payment',
				await payment(50_000),
				status(400, 'Insufficient funds', { match: PAYMENT }),
			],
		],
		'Some of it was done': [
			[
				'The invites were created, and setting the role fails',
				admins,
				status(500, 'Internal error', { match: { method: 'PUT', path: 'manager' } }),
			],
			[
				'The second of three requests is refused',
				{ ...inviting(...batch), options: { inviteesPerRequest: 2 } },
				status(400, 'Too many', { skip: 1, match: { method: 'POST', path: 'invites$' } }),
			],
		],
	};
}

async function provoke([when, asked, circumstances = {}]: Situation): Promise<Line> {
	const { control, account, credentials, items, runs = 1 } = circumstances;
	const of = sandbox.credentials(credentials, account);
	const parameters = sandbox.balance(asked);
	if (circumstances.fault !== undefined)
		await sandbox.fault({ match: { path: '^/v2/(?!auth)' }, ...circumstances.fault });
	if (control !== undefined) await sandbox.control('POST', ...control);
	let line: Line = [when, '', ''];
	for (let run = 0; run < runs; run++) {
		const { error } = await runNode(of, parameters, { items, node: { id: when } });
		line = [when, error?.message ?? '', error?.description ?? ''];
	}
	await sandbox.control('DELETE', 'faults');
	return line;
}

const WITHOUT_DEPOSIT = { object: 'event', event_type: 'deposit.received', event_version: 2 };

const DELIVERIES: ReadonlyArray<
	readonly [when: string, event: object, signedWith: string, parameters?: Setup['parameters']]
> = [
	['The signature is missing', {}, ''],
	['The signing secret is another one', WITHOUT_DEPOSIT, 'another secret'],
	[
		'The sender is not on the allowlist',
		WITHOUT_DEPOSIT,
		'secret',
		{ options: { ipAllowlist: '192.0.2.1' } },
	],
	['The body isn’t an event', { hello: 'world' }, 'secret'],
	['A required field is missing', { ...WITHOUT_DEPOSIT, idempotency_key: 'key' }, 'secret'],
];

async function refused([when, event, secret, parameters]: (typeof DELIVERIES)[number]) {
	const credentials = { secret: 'secret' };
	const host = await TriggerHost.start({ nodeId: when, credentials, parameters });
	const unsigned = secret === '' ? { headers: { 'x-signature': '' } } : {};
	const answer = await host.send(event, { secret, ...unsigned });
	await host.stop();
	return [when, `${answer.status} ${JSON.stringify(answer.body)}`];
}

/** Replaces identifiers and addresses that differ between runs. */
function cell(text: string): string {
	return text
		.replace(/\b(te|co|us|in|tx|wh)-[A-Za-z0-9_-]{12}(?![A-Za-z0-9_-])/g, '$1-…')
		.replace(/0x[0-9a-fA-F]{40,}/g, '0x…')
		.replace(/\b[0-9A-F]{4}-[0-9A-F]{4}-(\d)\b/g, '7F3A-91C2-$1')
		.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '2026-03-31 09:30 UTC')
		.replace(/127\.0\.0\.1:\d+/g, 'api.example.com')
		.replace(/\s+/g, ' ')
		.replace(/\|/g, '\\|');
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
	markdownTable(
		heads,
		rows.map((row) => row.map(cell)),
	);

const lines: Line[] = [];

it('errors match docs/errors.md', async () => {
	const page = [
		'# What the errors say',
		'The most common errors and what to do. `[item 0]` is the input item, counted from 0.',
	];
	for (const [title, situations] of Object.entries(await chapters())) {
		const shown: Line[] = [];
		for (const situation of situations) shown.push(await provoke(situation));
		const isPart = title.startsWith('Some');
		expect(shown.filter(([, , next]) => isPart && !/^(Already |1 invite)/.test(next))).toEqual([]);
		lines.push(...shown);
		page.push(`## ${title}`, table(['When', 'What you see', 'What to do'], shown));
	}
	page.push(
		'## The trigger turns a delivery away',
		'No execution starts. The answer is in the service’s list of deliveries.',
		table(
			['When', 'What the service is answered'],
			await Promise.all(DELIVERIES.map(async (each) => await refused(each))),
		),
	);
	const said = `${page.join('\n\n')}\n`;
	if (process.env.PAYROLL_PAYMENTS_WRITE !== undefined) writeFileSync(PAGE, said);
	expect(said).toBe(readFileSync(PAGE, 'utf8'));
});

it('errors say what happened, for which item, and what to do next', () => {
	const poor = lines.filter(
		([, message, next]) =>
			!/^(Row \d+( \(.+\))?: .{10,}|\S.{10,} \[item \d+\])$/s.test(message) ||
			!/^\S.{10,}([.”)}\]]|\.md(#[\w-]+)?)$/s.test(next),
	);
	expect(lines).not.toEqual([]);
	expect(poor).toEqual([]);
});
