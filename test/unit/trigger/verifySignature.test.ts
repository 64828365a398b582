import fc from 'fast-check';

import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import type { WebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { anyCharacter, wellFormedCharacter } from '../characters';
import { hmac, timestamped } from './samples';

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

	it('accepts the previous secret while it rotates, and no third one', () => {
		const rotating = withScheme(scheme, ['new secret', SECRET]);
		expect(verify(prove('new secret', BODY), rotating)).toBeUndefined();
		expect(verify(prove(SECRET, BODY), rotating)).toBeUndefined();
		expect(verify(prove('third secret', BODY), rotating)?.message).toMatch(/does not fit$/);
	});

	it.each([undefined, '', '   '])('refuses a missing proof: %j', (proof) => {
		expect(verify(proof, withScheme(scheme))?.message).toBe('The header x-signature is missing');
	});

	it('refuses the header given twice, however Node joins it', () => {
		const proof = prove(SECRET, BODY);
		expect(verify([proof, proof], withScheme(scheme))).toBeDefined();
		expect(verify(`${proof}, ${proof}`, withScheme(scheme))).toBeDefined();
	});

	it('recognises white space around the secret in the credentials', () => {
		const refusal = verify(prove(SECRET, BODY), withScheme(scheme, [`${SECRET}\n`]));
		expect(refusal?.message).toMatch(/fits the secret only without the white space around it/);
	});

	it('never repeats the secret or the proof', () => {
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

	it('names a proxy that writes the body anew as a likely cause', () => {
		const body = Buffer.from('{ "object": "event" }');
		const refusal = verify(proofs.hex(SECRET, BODY), withScheme('hex'), { body });
		expect(refusal?.hint).toMatch(/proxy that writes the JSON body anew/);
	});

	it.each(['sha256=', 'SHA256='])('tolerates %s in front of hex and Base64', (prefix) => {
		for (const scheme of ['hex', 'base64'] as const) {
			const proof = `${prefix}${proofs[scheme](SECRET, BODY)}`;
			expect(verify(proof, withScheme(scheme))).toBeUndefined();
		}
	});

	it('takes hex in capitals and Base64 of the URL alphabet', () => {
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
		['the prefix twice', `sha256=sha256=${hmac(SECRET, BODY).toString('hex')}`],
		['Base64 where hex is expected', hmac(SECRET, BODY).toString('base64')],
	])('refuses hex that is %s', (_what, proof) => {
		expect(verify(proof, withScheme('hex'))?.message).toMatch(/holds no SHA-256 signature in hex/);
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
		expect(verify(`t=${NOW},v1=${bare}`, credentials)?.message).toMatch(/does not fit$/);
	});

	it('refuses a time that was changed afterwards', () => {
		expect(verify(`t=${NOW + 1},v1=${genuine}`, credentials)?.message).toMatch(/does not fit$/);
	});

	it('refuses a body that took over digits of the time', () => {
		const shifted = { body: Buffer.from(`5.${BODY}`) };
		const proof = `t=${String(NOW).slice(0, -1)},v1=${genuine}`;
		expect(verify(proof, credentials, shifted)?.message).toMatch(/does not fit$/);
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
		expect(verify(proof, credentials)?.message).toMatch(/must hold one time as t=…/);
	});

	it('refuses two times, even the same', () => {
		const proof = `t=${NOW},t=${NOW},v1=${genuine}`;
		expect(verify(proof, credentials)?.message).toMatch(/must hold one time as t=…/);
	});

	it('refuses a time without a signature', () => {
		expect(verify(`t=${NOW}`, credentials)?.message).toMatch(/holds no signature as v1=…/);
		expect(verify(`t=${NOW},v0=${genuine}`, credentials)?.message).toMatch(/no signature as v1=…/);
	});

	it('tolerates the same distance on both sides', () => {
		for (const distance of [-600, 0, 600]) {
			const proof = timestamped(SECRET, NOW - distance, BODY);
			expect(verify(proof, credentials)).toBeUndefined();
		}
		const old = verify(timestamped(SECRET, NOW - 601, BODY), credentials);
		expect(old?.message).toBe('The signature is 601 seconds old; 600 are tolerated');
		const early = verify(timestamped(SECRET, NOW + 601, BODY), credentials);
		expect(early?.message).toBe('The signature is 601 seconds in the future; 600 are tolerated');
		expect(early?.hint).toMatch(/clock/);
	});

	it('says so where the time reads as milliseconds', () => {
		const refusal = verify(timestamped(SECRET, NOW * 1000, BODY), credentials);
		expect(refusal?.hint).toMatch(/milliseconds, where seconds are expected/);
	});
});
