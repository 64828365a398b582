/**
 * Signed deliveries that others wrote, as facts.
 *
 * `Standard Webhooks`: https://github.com/standard-webhooks/standard-webhooks at commit b2fa7b8,
 * libraries/javascript/src/webhook.test.ts, libraries/python/tests/test_webhooks.py (MIT).
 * `Svix`: https://docs.svix.com/receiving/verifying-payloads/how-manual, and src/webhook.test.ts of
 * the package svix (MIT).
 * `Stripe`: https://github.com/stripe/stripe-dotnet, src/StripeTests/Services/Events/EventUtilityTest.cs
 * and Resources/event_test_signature.json (Apache-2.0), and https://github.com/stripe/stripe-node,
 * test/Webhook.spec.ts (MIT).
 * `GitHub`: https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries (CC-BY-4.0).
 * `Slack`: https://docs.slack.dev/authentication/verifying-requests-from-slack, its example.
 * `RFC 4231`: https://www.rfc-editor.org/rfc/rfc4231, section 4.
 */

export interface DeliveryVector {
	readonly source: 'Standard Webhooks' | 'Svix' | 'Stripe' | 'GitHub' | 'Slack' | 'RFC 4231';
	readonly name: string;
	/** The fields of the credential; the secret is among them. */
	readonly saved: Readonly<Record<string, unknown>>;
	readonly body: Buffer;
	/** With lower-case names, as Node gives them. */
	readonly headers: Readonly<Record<string, string>>;
	/** Unix seconds. */
	readonly time: number;
	/** The error of the node, if it refuses the delivery. */
	readonly refusal?: RegExp;
	/** Why the node refuses what the source accepts. */
	readonly stricter?: string;
}

/** What the sources change in a delivery that they accept. */
type Change = Partial<Omit<DeliveryVector, 'source' | 'headers'>> & {
	/** Undefined removes one. */
	readonly headers?: Readonly<Record<string, string | undefined>>;
};

function changed(
	vector: DeliveryVector,
	changes: ReadonlyArray<readonly [name: string, change: Change]>,
): DeliveryVector[] {
	return changes.map(([name, { headers, ...change }]) => ({
		...vector,
		...change,
		name,
		headers: Object.fromEntries(
			Object.entries({ ...vector.headers, ...headers }).flatMap(([header, value]) =>
				value === undefined ? [] : [[header, value]],
			),
		),
	}));
}

