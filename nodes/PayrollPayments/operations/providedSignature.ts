import { Refusal } from '../contract';

/**
 * Holds a signature that was made elsewhere to the typed data, before it is sent.
 * @throws {Refusal} where another wallet than `signer` made it, or it is about something else
 */
export async function refuseForeignSignature(
	typedData: {
		readonly domain: Readonly<Record<string, unknown>>;
		readonly types: Readonly<Record<string, unknown>>;
		readonly primaryType: string;
		readonly message: Readonly<Record<string, unknown>>;
	},
	{ signature, signer }: { readonly signature: string; readonly signer: string },
): Promise<void> {
	const { typedDataSigner } = await import('../wallet');
	const recovered = await typedDataSigner(typedData, signature);
	if (recovered.toLowerCase() === signer.toLowerCase()) return;
	throw new Refusal('Signature does not belong to this typed data and this signer', {
		field: 'signature',
		hint: 'Sign exactly this typed data with the wallet of Signer. Nothing was sent.',
	});
}
