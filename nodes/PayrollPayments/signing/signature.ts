import { hashMessage, recoverAddress } from 'viem/utils';

import { UserError } from '../shared/errors';

/** Bytes in hex, after 0x. */
export type Hex = `0x${string}`;

const SIGNATURE = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/;
/** Of the curve secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export function isHex(value: string): value is Hex {
	return /^0x(?:[0-9a-fA-F]{2})*$/.test(value);
}

export function isSameAddress(one: string, other: string): boolean {
	return one.toLowerCase() === other.toLowerCase();
}

/** The EIP-191 hash of a text. */
export function textHash(message: string): Hex {
	/* Libraries encode half of a character as different bytes. */
	if (!message.isWellFormed()) {
		return refuseToSign(
			'The message contains an incomplete Unicode character',
			'Copy the whole message again from its source.',
		);
	}
	return hashMessage(message);
}

/**
 * A 65-byte signature in the form that every verifier accepts: lower case, v is 27 or 28, s is in
 * the lower half. Of a signature's two spellings, contracts refuse the other one, which some signers
 * return. Undefined for anything else.
 */
export function readSignature(value: unknown): Hex | undefined {
	const parts = typeof value === 'string' ? SIGNATURE.exec(value.toLowerCase()) : null;
	if (parts === null) return undefined;
	const [, r = '', s = '', v = ''] = parts;
	const [isOdd, given] = [v === '01' || v === '1c', BigInt(`0x${s}`)];
	const isHigh = given > ORDER / 2n;
	if (given >= ORDER) return undefined;
	const low = (isHigh ? ORDER - given : given).toString(16).padStart(64, '0');
	return `0x${r}${low}${isOdd === isHigh ? '1b' : '1c'}`;
}

/** The address whose key made the signature, or undefined if the signature is invalid. */
export async function signerOf(hash: Hex, signature: Hex): Promise<Hex | undefined> {
	return await recoverAddress({ hash, signature }).catch(() => undefined);
}

/** @throws {UserError} always */
export function refuseToSign(
	what: string,
	hint = 'Compare the typed data with the service’s documentation, or contact its support.',
): never {
	throw new UserError(what, { hint });
}
