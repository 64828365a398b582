/**
 * Sign-in messages (EIP-4361) that others wrote, as facts.
 *
 * `siwe`: https://github.com/spruceid/siwe at commit 940a66a, test/parsing_positive.json,
 * parsing_negative.json, verification_positive.json, verification_negative.json and eip1271.json
 * (MIT or Apache-2.0). Its messages differ from each other in one or two lines, so only those are
 * written down. parsing_negative_objects.json has the same faults in objects that `siwe` writes as
 * messages; the node writes none.
 *
 * `EIP-4361`: the examples of https://eips.ethereum.org/EIPS/eip-4361 (CC0).
 */

/** What differs from a message's first version: some of its lines, by their label. */
type Changes = Readonly<Record<string, string | readonly string[]>>;

export interface MessageVector {
	readonly source: 'siwe' | 'EIP-4361';
	readonly name: string;
	readonly text: string;
	/** Why the node refuses a message that the source accepts. */
	readonly stricter?: string;
}

function textOf(lines: Changes, changes: Changes): string {
	return Object.values({ ...lines, ...changes })
		.flat()
		.join('\n');
}

const greeting = (domain: string) => `${domain} wants you to sign in with your Ethereum account:`;

const ACCEPTED: Changes = {
	greeting: greeting('service.org'),
	address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
	statement: ['', 'I accept the ServiceOrg Terms of Service: https://service.org/tos', ''],
	uri: 'URI: https://service.org/login',
	version: 'Version: 1',
	chain: 'Chain ID: 1',
	nonce: 'Nonce: 32891757',
	issued: 'Issued At: 2021-09-30T16:25:24.000Z',
	expires: [],
	notBefore: [],
	request: [],
	rest: [],
};
const SILENT = { statement: ['', ''] };
const USER_NAME = 'a user name can make one host look like another';

const ACCEPTED_BY_SIWE: ReadonlyArray<readonly [name: string, Changes, stricter?: string]> = [
	[
		'couple of optional fields',
		{
			rest: [
				'Resources:',
				'- ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu',
				'- https://example.com/my-web2-claim.json',
			],
		},
	],
	['no optional field', {}],
	['timestamp without microseconds', { issued: 'Issued At: 2021-09-30T16:25:24Z' }],
	['timezone not utc', { issued: 'Issued At: 2021-09-30T16:25:24-02:00' }],
	['domain is RFC 3986 authority with IP', { greeting: greeting('127.0.0.1') }],
	[
		'domain is RFC 3986 authority with userinfo',
		{ greeting: greeting('test@127.0.0.1') },
		USER_NAME,
	],
	['domain is RFC 3986 authority with port', { greeting: greeting('127.0.0.1:8080') }],
	['domain is localhost authority with port', { greeting: greeting('localhost:8080') }],
	[
		'domain is RFC 3986 authority with userinfo and port',
		{ greeting: greeting('test@127.0.0.1:8080') },
		USER_NAME,
	],
	['no statement', SILENT],
	['domain ipv6', { ...SILENT, greeting: greeting('[::cafe]') }],
	['uri ipv6', { ...SILENT, uri: 'URI: https://[::cafe]' }],
	['uri ipv4', { ...SILENT, uri: 'URI: https://127.0.0.1' }],
	['uri with port', { ...SILENT, uri: 'URI: https://127.0.0.1:4361' }],
	[
		'uri ipv4 query params and fragment',
		{ ...SILENT, uri: 'URI: https://127.0.0.1/?query=one#begin' },
	],
	['chainId not 1', { ...SILENT, chain: 'Chain ID: 4' }],
	[
		'recovery byte starting at 0',
		{
			greeting: greeting('www.tally.xyz'),
			address: '0xc95EB884FE852e241D409234bfC7045CB9E31BD7',
			statement: ['', 'Sign in with Ethereum to Tally', ''],
			uri: 'URI: https://tally.xyz',
			nonce: 'Nonce: 15050747',
			issued: 'Issued At: 2022-06-30T14:08:51.382Z',
		},
	],
	[
		'domain contains optional scheme',
		{
			greeting: greeting('https://example.com'),
			statement: ['', 'I accept the ExampleOrg Terms of Service: https://example.com/tos', ''],
			uri: 'URI: https://example.com/login',
			nonce: 'Nonce: 32891756',
			issued: 'Issued At: 2021-09-30T16:25:24Z',
		},
	],
	[
		'scheme is not parsed from elsehwere in message',
		{
			greeting: greeting('localhost:3030'),
			statement: ['', 'I accept the ExampleOrg Terms of Service: http://localhost:3030/tos', ''],
			uri: 'URI: http://localhost:3030/login',
			nonce: 'Nonce: 32891756',
			issued: 'Issued At: 2021-09-30T16:25:24Z',
		},
	],
];

