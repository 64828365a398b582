import { Refusal, type RefusalContext } from '../contract';

/** Ends in a {@link Refusal} that says what is wrong, and that it was therefore not signed. */
export function refuseToSign(what: string, context: RefusalContext = {}): never {
	throw new Refusal(`${what}, so nothing was signed.`, {
		field: 'typedData',
		hint: 'Compare the typed data with what the service documents, or ask its support.',
		...context,
	});
}
