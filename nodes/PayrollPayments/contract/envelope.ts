import { z } from 'zod';

/** The body of every success (service-api.md, Response envelope). */
export const successEnvelope = z.object({ success: z.literal(true), data: z.unknown() });

/** The body of every failure (service-api.md, Errors): a message and perhaps a code. */
export const failureEnvelope = z.object({
	success: z.literal(false),
	data: z.string(),
	error_code: z.string().optional(),
});

/** Either body; anything else did not come from the service. */
export const envelope = z.discriminatedUnion('success', [successEnvelope, failureEnvelope]);

export type FailureEnvelope = z.infer<typeof failureEnvelope>;

/** The envelope that a response body holds, or undefined where it is none. */
export function readEnvelope(body: string): z.infer<typeof envelope> | undefined {
	try {
		return envelope.safeParse(JSON.parse(body)).data;
	} catch {
		return undefined;
	}
}
