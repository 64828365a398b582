import { refusing, WRONG_ADDRESSES, type OperationCases } from '../cases';

export const getSignInMessage: OperationCases = {
	name: 'Authentication: Get Sign-In Message',
	calls: ['getSignInMessage'],
	effect: 'read',
	resource: 'authentication',
	operation: 'getSignInMessage',
	form: () => ({}),
	requests: ({ wallet, platformId }, world) => [
		{
			method: 'GET',
			path: '/v2/auth/siwe',
			query: {
				wallet: String(wallet ?? world.account().address),
				platformid: String(platformId ?? world.account().platformId),
			},
		},
	],
	answers: (output) => output,
	groups: (world) => {
		const { address, platformId } = world.account('teamAdministrator');
		const own = world.account();
		return [
			{
				what: 'wallet and platform ID of the credentials',
				accepted: [{}],
			},
			{
				what: 'explicit wallet and platform ID, together and alone',
				accepted: [
					{ form: { wallet: address, platformId } },
					{ form: { wallet: own.address } },
					{ form: { platformId: own.platformId } },
				],
				refused: refusing('Wallet', 'wallet', WRONG_ADDRESSES),
			},
		];
	},
};

export const verifySignIn: OperationCases = {
	name: 'Authentication: Verify',
	calls: ['verifySignIn'],
	effect: 'write',
	resource: 'authentication',
	operation: 'verify',
	form: async (world) => {
		const message = world.signInMessage();
		return { message, signature: await world.wallet().signMessage(message) };
	},
	requests: ({ message, signature, nonce }) => [
		{
			method: 'POST',
			path: '/v2/auth/verify',
			query: {},
			body: {
				message,
				sig: signature,
				nonce: nonce ?? /^Nonce: (.+)$/m.exec(String(message))?.[1],
			},
		},
	],
	answers: (output) => output,
	groups: () => [
		{
			what: 'message and signature, with the nonce of the message',
			accepted: [{}],
			refused: [
				...refusing('Message', 'message', ['']),
				...refusing('Signature', 'signature', ['', 'signed', '0x', '0xg1']),
				...refusing('Nonce', 'message', ['A message without that line']),
			],
		},
		{
			what: 'an explicit nonce',
			accepted: [
				{
					form: async (world) => {
						const message = world.signInMessage();
						const nonce = /^Nonce: (.+)$/m.exec(message)?.[1] ?? '';
						return { message, nonce, signature: await world.wallet().signMessage(message) };
					},
				},
			],
		},
	],
};
