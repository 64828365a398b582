import { id } from 'ethers';

import { readCredentials } from '../../../nodes/PayrollPayments/api/credentials';
import { properties } from '../../../nodes/PayrollPayments/api/credentialForm';
import { refusalOf } from '../../support/refusals';

const privateKey = id('credentials test');
const remoteSigner = {
	signer: 'remoteSigner',
	remoteSignerUrl: 'https://s.example.com',
	walletAddress: `0x${'a'.repeat(40)}`,
};
const complete = {
	baseUrl: 'https://api.example.com/',
	authentication: 'walletSignIn',
	platformId: 'platform-1',
	signer: 'privateKey',
	privateKey,
	walletAddress: '',
	signInDomain: '',
	signInChainId: '',
};

it('tolerates a trailing slash and leaves empty options out', () => {
	expect(readCredentials(complete)).toEqual({
		baseUrl: 'https://api.example.com',
		authentication: 'walletSignIn',
		platformId: 'platform-1',
		signer: 'privateKey',
		privateKey,
		limits: {
			access: 'readOnly',
			permissions: new Set(),
			requireApproval: false,
			otherRequests: [],
		},
		entities: [],
		fieldNames: [],
	});
});

it.each([
	...['http://localhost:3000', 'http://127.0.0.1:3000', 'http://127.9.9.9', 'http://[::1]:3000'],
	...['http://[0:0:0:0:0:0:0:1]:3000', 'http://127.1:3000', 'http://0x7f.1', 'http://2130706433'],
	...['http://127.0.0.1.', 'http://LOCALHOST:3000', 'https://api.example.com/base/'],
])('takes the base URL %s', (baseUrl) => {
	const taken = new URL(readCredentials({ ...complete, baseUrl }).baseUrl);
	expect(`${taken.href.replace(/\/$/, '')}/`).toBe(`${new URL(baseUrl).href.replace(/\/$/, '')}/`);
});

it.each([
	...[
		...['http://api.example.com', 'http://10.0.0.1', 'http://127.0.0.1.example.com'],
		...['http://localhost.example.com', 'http://anything.localhost', 'http://localhost.'],
		...['http://.localhost', 'http://128.0.0.1', 'http://0.0.0.0', 'http://[::]', 'http://[::2]'],
		...['http://[::ffff:127.0.0.1]', 'http://127.0.0.1@api.example.com', 'ftp://localhost'],
		'javascript:alert(1)',
	].map((url) => [url, 'must start with https://']),
	['https://user:pass@api.example.com', 'must not contain a user name or password'],
	['https://api.example.com?x=1', 'must not contain a query'],
	['https://api.example.com/v2', 'must not end in /v2'],
	['https://api.example.com/v2/', 'must not end in /v2'],
	['api.example.com', 'must be a web address'],
	['', 'is missing'],
])('refuses the base URL %j', (baseUrl, fault) => {
	expect(() => readCredentials({ ...complete, baseUrl })).toThrow(
		expect.objectContaining({
			message: expect.stringContaining(`Base URL in the credentials ${fault}`),
		}),
	);
});

const TOO_LONG = 'must not have more than 8192 characters';
const LONG = 'a'.repeat(8_193);

const notOneOf = (value: unknown, names: string) =>
	`${(value ?? '') === '' ? 'is missing. Select' : 'must be'} ${names}`;

type Refused = [change: object, label: string, fault: string];

