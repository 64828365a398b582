import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import {
	readWebhookCredentials,
	type WebhookCredentials,
} from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { anyCharacter, wellFormedCharacter } from '../../support/unicodeCharacters';
import { hmac, timestamped } from '../../support/sampleEvents';

const NOW = 1_774_949_400;
const BODY = Buffer.from('{"object":"event"}');
const SECRET = 'whsec_correct horse';

const withScheme = (
	scheme: 'timestamped' | 'hex' | 'base64' | 'sharedToken',
	secrets: string[] = [SECRET],
): WebhookCredentials =>
	scheme === 'timestamped'
		? { header: 'x-signature', secrets, scheme, toleranceSeconds: 600 }
		: { header: 'x-signature', secrets, scheme };

const verify = (
	proof: string | string[] | undefined,
	credentials: WebhookCredentials,
	{ body = BODY, now = NOW }: { body?: Uint8Array; now?: number } = {},
) => verifySignature(body, { 'x-signature': proof }, credentials, now * 1000);

/** What a genuine sender puts into the header. */
const proofs = {
	timestamped: (secret: string, body: Uint8Array) => timestamped(secret, NOW, body),
	hex: (secret: string, body: Uint8Array) => hmac(secret, body).toString('hex'),
	base64: (secret: string, body: Uint8Array) => hmac(secret, body).toString('base64'),
	sharedToken: (secret: string) => secret,
};

