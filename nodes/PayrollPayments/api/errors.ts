import { ServiceError } from '../shared/errors';
import { safeExcerpt, type Redact } from '../shared/redaction';
import type { Envelope } from './schemas/answers';

/** Statuses after which the service has certainly done nothing (docs/api.md, Errors). */
export const REFUSAL_STATUSES: readonly number[] = [400, 401, 403, 404];

/** Words with which a service says that it already has what was requested. */
const EXISTS_ALREADY = /already|duplicate|exists|processed/i;

const CHECK_BASE_URL = 'Check the Base URL in the credentials.';

const CHECK_FIELDS = 'Check the fields that the service’s message mentions.';

const HINTS: Readonly<Record<number, string>> = {
	200: CHECK_FIELDS,
	400: CHECK_FIELDS,
	401: 'Test the credentials. If the access token or API key has expired, replace it. With Wallet Sign-In, n8n has already tried a read with a new token; after a change that was refused, run the node again.',
	403: 'The user of these credentials may lack the required role, or the identifier may be wrong. Check both, or use other credentials.',
	404: 'Check the identifier. It may not exist, or the user of these credentials can’t see it.',
	429: 'Rate limit reached. Try again later. In the action node, lower Concurrency under Options; in the polling trigger, choose longer Poll Times.',
};

/** What is known about a call that failed, for the hint. */
interface FailedCall {
	readonly roleNeeded: string | undefined;
	/** Whether the call was sent with the older scheme's API key. */
	readonly withApiKey: boolean;
}

function hintFor(status: number, { roleNeeded, withApiKey }: FailedCall): string {
	if (status === 401 && withApiKey) {
		/* Which operations take the older scheme isn't documented (docs/api.md, Authentication). */
		return 'The API key may have expired, or the service may not accept API keys here. Replace the key, or use credentials with Wallet Sign-In or Access Token.';
	}
	if (status === 403 && roleNeeded !== undefined) {
		return `This operation needs the role ${roleNeeded}. Ask an administrator for it, or use other credentials.`;
	}
	if (status >= 500) return 'The service isn’t working properly right now. Try again later.';
	return HINTS[status] ?? CHECK_BASE_URL;
}

/** For a success whose data can't be used. */
export function unusableAnswer(what: string, status = 200): ServiceError {
	const hint = 'The service may have changed. Update this node, or report this to the service.';
	return new ServiceError(what, { status, nothingDone: false, hint });
}

/** Characters that are shown of what the service says. */
const LONGEST = { message: 500, code: 100 };

/** For a response that isn't a success, with what the service says in its failure envelope. */
export function errorFor(
	{ status, envelope }: { readonly status: number; readonly envelope: Envelope | undefined },
	redact: Redact,
	failedCall: FailedCall,
): ServiceError {
	if (envelope?.success === false) {
		const { data, error_code: code } = envelope;
		const errorCode = code ? safeExcerpt(code, redact, LONGEST.code) : undefined;
		const message = safeExcerpt(data, redact, LONGEST.message) || 'no reason given';
		const suffix = errorCode === undefined ? '' : ` (${errorCode})`;
		return new ServiceError(`The service refused: ${message}${suffix}`, {
			status,
			errorCode,
			nothingDone: REFUSAL_STATUSES.includes(status),
			/* The message shown may be cut before these words. */
			saysItExists: EXISTS_ALREADY.test(`${data} ${code ?? ''}`),
			hint: hintFor(status, failedCall),
		});
	}
	const fault = (what: string, hint: string) =>
		new ServiceError(`${what} (HTTP ${status})`, { status, nothingDone: false, hint });
	if (status >= 300 && status < 400) {
		const why = 'The node doesn’t follow redirects, so that the token can’t go to another host.';
		return fault('The service answered with a redirect', `${why} ${CHECK_BASE_URL}`);
	}
	const isFromProxy = status < 400 || status >= 500;
	const proxy = `A proxy may have answered instead of the service. ${CHECK_BASE_URL}`;
	return fault('Unexpected response', isFromProxy ? proxy : hintFor(status, failedCall));
}