const STANDARD: DeliveryVector = {
	source: 'Standard Webhooks',
	name: 'sign function works',
	saved: { format: 'standardWebhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
	body: Buffer.from('{"test": 2432232314}'),
	headers: {
		'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
		'webhook-timestamp': '1614265330',
		'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
	},
	time: 1614265330,
};
const OTHER = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';
const MISMATCH = /^The signature doesn't match$/;
const NO_SIGNATURE =
	/^The header webhook-signature contains no SHA-256 signature in base64 after its prefix$/;
const inHeader = (signature: string) => ({ headers: { 'webhook-signature': signature } });

const SVIX: DeliveryVector = {
	...STANDARD,
	source: 'Svix',
	headers: {
		'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
		'svix-timestamp': '1614265330',
		'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
	},
};

const STRIPE: DeliveryVector = {
	source: 'Stripe',
	name: 'ConstructEvent',
	saved: {
		format: 'timestamped',
		header: 'Stripe-Signature',
		secret: 'webhook_secret',
		toleranceSeconds: 300,
	},
	body: Buffer.from(
		`${JSON.stringify(
			{
				id: 'evt_123',
				object: 'event',
				account: 'acct_123',
				api_version: '2017-05-25',
				created: 1533204620,
				data: {
					object: {
						id: 'cus_123',
						object: 'customer',
						created: 123456789,
						email: 'test@stripe.com',
						livemode: false,
						metadata: {},
					},
				},
				livemode: false,
				pending_webhooks: 1,
				request: { id: 'req_123', idempotency_key: 'idempotency-key-123' },
				type: 'customer.created',
			},
			null,
			2,
		)}\n`,
	),
	headers: {
		'stripe-signature':
			't=1533204620,v1=2220f87ef101a04665f11cdf770523143f875572008577fa0f20882ddb9cc3c7,v0=63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef',
	},
	time: 1533204720,
};
const [STRIPE_TIME = '', STRIPE_V1 = ''] = STRIPE.headers['stripe-signature']?.split(',') ?? [];
const inStripe = (...parts: string[]) => ({ headers: { 'stripe-signature': parts.join(',') } });
const NO_TIME = /^The header stripe-signature contains no v1=…$/;

const GITHUB: DeliveryVector = {
	source: 'GitHub',
	name: 'Testing the webhook payload validation',
	saved: { format: 'hex', header: 'X-Hub-Signature-256', secret: "It's a Secret to Everybody" },
	body: Buffer.from('Hello, World!'),
	headers: {
		'x-hub-signature-256':
			'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
	},
	time: 0,
};

const SLACK: DeliveryVector = {
	source: 'Slack',
	name: 'example',
	saved: {
		format: 'custom',
		header: 'X-Slack-Signature',
		signedContent: 'v0:{timestamp}:{body}',
		timestampHeader: 'X-Slack-Request-Timestamp',
		signaturePrefix: 'v0=',
		secret: '8f742231b10e8888abcd99yyyzzz85a5',
		toleranceSeconds: 300,
	},
	body: Buffer.from(
		'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
	),
	headers: {
		'x-slack-request-timestamp': '1531420618',
		'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
	},
	time: 1531420618,
};

/** A test case of RFC 4231, with both hash functions. */
function rfc4231(
	name: string,
	{ key, data, sha256, sha512 }: Record<'key' | 'sha256' | 'sha512', string> & { data: Buffer },
): DeliveryVector[] {
	return Object.entries({ sha256, sha512 }).map(([algorithm, signature]) => ({
		source: 'RFC 4231',
		name: `${name}, ${algorithm}`,
		saved: {
			format: 'custom',
			header: 'X-Signature',
			signedContent: '{body}',
			algorithm,
			secretEncoding: 'hex',
			secret: key,
		},
		body: data,
		headers: { 'x-signature': signature },
		time: 0,
		// Test case 5 is cut to 128 bits.
		...(signature.length === 32 && {
			refusal: /^The header x-signature contains no SHA-(256|512) signature in hex$/,
			stricter: 'signatures that were cut short are easier to guess',
		}),
	}));
}

export const DELIVERY_VECTORS: readonly DeliveryVector[] = [
	STANDARD,
	...changed(STANDARD, [
		[
			'verification works without the secret’s prefix',
			{ saved: { ...STANDARD.saved, secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } },
		],
		[
			'multi sig payload is valid',
			inHeader(
				`v1,${OTHER} v2,${OTHER} ${STANDARD.headers['webhook-signature'] ?? ''} v1,${OTHER}`,
			),
		],
		[
			'missing id raises error',
			{ headers: { 'webhook-id': undefined }, refusal: /^The header webhook-id is missing$/ },
		],
		[
			'missing timestamp raises error',
			{
				headers: { 'webhook-timestamp': undefined },
				refusal: /^The header webhook-timestamp is missing$/,
			},
		],
		[
			'invalid timestamp throws error',
			{
				headers: { 'webhook-timestamp': 'hello' },
				refusal: /^The header webhook-timestamp contains no time in seconds$/,
			},
		],
		[
			'missing signature raises error',
			{
				headers: { 'webhook-signature': undefined },
				refusal: /^The header webhook-signature is missing$/,
			},
		],
		[
			'invalid signature throws error',
			{ ...inHeader('v1,dawfeoifkpqwoekfpqoekf'), refusal: NO_SIGNATURE },
		],
		[
			'invalid signature throws error, in Python',
			{ ...inHeader('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OA='), refusal: MISMATCH },
		],
		[
			'wrong version',
			{
				...inHeader('v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='),
				refusal: NO_SIGNATURE,
			},
		],
		['partial signature throws error', { ...inHeader('v1,g0hM9'), refusal: NO_SIGNATURE }],
		['partial signature throws error, empty', { ...inHeader('v1,'), refusal: NO_SIGNATURE }],
		[
			'old timestamp fails',
			{
				saved: { ...STANDARD.saved, toleranceSeconds: 300 },
				time: STANDARD.time + 301,
				refusal: /^The signature is 301 seconds old/,
			},
		],
		[
			'new timestamp fails',
			{
				saved: { ...STANDARD.saved, toleranceSeconds: 300 },
				time: STANDARD.time - 301,
				refusal: /^The signature is 301 seconds in the future/,
			},
		],
	]),
	SVIX,
	...changed(SVIX, [
		[
			'how to verify manually',
			{
				saved: { ...SVIX.saved, secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl' },
				body: Buffer.from('{"event_type":"ping","data":{"success":true}}'),
				headers: {
					'svix-id': 'msg_loFOjxBNrRLzqYUf',
					'svix-timestamp': '1731705121',
					'svix-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
				},
				time: 1731705121,
			},
		],
		[
			'missing id raises error',
			{ headers: { 'svix-id': undefined }, refusal: /^The header svix-id is missing$/ },
		],
	]),
	STRIPE,
	...changed(STRIPE, [
		['at least one valid signature', inStripe(STRIPE_TIME, STRIPE_V1, 'v1=potato')],
		['RejectOutdatedTimestamp', { time: 1533205020, refusal: /^The signature is 400 seconds old/ }],
		['not the expected format', { ...inStripe('bad_header'), refusal: NO_TIME }],
		[
			'not a signature header',
			{ ...inStripe("I'm not even a real signature header"), refusal: NO_TIME },
		],
		['empty header', { ...inStripe(''), refusal: /^The header stripe-signature is missing$/ }],
		[
			'no signatures with the expected scheme',
			{
				...inStripe(STRIPE_TIME, STRIPE_V1.replace('v1', 'v0')),
				refusal: /^The header stripe-signature contains no v1=…$/,
			},
		],
		[
			'no valid signatures',
			{
				...inStripe(STRIPE_TIME, 'v1=bad_signature'),
				refusal: /^The header stripe-signature contains no SHA-256 signature in hex as v1=…$/,
			},
		],
		[
			'signing secret contains whitespace',
			{
				saved: { ...STRIPE.saved, secret: 'webhook_secret ' },
				refusal: /^The signature matches the secret only without the whitespace around it$/,
			},
		],
	]),
	GITHUB,
	SLACK,
	...rfc4231('case 1', {
		key: '0b'.repeat(20),
		data: Buffer.from('Hi There'),
		sha256: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
		sha512:
			'87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
	}),
	...rfc4231('case 2', {
		key: Buffer.from('Jefe').toString('hex'),
		data: Buffer.from('what do ya want for nothing?'),
		sha256: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
		sha512:
			'164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
	}),
	...rfc4231('case 3', {
		key: 'aa'.repeat(20),
		data: Buffer.alloc(50, 0xdd),
		sha256: '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
		sha512:
			'fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb',
	}),
	...rfc4231('case 4', {
		key: '0102030405060708090a0b0c0d0e0f10111213141516171819',
		data: Buffer.alloc(50, 0xcd),
		sha256: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
		sha512:
			'b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd',
	}),
	...rfc4231('case 5', {
		key: '0c'.repeat(20),
		data: Buffer.from('Test With Truncation'),
		sha256: 'a3b6167473100ee06e0c796c2955552b',
		sha512: '415fad6271580a531d4179bc891d87a6',
	}),
	...rfc4231('case 6', {
		key: 'aa'.repeat(131),
		data: Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'),
		sha256: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
		sha512:
			'80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598',
	}),
	...rfc4231('case 7', {
		key: 'aa'.repeat(131),
		data: Buffer.from(
			'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
		),
		sha256: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
		sha512:
			'e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58',
	}),
];
