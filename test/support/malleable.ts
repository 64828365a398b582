/** Hex digits of half the order of the curve secp256k1. */
export const HALF_OF_THE_CURVE = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/** The other valid spelling of a signature, which contracts refuse. */
export function malleable(signature: string): string {
	const order = 2n * BigInt(`0x${HALF_OF_THE_CURVE}`) + 1n;
	const highS = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
	return `${signature.slice(0, 66)}${highS}${signature.endsWith('1b') ? '1c' : '1b'}`;
}
