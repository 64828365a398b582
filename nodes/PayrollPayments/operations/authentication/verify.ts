import { verifyAnswer } from '../../api/schemas/answers';
import { hexSignature } from '../../contract/formats';
import { UserError } from '../../shared/errors';
import { VERIFICATION } from '../../api/signIn';
import { filledText, longText, text } from '../../forms/fieldTypes';
import { defineWrite, eachItem } from '../../run/operation';
import { stepOf } from '../../run/write';

/** The nonce in the sign-in message (EIP-4361). The statement, further up, may look the same. */
function nonceIn(message: string): string {
	const nonce = [...message.matchAll(/^Nonce: (\S+)$/gm)].at(-1)?.[1];
	if (nonce !== undefined) return nonce;
	throw new UserError('Nonce is missing, and Message doesn’t contain one', {
		hint: 'Fill in Nonce, or paste the whole sign-in message with its line breaks.',
	});
}

/** docs/api.md, Endpoint 2. */
export const verifySignIn = defineWrite({
	resource: 'authentication',
	operation: 'verify',
	name: 'Verify',
	action: 'Verify sign in message',
	description: 'Exchange a signed sign-in message for a token',
	permission: 'none',
	isForPeople: true,
	hasSecretOutput: true,
	notice:
		'The token is in the output and in the execution data that n8n saves. Use this only if the credentials can’t sign in themselves.',
	fields: {
		message: longText(
			{ label: 'Message', description: 'Sign-in message, exactly as it was signed' },
			filledText,
		),
		signature: text(
			{ label: 'Signature', description: 'Signature of the message, in hex', example: '0x4f1c…1b' },
			hexSignature,
		),
		nonce: text(
			{
				label: 'Nonce',
				description: 'Leave empty to use the one in Message',
				example: 'b5tWq0Lk2Nfz',
				empty: 'unset',
			},
			filledText,
		),
	},
	options: {},
	output: verifyAnswer,
	check: eachItem(async ({ numbers, input: { message, signature, nonce } }, run) => [
		stepOf(
			run.write(numbers, {
				...VERIFICATION,
				summary: 'Exchange the signed sign-in message for a token, which will be in the output',
				body: { message, nonce: nonce ?? nonceIn(message) },
				sign: async () => ({ sig: signature }),
				answer: VERIFICATION.answer.transform(({ jwt }) => ({ jwt })),
			}),
		),
	]),
});
