import { z } from 'zod';

import { Refusal } from '../shared/errors';

/** How to verify that a delivery comes from the service. */
export type WebhookCredentials = {
	/** Name of the header with the signature or token, in lower case. */
	readonly header: string;
	/** The secret and, during a rotation, the previous one. */
	readonly secrets: readonly string[];
} & (
	| { readonly scheme: 'sharedToken' | 'hex' | 'base64' }
	| { readonly scheme: 'timestamped'; readonly toleranceSeconds: number }
);

const LABELS: Readonly<Record<string, string>> = {
	format: 'Format',
	header: 'Header',
	method: 'Method',
	previousSecret: 'Previous Secret',
	secret: 'Secret',
	toleranceSeconds: 'Tolerance (Seconds)',
};

const OUT_OF_BOUNDS = 'must be from 1 to 86,400 seconds';

const savedCredentials = z.object({
	method: z.enum(['hmacSignature', 'sharedToken']).default('hmacSignature'),
	secret: z.string().refine((secret) => secret.trim() !== '', 'is empty'),
	/* A header name is a token of RFC 9110, section 5.6.2. */
	header: z
		.string()
		.regex(/^[\w!#$%&'*+.^`|~-]+$/, "isn't a valid header name, e.g. X-Signature")
		.default('X-Signature'),
	format: z.enum(['timestamped', 'hex', 'base64']).default('timestamped'),
	previousSecret: z.string().nullish(),
	toleranceSeconds: z.coerce
		.number({ message: OUT_OF_BOUNDS })
		.min(1, OUT_OF_BOUNDS)
		.max(86_400, OUT_OF_BOUNDS)
		.default(600),
});

/** The saved fields, without those that the form hides for this method and format. */
function shown(saved: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const { toleranceSeconds, format, ...others } = saved;
	if (saved.method === 'sharedToken') return others;
	if (format === 'hex' || format === 'base64') return { ...others, format };
	return { ...others, format, toleranceSeconds };
}

/**
 * Checks the saved `payrollPaymentsWebhookApi` credential.
 * @throws {Refusal} that names the field but never a secret
 */
export function readWebhookCredentials(
	saved: Readonly<Record<string, unknown>>,
): WebhookCredentials {
	const read = savedCredentials.safeParse(shown(saved));
	if (!read.success) {
		const issue = read.error.issues[0];
		const field = String(issue?.path[0] ?? 'secret');
		throw new Refusal(`${LABELS[field] ?? field} ${issue?.message ?? 'is wrong'}`, {
			field,
			hint: 'Open the credential “Payroll Payments Webhook API” and correct this field.',
		});
	}
	const { method, secret, header, format, previousSecret, toleranceSeconds } = read.data;
	const common = {
		header: header.toLowerCase(),
		secrets: previousSecret?.trim() ? [secret, previousSecret] : [secret],
	};
	if (method === 'sharedToken') return { ...common, scheme: method };
	if (format === 'timestamped') return { ...common, scheme: format, toleranceSeconds };
	return { ...common, scheme: format };
}

/**
 * Like {@link readWebhookCredentials}, but also refuses whitespace around a secret. Deliveries don't,
 * since a genuine secret may have it; mostly, though, it was copied by accident.
 */
export function checkWebhookCredentials(saved: Readonly<Record<string, unknown>>): void {
	readWebhookCredentials(saved);
	for (const field of ['secret', 'previousSecret']) {
		const value = saved[field];
		if (typeof value === 'string' && value !== value.trim()) {
			throw new Refusal(`${LABELS[field]} has whitespace around it`, {
				field,
				hint: 'Copy the secret again, without the spaces or line breaks around it.',
			});
		}
	}
}
