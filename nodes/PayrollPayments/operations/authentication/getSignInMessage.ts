import { evmAddress } from '../../contract/formats';
import { UserError } from '../../shared/errors';
import { signInMessageAnswer } from '../../api/schemas/answers';
import { signInMessageCall } from '../../api/signIn';
import { filledText, text } from '../../forms/fieldTypes';
import { defineRead } from '../../run/operation';
import type { RunContext } from '../../run/runContext';

function savedPlatformId({ credentials: { platformId } }: RunContext): string {
	if (platformId !== undefined) return platformId;
	throw new UserError('Platform ID is missing', {
		hint: 'Fill in Platform ID, because these credentials don’t have one.',
	});
}

/** docs/api.md, Endpoint 1. */
export const getSignInMessage = defineRead({
	resource: 'authentication',
	operation: 'getSignInMessage',
	name: 'Get Sign-In Message',
	action: 'Get sign in message',
	description: 'Get the message that a wallet signs to sign in; needs no token',
	isForPeople: true,
	fields: {
		platformId: text(
			{
				label: 'Platform ID',
				description: 'Platform ID of the user; leave empty to use the one in the credentials',
				example: '0x…',
				empty: 'unset',
			},
			filledText,
		),
		wallet: text(
			{
				label: 'Wallet Address',
				description: 'Wallet address of the user; leave empty to use the one in the credentials',
				example: '0x52908400098527886E0F7030069857D2E4169EE7',
				empty: 'unset',
			},
			evmAddress,
		),
	},
	options: {},
	output: signInMessageAnswer,
	request: async ({ wallet, platformId }, run) => [
		await run.read(
			signInMessageCall({
				wallet: wallet ?? (await run.wallet()).address,
				platformId: platformId ?? savedPlatformId(run),
			}),
		),
	],
});
