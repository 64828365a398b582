import { z } from 'zod';

import { parseJson } from '../../shared/json';

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
export const envelope = z.discriminatedUnion('success', [successEnvelope, failureEnvelope]);

/** Characters of a response body that are read; more is not from this service. */
const LONGEST_BODY = 64 * 1024 * 1024;

/** The envelope that a response body holds, or undefined where it is none. */
export function readEnvelope(body: string): z.infer<typeof envelope> | undefined {
	return body.length > LONGEST_BODY ? undefined : envelope.safeParse(parseJson(body)).data;
}
