import { z } from 'zod';

import { exactAddress } from '../contract/formats';
import { isRecord } from '../shared/json';

const OBJECT = { invalid_type_error: 'must be an object', required_error: 'is missing' };
const LIST = { invalid_type_error: 'must be a list', required_error: 'is missing' };
const text = z.string({ invalid_type_error: 'must be text', required_error: 'is missing' });

/** Whole numbers, which some services write as such, as text in decimal digits, at any depth. */
export function integersAsText(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(integersAsText);
	if (!isRecord(value)) return Number.isSafeInteger(value) ? String(value) : value;
	return Object.fromEntries(
		Object.entries(value).map(([name, each]) => [name, integersAsText(each)]),
	);
}

const integerText = z.preprocess(integersAsText, text);

/** typed_data of administrator invites, as operation 7 takes it back (docs/api.md, Endpoint 7). */
export const setRolesRequest = z
	.object({
		from: exactAddress,
		to: exactAddress,
		salt: integerText,
		expires: integerText,
		data: z.array(z.object({ role: integerText, account: exactAddress }, OBJECT).strict(), LIST),
	})
	.strict();

/** The service doesn't document which members it requires. We require the recipient and the amount. */
const paymentData = z
	.object(
		{
			id: text.optional(),
			groupID: text.optional(),
			payAtTime: text.optional(),
			validMinutes: text.optional(),
			payType: text.optional(),
			token: text.optional(),
			recipient: text,
			amount: text,
			data: text.optional(),
		},
		OBJECT,
	)
	.strict();

/** typed_data of an instant payment (docs/api.md, Endpoint 10): every value is text. */
export const paymentTypedData = z
	.object({ from: text, to: text, salt: text, expires: text, data: paymentData }, OBJECT)
	.strict();

const jsonObject = z.record(z.unknown(), { invalid_type_error: 'must be a JSON object' });

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
export type PaymentPayload = Readonly<z.output<typeof wholePayload>>;

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
	if (isRecord(value) && members.length === 0) {
		context.addIssue({ code: z.ZodIssueCode.custom, message: 'is empty' });
		return z.NEVER;
	}
	const isWhole = members.some(([name]) => Object.hasOwn(wholePayload.shape, name));
	const read = isWhole
		? wholePayload.safeParse(Object.fromEntries(members))
		: paymentTypedData.transform((message) => ({ message })).safeParse(value);
	if (read.success) return read.data;
	for (const issue of read.error.issues) context.addIssue(issue);
	return z.NEVER;
});
