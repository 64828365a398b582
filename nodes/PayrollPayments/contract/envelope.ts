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

/** What the service says, without anything that could be a signature or a token that it repeats. */
export function withoutSecrets(text: string): string {
	return text
		.slice(0, 5_000)
		.replace(/[\x00-\x1f\x7f]+/g, ' ')
		.replace(/(?:0x)?[0-9a-f]{128,}/gi, '[…]')
		.replace(/eyJ[\w-]{8,}(?:\.[\w-]*)*|[\w-]{16,}\.[\w-]{16,}\.[\w-]{16,}/g, '[…]');
}

/** The envelope that a response body holds, or undefined where it is none. */
export function readEnvelope(body: string): z.infer<typeof envelope> | undefined {
	try {
		return envelope.safeParse(JSON.parse(body)).data;
	} catch {
		return undefined;
	}
}
