import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { useLog } from '../support/n8nLog';
import { depositEvent, hmac, timestamped } from '../../n8nHost/sampleEvents';
import { settingsFrom } from '../support/diagnosisAdvice';
import { SIGNED_SCHEMES } from '../support/signedDeliveries';
import {
	FILTERED,
	GENUINE,
	useTriggerHosts,
	type Setup,
	type TriggerHost,
} from '../support/triggerHost';

const SECRET = 'a secret of the sender';
const HEX = { format: 'hex', header: 'X-Signature' };
const BODY = Buffer.from(JSON.stringify(depositEvent({ note: 'Zürich / 東京', amount: 1.5 })));

const NOTHING_FITS =
	'The secret in the credential doesn’t fit this delivery, whatever the header and format. Check in the service that it signs this webhook, and copy the secret from there again. If it’s right, look for a proxy that rewrites the JSON body, or set Format to Custom.';

const NOT_SIGNED =
	'No header of this delivery looks like a signature or a token. Turn on signing for this webhook in the service, or check whether a proxy removes the header.';

const IS_STANDARD =
	'This delivery has the headers of Standard Webhooks. Set Format to Standard Webhooks in the credential, and copy the secret from the service again: the saved one doesn’t fit.';

const log = useLog();

const start = useTriggerHosts();
const seconds = () => Math.floor(Date.now() / 1000);

type Saved = ICredentialDataDecryptedObject;
type Headers = Record<string, string>;

/** A trigger in the editor, unless a test says otherwise. */
const host = async (credentials: Saved, setup: Setup = {}) =>
	await start({ credentials, mode: 'manual', ...setup });

async function deliver(to: TriggerHost, headers: Headers, body = BODY) {
	const usual = { 'content-type': 'application/json', 'x-request-id': '42' };
	const answer = await to.deliver(Buffer.from(body), { ...usual, ...headers });
	await to.idle();
	return answer;
}

/** What the editor shows for a delivery that is answered with 401. */
async function diagnosed(credentials: Saved, headers: Headers, body = BODY) {
	const n8n = await host(credentials);
	const answer = await deliver(n8n, headers, body);
	expect(answer).toEqual({ status: 401, body: { error: expect.any(String) } });
	expect(n8n.executions).toMatchObject([{ output: [] }]);
	expect(n8n.crashes).toBe(0);
	const [{ error = '', hint } = {}] = n8n.executions;
	for (const each of [credentials.secret, credentials.previousSecret]) {
		if (typeof each === 'string') expect(`${error} ${hint}`).not.toContain(each.trim());
	}
	return { answer, error, advice: hint ?? '' };
}

const WRONG_SETTINGS: ReadonlyArray<readonly [string, Record<string, string>]> = [
	['the defaults', {}],
	['another header', { format: 'hex', header: 'X-Other' }],
	['a shared token', { method: 'sharedToken', header: 'X-Other' }],
	[
		'Custom with other fields',
		{ format: 'custom', header: 'X-Other', signedContent: '{body}', signaturePrefix: 'sig=' },
	],
];

describe.each(SIGNED_SCHEMES)('a delivery signed as $name', (scheme) => {
	const { saved, secrets, prove, signsBody } = scheme;
	const [secret, other] = secrets;
	const isCustom = saved.format === 'custom';
	const settings = isCustom
		? [['another header', { ...saved, header: 'X-Other' }] as const]
		: WRONG_SETTINGS;

	it.each(settings)('with %s: the editor names settings that are right', async (_what, wrong) => {
		const headers = await prove(secret, BODY, seconds());
		const { advice } = await diagnosed({ ...wrong, secret }, headers);
		expect(advice).toContain('In the credential, set ');

		const followed = { ...wrong, ...settingsFrom(advice), secret };
		const right = await host(followed, { mode: 'webhook' });
		expect(await deliver(right, headers)).toEqual(GENUINE);
		const changed = Buffer.concat([BODY, Buffer.from(' ')]);
		expect((await deliver(right, headers, changed)).status).toBe(signsBody ? 401 : 200);
	});

	it('with a wrong secret: says so and names nothing; production only answers', async () => {
		const headers = await prove(secret, BODY, seconds());
		const wrong = { ...saved, secret: other };
		const { answer, advice } = await diagnosed(wrong, headers);
		expect(advice).toBe(NOTHING_FITS);
		const production = await host(wrong, { mode: 'webhook' });
		expect(await deliver(production, headers)).toEqual(answer);
		expect(production.executions).toEqual([]);
		for (const line of log.lines) expect(line).not.toMatch(/In the credential, set/);
	});
});

const hex = hmac(SECRET, BODY).toString('hex');
const signed =
	(age: number, secret = SECRET) =>
	() => ({ 'x-signature': timestamped(secret, seconds() - age, BODY) });
const withHex = () => ({ 'x-signature': hex });
const MISSING = 'The header x-signature is missing';
const IS_HEX = 'In the credential, set Header to X-Proof and Format to Hex.';
const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

type Case = [what: string, Saved, () => Headers, advice: string, error?: string | RegExp];

