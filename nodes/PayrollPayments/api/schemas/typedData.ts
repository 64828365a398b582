import { z } from 'zod';

import { exactAddress } from '../../shared/address';

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

/** An instant payment's typed data, with what a whole EIP-712 payload says of its domain and types. */
export interface PaymentPayload {
	readonly message: PaymentTypedData;
	readonly domain?: Readonly<Record<string, unknown>>;
	readonly types?: Readonly<Record<string, unknown>>;
	readonly primaryType?: string;
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

export type SetRolesRequest = z.infer<typeof setRolesRequest>;
type PaymentTypedData = z.infer<typeof paymentTypedData>;
