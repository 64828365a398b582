import { randomUUID } from 'node:crypto';

import type { Browser, Locator, Page } from 'playwright-core';

import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { ActionSandbox } from '../support/actionSandbox';
import { launchBrowser } from '../support/browser';
import { settingOf } from '../support/diagnosisAdvice';
import { shownFields } from '../support/forms';
import { startHttpServer } from '../support/httpServer';
import { pictureFile } from '../../tooling/pictures';
import { SandboxClient } from '../support/sandboxClient';
import { TriggerHost } from '../support/triggerHost';

jest.setTimeout(300_000);

const sandbox = new ActionSandbox();
let browser: Browser;
let page: Page;
let trigger: TriggerHost | undefined;
const consoleErrors: string[] = [];

beforeAll(async () => {
	await sandbox.start();
	browser = await launchBrowser();
	const context = await browser.newContext({
		viewport: { width: 1280, height: 1000 },
		reducedMotion: 'reduce',
	});
	await context.grantPermissions(['clipboard-read', 'clipboard-write']);
	page = await context.newPage();
	page.setDefaultTimeout(30_000);
	page.on('pageerror', (error) => consoleErrors.push(error.message));
	page.on('console', (message) => {
		if (message.type() === 'error') consoleErrors.push(message.text());
	});
});
beforeEach(async () => {
	/* A page that is open would start over, too. */
	await page.goto('about:blank');
	sandbox.service.reset(false);
	await page.goto(`${sandbox.url}/sandbox`);
	await isFilled();
});
afterEach(async () => {
	await trigger?.stop();
	trigger = undefined;
});

const FIELD_ROLES = ['combobox', 'textbox', 'radio', 'checkbox'] as const;
/** The field that a screen reader would call so. */
const field = (name: string): Locator =>
	FIELD_ROLES.map((role) => page.getByRole(role, { name, exact: true })).reduce((one, other) =>
		one.or(other),
	);
const press = async (name: string): Promise<void> =>
	await page.getByRole('button', { name, exact: true }).click();
/** Presses a button, and waits until the page says what came of it. */
const pressUntil = async (name: string, said: string | RegExp): Promise<void> => {
	await press(name);
	await page.getByText(said).waitFor();
};
const write = async (column: string, row: number, text: string): Promise<void> => {
	await field(`${column}, row ${row}`).fill(text);
	await field(`${column}, row ${row}`).press('Enter');
	await page.getByText(`Changed ${column} of row ${row}.`).waitFor();
};
const control = async (route: string, body: object) => await sandbox.control('POST', route, body);
const clipboard = async () => String(await page.evaluate('navigator.clipboard.readText()'));
/** Runs in the browser. */
const VALUES = (fields: unknown[]) =>
	fields.map((each) =>
		String(Object(each).type === 'radio' ? Object(each).checked : Object(each).value),
	);
const deliveries = (): Locator => page.locator('#deliveries tr');

/** Waits until the page shows what it asks the service for, the last of it, too. */
async function isFilled(): Promise<void> {
	await deliveries().first().waitFor();
	await field('amount, row 2').waitFor();
	await page.locator('#user option').first().waitFor({ state: 'attached' });
}

/** The credential as a person fills it in with what *Copy all settings* copied. */
async function copiedCredential(): Promise<Record<string, string>> {
	await press('Copy all settings');
	await page.getByRole('button', { name: 'Copied' }).waitFor();
	const copied = await clipboard();
	const lines = copied.split('\n').map((line) => /^([^:]+): (.*)$/.exec(line) ?? []);
	return Object.fromEntries(lines.map(([, label = '', shown = '']) => settingOf(label, shown)));
}

/** Starts the trigger with the settings that the page shows, or had copied, and enters its URL. */
async function receive(
	parameters: Record<string, string[]> = {},
	copied?: Record<string, string>,
): Promise<TriggerHost> {
	/* The button has another name for a moment after it was pressed. */
	const credentials = copied ?? (await copiedCredential());
	trigger = await TriggerHost.start({ nodeId: randomUUID(), credentials, parameters });
	await field('URL').fill(trigger.url);
	return trigger;
}