it.each<Case>([
	[
		'a missing header',
		{},
		() => ({ 'x-hub-signature-256': `sha256=${hex}` }),
		'In the credential, set Header to X-Hub-Signature-256 and Format to Hex.',
		MISSING,
	],
	[
		'a signature where a token is expected',
		{ method: 'sharedToken', header: 'X-Token' },
		signed(0),
		'In the credential, set Method to HMAC Signature, Header to X-Signature and Format to Timestamped.',
	],
	[
		'whitespace around the secret',
		{ ...HEX, secret: ` ${SECRET}\n` },
		withHex,
		'Remove the spaces or line breaks around the secret in the webhook credential.',
		'The signature matches the secret only without the whitespace around it',
	],
	[
		'whitespace around the secret, with other settings',
		{ secret: `${SECRET} ` },
		withHex,
		'In the credential, set Header to X-Signature and Format to Hex.',
	],
	[
		'a clock that is off',
		{},
		signed(4_000),
		'Check the clock of the machine that runs n8n. A repeated delivery needs a new signature.',
		/^The signature is 400\d seconds old; at most 600 are allowed$/,
	],
	['a wrong secret', {}, signed(0, 'another'), NOTHING_FITS, 'The signature doesn’t match'],
	['no signature at all', {}, () => ({ traceparent: TRACE }), NOT_SIGNED, MISSING],
	...Object.entries({ 'x-signature': 'x', 'x-proof': hex, 'x-hmac': 'x', 'api-token': 'x' }).map(
		([name, value]): Case => [
			`a wrong secret with ${name}`,
			{ secret: 'another' },
			() => ({ [name]: value }),
			NOTHING_FITS,
		],
	),
	...['webhook', 'svix'].map(
		(brand): Case => [
			`the wrong secret of Standard Webhooks (${brand})`,
			{},
			() => ({ [`${brand}-signature`]: `v1,${hmac('x', BODY).toString('base64')}` }),
			IS_STANDARD,
			MISSING,
		],
	),
	[
		'the previous secret',
		{ secret: 'new', previousSecret: SECRET },
		() => ({ 'x-proof': hex }),
		IS_HEX,
	],
	[
		'one of several signatures, where Standard Webhooks is saved',
		{ format: 'standardWebhooks', secret: WHSEC },
		() => ({ 'x-proof': `${hex},${hmac(WHSEC, BODY).toString('hex')}` }),
		IS_HEX,
	],
	[
		'the saved format in another header',
		{ format: 'hex', header: 'X-Other' },
		() => ({ 'x-proof': hex }),
		'In the credential, set Header to X-Proof.',
	],
	[
		'the saved token in another header',
		{ method: 'sharedToken', header: 'X-Other' },
		() => ({ authorization: `Bearer ${SECRET}` }),
		'In the credential, set Header to Authorization.',
	],
	[
		'Custom whose time is in another header',
		{ format: 'custom', signedContent: 'mine/{timestamp}/{body}', timestampHeader: 'X-Time' },
		() => ({ 'x-at': '1', 'x-proof': hmac(SECRET, 'mine/1/', BODY).toString('hex') }),
		NOTHING_FITS,
	],
])('the message is, word for word, for %s', async (_what, saved, headers, advice, error = /./) => {
	const shown = await diagnosed({ secret: SECRET, ...saved }, headers());
	expect(shown.advice).toBe(advice);
	const [, message] = /^This delivery was answered with 401: (.*)$/.exec(shown.error) ?? [];
	if (typeof error === 'string') expect(message).toBe(error);
	else expect(message).toMatch(error);
});

it.each([
	[
		'all headers of a delivery',
		BODY,
		'In the credential, set Header to X-Proof and Format to Hex.',
	],
	[
		'few with a huge body, so that nobody can keep n8n busy',
		Buffer.alloc(16_000_000),
		NOTHING_FITS,
	],
])('tries %s', async (_what, body, advice) => {
	const others = Array.from({ length: 150 }, (_, index) => [`x-${index}`, 'ab'.repeat(32)]);
	const headers = { ...Object.fromEntries(others), 'x-proof': hmac(SECRET, body).toString('hex') };
	expect(await diagnosed({ format: 'base64', secret: SECRET }, headers, body)).toMatchObject({
		advice,
	});
});

it('a secret that a header repeats is not shown', async () => {
	const secret = 'topsecrettoken';
	const { error, advice } = await diagnosed({ secret }, { [secret]: secret });
	expect(`${error} ${advice}`.toLowerCase()).not.toContain(secret);
});

it('a forged test delivery runs nothing after a trigger that continues on errors', async () => {
	const node = { onError: 'continueRegularOutput' } as const;
	const n8n = await host({ ...HEX, secret: SECRET }, { node });
	expect((await deliver(n8n, { 'x-signature': 'forged' })).status).toBe(401);
	expect(n8n.executions.flatMap(({ output }) => output)).toEqual([]);
});

it('genuine test deliveries run as before, whatever they contain', async () => {
	const n8n = await host({ ...HEX, secret: SECRET });
	const event = depositEvent({ error: { message: 'not ours' }, json: { error: 'not ours' } });
	const body = Buffer.from(JSON.stringify(event));
	const headers = { 'x-signature': hmac(SECRET, body).toString('hex') };
	expect(await deliver(n8n, headers, body)).toEqual(GENUINE);
	expect(n8n.executions.map(({ output }) => output[0]?.json)).toEqual([event]);
});

it.each([
	['Trigger On', { events: ['invite.accepted'] }],
	['Minimum Amount (Cents)', { filters: { minimumAmountCents: 1e9 } }],
])(
	'an event that %s leaves out is shown as left out, and not in production',
	async (label, parameters) => {
		const credentials = { ...HEX, secret: SECRET };
		const headers = { 'x-signature': hmac(SECRET, BODY).toString('hex') };
		const n8n = await host(credentials, { parameters });
		expect(await deliver(n8n, headers)).toEqual(FILTERED);
		expect(n8n.executions).toMatchObject([
			{
				error: `This delivery was answered with 200, but ${label} leaves its event out`,
				hint: `Change ${label}, or send an event that passes.`,
				output: [],
			},
		]);
		const production = await host(credentials, { parameters, mode: 'webhook' });
		expect(await deliver(production, headers)).toEqual(FILTERED);
		expect(production.executions).toEqual([]);
	},
);
