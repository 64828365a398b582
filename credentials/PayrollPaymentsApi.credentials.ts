import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

export class PayrollPaymentsApi implements ICredentialType {
	name = 'payrollPaymentsApi';

	displayName = 'Payroll Payments API';

	icon: Icon = {
		light: 'file:../icons/payrollPayments.svg',
		dark: 'file:../icons/payrollPayments.dark.svg',
	};

	documentationUrl =
		'https://github.com/payroll-payments/n8n-nodes-payroll-payments/blob/main/docs/credentials.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Session Token',
			name: 'sessionToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'Address of the service, without /v2. Must use https, or http on this machine.',
		},
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
			displayName: 'Platform ID',
			name: 'platformId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. PLT-10000001',
			description:
				'Identifier of the user that the wallet signs in for. The operation Team User: Get Many lists it as platformid.',
			displayOptions: { show: { authentication: ['walletSignIn'] } },
		},
		{
			displayName: 'Signer',
			name: 'signer',
			type: 'options',
			options: [
				{
					name: 'Private Key',
					value: 'privateKey',
					description: 'n8n keeps the key in its encrypted credentials',
				},
				{
					name: 'Remote Signer',
					value: 'remoteSigner',
					description: 'A JSON-RPC signer keeps the key, which never enters n8n',
				},
			],
			default: 'privateKey',
			displayOptions: { show: { authentication: ['walletSignIn'] } },
		},
		{
			displayName:
				'Use a dedicated wallet for n8n with the smallest role that works; a viewer role is enough for reading. The node signs only what it has checked.',
			name: 'walletNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { authentication: ['walletSignIn'] } },
		},
		{
			displayName: 'Private Key',
			name: 'privateKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. 0x4c08…3f31',
			description: '0x followed by 64 hex characters',
			displayOptions: { show: { authentication: ['walletSignIn'], signer: ['privateKey'] } },
		},
		{
			displayName: 'Remote Signer URL',
			name: 'remoteSignerUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://signer.example.com',
			description: 'Address of the JSON-RPC signer. Must use https, or http on a private address.',
			displayOptions: { show: { authentication: ['walletSignIn'], signer: ['remoteSigner'] } },
		},
		{
			displayName: 'Wallet Address',
			name: 'walletAddress',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 0x5290…9EE7',
			description: 'Address of the wallet that the signer signs with',
			displayOptions: { show: { authentication: ['walletSignIn'], signer: ['remoteSigner'] } },
		},
		{
			displayName: 'Remote Signer Dialect',
			name: 'remoteSignerDialect',
			type: 'options',
			options: [
				{
					name: 'Clef',
					value: 'clef',
					description: 'Methods account_signData and account_signTypedData',
				},
				{
					name: 'Wallet',
					value: 'wallet',
					description: 'Methods personal_sign and eth_signTypedData_v4',
				},
				{
					name: 'Web3Signer',
					value: 'web3signer',
					description: 'Methods eth_sign and eth_signTypedData',
				},
			],
			default: 'wallet',
			displayOptions: { show: { authentication: ['walletSignIn'], signer: ['remoteSigner'] } },
		},
		{
			displayName: 'Remote Signer Token',
			name: 'remoteSignerToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			placeholder: 'e.g. 3f9c…b1d2',
			description: 'Optional. Sent to the signer as a bearer token.',
			displayOptions: { show: { authentication: ['walletSignIn'], signer: ['remoteSigner'] } },
		},
		{
			displayName: 'Sign-In Domain',
			name: 'signInDomain',
			type: 'string',
			default: '',
			placeholder: 'e.g. app.example.com',
			description:
				'Recommended. The only domain that a sign-in message may name; if empty, n8n signs a message for any domain.',
			displayOptions: { show: { authentication: ['walletSignIn'] } },
		},
		{
			displayName: 'Sign-In Chain ID',
			name: 'signInChainId',
			type: 'string',
			default: '',
			placeholder: 'e.g. 42161',
			description: 'Optional. The only chain that a sign-in message may name.',
			displayOptions: { show: { authentication: ['walletSignIn'] } },
		},
		{
			displayName: 'Wallet Address',
			name: 'walletAddress',
			type: 'string',
			default: '',
			placeholder: 'e.g. 0x5290…9EE7',
			description: 'Optional. If filled in, it must be the address of the private key.',
			displayOptions: { show: { authentication: ['walletSignIn'], signer: ['privateKey'] } },
		},
		{
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. eyJhbG…',
			description: 'The JWT, without the word Bearer',
			displayOptions: { show: { authentication: ['accessToken'] } },
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. 3f9c…b1d2',
			description: 'Sent as the X-Auth-Token header',
			displayOptions: { show: { authentication: ['legacyApiKey'] } },
		},
		{
			displayName: 'Permissions',
			name: 'permissions',
			type: 'multiOptions',
			noDataExpression: true,
			options: [
				{ name: 'Invite People', value: 'invitePeople' },
				{ name: 'Manage Administrators', value: 'manageAdministrators' },
				{ name: 'Resolve Name Reviews', value: 'resolveNameReviews' },
				{ name: 'Send Payments', value: 'sendPayments' },
				{ name: 'Send Test Events', value: 'sendTestEvents' },
			],
			default: [
				'invitePeople',
				'manageAdministrators',
				'resolveNameReviews',
				'sendPayments',
				'sendTestEvents',
			],
			description: 'What workflows may do with these credentials. Reading is always allowed.',
		},
		{
			displayName: 'Maximum Payment',
			name: 'maximumPayment',
			type: 'string',
			noDataExpression: true,
			default: '',
			placeholder: 'e.g. 2500.00',
			description: 'The most that one payment may move, in US dollars; leave empty for no limit',
		},
		{
			displayName: 'Payment Recipients',
			name: 'paymentRecipients',
			type: 'string',
			noDataExpression: true,
			default: '',
			placeholder: 'e.g. ana@example.com, @example.org',
			description:
				'Who may be paid: email addresses and @domain entries, separated by commas. Leave empty to allow anyone.',
		},
	];

	/**
	 * Signs in when there is no usable token (docs/api.md, Authentication); n8n calls this when
	 * `sessionToken` is empty and after a 401. Parallel callers share one sign-in.
	 */
	async preAuthentication(
		this: IHttpRequestHelper,
		saved: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const { obtainSession } = await import('../nodes/PayrollPayments/api/authentication');
		return await obtainSession(this, saved);
	}

	async authenticate(
		saved: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticateRequest } = await import('../nodes/PayrollPayments/api/authentication');
		return await authenticateRequest(saved, options);
	}
}
