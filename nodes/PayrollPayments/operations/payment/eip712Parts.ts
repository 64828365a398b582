import { labelOf } from '../../forms/field';
import { UserError } from '../../shared/errors';
import { canonicalJson } from '../../shared/json';
import { readChainId } from '../../signing/chains';
import type { PaymentPayload } from '../../signing/payloads';
import { fields as paymentFields, options as paymentOptions } from './paymentFields';

type Json = Readonly<Record<string, unknown>>;

/** What EIP-712 needs in addition to the message. */
interface Eip712Parts {
	readonly domain: Json;
	readonly types: Json;
	readonly primaryType: string;
}

/** The domain with its chain ID as a number, because libraries write it in either way. */
function withNumericChain(domain: Json | undefined): Json | undefined {
	const chainId = readChainId(domain?.chainId);
	return chainId === undefined ? domain : { ...domain, chainId };
}

/** A part from its field under Options, or from the payload. Both must agree. */
function agreed<Value>(
	field: keyof Eip712Parts,
	own: Value | undefined,
	given: Value | undefined,
): Value | undefined {
	if (own === undefined || given === undefined) return own ?? given;
	if (canonicalJson(own) === canonicalJson(given)) return own;
	throw new UserError(
		`${labelOf(paymentOptions[field])} differs from the one in ${labelOf(paymentFields.typedData)}`,
		{
			hint: `Correct one of the two, or remove ${labelOf(paymentOptions[field])} under Options.`,
		},
	);
}

/** The types with the EIP712Domain of the others: wallets write payloads with it, documents without. */
function withDomainOf(types: Json | undefined, others: Json = {}): Json | undefined {
	const { EIP712Domain } = others;
	return types && EIP712Domain !== undefined ? { EIP712Domain, ...types } : types;
}

/**
 * What the wallet needs to sign a payment, or what a provided signature covers.
 * @param options Domain, Types and Primary Type under Options
 * @param isSigned whether the signature is provided; then undefined means that nobody says what it
 *   covers
 * @throws {UserError} if a part is missing, or contradicts the payload
 */
export function eip712PartsOf(
	payload: PaymentPayload,
	options: Partial<Eip712Parts>,
	isSigned: boolean,
): Eip712Parts | undefined {
	const domain = agreed(
		'domain',
		withNumericChain(options.domain),
		withNumericChain(payload.domain),
	);
	const types = agreed(
		'types',
		withDomainOf(options.types, payload.types),
		withDomainOf(payload.types, options.types),
	);
	const primaryType = agreed('primaryType', options.primaryType, payload.primaryType);
	if (domain !== undefined && types !== undefined && primaryType !== undefined) {
		return { domain, types, primaryType };
	}
	if (isSigned && (domain ?? types ?? primaryType) === undefined) return undefined;
	const field = domain === undefined ? 'domain' : types === undefined ? 'types' : 'primaryType';
	throw new UserError(`${labelOf(paymentOptions[field])} is missing`, {
		hint: isSigned
			? 'To have the signature checked, add Domain, Types and Primary Type under Options. To send it unchecked, remove all three.'
			: 'The wallet needs Domain, Types and Primary Type to sign. Add them under Options, or enter the whole EIP-712 payload as Payment Authorization.',
	});
}