/** Sends the event as a variant, and reads the newest delivery once it has its answer. */
async function send(variant: string): Promise<string[]> {
	const before = sandbox.service.deliveries.log().length;
	await field(variant).check();
	await press('Send event');
	await page.locator(`#deliveries tr:nth-child(${before + 1})`).waitFor();
	await page.locator('#deliveries tr:first-child .pill:not(:text("sending"))').waitFor();
	return await deliveries().first().locator('td').allInnerTexts();
}

const row = (status: string, answer: unknown) =>
	expect.arrayContaining([status, expect.stringMatching(/^\d+ ms$/), answer]);
const ACCEPTED = row('200 accepted', '{"received":true}');
const REFUSED = row('401 refused', expect.stringContaining('error'));

describe('a webhook', () => {
	it.each([
		['Timestamped, like Stripe', '', ''],
		['Hex, like GitHub', '', ''],
		['Hex, like GitHub', '', 'Put sha256= in front'],
		['Base64, like Shopify', '', ''],
		['Standard Webhooks, like Svix', '', ''],
		['Shared token', '', ''],
		['Custom, like Slack', 'Slack', ''],
		['Custom, like Slack', 'ID, ISO time and body', ''],
	])('%s %s %s: the shown settings accept only the genuine event', async (scheme, example, way) => {
		await field('Signature').selectOption(scheme);
		if (example !== '') await field('Start from').selectOption(example);
		if (way !== '') await field(way).check();
		const credential = await copiedCredential();
		const shown = shownFields('payrollPaymentsWebhookApi', credential);
		const required = shown.filter((each) => each.required === true).map(({ name }) => name);
		const copied = Object.keys(credential);
		expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(copied));
		expect(copied).toEqual(expect.arrayContaining(required));

		await receive({}, credential);
		expect(await send('Genuine')).toEqual(ACCEPTED);
		expect(await send('Forged')).toEqual(REFUSED);
		expect(await send('Unsigned')).toEqual(REFUSED);
	});

	it('carries the fields of a deposit, which is pending and then complete', async () => {
		const host = await receive({ depositStatuses: ['pending', 'complete'] });
		await field('Amount').fill('12,345.6');
		await field('Currency').first().selectOption('EUR');
		await field('Status').selectOption('Pending, then complete');
		await field('Network').selectOption('Base');
		await field('Reference').fill('INV-7');
		await pressUntil('Send event', 'Deposit Received sent: 200 accepted; 200 accepted');
		await host.idle();
		const [pending, complete] = host.executions.map(({ started }) =>
			Object(Object(started[0]).json.deposit),
		);
		expect(pending).toMatchObject({
			source_amount_cents: 1_234_560,
			destination_amount_cents: 1_234_560,
			destination_currency: 'EUR',
			...{ status: 'pending', network: 'base', reference: 'INV-7' },
		});
		expect(complete).toEqual({ ...pending, status: 'complete', updated_at: complete.updated_at });
	});

	it('is recognized when it comes again, and refused when it is old', async () => {
		await receive();
		await send('Genuine');
		expect(await send('Duplicate')).toEqual(row('200 ignored', 'a duplicate'));
		expect(await send('Old')).toEqual(REFUSED);
		expect(await deliveries().count()).toBe(3);
	});

	it('can be any documented event, under the name that n8n shows', async () => {
		const { properties } = new PayrollPaymentsTrigger().description;
		const events = properties.find(({ name }) => name === 'events')?.options ?? [];
		const names = events.map(({ name }) => name).filter((name) => name !== 'Any Event');
		expect((await field('Event').locator('option').allTextContents()).sort()).toEqual(names.sort());

		await receive({ events: ['*'] });
		await field('Event').selectOption('Invite Accepted');
		expect((await send('Genuine'))[1]).toContain('Invite Accepted');
	});
});