it.each<Refused>([
	[{ privateKey: '' }, 'Private Key', 'is missing'],
	[{ privateKey: privateKey.slice(3) }, 'Private Key', 'must be 64 hex characters'],
	[{ platformId: privateKey.slice(2).toUpperCase() }, 'Platform ID', 'must not be the private key'],
	[{ authentication: 'accessToken', accessToken: privateKey }, 'Access Token', 'must be a token'],
	[{ privateKey: `${privateKey}a` }, 'Private Key', 'must be 64 hex characters'],
	[{ platformId: ' ' }, 'Platform ID', 'is missing'],
	[{ walletAddress: '0x1' }, 'Wallet Address', 'must be 0x followed by 40'],
	...['one', ' ', '0', '0x1', '1e3', '-1', '1.5', '9007199254740993', 0, -1, 1.5, NaN].map(
		(signInChainId): Refused => [{ signInChainId }, 'Sign-In Chain ID', 'must be a whole number'],
	),
	[{ signInDomain: ' ' }, 'Sign-In Domain', 'is missing'],
	...['https://', 'a b', '://x'].map(
		(signInDomain): Refused => [{ signInDomain }, 'Sign-In Domain', 'must be a domain'],
	),
	...[0, 4, 901, 1.5, 'soon'].map(
		(confirmationSeconds): Refused => [
			{ ...remoteSigner, confirmationSeconds },
			'Wait for Confirmation (Seconds)',
			'must be a whole number, from 5 to 900',
		],
	),
	...[
		[privateKey, 'write the documented name'],
		[`email = ${privateKey} x`, 'write the documented name'],
		[`${privateKey} = email`, 'no documented field has this name'],
		['team_nanoid = team', 'team_nanoid can’t have another name'],
		['success = ok', 'success can’t have another name'],
		['typed_data = typedData', 'typed_data can’t have another name'],
		['email = salt', 'salt is another documented field'],
		['email = role', 'role is another documented field'],
		['email = email', 'email is another documented field'],
		['siwe = other', 'an earlier line has one of the names'],
		['emails = text', 'an earlier line has one of the names'],
	].map(
		([line = '', fault]): Refused => [
			{ fieldNames: `siwe = text\n\n${line}` },
			'Field Names',
			`is wrong in line 3: ${fault}`,
		],
	),
	[{ walletAddress: ' ' }, 'Wallet Address', 'is missing'],
	[{ ...remoteSigner, walletAddress: '' }, 'Wallet Address', 'is missing'],
	[{ authentication: 'accessToken', accessToken: '' }, 'Access Token', 'is missing'],
	[{ authentication: 'accessToken', accessToken: 'a b' }, 'Access Token', 'must be one line'],
	[{ authentication: 'legacyApiKey', apiKey: 'a\nb' }, 'API Key', 'must be one line'],
	[{ authentication: 'accessToken', accessToken: LONG }, 'Access Token', TOO_LONG],
	[{ authentication: 'legacyApiKey', apiKey: LONG }, 'API Key', TOO_LONG],
	[{ ...remoteSigner, remoteSignerToken: LONG }, 'Remote Signer Token', TOO_LONG],
	...[privateKey, 'AccessToken', ['walletSignIn'], null, '', 5].map(
		(authentication): Refused => [
			{ authentication },
			'Authentication',
			notOneOf(authentication, 'Access Token, Legacy API Key or Wallet Sign-In'),
		],
	),
	...[privateKey, 'RemoteSigner', null, '', 5].map(
		(signer): Refused => [{ signer }, 'Signer', notOneOf(signer, 'Private Key or Remote Signer')],
	),
	...[privateKey, 'toString', ['clef'], null, '', 5].map(
		(remoteSignerDialect): Refused => [
			{ ...remoteSigner, remoteSignerDialect },
			'Remote Signer Dialect',
			notOneOf(remoteSignerDialect, 'Clef, Wallet or Web3Signer'),
		],
	),
	...[
		[privateKey, 'the ID must start with te-, co- or us-'],
		[`te-a1B2c3D4e5F6 ${privateKey}`, 'te-a1B2c3D4e5F6 is listed again'],
		['“te‑a1B2c3D4e5F6”; Lisbon', 'te-a1B2c3D4e5F6 is listed again'],
	].map(
		([line = '', fault]): Refused => [
			{ entities: `te-a1B2c3D4e5F6\n\n${line}` },
			'Teams and Companies',
			`is wrong in line 3: ${fault}`,
		],
	),
])('names the field at fault and not its value: %j', (change, label, fault) => {
	const { message } = refusalOf(() => readCredentials({ ...complete, ...change }));
	expect(message).toContain(`${label} in the credentials ${fault}`);
	expect(message).not.toContain(privateKey.slice(2));
	expect(message.length).toBeLessThan(200);
});