const EXAMPLE: Changes = {
	...ACCEPTED,
	greeting: greeting('example.com'),
	statement: ['', 'I accept the ExampleOrg Terms of Service: https://example.com/tos', ''],
	uri: 'URI: https://example.com/login',
	nonce: 'Nonce: 32891756',
	issued: 'Issued At: 2021-09-30T16:25:24Z',
	rest: [
		'Resources:',
		'- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/',
		'- https://example.com/my-web2-claim.json',
	],
};

/** Messages that their sources accept. */
export const ACCEPTED_MESSAGES: readonly MessageVector[] = [
	...ACCEPTED_BY_SIWE.map(([name, changes, stricter]) => ({
		source: 'siwe' as const,
		name,
		text: textOf(ACCEPTED, changes),
		stricter,
	})),
	...[
		['implicit scheme', {}] as const,
		['implicit scheme and explicit port', { greeting: greeting('example.com:3388') }] as const,
		['explicit scheme', { greeting: greeting('https://example.com') }] as const,
	].map(([name, changes]) => ({
		source: 'EIP-4361' as const,
		name,
		text: textOf(EXAMPLE, changes),
	})),
];

const REFUSED: Changes = {
	...ACCEPTED,
	address: '0xe5A12547fe4E872D192E3eCecb76F2Ce1aeA4946',
	nonce: 'Nonce: 12341234',
	issued: 'Issued At: 2022-03-17T12:45:13.610Z',
	expires: 'Expiration Time: 2023-03-17T12:45:13.610Z',
	notBefore: 'Not Before: 2022-03-17T12:45:13.610Z',
	request: 'Request ID: some_id',
	rest: ['Resources:', '- https://service.org/login'],
};
/** Some of its lines in another order. */
function inOrder(...labels: readonly string[]): Changes {
	const places = Object.keys(REFUSED).filter((label) => labels.includes(label));
	return Object.fromEntries(places.map((place, at) => [place, REFUSED[labels[at] ?? ''] ?? '']));
}
const NO_URI = ':not_a_rfc3986_valid_uri_';
const WORDS = 'Wed Oct 05 2011 16:48:00 GMT+0200 (CEST)';

