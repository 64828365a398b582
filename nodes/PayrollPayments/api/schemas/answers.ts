import { z } from 'zod';

import { isRecord, parseExactly, type JsonObject, type JsonValue } from '../../shared/json';

/** The body of every success (docs/api.md, Response envelope). */
const successEnvelope = z.object({ success: z.literal(true), data: z.unknown() });

/**
 * The body of every failure (docs/api.md, Errors): a message and perhaps a code. Services also send
 * structured messages, numbers as codes, and further members.
 */
const failureEnvelope = z
	.object({
		success: z.literal(false),
		data: z.unknown().refine((data) => data !== undefined && data !== null),
		error_code: z
			.union([z.string(), z.number().transform(String)])
			.nullish()
			.transform((code) => code ?? ''),
	})
	.passthrough();

export type FailureEnvelope = z.infer<typeof failureEnvelope>;

/** Either body; anything else did not come from the service. */
const envelope = z.discriminatedUnion('success', [successEnvelope, failureEnvelope]);

export type Envelope = z.infer<typeof envelope>;

/** The envelope that a response body holds, with all digits of its numbers; undefined for any other body. */
export function readEnvelope(body: string): Envelope | undefined {
	return envelope.safeParse(parseExactly(body).value).data;
}

/* What the document promises of the answers. Everything further passes. */

/** A value that came out of JSON.parse and can therefore be nothing else. */
const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

function open<Shape extends z.ZodRawShape>(shape: Shape) {
	return z.object(shape).catchall(jsonValue);
}

/*
 * Not `z.record` and `z.array`, which would look at every field and copy it: of 50,000 users that
 * takes longer than getting them. They would also report a wrong list once for each entry.
 */

/** An object that is passed on as it is. */
const record = z.custom<JsonObject>(isRecord, 'must be an object');

const textList = z
	.custom<
		readonly string[]
	>((value) => Array.isArray(value) && value.every((each) => typeof each === 'string'), 'must be a list of texts')
	.pipe(z.array(z.string()));

const recordList = z.custom<readonly JsonObject[]>(
	(value) => Array.isArray(value) && value.every(isRecord),
	'must be a list of objects',
);

/** Some services write null for a list without entries. */
const orNull = <List extends z.ZodTypeAny>(list: List) =>
	z.preprocess((value) => (value === null ? [] : value), list);

/* data of the operations, by their numbers (docs/api.md, Endpoints). */

/** 1 */
export const signInMessageAnswer = open({ siwe: z.string().min(1) });

/** 2 */
export const verifyAnswer = open({ jwt: z.string().min(1) });

/** Cents, which are documented as text; some services send a whole number. */
const cents = z.union([z.string(), z.number().int().transform(String)]);

/** 3: the entity's account and its balances, in cents as text. */
export const balanceAnswer = open({
	platform_account_address: z.string().nullable(),
	balances: orNull(recordList.pipe(z.array(open({ currency: z.string(), balance_cents: cents })))),
});

/** 3, for those who need no account: some services name it differently. */
export const balancesAnswer = balanceAnswer.partial({ platform_account_address: true });

/** 4: pending invites. */
export const inviteListAnswer = orNull(recordList);

/** 5: identifiers of the invites created. */
export const invitesCreatedAnswer = open({ nanoids: textList });

/** 6: identifiers of the invites and the typed data to be signed. */
export const administratorInvitesAnswer = open({
	invites: textList,
	typed_data: record,
});

/** A service that puts a missing value into text says "null" or "None". */
const transaction = z
	.string()
	.regex(/^(?!\s*(?:nan|nil|none|null|undefined|\[object \w+\])?\s*$)/i);

/** 7 */
export const administratorInvitesExecutedAnswer = open({
	invites: textList,
	transaction,
});

/** 8 */
export const nameReviewAnswer = open({ status: z.string() });

/** 9 */
export const testDeliveryAnswer = open({ delivery_nanoid: z.string(), message: z.string() });

/** 10 */
export const instantPaymentAnswer = open({ transaction });

/** 11: a page of users; `pagination` says whether there is a next one. */
export const teamUsersAnswer = open({
	users: orNull(recordList),
	pagination: open({
		next_offset: z.number().nullish(),
		next_page: z.unknown(),
		has_more: z.boolean().nullish(),
	}).nullish(),
});
