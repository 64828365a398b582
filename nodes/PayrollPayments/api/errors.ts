import { ServiceError } from '../shared/errors';
import { readEnvelope } from './schemas/envelope';
import type { HttpAnswer } from '../shared/http';
import { safeExcerpt, type Redact } from '../shared/redaction';

/** What the service answers with when it has decided (docs/api.md, Errors). */
const DECIDED_STATUSES: readonly number[] = [400, 401, 403, 404];

function hintFor(status: number, roleNeeded: string | undefined): string {
	if (status >= 300 && status < 400) {
		return 'Redirects are not followed, so that the token goes nowhere else. Correct the Base URL in the credentials.';
	}
	switch (status) {
		case 400:
			return 'The service did not accept a value. Compare the fields with what its message names.';
		case 401:
			return 'The service did not accept the token or key. Test the credentials: an access token or API key that has run out must be replaced; with a wallet, n8n has already signed in again.';
		case 403:
			return roleNeeded === undefined
				? 'The user of these credentials lacks a role that the service wants here. Ask an administrator for it.'
				: `This operation needs the role ${roleNeeded}. Ask an administrator for it, or use other credentials.`;
		case 404:
			return 'The service does not know this, or does not show it to the user of these credentials. Check the identifier.';
		case 429:
			return 'The service wants fewer requests. Wait, or lower the concurrency under Options.';
		default:
			return status >= 500
				? 'The service is in trouble. Try again later.'
				: 'Check that the Base URL in the credentials is the address of the service.';
	}
}

/** Characters of the service's message that are repeated. */
const LONGEST_MESSAGE = 500;

/** Characters of the service's code that are repeated. */
const LONGEST_CODE = 100;

/**
 * The error for an answer that is no success: the service's own message and code where it sent the
 * failure envelope, otherwise what came instead.
 * @param redact takes secrets out of what the service says
 */
export function errorFor(answer: HttpAnswer, redact: Redact, roleNeeded?: string): ServiceError {
	const { status } = answer;
	const envelope = readEnvelope(answer.body);
	const hint = hintFor(status, roleNeeded);
	if (envelope !== undefined && !envelope.success) {
		const refused = DECIDED_STATUSES.includes(status);
		const { data, error_code: code } = envelope;
		const errorCode = code === undefined ? undefined : safeExcerpt(code, redact, LONGEST_CODE);
		const said = safeExcerpt(data, redact, LONGEST_MESSAGE) || 'no reason given';
		const named = errorCode === undefined ? '' : ` (${errorCode})`;
		return new ServiceError(`The service refused: ${said}${named}`, {
			status,
			errorCode,
			refused,
			hint: status === 200 ? hintFor(400, roleNeeded) : hint,
		});
	}
	if (status >= 300 && status < 400) {
		return new ServiceError(`The service answered with a redirect (HTTP ${status})`, {
			status,
			refused: false,
			hint,
		});
	}
	return new ServiceError(
		`The answer (HTTP ${status}) is not in the service's form, as if another program had sent it`,
		{ status, refused: false, hint },
	);
}
