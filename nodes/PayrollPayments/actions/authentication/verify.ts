import { ecdsaSignature } from '../../shared/address';
import { Refusal } from '../../shared/errors';
import { verifySignInCall } from '../../api/signIn';
import { optional } from '../fields/field';
import { filledText, longText, text } from '../fields/kinds';
import { defineOperation } from '../defineOperation';
import { call } from '../service';

/** The nonce that the sign-in message itself names (EIP-4361). */
function nonceIn(message: string): string {
	const nonce = /^Nonce: (\S+)$/m.exec(message)?.[1];
	if (nonce !== undefined) return nonce;
	throw new Refusal('Nonce is missing: the message names none', {
		field: 'nonce',
		hint: 'Fill in the nonce, or paste the whole sign-in message with its line breaks.',
	});
}

/** docs/api.md, Endpoint 2. */
export const verifySignIn = defineOperation({
	resource: 'authentication',
	operation: 'verify',
	name: 'Verify',
	action: 'Verify sign in message',
	description: 'Exchange a signed sign-in message for a token',
	effect: 'write',
	permission: 'none',
	asTool: 'never',
	notice:
		'The output holds the token, and so does the execution data that n8n keeps. Use this only where the credentials cannot sign in themselves.',
	fields: {
		message: longText(
			{ label: 'Message', description: 'The sign-in message exactly as it was signed' },
			filledText,
		),
		signature: text(
			{ label: 'Signature', description: 'Signature over the message', example: '0x4f1c…1b' },
			ecdsaSignature,
		),
		nonce: optional(
			text(
				{
					label: 'Nonce',
					description: 'Unique value against replay; the one in the message where left empty',
				},
				filledText,
			),
		),
	},
	run: async ({ message, signature, nonce }, service) => {
		const request = verifySignInCall({ message, signature, nonce: nonce ?? nonceIn(message) });
		const { jwt } = await call(service, request);
		return [{ jwt }];
	},
});