it('prepares a payment whose fields can be copied', async () => {
	await field('Payment amount').fill('1250.00');
	await field('Recipient email').fill('ana@example.com');
	await field('Payment reference').fill('INV-1042');
	await pressUntil('Prepare payment', 'Copy these into the node’s fields.');
	const shown = await page.locator('#payment-fields dd code').allInnerTexts();
	expect(shown.slice(2)).toEqual(['ana@example.com', '1250.00', 'INV-1042']);
	await press('Copy Payment Authorization');
	const copied: Record<string, unknown> = JSON.parse(await clipboard());
	expect(Object.keys(copied).sort()).toEqual(['domain', 'message', 'primaryType', 'types']);
});

describe('the practice desk', () => {
	it('shows messages, with links that can be clicked', async () => {
		const link = 'http://127.0.0.1:1/form-waiting/12?signature=a';
		await control('messages', { content: `Pay &lt;b&gt;? Decide: ${link}.`, from: 'Payroll run' });
		await page.locator('#inbox').getByRole('link', { name: link }).waitFor();
		expect((await page.locator('#inbox tr:first-child td').allInnerTexts()).slice(1)).toEqual([
			expect.stringContaining('#payroll'),
			`Pay <b>? Decide: ${link}.`,
			'Payroll run',
		]);
	});

	it('shows the rows of a sheet, which a person, for whom digits become a number, changes', async () => {
		await write('amount', 3, '99.5');
		await press('Add row');
		await write('reference', 5, "'1001");
		await write('amount', 5, '$4200');
		await pressUntil('Remove row 2', 'Removed row 2.');
		expect(sandbox.service.sheet.tab('Payments')?.rows).toMatchObject([
			{ reference: 'PAY-002', amount: 99.5 },
			{ reference: 'PAY-003' },
			{ reference: '1001', amount: '$4200' },
		]);
	});

	it('says whether a payment was made, and ends one', async () => {
		await control('messages', { content: 'Payroll run: 3 payments to approve', from: 'Payroll' });
		await field('From now on, payments').selectOption('wait until you decide here');
		await page.getByText('From now on, payments wait until you decide here.').waitFor();
		const client = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
		const [team] = sandbox.service.organisation.teams;
		if (team === undefined) throw new Error('The sandbox has no team.');
		const signer = client.account.address;
		const order = { team, email: 'ana@example.com', amountCents: 12_550, signer };
		sandbox.service.authorize(order, 'INV-1');
		const { domain, types, typed_data } = sandbox.service.authorize(order, 'INV-2');
		const authorization = { domain, types, message: { ...typed_data } };
		await client.pay(authorization, { amount_cents: order.amountCents });
		const payments = page.locator('#payments');
		await field('Was it made?').fill('inv-1');
		await payments.locator('tr:only-child').getByText('authorized, not paid yet').waitFor();
		expect(await payments.locator('tr').count()).toBe(1);
		await field('Was it made?').fill('INV-3');
		await payments.getByText(/^Not made here/).waitFor();
		await field('Was it made?').fill('INV-2');
		await payments.getByText('made, in progress').waitFor();
		await payments.getByRole('button', { name: /^Fail tx-/ }).click();
		await payments.getByText('failed, money returned').waitFor();
		const file = pictureFile('sandbox');
		if (file !== undefined) await page.screenshot({ path: file });
	});
});

