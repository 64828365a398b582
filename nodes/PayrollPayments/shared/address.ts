import { z } from 'zod';

/**
 * An EVM address: 0x followed by 40 hex characters (docs/api.md, Common formats), not
 * trimmed or changed, because it is signed as given.
 */
export const exactAddress = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.min(1, 'is missing')
	.regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x followed by 40 hex characters');

/** An EVM address in a form. Surrounding white space is removed. */
export const evmAddress = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.transform((value) => value.trim())
	.pipe(exactAddress);

/** Whether a signature in hex isn't the invalid one of zeros (docs/api.md, Common formats). */
function isNotZero(signature: string): boolean {
	return !/^(?:0x)?0+$/.test(signature);
}

/**
 * A signature of any scheme, in hex. A contract wallet's signature has no fixed length (EIP-1271).
 * Surrounding white space is removed.
 */
export const hexSignature = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.transform((value) => value.trim())
	.pipe(
		z
			.string()
			.min(1, 'is missing')
			.regex(/^(?:0x)?(?:[0-9a-fA-F]{2})+$/, 'must be whole bytes in hex, e.g. 0x4f1c')
			.refine(isNotZero, 'must not be all zeros'),
	);

/** An ECDSA signature: 0x followed by 130 hex characters, not all zeros. */
export const ecdsaSignature = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.transform((value) => value.trim())
	.pipe(
		z
			.string()
			.min(1, 'is missing')
			.regex(/^0x[0-9a-fA-F]{130}$/, 'must be 0x followed by 130 hex characters')
			.refine(isNotZero, 'must not be all zeros'),
	);
