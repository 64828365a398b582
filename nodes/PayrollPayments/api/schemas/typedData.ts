import { z } from 'zod';

import { exactAddress } from '../../shared/address';
import { UserError } from '../../shared/errors';

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

/** typed_data of an instant payment (docs/api.md, Endpoint 10): every value is text. */
const paymentTypedData = z
	.object({
		from: text,
		to: text,
		salt: text,
		expires: text,
		data: z
			.object({
				id: text,
				groupID: text,
				payAtTime: text,
				validMinutes: text,
				payType: text,
				token: text,
				recipient: text,
				amount: text,
				data: text,
			})
			.strict(),
	})
	.strict();

const jsonObject = z.record(z.unknown(), { invalid_type_error: 'must be a JSON object' });

/** Both spellings that EIP-712 payloads are written in: that of eth_signTypedData, and the service's. */
const eip712Payload = z
	.object({
		domain: jsonObject.optional(),
		types: jsonObject.optional(),
		primaryType: text.optional(),
		primary_type: text.optional(),
		message: paymentTypedData.optional(),
		typed_data: paymentTypedData.optional(),
	})
	.strict()
	.transform((payload, context) => {
		const { domain, types, primaryType, primary_type, message, typed_data } = payload;
		const refuse = (fault: string) => {
			context.addIssue({ code: 'custom', message: fault });
			return z.NEVER;
		};
		if (message !== undefined && typed_data !== undefined) {
			return refuse('has both message and typed_data');
		}
		if (primaryType !== undefined && primary_type !== undefined) {
			return refuse('has both primaryType and primary_type');
		}
		const signed = message ?? typed_data;
		if (signed === undefined) return refuse('lacks message');
		return { domain, types, primaryType: primaryType ?? primary_type, message: signed };
	});

function isEip712Payload(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return Object.keys(eip712Payload.innerType().shape).some((name) => Object.hasOwn(value, name));
}

type Json = Readonly<Record<string, unknown>>;

/** What EIP-712 needs in addition to the message. */
export interface Eip712Description {
	readonly domain: Json;
	readonly types: Json;
	readonly primaryType: string;
}

/** An instant payment's typed data, with what a whole EIP-712 payload says of its domain and types. */
export interface PaymentPayload extends Partial<Eip712Description> {
	readonly message: PaymentTypedData;
}

/** typed_data of an instant payment, or a whole EIP-712 payload around it. */
export const paymentPayload: z.ZodType<PaymentPayload, z.ZodTypeDef, unknown> = z
	.unknown()
	.transform((value, context) => {
		const schema = isEip712Payload(value)
			? eip712Payload
			: paymentTypedData.transform((message) => ({ message }));
		const read = schema.safeParse(value);
		if (read.success) return read.data;
		for (const issue of read.error.issues) context.addIssue(issue);
		return z.NEVER;
	});

const DESCRIPTION_LABELS = {
	domain: 'Domain',
	types: 'Types',
	primaryType: 'Primary Type',
} as const;
type DescriptionField = keyof typeof DESCRIPTION_LABELS;

function isSameJson(one: unknown, other: unknown): boolean {
	if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
		return one === other;
	}
	const members = Object.entries(one);
	const others = new Map(Object.entries(other));
	return (
		Array.isArray(one) === Array.isArray(other) &&
		members.length === others.size &&
		members.every(([name, value]) => others.has(name) && isSameJson(value, others.get(name)))
	);
}

/**
 * The types of both, or undefined if they differ. One of them may lack EIP712Domain, as wallets write
 * payloads with it and documents without.
 */
function joinedTypes(own: Json, given: Json): Json | undefined {
	const domainType = own.EIP712Domain ?? given.EIP712Domain;
	const complete = (types: Json): Json =>
		domainType === undefined ? types : { EIP712Domain: domainType, ...types };
	return isSameJson(complete(own), complete(given)) ? complete(own) : undefined;
}

/**
 * Domain, types and primary type, each from its field under Options or from Payment Authorization, if
 * that is a whole EIP-712 payload. If both have one, they must agree.
 */
function describe(
	payload: PaymentPayload,
	fields: Partial<Eip712Description>,
): Partial<Eip712Description> {
	const agreed = <Value>(
		field: DescriptionField,
		[own, given]: ReadonlyArray<Value | undefined>,
		join: (own: Value, given: Value) => Value | undefined,
	): Value | undefined => {
		if (own === undefined || given === undefined) return own ?? given;
		const joined = join(own, given);
		if (joined !== undefined) return joined;
		const label = DESCRIPTION_LABELS[field];
		throw new UserError(`${label} differs from the one in Payment Authorization`, {
			field,
			hint: `Correct one of the two, or remove ${label} under Options. Nothing was signed or sent.`,
		});
	};
	const same = <Value>(own: Value, given: Value) => (isSameJson(own, given) ? own : undefined);
	return {
		domain: agreed('domain', [fields.domain, payload.domain], same),
		types: agreed('types', [fields.types, payload.types], joinedTypes),
		primaryType: agreed('primaryType', [fields.primaryType, payload.primaryType], same),
	};
}

function complete(
	{ domain, types, primaryType }: Partial<Eip712Description>,
	hint: string,
): Eip712Description {
	const missing = (field: DescriptionField) =>
		new UserError(`${DESCRIPTION_LABELS[field]} is missing`, { field, hint });
	if (domain === undefined) throw missing('domain');
	if (types === undefined) throw missing('types');
	if (primaryType === undefined) throw missing('primaryType');
	return { domain, types, primaryType };
}

/**
 * What the wallet needs to sign a payment.
 * @param fields Domain, Types and Primary Type under Options
 * @throws {UserError} if one is missing or contradicts the payload
 */
export function descriptionToSign(
	payload: PaymentPayload,
	fields: Partial<Eip712Description>,
): Eip712Description {
	return complete(
		describe(payload, fields),
		'The wallet needs Domain, Types and Primary Type to sign. Add them under Options, or enter the whole EIP-712 payload as Payment Authorization. Nothing was signed or sent.',
	);
}

/**
 * What a provided signature covers, or undefined if neither the payload nor the fields say.
 * @param fields Domain, Types and Primary Type under Options
 * @throws {UserError} if only some are there, or one contradicts the payload
 */
export function descriptionToCheck(
	payload: PaymentPayload,
	fields: Partial<Eip712Description>,
): Eip712Description | undefined {
	const description = describe(payload, fields);
	if (Object.values(description).every((value) => value === undefined)) return undefined;
	return complete(
		description,
		'To have the signature checked, add Domain, Types and Primary Type under Options. To send it unchecked, remove all three. Nothing was sent.',
	);
}

export type SetRolesRequest = z.infer<typeof setRolesRequest>;
type PaymentTypedData = z.infer<typeof paymentTypedData>;