it.each([
	['signInDomain', 'Sign-In Domain in the credentials must be text'],
	['signInChainId', 'Sign-In Chain ID in the credentials must be a whole number, 1 or more'],
	['walletAddress', 'Wallet Address in the credentials must be text'],
])('an expression in %s that finds nothing opens nothing', (field, fault) => {
	for (const value of [undefined, null, 0, false, true, [], {}]) {
		expect(() => readCredentials({ ...complete, [field]: value })).toThrow(fault);
	}
	expect(properties.find(({ name }) => name === field)?.noDataExpression).toBe(
		field === 'walletAddress' ? undefined : true,
	);
});

it('takes a chain as digits or as a number, and tokens of up to 8,192 characters', () => {
	for (const signInChainId of ['42161', ' 42161 ', 42161]) {
		expect(readCredentials({ ...complete, signInChainId })).toMatchObject({ signInChainId: 42161 });
	}
	const accessToken = 'a'.repeat(8_192);
	const withToken = { ...complete, authentication: 'accessToken', accessToken };
	expect(readCredentials(withToken)).toMatchObject({ accessToken });
	expect(
		readCredentials({ ...complete, ...remoteSigner, remoteSignerToken: '' }),
	).not.toHaveProperty('remoteSignerToken', expect.anything());
});

it.each([
	['te-a1B2c3D4e5F6 Engineering, Berlin', 'Engineering, Berlin'],
	['te-a1B2c3D4e5F6 , Engineering', 'Engineering'],
	['te-a1B2c3D4e5F6,Engineering', 'Engineering'],
	['  te-a1B2c3D4e5F6', 'te-a1B2c3D4e5F6'],
])('a team may be listed as %j', (entities, name) => {
	const listed = [{ id: 'te-a1B2c3D4e5F6', name }];
	expect(readCredentials({ ...complete, entities: `\n${entities}\r\n` }).entities).toEqual(listed);
});

it.each([
	['app.example.com', 'app.example.com'],
	['App.Example.com', 'app.example.com'],
	['https://app.example.com/login?x=1#y', 'app.example.com'],
	['https://app.example.com:8443', 'app.example.com:8443'],
	['app.example.com/login', 'app.example.com'],
	['localhost:3000', 'localhost:3000'],
])('the sign-in domain %s is reduced to its host', (signInDomain, host) => {
	expect(readCredentials({ ...complete, signInDomain })).toMatchObject({ signInDomain: host });
});

it('a private key may come without 0x', () => {
	const bare = readCredentials({ ...complete, privateKey: privateKey.slice(2) });
	expect(bare).toMatchObject({ privateKey });
});

describe('a remote signer', () => {
	const read = (remoteSignerUrl: string) =>
		readCredentials({ ...complete, ...remoteSigner, remoteSignerUrl });

	it.each([
		...['http://10.1.2.3:8545', 'http://192.168.1.9', 'http://172.16.0.1', 'http://[fd00::1]'],
		...['http://127.0.0.1:1', 'https://signer.example.com', 'https://signer.example.com/v2'],
		'https://signer.example.com/rpc/',
	])('may be at %s', (url) => {
		expect(read(url)).toMatchObject({
			remoteSignerUrl: url,
			remoteSignerDialect: 'wallet',
			confirmationSeconds: 30,
			walletAddress: `0x${'a'.repeat(40)}`,
		});
	});

	it.each([
		...['http://signer.example.com', 'http://anything.localhost', 'http://[::ffff:10.0.0.1]'],
		...['http://172.32.0.1', 'http://8.8.8.8', 'http://fd00.example.com'],
	])('may not be at %s', (url) => {
		expect(() => read(url)).toThrow('Remote Signer URL');
	});
});
