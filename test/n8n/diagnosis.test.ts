import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { recordLog } from '../support/n8nLog';
import { depositEvent, hmac, timestamped } from '../support/sampleEvents';
import { settingsFrom } from '../support/diagnosisAdvice';
import { SIGNED_SCHEMES } from '../support/signedDeliveries';
import { GENUINE, useTriggerHosts, type Setup, type TriggerHost } from '../support/triggerHost';

const SECRET = 'a secret of the sender';
const HEX = { format: 'hex', header: 'X-Signature' };
const BODY = Buffer.from(JSON.stringify(depositEvent({ note: 'Zürich / 東京', amount: 1.5 })));

const NOTHING_FITS =
	'The secret in the credential doesn’t fit this delivery, whatever the header and format. Check in ' +
	'the service that it signs this webhook, and copy the secret from there again. If it’s right, look ' +
	'for a proxy that rewrites the JSON body, or set Format to Custom and describe the signature with ' +
	'the help of the service’s documentation.';

let log: ReturnType<typeof recordLog>;

beforeEach(() => {
	log = recordLog();
});

afterEach(() => {
	log.stop();
});

const start = useTriggerHosts();
const seconds = () => Math.floor(Date.now() / 1000);

const host = async (
	credentials: ICredentialDataDecryptedObject,
	mode: Setup['mode'] = 'manual',
	parameters: Setup['parameters'] = {},
) => await start({ credentials, mode, parameters });

async function deliver(to: TriggerHost, headers: Record<string, string>, body = BODY) {
	const answer = await to.deliver(Buffer.from(body), {
		'content-type': 'application/json',
		'x-request-id': '42',
		...headers,
	});
	await to.idle();
	return answer;
}

/** What the editor shows for a delivery that is answered with 401. */
async function diagnosed(
	credentials: ICredentialDataDecryptedObject,
	headers: Record<string, string>,
	body = BODY,
) {
	const n8n = await host(credentials);
	expect(await deliver(n8n, headers, body)).toEqual({
		status: 401,
		body: { error: expect.any(String) },
	});
	expect(n8n.executions).toHaveLength(1);
	expect(n8n.crashes).toBe(0);
	const [{ error = '', hint = '', output } = { output: [] }] = n8n.executions;
	expect(output).toEqual([]);
	const shown = `${error} ${hint}`;
	for (const each of [credentials.secret, credentials.previousSecret]) {
		if (typeof each === 'string' && each !== '') expect(shown).not.toContain(each.trim());
	}
	return { error, advice: hint ?? '' };
}

const WRONG_SETTINGS = [
	['the defaults', {}],
	['another header', { format: 'hex', header: 'X-Other' }],
	['a shared token', { method: 'sharedToken', header: 'X-Other' }],
	['Standard Webhooks', { format: 'standardWebhooks' }],
	[
		'Custom with other fields',
		{ format: 'custom', header: 'X-Other', signedContent: '{body}', signaturePrefix: 'sig=' },
	],
] as const;

describe.each(SIGNED_SCHEMES)('a delivery signed as $name', ({ name, saved, secrets, prove }) => {
	const [secret, other] = secrets;

	it.each(WRONG_SETTINGS)(
		'with %s: the editor names settings that are right',
		async (_what, wrong) => {
			/* Standard Webhooks can't be saved with a secret that isn't Base64. */
			if ('format' in wrong && wrong.format === 'standardWebhooks' && !secret.startsWith('whsec_'))
				return;
			if ('format' in wrong && wrong.format === saved.format && wrong.format === 'standardWebhooks')
				return;
			const headers = await prove(secret, BODY, seconds());
			const { advice } = await diagnosed({ ...wrong, secret }, headers);
			expect(advice).toContain('In the credential, set ');

			const right = await host({ ...wrong, ...settingsFrom(advice), secret }, 'webhook');
			expect(await deliver(right, headers)).toEqual(GENUINE);
			const changed = Buffer.concat([BODY, Buffer.from(' ')]);
			const isToken = name.startsWith('shared token');
			expect((await deliver(right, headers, changed)).status).toBe(isToken ? 200 : 401);
		},
	);

	it('with a wrong secret: says so and names nothing', async () => {
		const headers = await prove(secret, BODY, seconds());
		const { advice } = await diagnosed({ ...saved, secret: other }, headers);
		expect(advice).toMatch(/^The secret in the credential doesn’t fit this delivery, /);
		for (const header of Object.keys(headers)) {
			expect(advice.toLowerCase()).not.toContain(header);
		}
	});

	it('is answered the same in production, without an execution', async () => {
		const headers = await prove(secret, BODY, seconds());
		const inEditor = await deliver(await host({ secret: other }), headers);
		const production = await host({ secret: other }, 'webhook');
		expect(await deliver(production, headers)).toEqual(inEditor);
		expect(production.executions).toEqual([]);
		for (const line of log.lines) expect(line).not.toMatch(/In the credential, set/);
	});
});