const REFUSED_BY_SIWE: ReadonlyArray<readonly [name: string, Changes]> = [
	['missing domain', { greeting: greeting('') }],
	['missing address', { address: '' }],
	['missing uri', { uri: '' }],
	['missing version', { version: '' }],
	['missing chainId', { chain: '' }],
	['missing nonce', { nonce: '' }],
	['missing issuedAt', { issued: '' }],
	['out of order uri', inOrder('version', 'uri')],
	['out of order version', inOrder('chain', 'version')],
	['out of order chainId', { chain: 'Nonce: 12341234Chain ID: 1', nonce: '' }],
	['out of order nonce', inOrder('issued', 'nonce')],
	['out of order issuedAt', inOrder('expires', 'issued')],
	['out of order expirationTime', inOrder('notBefore', 'expires')],
	['out of order notBefore', inOrder('request', 'notBefore')],
	['out of order requestId', inOrder('rest', 'request')],
	['out of order resources', inOrder('rest', 'notBefore', 'request')],
	['domain not RFC4501 authority', { greeting: greeting('#notrfc4501') }],
	['address not EIP-55', { address: '0xe5a12547fe4e872d192e3ececb76f2ce1aea4946' }],
	[
		'statement has line break',
		{
			statement: ['', 'I accept the ServiceOrg Terms of Service: ', 'https://service.org/tos', ''],
		},
	],
	['uri is non-RFC 3986', { uri: `URI: ${NO_URI}` }],
	['version not 1', { version: 'Version: 3' }],
	['not a valid chainId', { chain: 'Chain ID: ?' }],
	['nonce with less then 8 chars', { nonce: 'Nonce: 1234567' }],
	['non-ISO 8601 issuedAt', { issued: `Issued At: ${WORDS}` }],
	['non-ISO 8601 expirationTime', { expires: `Expiration Time: ${WORDS}` }],
	['non-ISO 8601 notBefore', { notBefore: `Not Before: ${WORDS}` }],
	[
		'resources not separated by line break',
		{ rest: ['Resources:', '- https://service.org/login - https://service.org/login/2'] },
	],
	[
		'first resource not-RFC 3986',
		{ rest: ['Resources:', `- ${NO_URI}`, '- https://service.org/login'] },
	],
	[
		'second resource is not-RFC3986',
		{ rest: ['Resources:', '- https://service.org/login', `- ${NO_URI}`] },
	],
];

/** Messages that their sources refuse. */
export const REFUSED_MESSAGES: readonly MessageVector[] = REFUSED_BY_SIWE.map(
	([name, changes]) => ({ source: 'siwe', name, text: textOf(REFUSED, changes) }),
);

/** A message with a signature, and when and for whom it's checked. */
export interface SignedMessageVector {
	readonly name: string;
	readonly text: string;
	readonly address: string;
	readonly signature: string;
	/** When it's checked. */
	readonly time: string;
	/** The domain that it must be for. */
	readonly domain?: string;
	/** What the node does: it would sign the message, and the signature is its address's. */
	readonly outcome: 'verified' | 'notSigned' | 'notItsSignature';
	/** Why that differs from the source. */
	readonly stricter?: string;
}

/** The day on which the times of messages without another are checked. */
const TODAY = '2026-11-22T00:00:00Z';

interface SignedParts {
	readonly address: string;
	readonly statement?: string;
	readonly domain?: string;
	readonly uri?: string;
	readonly nonce: string;
	readonly issued: string;
	readonly expires?: string;
	readonly notBefore?: string;
}

function signedText(parts: SignedParts): string {
	const { address, domain = 'login.xyz', uri = 'https://login.xyz', nonce, issued } = parts;
	const { statement = 'Sign-In With Ethereum Example Statement', expires, notBefore } = parts;
	return textOf(
		{},
		{
			greeting: greeting(domain),
			address,
			statement: ['', statement, ''],
			uri: `URI: ${uri}`,
			version: 'Version: 1',
			chain: 'Chain ID: 1',
			nonce: `Nonce: ${nonce}`,
			issued: `Issued At: ${issued}`,
			expires: expires === undefined ? [] : `Expiration Time: ${expires}`,
			notBefore: notBefore === undefined ? [] : `Not Before: ${notBefore}`,
		},
	);
}

const END = '2100-01-07T14:31:43.952Z';
const EXAMPLE_MESSAGE = {
	address: '0x9D85ca56217D2bb651b00f15e694EB7E713637D4',
	nonce: 'bTyXgcQxn2htgkjJn',
	issued: '2022-01-27T17:09:38.578Z',
	expires: END,
};
const EXAMPLE_SIGNATURE =
	'0xdc35c7f8ba2720df052e0092556456127f00f7707eaa8e3bbff7e56774e7f2e05a093cfc9e02964c33d86e8e066e221b7d153d27e5a2e97ccd5ca7d3f2ce06cb1b';
