import { z } from 'zod';

const anyText = z.string({ invalid_type_error: 'must be text', required_error: 'is missing' });

/**
 * An EVM address: 0x followed by 40 hex characters (docs/api.md, Common formats), not
 * trimmed or changed, because it is signed as given.
 */
export const exactAddress = anyText
	.min(1, 'is missing')
	.regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x followed by 40 hex characters');

/** An EVM address in a form. Surrounding white space is removed. */
export const evmAddress = anyText.transform((value) => value.trim()).pipe(exactAddress);

/** A signature that isn't the invalid one of zeros (docs/api.md, Common formats), trimmed. */
const signature = (pattern: RegExp, message: string) =>
	anyText
		.transform((value) => value.trim())
		.pipe(
			z
				.string()
				.min(1, 'is missing')
				.regex(pattern, message)
				.refine((value) => !/^(?:0x)?0+$/.test(value), 'must not be all zeros'),
		);

/** A signature of any scheme, in hex. A contract wallet's has no fixed length (EIP-1271). */
export const hexSignature = signature(
	/^(?:0x)?(?:[0-9a-fA-F]{2})+$/,
	'must be whole bytes in hex, e.g. 0x4f1c',
);

/** An ECDSA signature: 0x followed by 130 hex characters. */
export const ecdsaSignature = signature(
	/^0x[0-9a-fA-F]{130}$/,
	'must be 0x followed by 130 hex characters',
);
