import { z } from 'zod';

import { shorten, type Redact } from '../../shared/redaction';

/** The body of every success (docs/api.md, Response envelope). */
export const successEnvelope = z.object({ success: z.literal(true), data: z.unknown() });

/** The body of every failure (docs/api.md, Errors): a message and perhaps a code. */
export const failureEnvelope = z.object({
	success: z.literal(false),
	data: z.string(),
	error_code: z.string().optional(),
});

/** Either body; anything else did not come from the service. */
export const envelope = z.discriminatedUnion('success', [successEnvelope, failureEnvelope]);

export type FailureEnvelope = z.infer<typeof failureEnvelope>;

/** Without anything that has the form of a signature or a token. */
export function withoutSecrets(text: string): string {
	return text
		.slice(0, 5_000)
		.replace(/[\x00-\x1f\x7f]+/g, ' ')
		.replace(/(?:0x)?[0-9a-f]{128,}/gi, '[…]')
		.replace(/eyJ[\w-]{8,}(?:\.[\w-]*)*|(?<![\w-])[\w-]{16,}\.[\w-]{16,}\.[\w-]{16,}/g, '[…]');
}

/** Characters of a text from outside that are read. */
const LONGEST_READ = 4_000;

/** Text from outside as an error may repeat it: without secrets, in one line, cut to a length. */
export function repeatable(text: string, redact: Redact, longest: number): string {
	return shorten(withoutSecrets(redact(shorten(text, LONGEST_READ))), longest);
}

/** Characters of a response body that are read; more is not from this service. */
const LONGEST_BODY = 64 * 1024 * 1024;

/** The envelope that a response body holds, or undefined where it is none. */
export function readEnvelope(body: string): z.infer<typeof envelope> | undefined {
	if (body.length > LONGEST_BODY) return undefined;
	try {
		return envelope.safeParse(JSON.parse(body)).data;
	} catch {
		return undefined;
	}
}
