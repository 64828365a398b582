import { z } from 'zod';

import { WRITE_METHODS } from '../shared/http';
import type { JsonValue } from '../shared/json';

const json = z.record(z.custom<JsonValue>());

/** What is signed, or what a provided signature covers (EIP-712). */
export const signed = z.object({
	domain: json,
	types: json,
	primaryType: z.string(),
	message: json,
});

/** A request that changes something. Its body is without the signature. */
export const writeRequest = z.object({
	method: z.enum(WRITE_METHODS),
	path: z.string(),
	body: json,
});

/** What *Check Only* puts out about one request. */
export const checkRecord = z
	.object({
		check: z.literal('passed'),
		/** What the request does, as a sentence for the person who approves it. */
		summary: z.string(),
		/** What Approved Check takes, so that exactly this is sent. */
		approval: z.string(),
		/** Null if nothing is signed, or it isn't known what a provided signature covers. */
		signs: signed.nullable(),
		/** Null if there is nothing to send. */
		request: writeRequest.nullable(),
	})
	.passthrough();
