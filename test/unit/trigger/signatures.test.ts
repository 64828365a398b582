import { createHmac } from 'node:crypto';

import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { rejectionOf } from '../../support/refusals';
import { hmac, timestamped } from '../../../n8nHost/sampleEvents';
import { schemeOf, SIGNED_SCHEMES } from '../../support/signedDeliveries';

const NOW = 1_774_949_400;
const NOW_MS = NOW * 1000 + 999;
const BODY = Buffer.from('{"object":"event","note":"Zürich – 東京"}');
const SECRET = 'whsec_correct horse';

type Headers = Record<string, string | string[] | undefined>;
type Saved = Readonly<Record<string, unknown>>;

/** Late in the second, since what was signed counts whole ones. */
const verify = (saved: Saved, headers: Headers, body: Uint8Array = BODY, now = NOW_MS) =>
	rejectionOf(() => {
		const credentials = readWebhookCredentials({ secret: SECRET, ...saved });
		verifySignature(body, headers, credentials, now);
	});

/* test/n8n/diagnosis.test.ts has genuine deliveries, and changed bodies. */
/** What senders do, each signed by the library or the definition of its source. */
describe.each(SIGNED_SCHEMES)('$name, signed by $source', (scheme) => {
	const { saved, secrets, prove, signsTime } = scheme;
	const [secret, other, third] = secrets;
	const check = (headers: Headers, body = BODY, changes: Saved = {}) =>
		verify({ ...saved, secret, ...changes }, headers, body);
	const genuine = async (seconds = NOW, key = secret) => await prove(key, BODY, seconds);
	/** The genuine headers, one of them changed, for each of them. */
	const changed = async (change: (value: string) => string | undefined): Promise<Headers[]> => {
		const headers = await genuine();
		return Object.entries(headers).map(([name, value]) => ({ ...headers, [name]: change(value) }));
	};

	it('refuses each of its headers with one character changed, added or removed', async () => {
		const longest = Math.max(...Object.values(await genuine()).map(({ length }) => length));
		const flip = (value: string, at: number) =>
			`${value.slice(0, at)}${value[at] === 'q' ? 'z' : 'q'}${value.slice(at + 1)}`;
		const changes = [
			...Array.from({ length: longest }, (_, at) => (value: string) => flip(value, at)),
			(value: string) => `${value}0`,
			(value: string) => value.slice(1),
		];
		for (const change of changes) {
			for (const headers of await changed(change)) expect(check(headers)).toBeDefined();
		}
	});

	it.each(['', ' ', undefined])('refuses each of its headers being %j', async (empty) => {
		for (const headers of await changed(() => empty)) {
			expect(check(headers)?.message).toMatch(/^The header .+ is missing$/);
		}
	});

	it('refuses huge headers at once', async () => {
		for (const filling of ['0', ' v1,', ',v1=', '{body}', ', ', ';h1=']) {
			for (const headers of await changed((value) => value + filling.repeat(20_000))) {
				expect(check(headers)).toBeDefined();
			}
		}
		for (const headers of await changed((value) => value.padEnd(8_193, '0'))) {
			expect(check(headers)?.message).toMatch(/is longer than 8,192 characters$/);
		}
	});

	it(`${signsTime ? 'refuses' : 'accepts'} an old one and one from the future`, async () => {
		for (const distance of [601, 86_400, -601, -86_400]) {
			expect(check(await genuine(NOW - distance)) !== undefined).toBe(signsTime);
		}
		for (const distance of [600, -600, 0]) {
			expect(check(await genuine(NOW - distance))).toBeUndefined();
		}
		const strict = check(await genuine(NOW - 61), BODY, { toleranceSeconds: 60 });
		expect(strict !== undefined).toBe(signsTime);
	});

	it('accepts the previous secret during a rotation; of a third one it names no proof', async () => {
		const rotating = { secret: other, previousSecret: secret };
		expect(check(await genuine(NOW, secret), BODY, rotating)).toBeUndefined();
		expect(check(await genuine(NOW, other), BODY, rotating)).toBeUndefined();
		const headers = await genuine(NOW, third);
		const refusal = check(headers, BODY, rotating);
		expect(refusal?.message).toMatch(/doesn’t match$/);
		const said = `${refusal?.message} ${refusal?.details.hint}`;
		for (const each of secrets) expect(said).not.toContain(each);
		const proofs = Object.entries(headers).filter(([name]) =>
			/signature|hmac|token|authorization|proof/.test(name),
		);
		for (const [, value] of proofs) expect(said).not.toContain(value);
	});
});

