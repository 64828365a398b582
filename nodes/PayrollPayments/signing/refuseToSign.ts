import { UserError, type ErrorContext } from '../shared/errors';

/** Whether the credentials' wallet signs, or the user provides a signature. */
export type SignatureSource = 'wallet' | 'provided';

/** @throws {UserError} that says what is wrong, and in its hint that nothing was signed */
export function refuseToSign(
	what: string,
	{
		field = 'typedData',
		hint = 'Compare the typed data with the service’s documentation, or contact its support.',
	}: Pick<ErrorContext, 'field' | 'hint'> = {},
): never {
	throw new UserError(what, { field, hint: `${hint} Nothing was signed.` });
}
