import type { INodeParameters } from 'n8n-workflow';

import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { Editor, type ShownField } from '../support/editor';
import { shownFields } from '../support/forms';
import { pictureFile } from '../../tooling/pictures';
import { depositEvent } from '../../n8nHost/sampleEvents';
import { walletCredentials } from '../../n8nHost/sandboxCredentials';
import { schemeOf } from '../support/signedDeliveries';
import { shareTestEnvironment } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { waitUntil } from '../../n8nHost/waiting';
import { action, node, START } from '../../n8nHost/workflows';

const OPERATIONS = CATALOGUE.map(({ resource, operation }) => `${resource}.${operation}`);

const TEAM = { __rl: true, mode: 'id', value: 'te-4kT9wQz2LmXa' };

/** Sample values for the pictures. */
const FILLED: Readonly<Record<string, INodeParameters>> = {
	'invite.create': { teamId: TEAM, invitees: { invitee: [{ email: 'ana@example.com' }] } },
	'payment.create': {
		teamId: TEAM,
		amountDollars: '125.00',
		recipientEmail: 'ana@example.com',
		paymentReference: 'INV-2026-0042',
		typedData: '={{ $json.authorization }}',
	},
};

/** A sender that signs in another header and format than the default. */
const GITHUB = schemeOf('GitHub');
const SLACK = schemeOf('Slack');

function parametersOf(pair: string): INodeParameters {
	const [resource = '', operation = ''] = pair.split('.');
	return { resource, operation, ...FILLED[pair] };
}

/** The labels that a form should have from top to bottom; `!` is a notice. */
function expectedLabels(type: string, given: INodeParameters): string[] {
	return shownFields(type, given).flatMap((field) => {
		if (field.type === 'notice') return '!';
		/* One invitee is filled in; the prefill fields wait until they are added. */
		return field.name === 'invitees' ? [field.displayName, 'Email'] : field.displayName;
	});
}

const TRIGGER = 'payrollPaymentsTrigger';

const environment = useEnvironment(shareTestEnvironment);
let editor: Editor;

function labelsOf(fields: readonly ShownField[]): string[] {
	expect(fields.filter(({ isCut }) => isCut)).toEqual([]);
	return fields.map(({ label, isNotice }) => (isNotice ? '!' : label));
}

/** @param count how many fields to wait for: n8n adds those of collections a moment later */
async function labels(count: number): Promise<string[]> {
	await waitUntil(`${count} fields are shown`, async () => (await editor.fields()).length >= count);
	return labelsOf(await editor.fields());
}

const PICTURED = ['invite.create', 'payment.create', 'trigger'];

beforeAll(async () => {
	const { n8n, api, webhook, teamId, sandbox, account } = environment;
	/* What the documents recommend, for their picture. */
	const readOnly = await n8n.saveCredentials('payrollPaymentsApi', 'Payroll Payments, read only', {
		...walletCredentials(sandbox.url, account),
		access: 'readOnly',
	});
	const using = ({ id, name }: typeof api) => ({ payrollPaymentsApi: { id, name } });
	const actions = OPERATIONS.map((pair, index) => {
		return action(pair, parametersOf(pair), {
			position: [(index % 4) * 220, Math.floor(index / 4) * 180],
			credentials: using(pair === 'balance.get' ? readOnly : api),
		});
	});
	const below = (column: number, more: object = { credentials: using(api) }) => {
		return { position: [column * 220, 600], ...more };
	};
	const review = { resource: 'nameReview', operation: 'update', teamId };
	const users = { resource: 'teamUser', operation: 'getAll', teamId };
	const inviteesJson = '[{ "email": "made.by.hand@example.com" }]';
	const people = { role: 'contractor', inviteesSource: 'json', inviteesJson };
	const invite = { resource: 'invite', operation: 'create', teamId, ...people };
	const others = [
		action('picker', { ...review, reviewVersion: '2026-03-31T09:30:00Z' }, below(1)),
		action('Made by hand', invite, below(2, { credentials: undefined })),
		action('Get team users', users, below(3)),
		node('Write a message', 'n8n-nodes-base.set', {}, below(4, { typeVersion: 3.4 })),
	];
	const saveWebhook = async (name: string, data: Record<string, unknown>) => {
		const hmac = { method: 'hmacSignature', toleranceSeconds: 300 };
		return await n8n.saveCredentials('payrollPaymentsWebhookApi', name, { ...hmac, ...data });
	};
	const likeSlack = { ...SLACK.saved, secret: SLACK.secrets[0] };
	const triggers = Object.entries({
		trigger: webhook,
		'Signed like Slack': await saveWebhook('Signed like Slack', likeSlack),
		'Deposit received': await saveWebhook('Payroll webhooks', { secret: GITHUB.secrets[0] }),
	}).map(([name, { id, name: saved }], index) => {
		const credentials = { payrollPaymentsWebhookApi: { id, name: saved } };
		const webhookId = name.replace(/ /g, '-');
		const more = { position: [index * 220, 780], webhookId, credentials };
		return node(name, `n8n-nodes-payroll-payments.${TRIGGER}`, {}, more);
	});
	const { id } = await n8n.saveWorkflow({
		name: 'Forms',
		nodes: [...actions, ...others, ...triggers, { ...START, position: [0, 600] }],
		connections: {
			/* A node that runs alone changes nothing. */
			Start: { main: [[{ node: 'Made by hand', type: 'main', index: 0 }]] },
			'Get team users': { main: [[{ node: 'Write a message', type: 'main', index: 0 }]] },
		},
	});
	editor = await Editor.open(n8n.url);
	await editor.openWorkflow(id);
});