const hex = hmac(SECRET, BODY).toString('hex');
const base64 = hmac(SECRET, BODY).toString('base64');
const sha512 = createHmac('sha512', SECRET).update(BODY).digest();
const timed = hmac(SECRET, `${NOW}.`, BODY).toString('hex');
const FORGED = 'ab'.repeat(32);
const forged = (count: number) => Array<string>(count).fill(FORGED);
const HEX = { format: 'hex' };
const BASE64 = { format: 'base64' };
const TOKEN = { method: 'sharedToken' };
const CUSTOM = { format: 'custom', signedContent: '{body}' };
const SHA512 = { ...CUSTOM, algorithm: 'sha512' };
const PREFIXED = { ...CUSTOM, signaturePrefix: 'v0=' };
const ENDING = { ...CUSTOM, encoding: 'base64', signaturePrefix: base64.slice(-3) };
const IN_PART = { ...CUSTOM, header: 'X-Signature[h1]' };
const TIMED = {
	...{ format: 'custom', signedContent: '{id}.{timestamp}.{body}' },
	...{ timestampHeader: 'X-Time', idHeader: 'X-ID' },
};
const STANDARD = { format: 'standardWebhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const key = Buffer.from(STANDARD.secret.slice(6), 'base64');
const standard = hmac(key, `1.${NOW}.`, BODY).toString('base64');
const standardHeaders = (signature: string, time = String(NOW)) => ({
	...{ 'webhook-id': '1', 'webhook-timestamp': time, 'webhook-signature': signature },
});

/** What TIMED asks for. */
const timedAt = (time: string, signature = hmac(SECRET, `1.${time}.`, BODY).toString('hex')) => ({
	...{ 'x-signature': signature, 'x-id': '1', 'x-time': time },
});
const standardAt = (time: string) =>
	standardHeaders(`v1,${hmac(key, `1.${time}.`, BODY).toString('base64')}`, time);
const V1 = `v1,${standard}`;
const BOTH_BRANDS = { 'svix-id': '1', 'svix-timestamp': `${NOW}`, 'webhook-signature': V1 };
const PLAIN_FIRST = { ...standardHeaders(V1), 'svix-signature': 'v1,x', 'svix-id': '2' };

const STANDARD_NOW = standardHeaders(V1);

/** All headers, or what X-Signature contains. */
type Proof = string | Headers;
const headersOf = (proof: Proof): Headers =>
	typeof proof === 'string' ? { 'x-signature': proof } : proof;

it.each<[string, Saved, Proof]>([
	['sha256= in any case', HEX, `SHA256=${hex}`],
	['sha256= before Base64', BASE64, `sha256=${base64}`],
	['uppercase hex', HEX, hex.toUpperCase()],
	['URL-safe Base64', BASE64, hmac(SECRET, BODY).toString('base64url')],
	['SHA-512 in hex', SHA512, sha512.toString('hex')],
	['SHA-512 in Base64', { ...SHA512, encoding: 'base64' }, sha512.toString('base64url')],
	['hex signatures with commas', HEX, `${FORGED},${hex}`],
	['prefixed hex with spaces', HEX, `sha256=${FORGED} sha256=${hex}`],
	['Base64 signatures', BASE64, `x, ${base64}`],
	['16 signatures', HEX, [...forged(15), hex].join(' , ')],
	[
		'\\n for a line break in a template',
		{ ...CUSTOM, signedContent: 'POST\\n{body}\\n' },
		hmac(SECRET, 'POST\n', BODY, '\n').toString('hex'),
	],
	['a secret with v1, in front', { ...STANDARD, secret: `v1,${STANDARD.secret}` }, STANDARD_NOW],
	['a header that was sent twice', HEX, `${hex}, ${hex}`],
	['prefixed signatures', PREFIXED, `v0=${FORGED},v0=${hex}`],
	['a space after the prefix', PREFIXED, `v0= ${hex}`],
	['a prefix that ends a signature, too', ENDING, `${ENDING.signaturePrefix}${base64}`],
	['a prefix with + and ,', { ...CUSTOM, signaturePrefix: 'v+,' }, `va,xx v+,${FORGED} v+,${hex}`],
	['several values of a part', IN_PART, `ts=5;h1=${FORGED};h1=${hex}`],
	['any of several v1', {}, `v1=nonsense, v1=${timed} ,v0=${FORGED}, t=${NOW}, other`],
	['a repeated equal time', {}, `t=${NOW},v1=${FORGED},t=${NOW},v1=${timed}`],
	['sets with spaces', {}, `t=${NOW},v1=${timed} t=${NOW},v1=${FORGED}`],
	['sixteen v1', {}, `t=${NOW},v1=${[...forged(15), timed].join(',v1=')}`],
	['other versions', STANDARD, standardHeaders(`v1a,xx v2 v1,${base64} v1,${standard}`)],
	['plain headers beside branded ones', STANDARD, PLAIN_FIRST],
	['Bearer and several spaces', TOKEN, `Bearer   ${SECRET}`],
	['a token with Bearer in the credential', { ...TOKEN, secret: 'Bearer x' }, 'Bearer x'],
	['the longest token', { ...TOKEN, secret: 'a'.repeat(8_192) }, 'a'.repeat(8_192)],
	[
		'an ID that reads like a field',
		TIMED,
		{
			...timedAt(`${NOW}`, hmac(SECRET, `$&{body}.${NOW}.`, BODY).toString('hex')),
			'x-id': '$&{body}',
		},
	],
])('accepts %s', (_what, saved, proof) => {
	expect(verify(saved, headersOf(proof))).toBeUndefined();
});

it('verifies the bytes as they came, also where they are no UTF-8', () => {
	const bytes = Buffer.from([0x7b, 0xfc, 0x7d]);
	const signed = headersOf(hmac(SECRET, bytes).toString('hex'));
	expect(verify(HEX, signed, bytes)).toBeUndefined();
	const replaced = Buffer.from(bytes.toString());
	expect(verify(HEX, signed, replaced)?.message).toBe('The signature doesn’t match');
});

const CHECK = /Check Header and Format in the webhook credential\.$/;
const PROXY = /^Compare the secret .* proxy that rewrites the JSON body/;
const CLOCK = /^Check the clock of the machine that runs n8n\./;
const RIGHT_SECRET = /^The secret is right\. Ask the sender for times such as /;
const OR_CUSTOM = /^The secret is right\. .* Custom also reads milliseconds and ISO 8601\.$/;
const contains = (what: string, header = 'x-signature') => `The header ${header} contains ${what}`;
const NO_HEX = contains('no SHA-256 signature in hex');
const NO_BASE64 = 'no SHA-256 signature in base64';
const NO_SHA512 = contains('no SHA-512 signature in hex');
const TOO_MANY = contains('more than 16 signatures');
const TWO_TIMES = 'The header x-signature must contain one t=…';
const NO_V1 = contains(`${NO_BASE64} after its prefix`, 'webhook-signature');
const MISMATCH = 'The signature doesn’t match';
const NO_TOKEN = 'The token doesn’t match';
const WHITESPACE = 'The signature matches the secret only without the whitespace around it';
const distant = (seconds: number, direction: string) =>
	`The signature is ${seconds} seconds ${direction}; at most 600 are allowed`;
const IN_MILLISECONDS = distant(1773174450600, 'in the future');
const NOT_SECONDS = /milliseconds, but seconds are expected/;
const NO_TIME = (header: string) =>
	`The signature fits, but the time in the header ${header} isn’t in seconds`;
const NO_STANDARD_TIME = NO_TIME('webhook-timestamp');
const NO_TIME_AT_ALL = `${NO_TIME('x-time')}, milliseconds or ISO 8601`;
const SEVENTEEN = Array<string>(17).fill(`v1,${standard}`).join(' ');
const TOO_MANY_V1 = contains('more than 16 signatures', 'webhook-signature');

type Refused = [what: string, Saved, Proof, message: string, hint?: RegExp];

const REFUSED: readonly Refused[] = [
	['no header', {}, {}, 'The header x-signature is missing', CHECK],
	['a header in a list', {}, { 'x-signature': ['x'] }, 'The header x-signature is missing'],
	['another body', HEX, FORGED, MISMATCH, PROXY],
	['another token', TOKEN, 'x', NO_TOKEN, /^Compare the secret .* in the service\.$/],
	['a token sent twice', TOKEN, `${SECRET}, ${SECRET}`, NO_TOKEN],
	['Bearer inside a token', { ...TOKEN, secret: 'xy' }, 'xBearer y', NO_TOKEN],
	['a padded secret', { ...HEX, secret: `${SECRET} ` }, hex, WHITESPACE, /^Remove the spaces or /],
	...[
		...['00', 'a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), '１'.repeat(64)],
		...[`${'a'.repeat(63)}\0`, 'sha256=', hex.replace(/^../, '$&sha256=')],
		...[`sha256=sha256=${hex}`, base64],
	].map((proof): Refused => ['no hex', HEX, proof, NO_HEX, CHECK]),
	['no Base64', BASE64, 'x', contains(NO_BASE64)],
	['17 signatures', HEX, [...forged(16), hex].join(' '), TOO_MANY],
	['17 v1', {}, `t=${NOW},v1=${[...forged(16), timed].join(',v1=')}`, TOO_MANY],
	['no prefix', PREFIXED, hex, `${NO_HEX} after its prefix`, CHECK],
	['text before the prefix', PREFIXED, `x-v0=${hex}`, `${NO_HEX} after its prefix`],
	['another algorithm', SHA512, hex, NO_SHA512],
	['text before a signature', SHA512, `zz${sha512.toString('hex')}`, NO_SHA512],
	['text after a signature', SHA512, `${sha512.toString('hex')}zz`, NO_SHA512],
	['no such part', IN_PART, `h2=${hex}`, contains('no h1=…')],
	['no time', {}, `v1=${timed}`, contains('no t=…'), CHECK],
	['no signature', {}, `t=${NOW},v0=${timed}`, contains('no v1=…'), CHECK],
	['no hex in v1', {}, `t=${NOW},v1=x`, `${NO_HEX} as v1=…`, CHECK],
	['two times', {}, `t=${NOW},t=${NOW + 1},v1=${timed}`, TWO_TIMES],
	['an empty time', {}, `t=,v1=${timed}`, TWO_TIMES],
	...['soon', '-1', '+1', '1.5', '1e9', '0x10', '１', 'NaN', '9'.repeat(16)].map(
		(t): Refused => [`t=${t}`, {}, timestamped(SECRET, t, BODY), NO_TIME('x-signature'), OR_CUSTOM],
	),
	['a signature over the body alone', {}, `t=${NOW},v1=${hex}`, MISMATCH],
	['a changed time', {}, `t=${NOW + 1},v1=${timed}`, MISMATCH],
	['an old one', {}, timestamped(SECRET, NOW - 601, BODY), distant(601, 'old'), CLOCK],
	['a future one', {}, timestamped(SECRET, NOW + 601, BODY), distant(601, 'in the future'), CLOCK],
	['milliseconds', {}, timestamped(SECRET, NOW * 1000, BODY), IN_MILLISECONDS, NOT_SECONDS],
	['headers of both brands', STANDARD, BOTH_BRANDS, 'The header webhook-id is missing'],
	['another version', STANDARD, standardHeaders(`v2,${standard}`), NO_V1, CHECK],
	['a signature that was cut short', STANDARD, standardHeaders('v1,g0hM9'), NO_V1],
	['17 signatures of Standard Webhooks', STANDARD, standardHeaders(SEVENTEEN), TOO_MANY_V1],
	...['soon', '1.5', '-1', '1e9', '2026-03-31T09:30:00Z', '9'.repeat(16)].map(
		(at): Refused => [`the time ${at}`, STANDARD, standardAt(at), NO_STANDARD_TIME, OR_CUSTOM],
	),
	...[
		...['soon', '-5', '2026-13-45T00:00:00Z', '2026-03-31', '1774949400.5', '9'.repeat(16)],
		...['+012026-03-31T09:30:00Z', '2026-03-31T09:30:00Z\0', '2026-03-31T09:30:00+0000'],
		...['Tue, 31 Mar 2026 09:30:00 GMT', '1774949400.123456', '1774949400123456'],
	].map((at): Refused => [`the time ${at}`, TIMED, timedAt(at), NO_TIME_AT_ALL, RIGHT_SECRET]),
	...[String(NOW), `${NOW}000`, '2026-03-31T09:30:00Z', '2026-03-31T11:30:00.000+02:00'].map(
		(time): Refused => [`${time} without its signature`, TIMED, timedAt(time, hex), MISMATCH],
	),
];

it.each<Refused>(REFUSED)('refuses %s', (_what, saved, proof, message, hint = /./) => {
	const refusal = verify(saved, headersOf(proof));
	expect(refusal?.message).toBe(message);
	if (!/more than 16/.test(message)) expect(refusal?.details.hint).toMatch(hint);
});

/* The other senders' own libraries sign for SIGNED_SCHEMES. */
it('accepts the example that Slack printed, with the bytes of its signature', () => {
	const saved = { ...schemeOf('Slack').saved, secret: '8f742231b10e8888abcd99yyyzzz85a5' };
	const headers = {
		'x-slack-request-timestamp': '1531420618',
		'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
	};
	const body =
		'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
	expect(verify(saved, headers, Buffer.from(body), 1_531_420_618_000)).toBeUndefined();
	expect(verify(saved, headers, Buffer.from(`${body} `), 1_531_420_618_000)?.message).toBe(
		MISMATCH,
	);
});
