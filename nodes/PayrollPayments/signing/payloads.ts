import { z } from 'zod';

import { exactAddress } from '../contract/formats';
import { UserError } from '../shared/errors';
import { canonicalJson, isRecord } from '../shared/json';

const OBJECT = { invalid_type_error: 'must be an object', required_error: 'is missing' };
const text = z.string({ invalid_type_error: 'must be text', required_error: 'is missing' });

/** typed_data of administrator invites, as operation 7 takes it back (docs/api.md, Endpoint 7). */
export const setRolesRequest = z
	.object({
		from: exactAddress,
		to: exactAddress,
		salt: text,
		expires: text,
		data: z.array(z.object({ role: text, account: exactAddress }).strict()).min(1, 'is empty'),
	})
	.strict();

const paymentData = z
	.object(
		{
			id: text,
			groupID: text,
			payAtTime: text,
			validMinutes: text,
			payType: text,
			token: text,
			recipient: text,
			amount: text,
			data: text,
		},
		OBJECT,
	)
	.strict();

/** typed_data of an instant payment (docs/api.md, Endpoint 10): every value is text. */
export const paymentTypedData = z
	.object({ from: text, to: text, salt: text, expires: text, data: paymentData }, OBJECT)
	.strict();

const jsonObject = z.record(z.unknown(), { invalid_type_error: 'must be a JSON object' });

type Json = Readonly<Record<string, unknown>>;

/** What EIP-712 needs in addition to the message. */
interface Eip712Description {
	readonly domain: Json;
	readonly types: Json;
	readonly primaryType: string;
}

/** In the names of eth_signTypedData. */
const wholePayload = z
	.object({
		domain: jsonObject.optional(),
		types: jsonObject.optional(),
		primaryType: text.optional(),
		message: paymentTypedData,
	})
	.strict();

/** An instant payment's typed data, with what a whole EIP-712 payload says of its domain and types. */
type PaymentPayload = Readonly<z.output<typeof wholePayload>>;

/** The service's own names for two of the members. */
const USUAL_NAMES = new Map([
	['typed_data', 'message'],
	['primary_type', 'primaryType'],
]);

/** typed_data of an instant payment, or a whole EIP-712 payload around it. */
export const paymentPayload = z.unknown().transform((value, context): PaymentPayload => {
	/* A member that is there under both names stays, and is refused as unknown. */
	const members = Object.entries(isRecord(value) ? value : {}).map(
		([name, member]): [string, unknown] => {
			const usual = USUAL_NAMES.get(name) ?? name;
			return [Object.hasOwn(Object(value), usual) ? name : usual, member];
		},
	);
	const isWhole = members.some(([name]) => Object.hasOwn(wholePayload.shape, name));
	const read = isWhole
		? wholePayload.safeParse(Object.fromEntries(members))
		: paymentTypedData.transform((message) => ({ message })).safeParse(value);
	if (read.success) return read.data;
	for (const issue of read.error.issues) context.addIssue(issue);
	return z.NEVER;
});

const LABELS = { domain: 'Domain', types: 'Types', primaryType: 'Primary Type' } as const;

/** A description's part from its field under Options, or from the payload. Both must agree. */
function agreed<Value>(
	field: keyof Eip712Description,
	own: Value | undefined,
	given: Value | undefined,
): Value | undefined {
	if (own === undefined || given === undefined) return own ?? given;
	if (canonicalJson(own) === canonicalJson(given)) return own;
	throw new UserError(`${LABELS[field]} differs from the one in Payment Authorization`, {
		hint: `Correct one of the two, or remove ${LABELS[field]} under Options. Nothing was signed or sent.`,
	});
}

/** The types with the EIP712Domain of the others: wallets write payloads with it, documents without. */
function withDomainOf(types: Json | undefined, others: Json = {}): Json | undefined {
	const { EIP712Domain } = others;
	return types && EIP712Domain !== undefined ? { EIP712Domain, ...types } : types;
}

/**
 * What the wallet needs to sign a payment, or what a provided signature covers.
 * @param fields Domain, Types and Primary Type under Options
 * @param isSigned whether the signature is provided; then undefined means that nobody says what it
 *   covers
 * @throws {UserError} if a part is missing, or contradicts the payload
 */
export function descriptionOf(
	payload: PaymentPayload,
	fields: Partial<Eip712Description>,
	isSigned: boolean,
): Eip712Description | undefined {
	const domain = agreed('domain', fields.domain, payload.domain);
	const types = agreed(
		'types',
		withDomainOf(fields.types, payload.types),
		withDomainOf(payload.types, fields.types),
	);
	const primaryType = agreed('primaryType', fields.primaryType, payload.primaryType);
	if (domain !== undefined && types !== undefined && primaryType !== undefined) {
		return { domain, types, primaryType };
	}
	if (isSigned && (domain ?? types ?? primaryType) === undefined) return undefined;
	const field = domain === undefined ? 'domain' : types === undefined ? 'types' : 'primaryType';
	throw new UserError(`${LABELS[field]} is missing`, {
		hint: isSigned
			? 'To have the signature checked, add Domain, Types and Primary Type under Options. To send it unchecked, remove all three. Nothing was sent.'
			: 'The wallet needs Domain, Types and Primary Type to sign. Add them under Options, or enter the whole EIP-712 payload as Payment Authorization. Nothing was signed or sent.',
	});
}