/* An open panel would cover the next node. */
afterEach(async () => {
	await editor.closeNode();
});

it('subtitles say what each node does, and what a payment pays', async () => {
	const paying = '[data-test-id="canvas-node"][data-node-name="payment.create"]';
	expect(await editor.page.locator(paying).textContent()).toContain('Pay $125.00');
});

it.each([
	...OPERATIONS.map((pair) => [pair, 'payrollPayments', parametersOf(pair)] as const),
	['trigger', TRIGGER, {}] as const,
])('%s shows its fields in order', async (name, type, given) => {
	await editor.openNode(name);
	const all = expectedLabels(type, given);
	expect(await labels(all.length)).toEqual(all);
	if (PICTURED.includes(name)) await editor.takePicture(name);
});

it('hides an invitee’s prefill fields until they are added', async () => {
	await editor.openNode('invite.create');
	await editor.page.getByPlaceholder('Add prefill field').click();
	await editor.page.locator('text="Job Title" >> visible=true').first().click();
	const { length } = expectedLabels('payrollPayments', parametersOf('invite.create'));
	expect(await labels(length + 1)).toContain('Job Title');
});

/* reads.test.ts has what is found by name, email address and identifier. */
it('searches users', async () => {
	await editor.openNode('picker');
	const { page } = editor;
	const user = '[data-test-id="resource-locator-userId"] [data-test-id="rlc-input"]';
	await page.locator(user).first().click();
	const choices = page.locator('[data-test-id="rlc-item"]:visible');
	await choices.first().waitFor();
	await choices.first().click();
	await page.locator(user).first().click();
	await page.locator('[data-test-id="rlc-search"]:visible').fill('angel');
	await choices.filter({ hasText: 'Angela' }).first().waitFor();
	const hasOthers = choices.filter({ hasNotText: /angel|Cyryl/i });
	await hasOthers.first().waitFor({ state: 'hidden' });
	await editor.takePicture('user-picker');
	await page.keyboard.press('Escape');
});

it('shows the next node the fields of one that has never run', async () => {
	await editor.openNode('Write a message');
	const { page } = editor;
	const name = page
		.locator('[data-test-id="ndv-input-panel"] [data-test-id="run-data-schema-item"]')
		.filter({ hasText: 'first_name' });
	await name.first().waitFor();
});