const LATER_MESSAGE = {
	address: '0xE6D3Aa1F561A215E5eb1f02Ba8705385F03fCaFB',
	nonce: 'lx2nx4so',
	issued: '2022-01-05T14:27:30.883Z',
	notBefore: END,
};
const LATER_SIGNATURE =
	'0xc2539ace78f13c7eb8c0852d38d269a6f97bebd9f7872097d2e3137b541f8bf50176062a46eeea83086bd2721423fb5755a932ff6ccc046ed482d14e4576042f1c';
const EXPIRED_MESSAGE = {
	address: '0x2ecA0068307e706741445764A3D6A4402aC2A5a9',
	nonce: 'lx2nx4so',
	issued: '2022-01-05T14:27:30.883Z',
	expires: '2021-01-05T00:00:00Z',
};
const EXPIRED_SIGNATURE =
	'0x7337bc2826c7678cd6bc84f5b3b236efc969b0451f9feca2328b1d3401b030c113f19bdba359ba3f52762c66e9147311fa95fe598a1a4ec9bb383a7b4e3874241b';
const FORGED_MESSAGE = {
	address: '0x6Da01670d8fc844e736095918bbE11fE8D564163',
	nonce: 'rmplqh1gf',
	issued: '2022-01-05T14:31:43.954Z',
	expires: END,
};

const SIGNED: ReadonlyArray<
	Omit<SignedMessageVector, 'text' | 'address' | 'time'> & {
		readonly message: SignedParts;
		readonly time?: string;
	}
