import { settingsFrom } from '../support/diagnosisAdvice';
import { depositEvent } from '../support/sampleEvents';
import { SIGNED_SCHEMES, type SignedScheme } from '../support/signedDeliveries';
import { shareN8n, type N8nEnvironment } from '../support/testEnvironment';
import { TriggerWorkflow } from '../support/triggerWorkflow';
import { waitUntil } from '../support/waiting';

jest.setTimeout(600_000);

/** One sender for each format that the credential offers. */
const SENDERS = ['Stripe', 'GitHub', 'Shopify', 'Standard Webhooks', 'Slack', 'shared token'].map(
	(name): SignedScheme => {
		const scheme = SIGNED_SCHEMES.find((each) => each.name === name);
		if (scheme === undefined) throw new Error(`Nobody signs as ${name}.`);
		return scheme;
	},
);

const BODY = Buffer.from(JSON.stringify(depositEvent()));

let environment: N8nEnvironment;

beforeAll(async () => {
	environment = await shareN8n();
});

afterAll(async () => {
	await environment.stop();
});

const seconds = () => Math.floor(Date.now() / 1000);

async function post(url: string, proof: Record<string, string>) {
	const headers = { 'content-type': 'application/json', ...proof };
	const response = await fetch(url, { method: 'POST', headers, body: BODY });
	const body: unknown = await response.json();
	return { status: response.status, body };
}

/** Listens for a test event, delivers one, and returns what the editor shows as the node's error. */
async function listenFor(workflow: TriggerWorkflow, proof: Record<string, string>) {
	const { length: before } = await workflow.executions();
	const answer = await post(await workflow.listenForTest(), proof);
	expect(answer).toEqual({ status: 401, body: { error: expect.any(String) } });
	/* The answer goes out before n8n saves the execution. */
	await waitUntil(async () => (await workflow.executions()).length > before, {
		milliseconds: 60_000,
		failure: () => 'n8n saved no execution for the delivery.',
	});
	await workflow.idle();
	const execution = (await workflow.executions()).at(-1);
	expect(execution).toMatchObject({ status: 'error', mode: 'manual' });
	const error = execution?.runs.Trigger?.[0]?.error;
	return { message: error?.message ?? '', advice: error?.description ?? '' };
}

describe.each(SENDERS)('a delivery signed as $name, in a real n8n', ({ saved, secrets, prove }) => {
	const [secret, other] = secrets;
	/* Timestamped, unless that's right. */
	const wrong = saved.format === 'timestamped' ? { format: 'hex' } : {};

	it('while the editor listens, the error names settings that then accept it', async () => {
		const workflow = await TriggerWorkflow.start(environment, {
			credentials: { ...wrong, secret },
		});
		const { message, advice } = await listenFor(workflow, await prove(secret, BODY, seconds()));
		expect(message).toMatch(/^This delivery was answered with 401: /);
		expect(advice).toContain('In the credential, set ');
		expect(`${message} ${advice}`).not.toContain(secret);

		const advised = await TriggerWorkflow.start(environment, {
			credentials: { ...wrong, ...settingsFrom(advice), secret },
		});
		const genuine = await prove(secret, BODY, seconds());
		expect(await post(advised.url, genuine)).toEqual({ status: 200, body: { received: true } });
		expect(await post(advised.url, await prove(other, BODY, seconds()))).toMatchObject({
			status: 401,
		});
		expect(await advised.outputs()).toEqual([[depositEvent()]]);
	});

	it('with a wrong secret: says so in the editor only, and names nothing', async () => {
		const workflow = await TriggerWorkflow.start(environment, {
			credentials: { ...saved, secret: other },
		});
		const proof = await prove(secret, BODY, seconds());
		for (let count = 0; count < 5; count++) {
			expect(await post(workflow.url, proof)).toMatchObject({ status: 401 });
		}
		expect(await workflow.counts()).toEqual({});
		const { advice } = await listenFor(workflow, proof);
		expect(advice).toMatch(/^The secret in the credential doesn’t fit this delivery, /);
		for (const header of Object.keys(proof)) {
			expect(advice.toLowerCase()).not.toContain(header);
		}
	});
});

it('n8n’s own test of the credential names what is wrong, with the fields that the form hides', async () => {
	const type = 'payrollPaymentsWebhookApi';
	const saved = await environment.n8n.saveCredentials(type, 'Tested', {
		method: 'hmacSignature',
		secret: 'a secret',
		header: 'X-A',
	});
	const test = async (data: Record<string, string | number>) =>
		await environment.n8n.testCredentials(saved, data);
	const custom = { method: 'hmacSignature', format: 'custom', secret: 'a secret', header: 'X-A' };
	expect(await test({ ...custom, signedContent: '{timestamp}.{body}' })).toMatchObject({
		status: 'Error',
		message: 'Timestamp Header is empty, but Signed Content contains {timestamp}',
	});
	expect(await test({ ...custom, signedContent: '{method}{body}' })).toMatchObject({
		status: 'OK',
	});
	expect(await test({ ...custom, format: 'standardWebhooks' })).toMatchObject({
		status: 'Error',
		message: "Secret isn't valid Base64",
	});
	const token = { method: 'sharedToken', format: 'standardWebhooks', secret: 'a secret' };
	expect(await test({ ...token, header: 'X Token' })).toMatchObject({ status: 'Error' });
	expect(await test({ ...token, header: 'X-Token' })).toMatchObject({ status: 'OK' });
});
