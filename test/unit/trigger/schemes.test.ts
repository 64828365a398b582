import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { SIGNED_SCHEMES } from '../../support/signedDeliveries';

const NOW = 1_774_949_400;
const BODY = Buffer.from('{"object":"event","note":"Zürich – 東京"}');

type Headers = Record<string, string>;

/** The header with the proof itself; the others have an ID or a time. */
const PROOF = /signature|hmac|token|authorization|proof/;

describe.each(SIGNED_SCHEMES)(
	'$name, signed by $source',
	({ saved, secrets, prove, signsTime, signsBody }) => {
		const [secret, other, third] = secrets;
		const verify = (headers: Headers, body = BODY, changes: Record<string, unknown> = {}) =>
			verifySignature(
				body,
				headers,
				readWebhookCredentials({ ...saved, secret, ...changes }),
				NOW * 1000,
			);
		const genuine = async (seconds = NOW, key = secret) => await prove(key, BODY, seconds);
		const changed = async (change: (value: string, name: string) => string | undefined) =>
			Object.fromEntries(
				Object.entries(await genuine()).flatMap(([name, value]) => {
					const replaced = change(value, name);
					return replaced === undefined ? [] : [[name, replaced]];
				}),
			);
		const names = async () => Object.keys(await genuine());

		it('accepts a genuine delivery', async () => {
			expect(verify(await genuine())).toBeUndefined();
		});

		it(`${signsBody ? 'refuses' : "doesn't notice"} a changed body`, async () => {
			const headers = await genuine();
			for (const body of [
				Buffer.concat([BODY, Buffer.from(' ')]),
				BODY.subarray(1),
				Buffer.alloc(0),
			]) {
				expect(verify(headers, body) !== undefined).toBe(signsBody);
			}
		});

		it('refuses each of its headers with one character changed, added or removed', async () => {
			for (const name of await names()) {
				const length = (await genuine())[name]?.length ?? 0;
				for (let at = 0; at < length; at++) {
					const flip = (value: string) =>
						`${value.slice(0, at)}${value[at] === 'q' ? 'z' : 'q'}${value.slice(at + 1)}`;
					expect(
						verify(await changed((value, each) => (each === name ? flip(value) : value))),
					).toBeDefined();
				}
				expect(
					verify(await changed((value, each) => (each === name ? `${value}0` : value))),
				).toBeDefined();
				expect(
					verify(await changed((value, each) => (each === name ? value.slice(1) : value))),
				).toBeDefined();
			}
		});

		it(`${signsTime ? 'refuses' : 'accepts'} an old one and one from the future`, async () => {
			for (const distance of [601, 86_400, -601, -86_400]) {
				expect(verify(await genuine(NOW - distance)) !== undefined).toBe(signsTime);
			}
			for (const distance of [600, -600, 0]) {
				expect(verify(await genuine(NOW - distance))).toBeUndefined();
			}
			if (signsTime) {
				expect(verify(await genuine(NOW - 601))?.message).toBe(
					'The signature is 601 seconds old; at most 600 are allowed',
				);
				expect(verify(await genuine(NOW - 61), BODY, { toleranceSeconds: 60 })).toBeDefined();
			}
		});

		it('refuses another secret', async () => {
			expect(verify(await genuine(NOW, other))?.message).toMatch(/doesn't match$/);
		});

		it('accepts the previous secret, and no third one', async () => {
			const rotating = { secret: other, previousSecret: secret };
			expect(verify(await genuine(NOW, secret), BODY, rotating)).toBeUndefined();
			expect(verify(await genuine(NOW, other), BODY, rotating)).toBeUndefined();
			expect(verify(await genuine(NOW, third), BODY, rotating)?.message).toMatch(/doesn't match$/);
		});

		it.each(['', ' ', undefined])('refuses each of its headers being %j', async (empty) => {
			for (const name of await names()) {
				const headers = await changed((value, each) => (each === name ? empty : value));
				expect(verify(headers)?.message).toMatch(/^The header .+ is missing$/);
			}
		});

		it('refuses each of its headers sent twice, as Node joins them', async () => {
			for (const name of await names()) {
				const headers = await changed((value, each) =>
					each === name ? `${value}, ${value}` : value,
				);
				expect(verify(headers)).toBeDefined();
			}
		});

		it('refuses huge headers', async () => {
			for (const name of await names()) {
				for (const filling of ['0', ' v1,', ',v1=', '{body}']) {
					const huge = filling.repeat(20_000);
					const headers = await changed((value, each) => (each === name ? value + huge : value));
					expect(verify(headers)).toBeDefined();
				}
				const longest = await changed((value, each) =>
					each === name ? value.padEnd(8_193, '0') : value,
				);
				expect(verify(longest)?.message).toMatch(/is longer than 8,192 characters$/);
			}
		});

		it('names no secret and no signature', async () => {
			const headers = await genuine(NOW, other);
			const refusal = verify(headers);
			const said = `${refusal?.message} ${refusal?.hint}`;
			for (const each of secrets) expect(said).not.toContain(each);
			for (const [name, value] of Object.entries(headers)) {
				if (PROOF.test(name)) expect(said).not.toContain(value);
			}
		});
	},
);

describe('timestamped', () => {
	it('accepts a rotation with commas, spaces or both', async () => {
		const [stripe] = SIGNED_SCHEMES;
		const [secret = '', other = ''] = stripe?.secrets ?? [];
		const proofOf = async (key: string) =>
			(await stripe?.prove(key, BODY, NOW))?.['stripe-signature']?.split(',') ?? [];
		const [time, wrong] = await proofOf(other);
		const [, right] = await proofOf(secret);
		const credentials = readWebhookCredentials({ ...stripe?.saved, secret });
		for (const separator of [',', ' ', ', ', '\t', ' , ']) {
			for (const parts of [
				[time, wrong, right],
				[time, right, wrong],
			]) {
				const headers = { 'stripe-signature': parts.join(separator) };
				expect(verifySignature(BODY, headers, credentials, NOW * 1000)).toBeUndefined();
			}
		}
	});
});

describe('Standard Webhooks', () => {
	const scheme = SIGNED_SCHEMES.find(({ name }) => name === 'Standard Webhooks');
	const svix = SIGNED_SCHEMES.find(({ name }) => name === 'Svix');
	const [secret = '', other = ''] = scheme?.secrets ?? [];
	const credentials = readWebhookCredentials({ ...scheme?.saved, secret });
	const signedBy = async (key: string): Promise<Headers> =>
		(await scheme?.prove(key, BODY, NOW)) ?? {};
	const verify = (headers: Headers) => verifySignature(BODY, headers, credentials, NOW * 1000);

	it('accepts any of sixteen signatures and ignores other versions', async () => {
		const right = (await signedBy(secret))['webhook-signature'] ?? '';
		const wrong = (await signedBy(other))['webhook-signature'] ?? '';
		const withList = async (...list: string[]) => ({
			...(await signedBy(secret)),
			'webhook-signature': list.join(' '),
		});
		expect(verify(await withList(wrong, right))).toBeUndefined();
		expect(
			verify(await withList('v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhq', 'v2', right)),
		).toBeUndefined();
		expect(verify(await withList(...Array<string>(15).fill(wrong), right))).toBeUndefined();
		expect(verify(await withList(...Array<string>(16).fill(wrong), right))?.message).toMatch(
			/more than 16 signatures/,
		);
		expect(verify(await withList(right.replace('v1', 'v2')))?.message).toMatch(
			/no signature as v1,…/,
		);
		expect(verify(await withList(right.slice(3)))?.message).toMatch(/no signature as v1,…/);
	});

	it('never mixes the headers of both kinds', async () => {
		const plain = await signedBy(secret);
		const branded = (await svix?.prove(other, BODY, NOW)) ?? {};
		expect(verify({ ...branded, ...plain })).toBeUndefined();
		expect(verify({ ...plain, ...branded, 'webhook-signature': '' })).toBeDefined();
		const { 'webhook-id': id = '', 'webhook-timestamp': time = '', ...proof } = plain;
		expect(verify({ 'svix-id': id, 'svix-timestamp': time, ...proof })?.message).toBe(
			'The header webhook-id is missing',
		);
	});

	it.each(['soon', '1.5', '-1', '1e9', '2026-03-31T09:30:00Z', '9'.repeat(16)])(
		'refuses the time %s',
		async (time) => {
			expect(verify({ ...(await signedBy(secret)), 'webhook-timestamp': time })?.message).toBe(
				'The header webhook-timestamp must contain a time in seconds',
			);
		},
	);
});

describe('custom', () => {
	const read = (changes: Record<string, unknown>) =>
		readWebhookCredentials({
			...{ format: 'custom', secret: 's', header: 'X-A', timestampHeader: 'X-T', idHeader: 'X-I' },
			...changes,
		});
	const headers = { 'x-a': '0'.repeat(64), 'x-t': String(NOW), 'x-i': 'i' };
	const verify = (changes: Record<string, unknown>, over: Headers = {}) =>
		verifySignature(BODY, { ...headers, ...over }, read(changes), NOW * 1000)?.message;

	it('requires the prefix where one is set, and accepts a space after it', () => {
		expect(verify({ signaturePrefix: 'v0=' })).toBe(
			"The header x-a doesn't start with the signature prefix",
		);
		for (const value of [`v0=${headers['x-a']}`, `v0= ${headers['x-a']}`]) {
			expect(verify({ signaturePrefix: 'v0=' }, { 'x-a': value })).toMatch(/doesn't match$/);
		}
	});

	it('names the encoding and the algorithm that it expects', () => {
		expect(verify({ algorithm: 'sha512' })).toBe(
			'The header x-a contains no SHA-512 signature in hex',
		);
		expect(verify({ encoding: 'base64' })).toBe(
			'The header x-a contains no SHA-256 signature in base64',
		);
	});

	it.each([
		...['soon', '', '-5', '2026-13-45T00:00:00Z', '2026-03-31', '1774949400.5', '9'.repeat(16)],
		'+012026-03-31T09:30:00Z',
		'2026-03-31T09:30:00Z\0',
	])('refuses the time %j', (time) => {
		expect(verify({}, { 'x-t': time })).toMatch(/^The header x-t (contains no time|is missing)$/);
	});

	it.each(['1774949400', '1774949400000', '2026-03-31T09:30:00Z', '2026-03-31T11:30:00.000+02:00'])(
		'reads the time %s',
		(time) => {
			expect(verify({}, { 'x-t': time })).toMatch(/doesn't match$/);
		},
	);
});
