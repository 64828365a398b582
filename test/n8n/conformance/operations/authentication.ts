import { formFor } from '../../../support/sandboxForms';
import { get, post, refusing, WRONG_ADDRESSES, type OperationCases } from '../cases';

export const getSignInMessage: OperationCases = {
	name: 'authentication.getSignInMessage',
	calls: ['getSignInMessage'],
	requests: ({ wallet, platformId }, world) => [
		get('/v2/auth/siwe', {
			wallet: String(wallet ?? world.account().address),
			platformid: String(platformId ?? world.account().platformId),
		}),
	],
	groups: (world) => {
		const { address, platformId } = world.account('teamAdministrator');
		const own = world.account();
		return [
			{
				what: 'wallet and platform ID of the credentials, and explicit ones, together and alone',
				accepted: [
					{},
					{ form: { wallet: address, platformId } },
					{ form: { wallet: own.address } },
					{ form: { platformId: own.platformId } },
				],
				refused: refusing('Wallet Address', 'wallet', WRONG_ADDRESSES),
			},
		];
	},
};

const nonceOf = (message: unknown): string => /^Nonce: (.+)$/m.exec(String(message))?.[1] ?? '';

export const verifySignIn: OperationCases = {
	name: 'authentication.verify',
	calls: ['verifySignIn'],
	requests: ({ message, signature, nonce }) => [
		post('/v2/auth/verify', { message, sig: signature, nonce: nonce ?? nonceOf(message) }),
	],
	groups: () => [
		{
			what: 'message and signature, with the nonce of the message or an explicit one',
			accepted: [
				{},
				{
					form: async (world) => {
						const signed = await formFor(world, 'authentication.verify');
						return { ...signed, nonce: nonceOf(signed.message) };
					},
				},
			],
			refused: [
				...refusing('Message', 'message', ['']),
				...refusing('Signature', 'signature', ['', 'signed', '0x', '0xg1']),
				...refusing('Nonce', 'message', ['A message without that line']),
			],
		},
	],
};
