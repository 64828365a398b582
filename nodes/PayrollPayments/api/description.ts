import type { INodeProperties } from 'n8n-workflow';

import { DIALECTS } from '../signing/dialects';
import { PERMISSIONS } from './limits';

const WALLET = { authentication: ['walletSignIn'] };
const PRIVATE_KEY = { ...WALLET, signer: ['privateKey'] };
const REMOTE_SIGNER = { ...WALLET, signer: ['remoteSigner'] };

type Texts = Omit<Partial<INodeProperties>, 'displayOptions'> & {
	readonly show?: Record<string, string[]>;
};

function field(name: string, displayName: string, { show, ...texts }: Texts): INodeProperties {
	const displayOptions = show && { displayOptions: { show } };
	return { displayName, name, type: 'string', default: '', ...texts, ...displayOptions };
}

function secret(name: string, displayName: string, texts: Texts): INodeProperties {
	return field(name, displayName, { ...texts, typeOptions: { password: true } });
}

function menu(
	name: string,
	displayName: string,
	options: Readonly<Record<string, readonly [label: string, description: string]>>,
	texts: Texts,
): INodeProperties {
	return field(name, displayName, {
		type: 'options',
		options: Object.entries(options).map(([value, [label, description]]) => ({
			name: label,
			value,
			description,
		})),
		...texts,
	});
}

/** The form of the credentials: what everybody needs first, then the signer, then the limits. */
export const properties: INodeProperties[] = [
	field('sessionToken', 'Session Token', {
		type: 'hidden',
		typeOptions: { expirable: true, password: true },
	}),
	field('baseUrl', 'Base URL', {
		required: true,
		placeholder: 'e.g. https://api.example.com',
		description: 'Address of the service, without /v2. Must use https, or http on this machine.',
	}),
	menu(
		'authentication',
		'Authentication',
		{
			accessToken: ['Access Token', 'A token (JWT) that you already have; n8n can’t renew it'],
			legacyApiKey: ['Legacy API Key', 'The older scheme, sent as the X-Auth-Token header'],
			walletSignIn: ['Wallet Sign-In', 'Sign in with a wallet; the token is renewed automatically'],
		},
		{ default: 'walletSignIn' },
	),
	menu(
		'access',
		'Workflows May',
		{
			selected: ['Choose…', 'Read everything, and make the changes that you select'],
			everything: ['Everything', 'Read everything, make every change, and send payments'],
			readOnly: ['Read Only', 'Read everything, and change nothing'],
		},
		{
			noDataExpression: true,
			default: 'readOnly',
			description: 'What workflows may do with these credentials',
		},
	),
	field('permissions', 'Permissions', {
		type: 'multiOptions',
		noDataExpression: true,
		options: Object.entries(PERMISSIONS).map(([value, { label }]) => ({ name: label, value })),
		default: [],
		description: 'The changes that workflows may make. Reading is always allowed.',
		show: { access: ['selected'] },
	}),
	field('platformId', 'Platform ID', {
		required: true,
		placeholder: 'e.g. PLT-10000001',
		description:
			'Identifier of the user that the wallet signs in for. Team User: Get Many lists it as platformid if Simplify is off.',
		show: WALLET,
	}),
	secret('privateKey', 'Private Key', {
		required: true,
		placeholder: 'e.g. 0x4c08…3f31',
		description: '0x followed by 64 hex characters',
		show: PRIVATE_KEY,
	}),
	secret('accessToken', 'Access Token', {
		required: true,
		placeholder: 'e.g. eyJhbG…',
		description: 'The JWT, without the word Bearer',
		show: { authentication: ['accessToken'] },
	}),
	secret('apiKey', 'API Key', {
		required: true,
		placeholder: 'e.g. 3f9c…b1d2',
		description: 'Sent as the X-Auth-Token header',
		show: { authentication: ['legacyApiKey'] },
	}),
	field(
		'walletNotice',
		'Use a dedicated wallet for n8n with the smallest role that works; a viewer role is enough for reading. Before signing a payment, the node compares amount, team and email. It can’t check the recipient’s wallet address.',
		{ type: 'notice', show: WALLET },
	),
	field('entities', 'Teams and Companies', {
		typeOptions: { rows: 3 },
		noDataExpression: true,
		placeholder: 'e.g. te-a1B2c3D4e5F6 Engineering',
		description:
			'Optional. One per line, an identifier and a name. Forms then offer these names, and approvals and errors use them.',
	}),
	menu(
		'signer',
		'Signer',
		{
			privateKey: ['Private Key', 'The key stays in the encrypted credentials of n8n'],
			remoteSigner: ['Remote Signer', 'A JSON-RPC signer keeps the key, which never enters n8n'],
		},
		{ default: 'privateKey', show: WALLET },
	),
	field('remoteSignerUrl', 'Remote Signer URL', {
		required: true,
		placeholder: 'e.g. https://signer.example.com',
		description: 'Address of the JSON-RPC signer. Must use https, or http on a private address.',
		show: REMOTE_SIGNER,
	}),
	field('walletAddress', 'Wallet Address', {
		required: true,
		placeholder: 'e.g. 0x5290…9EE7',
		description: 'Address of the wallet that the signer signs with',
		show: REMOTE_SIGNER,
	}),
	field('remoteSignerDialect', 'Remote Signer Dialect', {
		type: 'options',
		options: Object.entries(DIALECTS).map(([value, { label, methods }]) => ({
			name: label,
			value,
			description: `Methods ${methods.message} and ${methods.typedData}`,
		})),
		default: 'wallet',
		show: REMOTE_SIGNER,
	}),
	secret('remoteSignerToken', 'Remote Signer Token', {
		placeholder: 'e.g. 3f9c…b1d2',
		description: 'Optional. Sent to the signer as a bearer token.',
		show: REMOTE_SIGNER,
	}),
	field('walletAddress', 'Wallet Address', {
		placeholder: 'e.g. 0x5290…9EE7',
		description: 'Optional. If filled in, it must be the address of the private key.',
		show: PRIVATE_KEY,
	}),
	field('signInDomain', 'Sign-In Domain', {
		noDataExpression: true,
		placeholder: 'e.g. app.example.com',
		description:
			'Recommended. The only domain that a sign-in message may name; if empty, n8n signs a message for any domain.',
		show: WALLET,
	}),
	field('signInChainId', 'Sign-In Chain ID', {
		noDataExpression: true,
		placeholder: 'e.g. 42161',
		description: 'Optional. The only chain that a sign-in message may name.',
		show: WALLET,
	}),
	field('requireApproval', 'Require Approved Check', {
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description:
			'Whether every change must name the approval that Check Only gave for it (Approved Check under Options)',
	}),
	field('maximumPayment', 'Maximum Payment', {
		noDataExpression: true,
		placeholder: 'e.g. 2500.00',
		description: 'The most that one payment may move, in US dollars; leave empty for no limit',
	}),
	field('paymentRecipients', 'Payment Recipients', {
		noDataExpression: true,
		placeholder: 'e.g. ana@example.com, @example.org',
		description:
			'Who may be paid: email addresses and @domain entries, separated by commas. Leave empty to allow anyone.',
	}),
];
