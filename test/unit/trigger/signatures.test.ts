import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { signatureHeaders, signingShape } from '../../../sandbox/deliverySignature';
import { hmac, timestamped } from '../../support/sampleEvents';
import { SIGNED_SCHEMES } from '../../support/signedDeliveries';
import { anyCharacter, wellFormedCharacter } from '../../support/unicodeCharacters';
import { DELIVERY_VECTORS, type DeliveryVector } from '../../support/vectors/deliveries';

const NOW = 1_774_949_400;
const BODY = Buffer.from('{"object":"event","note":"Zürich – 東京"}');
const SECRET = 'whsec_correct horse';

type Headers = Record<string, string | string[] | undefined>;
type Saved = Readonly<Record<string, unknown>>;

const verify = (saved: Saved, headers: Headers, body: Uint8Array = BODY) =>
	verifySignature(body, headers, readWebhookCredentials({ secret: SECRET, ...saved }), NOW * 1000);

/** What senders do, each signed by the library or the definition of its source. */
describe.each(SIGNED_SCHEMES)('$name, signed by $source', (scheme) => {
	const { saved, secrets, prove, signsTime, signsBody } = scheme;
	const [secret, other, third] = secrets;
	const check = (headers: Headers, body = BODY, changes: Saved = {}) =>
		verify({ ...saved, secret, ...changes }, headers, body);
	const genuine = async (seconds = NOW, key = secret) => await prove(key, BODY, seconds);
	/** The genuine headers, one of them changed, for each of them. */
	const changed = async (change: (value: string) => string | undefined): Promise<Headers[]> => {
		const headers = await genuine();
		return Object.entries(headers).map(([name, value]) => ({ ...headers, [name]: change(value) }));
	};

	it(`accepts a genuine delivery, and ${signsBody ? 'no' : 'also a'} changed body`, async () => {
		const headers = await genuine();
		expect(check(headers)).toBeUndefined();
		for (const body of [
			Buffer.concat([BODY, Buffer.from(' ')]),
			BODY.subarray(1),
			Buffer.alloc(0),
		]) {
			expect(check(headers, body) !== undefined).toBe(signsBody);
		}
	});

	it('refuses each of its headers with one character changed, added or removed', async () => {
		const longest = Math.max(...Object.values(await genuine()).map(({ length }) => length));
		const flip = (value: string, at: number) =>
			`${value.slice(0, at)}${value[at] === 'q' ? 'z' : 'q'}${value.slice(at + 1)}`;
		for (let at = 0; at < longest; at++) {
			for (const [index, headers] of (await changed((value) => flip(value, at))).entries()) {
				if (at < (Object.values(await genuine())[index]?.length ?? 0)) {
					expect(check(headers)).toBeDefined();
				}
			}
		}
		for (const headers of await changed((value) => `${value}0`))
			expect(check(headers)).toBeDefined();
		for (const headers of await changed((value) => value.slice(1))) {
			expect(check(headers)).toBeDefined();
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

	it('accepts the previous secret during a rotation, and no third one', async () => {
		const rotating = { secret: other, previousSecret: secret };
		expect(check(await genuine(NOW, secret), BODY, rotating)).toBeUndefined();
		expect(check(await genuine(NOW, other), BODY, rotating)).toBeUndefined();
		expect(check(await genuine(NOW, third), BODY, rotating)?.message).toMatch(/doesn't match$/);
	});

	it('names no secret and no signature', async () => {
		const headers = await genuine(NOW, other);
		const refusal = check(headers);
		expect(refusal?.message).toMatch(/doesn't match$/);
		const said = `${refusal?.message} ${refusal?.hint}`;
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
const CUSTOM = { format: 'custom', signedContent: '{body}' };
const PREFIXED = { ...CUSTOM, signaturePrefix: 'v0=' };
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
const inOneHeader = (proof: string) => ({ 'x-signature': proof });

const ACCEPTED: ReadonlyArray<readonly [string, Saved, Headers]> = [
	['sha256= in any case', { format: 'hex' }, inOneHeader(`SHA256=${hex}`)],
	['sha256= before Base64', { format: 'base64' }, inOneHeader(`sha256=${base64}`)],
	['uppercase hex', { format: 'hex' }, inOneHeader(hex.toUpperCase())],
	['URL-safe Base64', { format: 'base64' }, inOneHeader(hmac(SECRET, BODY).toString('base64url'))],
	['SHA-512 in hex', { ...CUSTOM, algorithm: 'sha512' }, inOneHeader(sha512.toString('hex'))],
	[
		'SHA-512 in Base64',
		{ ...CUSTOM, algorithm: 'sha512', encoding: 'base64' },
		inOneHeader(sha512.toString('base64url')),
	],
	['hex signatures with commas', { format: 'hex' }, inOneHeader(`${FORGED},${hex}`)],
	['prefixed hex with spaces', { format: 'hex' }, inOneHeader(`sha256=${FORGED} sha256=${hex}`)],
	['Base64 signatures', { format: 'base64' }, inOneHeader(`x, ${base64}`)],
	['16 signatures', { format: 'hex' }, inOneHeader([...forged(15), hex].join(' , '))],
	['a header that was sent twice', { format: 'hex' }, inOneHeader(`${hex}, ${hex}`)],
	['prefixed signatures', PREFIXED, inOneHeader(`v0=${FORGED},v0=${hex}`)],
	['a space after the prefix', PREFIXED, inOneHeader(`v0= ${hex}`)],
	[
		'a prefix with a comma',
		{ ...CUSTOM, signaturePrefix: 'v1,' },
		inOneHeader(`v1a,xx v1,${FORGED} v1,${hex}`),
	],
	[
		'several values of a part',
		{ ...CUSTOM, header: 'X-Signature[h1]' },
		inOneHeader(`ts=5;h1=${FORGED};h1=${hex}`),
	],
	[
		'any of several v1, wherever it stands',
		{},
		inOneHeader(`v1=nonsense, v1=${timed} ,v0=${FORGED}, t=${NOW}, other`),
	],
	['a repeated equal time', {}, inOneHeader(`t=${NOW},v1=${FORGED},t=${NOW},v1=${timed}`)],
	['sets with spaces', {}, inOneHeader(`t=${NOW},v1=${timed} t=${NOW},v1=${FORGED}`)],
	['sixteen v1', {}, inOneHeader(`t=${NOW},v1=${[...forged(15), timed].join(',v1=')}`)],
	['other versions', STANDARD, standardHeaders(`v1a,xx v2 v1,${base64} v1,${standard}`)],
	[
		'plain headers beside branded ones',
		STANDARD,
		{ ...standardHeaders(`v1,${standard}`), 'svix-signature': 'v1,x', 'svix-id': '2' },
	],
	['Bearer and several spaces', { method: 'sharedToken' }, inOneHeader(`Bearer   ${SECRET}`)],
	[
		'a token with Bearer in the credential',
		{ method: 'sharedToken', secret: 'Bearer x' },
		inOneHeader('Bearer x'),
	],
	[
		'a token as long as a header',
		{ method: 'sharedToken', secret: 'a'.repeat(8_192) },
		inOneHeader('a'.repeat(8_192)),
	],
];

it.each(ACCEPTED)('accepts %s', (_what, saved, headers) => {
	expect(verify(saved, headers)).toBeUndefined();
});

const CHECK = /Check Header and Format in the webhook credential\.$/;
const PROXY = /proxy that rewrites the JSON body/;
const NO_HEX = 'The header x-signature contains no SHA-256 signature in hex';
const TWO_TIMES = 'The header x-signature must contain one t=…';
const NO_TIME = 'The header x-signature contains no time in seconds';
const MISMATCH = "The signature doesn't match";

type Refused = readonly [what: string, Saved, Headers, message: string, hint?: RegExp];

const REFUSED: readonly Refused[] = [
	['no header', {}, {}, 'The header x-signature is missing', CHECK],
	['a header in a list', {}, { 'x-signature': ['x'] }, 'The header x-signature is missing'],
	['another body', { format: 'hex' }, inOneHeader(FORGED), MISMATCH, PROXY],
	['another token', { method: 'sharedToken' }, inOneHeader('x'), "The token doesn't match", PROXY],
	[
		'a token sent twice',
		{ method: 'sharedToken' },
		inOneHeader(`${SECRET}, ${SECRET}`),
		"The token doesn't match",
	],
	[
		'Bearer inside a token',
		{ method: 'sharedToken', secret: 'xy' },
		inOneHeader('xBearer y'),
		"The token doesn't match",
	],
	[
		'whitespace around the secret',
		{ format: 'hex', secret: `${SECRET} ` },
		inOneHeader(hex),
		'The signature matches the secret only without the whitespace around it',
		/^Remove the spaces or line breaks/,
	],
	...[
		...[
			'00',
			'a'.repeat(63),
			'a'.repeat(65),
			'g'.repeat(64),
			'１'.repeat(64),
			`${'a'.repeat(63)}\0`,
		],
		...['sha256=', hex.replace(/^../, '$&sha256='), `sha256=sha256=${hex}`, base64],
	].map((proof) => ['no hex', { format: 'hex' }, inOneHeader(proof), NO_HEX, CHECK] as const),
	[
		'no Base64',
		{ format: 'base64' },
		inOneHeader('x'),
		'The header x-signature contains no SHA-256 signature in base64',
	],
	[
		'17 signatures',
		{ format: 'hex' },
		inOneHeader([...forged(16), hex].join(' ')),
		'The header x-signature contains more than 16 signatures',
	],
	[
		'17 v1',
		{},
		inOneHeader(`t=${NOW},v1=${[...forged(16), timed].join(',v1=')}`),
		'The header x-signature contains more than 16 signatures',
	],
	['no prefix', PREFIXED, inOneHeader(hex), `${NO_HEX} after its prefix`, CHECK],
	['text before the prefix', PREFIXED, inOneHeader(`x-v0=${hex}`), `${NO_HEX} after its prefix`],
	[
		'another algorithm',
		{ ...CUSTOM, algorithm: 'sha512' },
		inOneHeader(hex),
		'The header x-signature contains no SHA-512 signature in hex',
	],
	...[`zz${sha512.toString('hex')}`, `${sha512.toString('hex')}zz`].map(
		(proof) =>
			[
				'more than a signature',
				{ ...CUSTOM, algorithm: 'sha512' },
				inOneHeader(proof),
				'The header x-signature contains no SHA-512 signature in hex',
			] as const,
	),
	[
		'no such part',
		{ ...CUSTOM, header: 'X-Signature[h1]' },
		inOneHeader(`h2=${hex}`),
		'The header x-signature contains no h1=…',
	],
	['no time', {}, inOneHeader(`v1=${timed}`), 'The header x-signature contains no t=…', CHECK],
	[
		'no signature',
		{},
		inOneHeader(`t=${NOW},v0=${timed}`),
		'The header x-signature contains no v1=…',
		CHECK,
	],
	['no hex in v1', {}, inOneHeader(`t=${NOW},v1=x`), `${NO_HEX} as v1=…`, CHECK],
	['two times', {}, inOneHeader(`t=${NOW},t=${NOW + 1},v1=${timed}`), TWO_TIMES],
	['an empty time', {}, inOneHeader(`t=,v1=${timed}`), TWO_TIMES],
	...['soon', '-1', '+1', '1.5', '1e9', '0x10', '１', 'NaN', '9'.repeat(16)].map(
		(time) => [`t=${time}`, {}, inOneHeader(timestamped(SECRET, time, BODY)), NO_TIME] as const,
	),
	['a signature over the body alone', {}, inOneHeader(`t=${NOW},v1=${hex}`), MISMATCH],
	['a changed time', {}, inOneHeader(`t=${NOW + 1},v1=${timed}`), MISMATCH],
	[
		'an old one',
		{},
		inOneHeader(timestamped(SECRET, NOW - 601, BODY)),
		'The signature is 601 seconds old; at most 600 are allowed',
		/^Check the clock of the machine that runs n8n\./,
	],
	[
		'one from the future',
		{},
		inOneHeader(timestamped(SECRET, NOW + 601, BODY)),
		'The signature is 601 seconds in the future; at most 600 are allowed',
		/^Check the clock/,
	],
	[
		'milliseconds',
		{},
		inOneHeader(timestamped(SECRET, NOW * 1000, BODY)),
		'The signature is 1773174450600 seconds in the future; at most 600 are allowed',
		/milliseconds, but seconds are expected/,
	],
	[
		'no ID',
		STANDARD,
		{ 'webhook-timestamp': String(NOW), 'webhook-signature': `v1,${standard}` },
		'The header webhook-id is missing',
		CHECK,
	],
	[
		'headers of both brands',
		STANDARD,
		{ 'svix-id': '1', 'svix-timestamp': String(NOW), 'webhook-signature': `v1,${standard}` },
		'The header webhook-id is missing',
	],
	[
		'another version',
		STANDARD,
		standardHeaders(`v2,${standard}`),
		'The header webhook-signature contains no SHA-256 signature in base64 after its prefix',
		CHECK,
	],
	[
		'17 signatures of Standard Webhooks',
		STANDARD,
		standardHeaders(Array<string>(17).fill(`v1,${standard}`).join(' ')),
		'The header webhook-signature contains more than 16 signatures',
	],
	...['soon', '1.5', '-1', '1e9', '2026-03-31T09:30:00Z', '9'.repeat(16)].map(
		(time) =>
			[
				`the time ${time}`,
				STANDARD,
				standardHeaders(`v1,${standard}`, time),
				'The header webhook-timestamp contains no time in seconds',
			] as const,
	),
	[
		'no time header',
		TIMED,
		{ 'x-signature': hex, 'x-id': '1' },
		'The header x-time is missing',
		CHECK,
	],
	[
		'no ID header',
		TIMED,
		{ 'x-signature': hex, 'x-time': '1' },
		'The header x-id is missing',
		CHECK,
	],
	...[
		...['soon', '-5', '2026-13-45T00:00:00Z', '2026-03-31', '1774949400.5', '9'.repeat(16)],
		...['+012026-03-31T09:30:00Z', '2026-03-31T09:30:00Z\0'],
	].map(
		(time) =>
			[
				`the time ${time}`,
				TIMED,
				{ 'x-signature': hex, 'x-id': '1', 'x-time': time },
				'The header x-time contains no time',
				/^It must be in seconds, in milliseconds or in ISO 8601\. Check Header and Format /,
			] as const,
	),
	...[String(NOW), `${NOW}000`, '2026-03-31T09:30:00Z', '2026-03-31T11:30:00.000+02:00'].map(
		(time) =>
			[
				`${time} without its signature`,
				TIMED,
				{ 'x-signature': hex, 'x-id': '1', 'x-time': time },
				MISMATCH,
			] as const,
	),
];

it.each(
	REFUSED.map(([what, saved, headers, message, hint = /./]) => {
		return { what, saved, headers, message, hint };
	}),
)('refuses $what: $message', ({ saved, headers, message, hint }) => {
	const refusal = verify(saved, headers);
	expect(refusal?.message).toBe(message);
	if (!/more than 16/.test(message)) expect(refusal?.hint).toMatch(hint);
});

const FORMATS: readonly Saved[] = [
	...['timestamped', 'hex', 'base64'].map((format) => ({ format })),
	{ method: 'sharedToken' },
];

it.each(FORMATS)('survives any header and any body: %j', (saved) => {
	fc.assert(
		fc.property(fc.string({ unit: anyCharacter }), fc.uint8Array(), (proof, body) => {
			expect(verify(saved, inOneHeader(proof), body)).toBeDefined();
		}),
	);
});

it.each(['timestamped', 'hex', 'base64'] as const)(
	'agrees with an independent HMAC for any secret and any bytes: %s',
	(format) => {
		const proofs = {
			timestamped: (secret: string, body: Uint8Array) => timestamped(secret, NOW, body),
			hex: (secret: string, body: Uint8Array) => hmac(secret, body).toString('hex'),
			base64: (secret: string, body: Uint8Array) => hmac(secret, body).toString('base64'),
		};
		const secret = fc
			.string({ unit: wellFormedCharacter, minLength: 1, maxLength: 100 })
			.map((text) => `x${text}`);
		fc.assert(
			fc.property(secret, fc.uint8Array({ maxLength: 300 }), fc.nat(), (each, body, at) => {
				const proof = inOneHeader(proofs[format](each, body));
				expect(verify({ format, secret: each }, proof, body)).toBeUndefined();
				const altered = Buffer.concat([body, Buffer.from([0])]);
				expect(verify({ format, secret: each }, proof, altered)).toBeDefined();
				if (body.length === 0) return;
				const flipped = Uint8Array.from(body);
				flipped[at % body.length] = (body[at % body.length] ?? 0) ^ 1;
				expect(verify({ format, secret: each }, proof, flipped)).toBeDefined();
			}),
		);
	},
);

const verdictOf = ({ saved, body, headers, time }: DeliveryVector) =>
	verifySignature(body, headers, readWebhookCredentials(saved), time * 1000);

describe('deliveries that others wrote', () => {
	it.each(DELIVERY_VECTORS)('$source, $name: $refusal', (vector) => {
		const { refusal, body } = vector;
		if (refusal !== undefined) expect(verdictOf(vector)?.message).toMatch(refusal);
		else {
			expect(verdictOf(vector)).toBeUndefined();
			const changed = { ...vector, body: Buffer.concat([body, Buffer.from(' ')]) };
			expect(verdictOf(changed)?.message).toBe(MISMATCH);
		}
	});

	const isText = ({ body }: DeliveryVector) => Buffer.from(body.toString()).equals(body);
	const signable = DELIVERY_VECTORS.filter(
		(vector) =>
			vector.refusal === undefined && isText(vector) && !/at least one|multi sig/.test(vector.name),
	);

	it.each(signable)('are signed by the sandbox as by $source, $name', (vector) => {
		const { source, saved, body, headers, time } = vector;
		const { format: scheme, ...settings } = saved;
		const stripeTime = headers['stripe-signature']?.match(/^t=(\d+)/)?.[1];
		const shape = signingShape.parse({
			...settings,
			scheme,
			prefixed: source === 'GitHub',
			headerPrefix: source === 'Svix' ? 'svix' : 'webhook',
		});
		const id = headers['webhook-id'] ?? headers['svix-id'] ?? '';
		const signed = signatureHeaders(body.toString(), shape, {
			id,
			timestamp: Number(stripeTime ?? time),
		});
		const lowerCase = Object.fromEntries(
			Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]),
		);
		for (const [name, value] of Object.entries(headers)) {
			// Stripe's test mode adds a signature of another version.
			expect(lowerCase[name]).toBe(value.replace(/,v0=.*/, ''));
		}
	});
});
