import { z } from 'zod';

import { isRecord, parseJson, type JsonValue } from '../../shared/json';

/** The body of every success (docs/api.md, Response envelope). */
const successEnvelope = z.object({ success: z.literal(true), data: z.unknown() });

/** The body of every failure (docs/api.md, Errors): a message and perhaps a code. */
const failureEnvelope = z.object({
	success: z.literal(false),
	data: z.string(),
	error_code: z
		.string()
		.nullish()
		.transform((code) => code ?? undefined),
});

/** Either body; anything else did not come from the service. */
const envelope = z.discriminatedUnion('success', [successEnvelope, failureEnvelope]);

/** Characters of a response body that are read; more is not from this service. */
const LONGEST_BODY = 64 * 1024 * 1024;

/** The envelope that a response body holds, or undefined where it is none. */
export function readEnvelope(body: string): z.infer<typeof envelope> | undefined {
	return body.length > LONGEST_BODY ? undefined : envelope.safeParse(parseJson(body)).data;
}

/*
 * What the service answers. The shapes name what the document promises and let every further field
 * and every unknown value of an enumeration pass: what the service sends is passed on, not dropped.
 */

/** A value that came out of JSON.parse and can therefore be nothing else. */
const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

/** data of operation 1 (docs/api.md, Endpoint 1). */
export const signInMessageAnswer = z.object({ siwe: z.string().min(1) }).catchall(jsonValue);

/** data of operation 2 (docs/api.md, Endpoint 2). */
export const verifyAnswer = z.object({ jwt: z.string().min(1) }).catchall(jsonValue);

/** data of operation 3: the entity's account and its balances, in cents as text. */
export const balanceAnswer = z
	.object({
		platform_account_address: z.string(),
		balances: z.array(
			z.object({ currency: z.string(), balance_cents: z.string() }).catchall(jsonValue),
		),
	})
	.catchall(jsonValue);

interface OpenRecord {
	readonly [name: string]: JsonValue;
}

/*
 * Not `z.record` and `z.array`, which would look at every field and copy it: of 50,000 users that
 * takes longer than getting them.
 */

/** An open record: an object that is passed on as it is. */
const record = z.custom<OpenRecord>(isRecord, 'must be an object');

/** A list of open records. */
const recordList = z.custom<readonly OpenRecord[]>(
	(value) => Array.isArray(value) && value.every(isRecord),
	'must be a list of objects',
);

/** data of operation 4: pending invites. */
export const inviteListAnswer = recordList;

/** data of operation 5: identifiers of the invites created. */
export const invitesCreatedAnswer = z.object({ nanoids: z.array(z.string()) }).catchall(jsonValue);

/** data of operation 6: identifiers of the invites and the typed data to be signed. */
export const administratorInvitesAnswer = z
	.object({ invites: z.array(z.string()), typed_data: record })
	.catchall(jsonValue);

/** data of operation 7. */
export const administratorInvitesExecutedAnswer = z
	.object({ invites: z.array(z.string()), transaction: z.string().min(1) })
	.catchall(jsonValue);

/** data of operation 8. */
export const nameReviewAnswer = z.object({ status: z.string() }).catchall(jsonValue);

/** data of operation 9. */
export const testDeliveryAnswer = z
	.object({ delivery_nanoid: z.string(), message: z.string() })
	.catchall(jsonValue);

/** data of operation 10. */
export const instantPaymentAnswer = z
	.object({ transaction: z.string().min(1) })
	.catchall(jsonValue);

/** data of operation 11: a page of users; `pagination` says whether there is a next one. */
export const teamUsersAnswer = z
	.object({
		users: recordList,
		pagination: z
			.object({ next_offset: z.number().nullish(), has_more: z.boolean().nullish() })
			.catchall(jsonValue)
			.nullish(),
	})
	.catchall(jsonValue);