describe('the message, word for word', () => {
	const hex = hmac(SECRET, BODY).toString('hex');

	it('a missing header', async () => {
		expect(await diagnosed({ secret: SECRET }, { 'x-hub-signature-256': `sha256=${hex}` })).toEqual(
			{
				error: 'This delivery was answered with 401: The header x-signature is missing',
				advice: 'In the credential, set Header to X-Hub-Signature-256 and Format to Hex.',
			},
		);
	});

	it('another method', async () => {
		expect(await diagnosed({ secret: SECRET }, { authorization: `Bearer ${SECRET}` })).toEqual({
			error: 'This delivery was answered with 401: The header x-signature is missing',
			advice: 'In the credential, set Method to Shared Token and Header to Authorization.',
		});
		const credentials = { method: 'sharedToken', header: 'X-Token', secret: SECRET };
		const signature = timestamped(SECRET, seconds(), BODY);
		expect((await diagnosed(credentials, { 'x-signature': signature })).advice).toBe(
			'In the credential, set Method to HMAC Signature, Header to X-Signature, and Format to Timestamped.',
		);
	});

	it('Slack’s scheme', async () => {
		const slack = SIGNED_SCHEMES.find(({ name }) => name === 'Slack');
		const headers = (await slack?.prove(SECRET, BODY, seconds())) ?? {};
		expect((await diagnosed({ secret: SECRET }, headers)).advice).toBe(
			'In the credential, set Header to X-Slack-Signature, Format to Custom, Signed Content to v0:{timestamp}:{body}, Timestamp Header to X-Slack-Request-Timestamp, Algorithm to HMAC-SHA256, Encoding to Hex, Signature Prefix to “v0=”, and Secret Encoding to Text.',
		);
	});

	it('whitespace around the secret', async () => {
		const whitespace =
			'Remove the spaces or line breaks around the secret in the webhook credential.';
		expect(await diagnosed({ ...HEX, secret: ` ${SECRET}\n` }, { 'x-signature': hex })).toEqual({
			error:
				'This delivery was answered with 401: The signature matches the secret only without the whitespace around it',
			advice: whitespace,
		});
		const { advice } = await diagnosed({ secret: `${SECRET} ` }, { 'x-signature': hex });
		expect(advice).toBe('In the credential, set Header to X-Signature and Format to Hex.');
	});

	it('a clock that is off, also with other settings', async () => {
		const signature = timestamped(SECRET, seconds() - 4_000, BODY);
		const right = await diagnosed({ secret: SECRET }, { 'x-signature': signature });
		expect(right.error).toMatch(
			/401: The signature is 400\d seconds old; at most 600 are allowed$/,
		);
		expect(right.advice).toMatch(
			/^Check the clock of the machine that runs n8n\. A repeated delivery needs a new signature\.$/,
		);
		const { advice } = await diagnosed({ ...HEX, secret: SECRET }, { 'x-signature': signature });
		expect(advice).toMatch(/set Header to X-Signature and Format to Timestamped\.$/);
	});

	it('milliseconds instead of seconds', async () => {
		const signature = timestamped(SECRET, seconds() * 1000, BODY);
		expect((await diagnosed({ secret: SECRET }, { 'x-signature': signature })).advice).toMatch(
			/^The timestamp looks like milliseconds, but seconds are expected\.$/,
		);
	});

	it('a wrong secret, and no signature at all', async () => {
		const signature = timestamped('another', seconds(), BODY);
		expect(await diagnosed({ secret: SECRET }, { 'x-signature': signature })).toEqual({
			error: 'This delivery was answered with 401: The signature doesn’t match',
			advice: NOTHING_FITS,
		});
		expect((await diagnosed({ secret: SECRET }, {})).advice).toBe(NOTHING_FITS);
	});

	it('the previous secret', async () => {
		const credentials = { secret: 'new', previousSecret: SECRET };
		expect((await diagnosed(credentials, { 'x-proof': hex })).advice).toMatch(
			/set Header to X-Proof/,
		);
	});

	it('an event that is too old', async () => {
		const parameters = { options: { maximumAgeSeconds: 60 } };
		const n8n = await host({ ...HEX, secret: SECRET }, 'manual', parameters);
		expect((await deliver(n8n, { 'x-signature': hex })).status).toBe(401);
		expect(n8n.executions[0]?.error).toMatch(
			/^This delivery was answered with 401: The event is \d+ seconds old; at most 60 are allowed/,
		);
	});
});

it('a secret that a header repeats is not shown', async () => {
	const { error, advice } = await diagnosed(
		{ secret: 'topsecrettoken' },
		{ topsecrettoken: 'topsecrettoken' },
	);
	expect(`${error} ${advice}`.toLowerCase()).not.toContain('topsecrettoken');
});

it('genuine test deliveries run as before, whatever they contain', async () => {
	const n8n = await host({ ...HEX, secret: SECRET });
	const event = depositEvent({ error: { message: 'not ours' }, json: { error: 'not ours' } });
	const body = Buffer.from(JSON.stringify(event));
	const headers = { 'x-signature': hmac(SECRET, body).toString('hex') };
	expect(await deliver(n8n, headers, body)).toEqual(GENUINE);
	expect(n8n.executions.map(({ output }) => output[0]?.json)).toEqual([event]);
});

it('production never loads the diagnosis', async () => {
	await jest.isolateModulesAsync(async () => {
		let isLoaded = false;
		const path = '../../nodes/PayrollPayments/trigger/diagnose';
		jest.doMock(path, () => {
			isLoaded = true;
			return jest.requireActual(path);
		});
		const module = await import('../../nodes/PayrollPayments/PayrollPaymentsTrigger.node');
		const trigger = new module.PayrollPaymentsTrigger();
		const forgedIn = async (mode: Setup['mode']) => {
			const started = await start({ credentials: { secret: SECRET }, mode, trigger });
			for (let count = 0; count < 20; count++) {
				expect((await deliver(started, { 'x-signature': 'forged' })).status).toBe(401);
			}
			return started.executions.length;
		};
		expect(await forgedIn('webhook')).toBe(0);
		expect(isLoaded).toBe(false);
		expect(await forgedIn('manual')).toBe(20);
		expect(isLoaded).toBe(true);
		jest.dontMock(path);
	});
});