it('changes users and invites as polling sees them, and fails calls', async () => {
	const client = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
	const team = sandbox.service.organisation.teams[0];
	const users = async (): Promise<string> =>
		(await client.get(`/v2/teams/${team?.nanoid}/users?count=500`)).text;
	await field('New user’s email').fill('new.user@example.com');
	await pressUntil('Add user', /^Added .*new\.user@example\.com/);
	const nanoid = team?.users.at(-1)?.nanoid ?? '';
	const now = () => ({ ...sandbox.service.organisation.user(nanoid)?.user });
	const { role, payable } = now();
	await field('User').selectOption(nanoid);
	await pressUntil('Change role', /has the role/);
	await pressUntil('Change payable', /payable now\.$/);
	expect(now().role).not.toBe(role);
	expect(now().payable).toBe(!payable);
	await pressUntil('Remove', /^Removed .*new\.user/);
	expect(await users()).not.toContain('new.user@example.com');
	await pressUntil('Restore', /^Restored .*new\.user/);
	expect(await users()).toContain('new.user@example.com');
	await page.locator('#invite-email').fill('guest@example.com');
	await pressUntil('Add invite', 'Invited guest@example.com.');
	await field('Pending invite').selectOption('guest@example.com');
	await pressUntil('Accept', /^The invite of guest@example\.com is/);
	await field('The next call from n8n').selectOption('gets 503, unavailable');
	await pressUntil('Fail the next call', /^Planned: the next call from n8n gets 503/);
	expect(await users()).not.toContain('@');
	expect(await users()).toContain('guest@example.com');
	await pressUntil('Expire all tokens', /^All tokens have expired/);
	expect(await users()).not.toContain('@');
});

/** What a person can have typed, chosen or been told. */
const shown = async () => [
	await page.locator('input, select').evaluateAll(VALUES),
	await page.locator('[role=status]:not(#started-over), #payment-fields').allInnerTexts(),
];
const startOver = async (answer: string) => {
	await press('Start over');
	await page.getByRole('dialog').getByText('Start over?').waitFor();
	await press(answer);
};

it('starts over: asks first, and leaves nothing of what was typed and said', async () => {
	const before = await shown();
	await field('Payment amount').fill('5');
	await field('Recipient email').fill('ana@example.com');
	await pressUntil('Prepare payment', 'Copy these into the node’s fields.');
	await write('amount', 2, '1');
	await field('Was it made?').fill('INV');
	await field('Email').fill('x@example.com');
	await startOver('Cancel');
	expect(sandbox.service.payments.list()).toHaveLength(1);

	/* Before, the page may show the time of an earlier start. */
	await Promise.all([page.waitForEvent('load'), startOver('Yes, start over')]);
	await page.getByText(/^Started over at \d\d:\d\d:\d\d\.$/).waitFor();
	await isFilled();
	expect(sandbox.service.payments.list()).toEqual([]);
	expect(await shown()).toEqual(before);
});

it('shows hostile text as text', async () => {
	const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
	await field('URL').fill((await startHttpServer(() => hostile)).url);
	const [user] = sandbox.service.organisation.teams[0]?.users ?? [];
	sandbox.service.organisation.changeUser(user?.nanoid ?? '', { first_name: hostile });
	await fetch(`${sandbox.url}/v2/${encodeURIComponent(hostile)}`);
	const cells = await send('Genuine');
	await control('events', { event_type: hostile });
	await page.getByText('<img').nth(3).waitFor({ state: 'attached' });
	expect(cells).toEqual(row('200 accepted', JSON.stringify(hostile)));
	expect(await page.locator('img, td script').count()).toBe(0);
	expect(await page.title()).toBe('Practice desk for Payroll Payments');
});

it('gives every control a name, and fits a phone', async () => {
	const unnamed = await page.evaluate(`
		[...document.querySelectorAll('input, select, button')]
			.filter((each) => !each.labels?.length && !each.ariaLabel && !each.textContent.trim())
			.map(({ outerHTML }) => outerHTML)`);
	expect(unnamed).toEqual([]);
	await page.setViewportSize({ width: 360, height: 800 });
	expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
	await page.reload();
	await page.getByText('Show requests').click();
	await page.getByText('No requests yet').waitFor();
	await page.setViewportSize({ width: 1280, height: 1000 });
});

it('works with the keyboard alone', async () => {
	await receive();
	await field('Genuine').focus();
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('ArrowRight');
	expect(await field('Forged').isChecked()).toBe(true);
	await field('Secret').focus();
	await page.keyboard.press('Enter');
	await page.locator('#deliveries .pill', { hasText: '401 refused' }).waitFor();
});

it('logs nothing to the browser console', () => {
	expect(consoleErrors).toEqual([]);
});
