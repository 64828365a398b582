import type { INodeProperties } from 'n8n-workflow';

import { DIALECTS } from '../signing/dialects';
import { PERMISSIONS } from './limits';

const SIGNER_DIALECTS = Object.entries(DIALECTS).map(([value, { label, methods }]) => ({
	name: label,
	value,
	description: `Methods ${methods.message} and ${methods.typedData}`,
}));

const WALLET = { authentication: ['walletSignIn'] };
const PRIVATE_KEY = { ...WALLET, signer: ['privateKey'] };
const REMOTE_SIGNER = { ...WALLET, signer: ['remoteSigner'] };

function secret(
	name: string,
	displayName: string,
	show: Record<string, string[]>,
	texts: Pick<INodeProperties, 'description' | 'placeholder' | 'required'>,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		typeOptions: { password: true },
		default: '',
		...texts,
		displayOptions: { show },
	};
}

function line(
	name: string,
	displayName: string,
	texts: Pick<INodeProperties, 'description' | 'placeholder' | 'required' | 'noDataExpression'>,
	show?: Record<string, string[]>,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		...texts,
		...(show === undefined ? {} : { displayOptions: { show } }),
	};
}

/** The form of the credentials: what everybody needs first, then the signer, then the limits. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Session Token',
		name: 'sessionToken',
		type: 'hidden',
		typeOptions: { expirable: true, password: true },
		default: '',
	},
	line('baseUrl', 'Base URL', {
		required: true,
		placeholder: 'e.g. https://api.example.com',
		description: 'Address of the service, without /v2. Must use https, or http on this machine.',
	}),
	{
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		options: [
			{
				name: 'Access Token',
				value: 'accessToken',
				description: 'A token (JWT) that you already have; n8n can’t renew it',
			},
			{
				name: 'Legacy API Key',
				value: 'legacyApiKey',
				description: 'The older scheme, sent as the X-Auth-Token header',
			},
			{
				name: 'Wallet Sign-In',
				value: 'walletSignIn',
				description: 'Sign in with a wallet; the token is renewed automatically',
			},
		],
		default: 'walletSignIn',
	},
	{
		displayName: 'Workflows May',
		name: 'access',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Choose…',
				value: 'selected',
				description: 'Read everything, and make the changes that you select',
			},
			{
				name: 'Everything',
				value: 'everything',
				description: 'Read everything, make every change, and send payments',
			},
			{ name: 'Read Only', value: 'readOnly', description: 'Read everything, and change nothing' },
		],
		default: 'readOnly',
		description: 'What workflows may do with these credentials',
	},
	{
		displayName: 'Permissions',
		name: 'permissions',
		type: 'multiOptions',
		noDataExpression: true,
		options: Object.entries(PERMISSIONS).map(([value, { label }]) => ({ name: label, value })),
		default: [],
		description: 'The changes that workflows may make. Reading is always allowed.',
		displayOptions: { show: { access: ['selected'] } },
	},
	line(
		'platformId',
		'Platform ID',
		{
			required: true,
			placeholder: 'e.g. PLT-10000001',
			description:
				'Identifier of the user that the wallet signs in for. The operation Team User: Get Many lists it as platformid.',
		},
		WALLET,
	),
	secret('privateKey', 'Private Key', PRIVATE_KEY, {
		required: true,
		placeholder: 'e.g. 0x4c08…3f31',
		description: '0x followed by 64 hex characters',
	}),
	secret(
		'accessToken',
		'Access Token',
		{ authentication: ['accessToken'] },
		{
			required: true,
			placeholder: 'e.g. eyJhbG…',
			description: 'The JWT, without the word Bearer',
		},
	),
	secret(
		'apiKey',
		'API Key',
		{ authentication: ['legacyApiKey'] },
		{
			required: true,
			placeholder: 'e.g. 3f9c…b1d2',
			description: 'Sent as the X-Auth-Token header',
		},
	),
	{
		displayName:
			'Use a dedicated wallet for n8n with the smallest role that works; a viewer role is enough for reading. The node signs only what it has checked.',
		name: 'walletNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: WALLET },
	},
	{
		displayName: 'Teams and Companies',
		name: 'entities',
		type: 'string',
		typeOptions: { rows: 3 },
		noDataExpression: true,
		default: '',
		placeholder: 'e.g. te-a1B2c3D4e5F6 Engineering',
		description:
			'Optional. One per line, an identifier and a name. Forms then offer these names, and approvals and errors use them.',
	},
	{
		displayName: 'Signer',
		name: 'signer',
		type: 'options',
		options: [
			{
				name: 'Private Key',
				value: 'privateKey',
				description: 'The key stays in the encrypted credentials of n8n',
			},
			{
				name: 'Remote Signer',
				value: 'remoteSigner',
				description: 'A JSON-RPC signer keeps the key, which never enters n8n',
			},
		],
		default: 'privateKey',
		displayOptions: { show: WALLET },
	},
	line(
		'remoteSignerUrl',
		'Remote Signer URL',
		{
			required: true,
			placeholder: 'e.g. https://signer.example.com',
			description: 'Address of the JSON-RPC signer. Must use https, or http on a private address.',
		},
		REMOTE_SIGNER,
	),
	line(
		'walletAddress',
		'Wallet Address',
		{
			required: true,
			placeholder: 'e.g. 0x5290…9EE7',
			description: 'Address of the wallet that the signer signs with',
		},
		REMOTE_SIGNER,
	),
	{
		displayName: 'Remote Signer Dialect',
		name: 'remoteSignerDialect',
		type: 'options',
		options: SIGNER_DIALECTS,
		default: 'wallet',
		displayOptions: { show: REMOTE_SIGNER },
	},
	secret('remoteSignerToken', 'Remote Signer Token', REMOTE_SIGNER, {
		placeholder: 'e.g. 3f9c…b1d2',
		description: 'Optional. Sent to the signer as a bearer token.',
	}),
	line(
		'walletAddress',
		'Wallet Address',
		{
			placeholder: 'e.g. 0x5290…9EE7',
			description: 'Optional. If filled in, it must be the address of the private key.',
		},
		PRIVATE_KEY,
	),
	line(
		'signInDomain',
		'Sign-In Domain',
		{
			placeholder: 'e.g. app.example.com',
			description:
				'Recommended. The only domain that a sign-in message may name; if empty, n8n signs a message for any domain.',
		},
		WALLET,
	),
	line(
		'signInChainId',
		'Sign-In Chain ID',
		{
			placeholder: 'e.g. 42161',
			description: 'Optional. The only chain that a sign-in message may name.',
		},
		WALLET,
	),
	{
		displayName: 'Require Approved Check',
		name: 'requireApproval',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description:
			'Whether every change must name the approval that Check Only gave for it (Approved Check under Options)',
	},
	line('maximumPayment', 'Maximum Payment', {
		noDataExpression: true,
		placeholder: 'e.g. 2500.00',
		description: 'The most that one payment may move, in US dollars; leave empty for no limit',
	}),
	line('paymentRecipients', 'Payment Recipients', {
		noDataExpression: true,
		placeholder: 'e.g. ana@example.com, @example.org',
		description:
			'Who may be paid: email addresses and @domain entries, separated by commas. Leave empty to allow anyone.',
	}),
];
