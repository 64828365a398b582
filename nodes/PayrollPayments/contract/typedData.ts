import { z } from 'zod';

import { exactAddress } from './addresses';

const text = z.string({ invalid_type_error: 'must be text', required_error: 'is missing' });

/** typed_data of administrator invites, as operation 7 takes it back (service-api.md). */
export const setRolesRequest = z
	.object({
		from: exactAddress,
		to: exactAddress,
		salt: text,
		expires: text,
		data: z.array(z.object({ role: text, account: exactAddress }).strict()).min(1, 'is empty'),
	})
	.strict();

/** The whole structure that operation 6 answers with and that is signed. */
export const administratorTypedData = z
	.object({
		domain: z.record(z.unknown()),
		types: z.record(z.unknown()),
		typed_data: setRolesRequest,
		primary_type: text,
	})
	.strict();

/** typed_data of an instant payment (service-api.md, Endpoints 10): every value is text. */
export const paymentTypedData = z
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

export type SetRolesRequest = z.infer<typeof setRolesRequest>;
export type PaymentTypedData = z.infer<typeof paymentTypedData>;