it('the trigger names the header and format that fit, when a test event has others', async () => {
	await editor.openNode('Deposit received');
	const { page } = editor;
	await page.click('[data-test-id="trigger-execute-button"]');
	await page.getByText('Listening for test event').waitFor();
	const body = Buffer.from(JSON.stringify(depositEvent()));
	const proof = await GITHUB.prove(GITHUB.secrets[0], body, 0);
	const headers = { 'content-type': 'application/json', ...proof };
	const url = `${environment.n8n.url}/webhook-test/Deposit-received/webhook`;
	expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
	const text = async (name: string) =>
		await page.locator(`[data-test-id="node-error-${name}"]`).textContent();
	expect(await text('message')).toBe(
		'This delivery was answered with 401: The header x-signature is missing',
	);
	expect(await text('description')).toBe(
		'In the credential, set Header to X-Hub-Signature-256 and Format to Hex.',
	);
	const file = pictureFile('webhook-diagnosis');
	if (file !== undefined) await editor.takeErrorPicture(file);
});

const SIGNED_IN = { authentication: 'walletSignIn', access: 'everything', signer: 'privateKey' };
const FIRST_INPUT = '[data-test-id="credential-connection-parameter"] input';

it.each([
	['balance.get', 'credentials', 'payrollPaymentsApi', SIGNED_IN],
	['trigger', 'webhook-credentials', 'payrollPaymentsWebhookApi', {}],
	['Signed like Slack', 'webhook-credentials-custom', 'payrollPaymentsWebhookApi', SLACK.saved],
])('credentials of %s have their fields in order', async (name, picture, type, saved) => {
	await editor.openNode(name);
	await editor.openCredentials();
	expect(labelsOf(await editor.credentialFields())).toEqual(expectedLabels(type, saved));
	const file = pictureFile(picture);
	if (file !== undefined) {
		/* Only in the picture: n8n would ask whether to save it. */
		if (type === 'payrollPaymentsApi') {
			const input = editor.page.locator(FIRST_INPUT).first();
			const shown = { value: 'https://api.example.com' };
			await input.evaluate((element, url) => Object.assign(element, url), shown);
		}
		await editor.takeCredentialPicture(file);
	}
	await editor.closeCredentials();
});

it('a credential made in the form reads only, and writes after it is edited', async () => {
	const { page } = editor;
	const { account, sandbox, teamId } = environment;
	const field = (name: string) => page.locator(`[data-test-id="parameter-input-${name}"]`);
	const save = async () => await page.click('[data-test-id="credential-save-button"]');
	const execute = async () => await page.click('[data-test-id="node-execute-button"]');

	await editor.openNode('Made by hand');
	await page.locator('[data-test-id="node-credentials-select"]').click();
	await page.click('[data-test-id="node-credentials-select-item-new"]');
	await editor.credentialsAreReady();
	await field('baseUrl').locator('input').fill(sandbox.url);
	await field('platformId').locator('input').fill(account.platformId);
	await field('privateKey').locator('input').fill(account.privateKey);
	await field('entities').locator('textarea').fill(`${teamId} Made by Hand`);
	await save();
	/* n8n closes a new credential once its test has passed. */
	await page.locator('[data-test-id="credential-edit-dialog"]').waitFor({ state: 'detached' });

	await execute();
	const error = page.locator('[data-test-id="node-error-description"]');
	await error.filter({ hasText: 'Workflows May is Read Only' }).waitFor();
	await editor.openCredentials();
	await field('access').click();
	await page.locator('text="Everything" >> visible=true').first().click();
	await Promise.all([
		page.waitForResponse((response) => response.request().method() === 'PATCH'),
		save(),
	]);
	await page.getByText('Connection tested successfully').waitFor();
	await editor.closeCredentials();
	await editor.closeNode();

	await editor.openNode('Made by hand');
	await execute();
	await page.getByText('made.by.hand@example.com').filter({ visible: true }).first().waitFor();
	await page.getByText('invited', { exact: true }).first().waitFor();

	/* Its teams are in the list of each team field. */
	const team = page.locator('[data-test-id="resource-locator-teamId"]');
	await team.locator('[data-test-id="rlc-mode-selector"]').click();
	await page.locator('[data-test-id="mode-list"]:visible').click();
	await team.locator('[data-test-id="rlc-input"]').click();
	const choices = page.locator('[data-test-id="rlc-item"]:visible');
	await choices.filter({ hasText: 'Made by Hand' }).click();
});

it('logs nothing to the browser console', () => {
	expect(editor.consoleErrors).toEqual([]);
});