describe.each(['timestamped', 'hex', 'base64', 'sharedToken'] as const)('%s', (scheme) => {
	const prove = proofs[scheme];

	it('accepts a genuine delivery', () => {
		expect(verify(prove(SECRET, BODY), withScheme(scheme))).toBeUndefined();
	});

	it('accepts the previous secret during a rotation, and no third one', () => {
		const rotating = withScheme(scheme, ['new secret', SECRET]);
		expect(verify(prove('new secret', BODY), rotating)).toBeUndefined();
		expect(verify(prove(SECRET, BODY), rotating)).toBeUndefined();
		expect(verify(prove('third secret', BODY), rotating)?.message).toMatch(/doesn't match$/);
	});

	it.each([undefined, '', '   '])('refuses a missing header: %j', (proof) => {
		expect(verify(proof, withScheme(scheme))?.message).toBe('The header x-signature is missing');
	});

	it('refuses the header given twice, however Node joins it', () => {
		const proof = prove(SECRET, BODY);
		expect(verify([proof, proof], withScheme(scheme))).toBeDefined();
		expect(verify(`${proof}, ${proof}`, withScheme(scheme))).toBeDefined();
	});

	it('recognizes whitespace around the secret in the credential', () => {
		const refusal = verify(prove(SECRET, BODY), withScheme(scheme, [`${SECRET}\n`]));
		expect(refusal?.message).toMatch(/matches the secret only without the whitespace around it/);
	});

	it('never repeats the secret or the signature', () => {
		const proof = prove('another secret', BODY);
		const refusal = verify(proof, withScheme(scheme));
		const said = `${refusal?.message} ${refusal?.hint}`;
		expect(refusal).toBeDefined();
		expect(said).not.toContain(SECRET);
		expect(said).not.toContain(proof);
		expect(said).not.toContain(proofs.hex(SECRET, BODY));
	});

	it('survives any header and any body', () => {
		fc.assert(
			fc.property(fc.string({ unit: anyCharacter }), fc.uint8Array(), (proof, body) => {
				expect(verify(proof, withScheme(scheme), { body })).toBeDefined();
			}),
		);
	});
});

describe('signatures over the body', () => {
	it.each(['timestamped', 'hex', 'base64'] as const)(
		'%s: agrees with an independent HMAC for any secret and any bytes',
		(scheme) => {
			const bytes = fc.uint8Array({ maxLength: 300 });
			const secret = fc.string({ unit: wellFormedCharacter, minLength: 1, maxLength: 100 });
			fc.assert(
				fc.property(secret, bytes, fc.nat(), (key, body, at) => {
					const proof = proofs[scheme](key, body);
					expect(verify(proof, withScheme(scheme, [key]), { body })).toBeUndefined();

					const changed = Buffer.concat([body, Buffer.from([0])]);
					expect(verify(proof, withScheme(scheme, [key]), { body: changed })).toBeDefined();
					if (body.length > 0) {
						const flipped = Uint8Array.from(body);
						flipped[at % body.length] = (body[at % body.length] ?? 0) ^ 1;
						expect(verify(proof, withScheme(scheme, [key]), { body: flipped })).toBeDefined();
					}
				}),
			);
		},
	);

	it('names a proxy that rewrites the body as a likely cause', () => {
		const body = Buffer.from('{ "object": "event" }');
		const refusal = verify(proofs.hex(SECRET, BODY), withScheme('hex'), { body });
		expect(refusal?.hint).toMatch(/proxy that rewrites the JSON body/);
	});

	it.each(['sha256=', 'SHA256='])('accepts %s in front of hex and Base64', (prefix) => {
		for (const scheme of ['hex', 'base64'] as const) {
			const proof = `${prefix}${proofs[scheme](SECRET, BODY)}`;
			expect(verify(proof, withScheme(scheme))).toBeUndefined();
		}
	});

	it('accepts uppercase hex and URL-safe Base64', () => {
		const signature = hmac(SECRET, BODY);
		expect(verify(signature.toString('hex').toUpperCase(), withScheme('hex'))).toBeUndefined();
		expect(verify(signature.toString('base64url'), withScheme('base64'))).toBeUndefined();
	});

	it.each([
		['too short', '00'],
		['one digit short', 'a'.repeat(63)],
		['one digit long', 'a'.repeat(65)],
		['no hex', 'g'.repeat(64)],
		['digits of another script', '１'.repeat(64)],
		['a zero byte', `${'a'.repeat(63)}\0`],
		['only the prefix', 'sha256='],
		['with the prefix inside', hmac(SECRET, BODY).toString('hex').replace(/^../, '$&sha256=')],
		['the prefix twice', `sha256=sha256=${hmac(SECRET, BODY).toString('hex')}`],
		['Base64 where hex is expected', hmac(SECRET, BODY).toString('base64')],
	])('refuses hex that is %s', (_what, proof) => {
		expect(verify(proof, withScheme('hex'))?.message).toMatch(
			/contains no SHA-256 signature in hex/,
		);
	});
});

describe('timestamped', () => {
	const credentials = withScheme('timestamped');
	const genuine = hmac(SECRET, `${NOW}.`, BODY).toString('hex');
	const forged = 'ab'.repeat(32);

	it('accepts any of several v1, wherever it stands', () => {
		for (const proof of [
			`t=${NOW},v1=${forged},v1=${genuine}`,
			`v1=${genuine},v1=${forged},t=${NOW}`,
			`t=${NOW}, v0=${forged} , v1=${genuine}, other`,
			`t=${NOW},v1=nonsense,v1=${genuine}`,
		]) {
			expect(verify(proof, credentials)).toBeUndefined();
		}
	});

	it('accepts sixteen signatures and refuses a seventeenth', () => {
		const signatures = (count: number) =>
			Array.from({ length: count }, (_, index) => (index === 0 ? genuine : forged))
				.map((signature) => `v1=${signature}`)
				.join(',');
		expect(verify(`t=${NOW},${signatures(16)}`, credentials)).toBeUndefined();
		expect(verify(`t=${NOW},${signatures(17)}`, credentials)?.message).toMatch(/more than 16/);
	});

	it('refuses a signature over the body without its time', () => {
		const bare = hmac(SECRET, BODY).toString('hex');
		expect(verify(`t=${NOW},v1=${bare}`, credentials)?.message).toMatch(/doesn't match$/);
	});

	it('refuses a time that was changed afterwards', () => {
		expect(verify(`t=${NOW + 1},v1=${genuine}`, credentials)?.message).toMatch(/doesn't match$/);
	});

	it('refuses digits moved from the time to the body', () => {
		const shifted = { body: Buffer.from(`5.${BODY}`) };
		const proof = `t=${String(NOW).slice(0, -1)},v1=${genuine}`;
		expect(verify(proof, credentials, shifted)?.message).toMatch(/doesn't match$/);
	});

	it.each([
		'',
		'soon',
		'-1',
		'+1',
		'1.5',
		'1e9',
		'0x10',
		' ',
		'１',
		'NaN',
		'9'.repeat(16),
		'9'.repeat(400),
	])('refuses t=%s', (time) => {
		const proof = timestamped(SECRET, time, BODY);
		expect(verify(proof, credentials)?.message).toMatch(/must contain one timestamp as t=…/);
	});

	it('refuses two times, even the same', () => {
		const proof = `t=${NOW},t=${NOW},v1=${genuine}`;
		expect(verify(proof, credentials)?.message).toMatch(/must contain one timestamp as t=…/);
	});

	it('refuses a time without a signature', () => {
		expect(verify(`t=${NOW}`, credentials)?.message).toMatch(/contains no signature as v1=…/);
		expect(verify(`t=${NOW},v0=${genuine}`, credentials)?.message).toMatch(/no signature as v1=…/);
	});

	it('tolerates the same distance on both sides', () => {
		for (const distance of [-600, 0, 600]) {
			const proof = timestamped(SECRET, NOW - distance, BODY);
			expect(verify(proof, credentials)).toBeUndefined();
		}
		const old = verify(timestamped(SECRET, NOW - 601, BODY), credentials);
		expect(old?.message).toBe('The signature is 601 seconds old; at most 600 are allowed');
		const early = verify(timestamped(SECRET, NOW + 601, BODY), credentials);
		expect(early?.message).toBe(
			'The signature is 601 seconds in the future; at most 600 are allowed',
		);
		expect(early?.hint).toMatch(/clock/);
	});

	it('says if the time looks like milliseconds', () => {
		const refusal = verify(timestamped(SECRET, NOW * 1000, BODY), credentials);
		expect(refusal?.hint).toMatch(/milliseconds, but seconds are expected/);
	});
});

describe('a shared token', () => {
	it('may be as long as a header', () => {
		const token = 'a'.repeat(8_192);
		expect(verify(token, withScheme('sharedToken', [token]))).toBeUndefined();
	});

	it('may follow Bearer and several spaces, and nothing else', () => {
		expect(verify(`Bearer   ${SECRET}`, withScheme('sharedToken'))).toBeUndefined();
		expect(verify('xBearer y', withScheme('sharedToken', ['xy']))).toBeDefined();
	});
});

describe('SHA-512', () => {
	const signature = createHmac('sha512', SECRET).update(BODY).digest();
	const verifyAs = (encoding: string, proof: string) =>
		verify(
			proof,
			readWebhookCredentials({
				...{ secret: SECRET, format: 'custom', signedContent: '{body}' },
				...{ algorithm: 'sha512', encoding },
			}),
		);

	it.each([
		['hex', signature.toString('hex')],
		['base64', signature.toString('base64')],
		['base64', signature.toString('base64url')],
	])('accepts a signature in %s: %s', (encoding, proof) => {
		expect(verifyAs(encoding, proof)).toBeUndefined();
	});

	it.each([
		['hex', `zz${signature.toString('hex')}`],
		['hex', `${signature.toString('hex')}zz`],
		['base64', `${signature.toString('base64')}=`],
	])('refuses more than a signature in %s: %s', (encoding, proof) => {
		expect(verifyAs(encoding, proof)?.message).toBe(
			`The header x-signature contains no SHA-512 signature in ${encoding}`,
		);
	});
});

const STANDARD = { format: 'standardWebhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const CUSTOM = {
	...{ format: 'custom', signedContent: '{id}.{timestamp}.{body}' },
	...{ timestampHeader: 'X-Time', idHeader: 'X-ID' },
};
const DIGEST = '0'.repeat(64);
const COMPLETE = { 'x-signature': DIGEST, 'x-time': String(NOW), 'x-id': '1' };

const MISMATCH_HINT =
	'Compare the secret in the webhook credential with the one in the service. If they match, look ' +
	'for a proxy that rewrites the JSON body: the signature covers the exact bytes that were sent.';
const TIMESTAMPED_HINT =
	'The expected form is t=…,v1=…. If the service signs differently, change Format in the webhook ' +
	'credential.';
const STANDARD_HINT =
	'Standard Webhooks has the headers webhook-id, webhook-timestamp and webhook-signature, or the ' +
	'same with svix-. If the service signs differently, change Format in the webhook credential.';
const CLOCK_HINT =
	'Check the clock of the machine that runs n8n. A repeated delivery needs a new signature.';

it.each<[Record<string, string>, Record<string, string>, string, string | undefined]>([
	[
		{},
		{},
		'The header x-signature is missing',
		'It must contain the signature or token. Check Header in the webhook credential.',
	],
	[{ method: 'sharedToken' }, { 'x-signature': 'x' }, "The token doesn't match", MISMATCH_HINT],
	[
		{ format: 'hex', secret: `${SECRET} ` },
		{ 'x-signature': proofs.hex(SECRET, BODY) },
		'The signature matches the secret only without the whitespace around it',
		'Remove the spaces or line breaks around the secret in the webhook credential.',
	],
	[
		{ format: 'base64' },
		{ 'x-signature': 'x' },
		'The header x-signature contains no SHA-256 signature in base64',
		'Check Format in the webhook credential.',
	],
	[
		{},
		{ 'x-signature': DIGEST },
		'The header x-signature must contain one timestamp as t=… in seconds',
		TIMESTAMPED_HINT,
	],
	[
		{},
		{ 'x-signature': `t=${NOW}` },
		'The header x-signature contains no signature as v1=… with 64 hex characters',
		TIMESTAMPED_HINT,
	],
	[
		{},
		{ 'x-signature': timestamped(SECRET, 100_000_000_000, BODY) },
		'The signature is 98225050600 seconds in the future; at most 600 are allowed',
		CLOCK_HINT,
	],
	[
		STANDARD,
		{ 'webhook-id': '1', 'webhook-timestamp': String(NOW) },
		'The header webhook-signature is missing',
		STANDARD_HINT,
	],
	[
		STANDARD,
		{ 'webhook-id': '1', 'webhook-timestamp': 'soon', 'webhook-signature': 'v1,x' },
		'The header webhook-timestamp must contain a time in seconds',
		STANDARD_HINT,
	],
	[
		STANDARD,
		{ 'webhook-id': '1', 'webhook-timestamp': String(NOW), 'webhook-signature': 'v1,x' },
		'The header webhook-signature contains no signature as v1,… in Base64',
		STANDARD_HINT,
	],
	[
		STANDARD,
		{ 'webhook-id': '1', 'webhook-timestamp': String(NOW), 'webhook-signature': 'v1,x, v1,x' },
		'The header webhook-signature was sent more than once',
		undefined,
	],
	[
		{ ...CUSTOM, signaturePrefix: 'v0=' },
		COMPLETE,
		"The header x-signature doesn't start with the signature prefix",
		'Check Signature Prefix in the webhook credential.',
	],
	[
		{ ...CUSTOM, encoding: 'base64' },
		COMPLETE,
		'The header x-signature contains no SHA-256 signature in base64',
		'Check Algorithm, Encoding and Signature Prefix in the webhook credential.',
	],
	[
		CUSTOM,
		{ 'x-signature': DIGEST, 'x-id': '1' },
		'The header x-time is missing',
		'It must contain the signed time. Check Timestamp Header in the webhook credential.',
	],
	[
		CUSTOM,
		{ ...COMPLETE, 'x-time': 'soon' },
		'The header x-time contains no time',
		'It must be in seconds, in milliseconds or in ISO 8601. Check Timestamp Header in the webhook ' +
			'credential.',
	],
	[
		CUSTOM,
		{ 'x-signature': DIGEST, 'x-time': String(NOW) },
		'The header x-id is missing',
		'It must contain the delivery’s ID. Check ID Header in the webhook credential.',
	],
	[
		CUSTOM,
		{
			...COMPLETE,
			'x-time': String(NOW - 601),
			'x-signature': hmac(SECRET, `1.${NOW - 601}.`, BODY).toString('hex'),
		},
		'The signature is 601 seconds old; at most 600 are allowed',
		CLOCK_HINT,
	],
])('with the credential %j, says about %j what to do', (saved, headers, message, hint) => {
	const credentials = readWebhookCredentials({ secret: SECRET, ...saved });
	expect(verifySignature(BODY, headers, credentials, NOW * 1000)).toMatchObject({ message, hint });
});