> = [
	{
		name: 'positive: example message',
		message: EXAMPLE_MESSAGE,
		signature: EXAMPLE_SIGNATURE,
		outcome: 'verified',
	},
	{
		name: 'positive: not yet valid',
		message: LATER_MESSAGE,
		signature: LATER_SIGNATURE,
		time: '2101-01-07T14:31:43.952Z',
		outcome: 'verified',
	},
	{
		name: 'positive: expired message',
		message: EXPIRED_MESSAGE,
		signature: EXPIRED_SIGNATURE,
		time: '2020-01-05T00:00:00Z',
		outcome: 'notSigned',
		stricter: 'the message was issued two years after the time of the check',
	},
	{
		name: 'positive: recovery byte starting at 0',
		message: {
			address: '0xc95EB884FE852e241D409234bfC7045CB9E31BD7',
			statement: 'Sign in with Ethereum to Tally',
			domain: 'www.tally.xyz',
			uri: 'https://tally.xyz',
			nonce: '15050747',
			issued: '2022-06-30T14:08:51.382Z',
		},
		signature:
			'0x8c46b6eb8505939892d8e9b075f89f8277321b17b993151f37810cdda38cce6f4a85909d2b53e6a14629c74c0ac38bf4becde78ee5b2529812bf6cceaf7b2a2501',
		outcome: 'verified',
	},
	{
		name: 'negative: expired message',
		message: EXPIRED_MESSAGE,
		signature: EXPIRED_SIGNATURE,
		outcome: 'notSigned',
	},
	{
		name: 'negative: domain binding',
		message: EXAMPLE_MESSAGE,
		signature: EXAMPLE_SIGNATURE,
		domain: 'example.com',
		outcome: 'notSigned',
	},
	{
		name: 'negative: custom time',
		message: EXAMPLE_MESSAGE,
		signature: EXAMPLE_SIGNATURE,
		time: '2200-01-05T00:00:00Z',
		outcome: 'notSigned',
	},
	{
		name: 'negative: malformed signature',
		message: FORGED_MESSAGE,
		signature:
			'0xf2e8420fc1b722bf4941f5a0464f98172a758ceda5039f622e425fb69fd19b20e444bba7c9a8a8d7e2b5e453553efe7c9460be5d211abe473fc146d51bb04d0cb1b',
		outcome: 'notItsSignature',
	},
	{
		name: 'negative: wrong signature',
		message: FORGED_MESSAGE,
		signature:
			'0x31df81dc02344c9156e6f71da46e2db624b38f8f806290d670d46492b834b2e7575cbce9f48169356cfb577b910d8e30732fcf23c1ac0021d08b945ed7ee118e1b',
		outcome: 'notItsSignature',
	},
	{
		name: 'negative: not yet valid',
		message: LATER_MESSAGE,
		signature: LATER_SIGNATURE,
		outcome: 'notSigned',
	},
	{
		name: 'negative: invalid issuedAt',
		message: {
			address: '0xA0aEF081D1ACE5F830532d7D77Ea4c8EE0EaBCF9',
			nonce: 'bTyXgcQxn2htgkjJn',
			issued: '2022-02-31T17:09:38.578Z',
		},
		signature:
			'0x9e837df8b56f6e0cac9b4dce52074c352a4143932b442b973963ed2f7b9987146c8e546e5662867198ec0ae9bdb2e87ffaee528375dac7bf003883714ff732701b',
		outcome: 'notSigned',
	},
	{
		name: 'negative: invalid notBefore',
		message: {
			address: '0xA2ce2B71d77983918C8388c47576ad77E339B2F9',
			nonce: 'bTyXgcQxn2htgkjJn',
			issued: '2022-01-30T17:09:38.578Z',
			notBefore: '2025-02-31T17:09:38.578Z',
			expires: END,
		},
		signature:
			'0xa741355d0cfa938f45e9137d3b1f362e06961d2f35e01bad794b1f35d7d3e4fc5fd610d28d1b1236fdc305ec05c62b83cade54b49e221adf62e116b0c3a96f531b',
		outcome: 'notSigned',
	},
	{
		name: 'negative: invalid expirationTime',
		message: {
			address: '0xeE5A13CfAC109487d56F9186241009Dd9A7b4Ad4',
			nonce: 'bTyXgcQxn2htgkjJn',
			issued: '2022-01-30T17:09:38.578Z',
			expires: '2100-02-31T14:31:43.952Z',
		},
		signature:
			'0x5cbe6e6735e7b5818da08890363d6154edf73593db692b64adaea9c1186712a72244971284377d2fed8286b69dafc3cf964cb4e05a8e8d07c1a6f4ede8d9470e1c',
		outcome: 'notSigned',
	},
	{
		name: 'EIP-1271: argent',
		message: {
			address: '0xa5b3A53800cD49669F34DE80f2C569c6D4Ca3009',
			statement: 'SIWE Notepad Example',
			domain: 'localhost:4361',
			uri: 'http://localhost:4361',
			nonce: 'FbYd6TNB4m0IUHDG7',
			issued: '2022-04-19T18:55:04.444Z',
		},
		signature:
			'0x00193f8bb87a8bd4a8367a47ee477c62aec984830ec59e730b28d1ec54669eab450b9f3108a5c435648691c5766b35e2f13b8fb29f46298bb378ac34597d7e271c',
		outcome: 'notItsSignature',
		stricter: 'a contract’s wallet can’t be asked without a chain; the node has wallets with keys',
	},
	{
		name: 'EIP-1271: loopring',
		message: {
			address: '0x0e565A6dFc43DE21455a67bbF196f7F7b15447A7',
			statement: 'SIWE Notepad Example',
			domain: 'localhost:4361',
			uri: 'http://localhost:4361',
			nonce: 'b19JyMHnM0Jdm20as',
			issued: '2022-04-19T18:57:09.490Z',
		},
		signature:
			'0x2f280385ebd550309197c4c892c5a8eb1a6e743d5c90c8036dea6f05c3e8cb321f90210a567ee88461733731a9c4e177140a969784c0421c09897e161f17bf331c02',
		outcome: 'notItsSignature',
		stricter: 'a contract’s wallet can’t be asked without a chain; the node has wallets with keys',
	},
];

/**
 * The messages that `siwe` verifies or not. Its case *custom nonce* is left out: the node doesn't
 * expect a nonce, but hands on the message's.
 */
export const SIGNED_MESSAGES: readonly SignedMessageVector[] = SIGNED.map(
	({ message, time = TODAY, ...vector }) => ({
		...vector,
		text: signedText(message),
		address: message.address,
		time,
	}),
);
