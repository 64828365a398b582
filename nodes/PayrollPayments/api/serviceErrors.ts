import { ServiceError } from '../shared/errors';
import type { HttpAnswer } from '../shared/http';
import { isRecord, parseJson, type JsonValue } from '../shared/json';
import { listed } from '../shared/lists';
import { safeExcerpt, type Redact } from '../shared/redaction';
import type { Call } from './call';
import { isReadable, readFailure, shownOf } from './failureBody';
import { mayHaveSucceeded } from './doubtfulRefusals';
import type { Envelope } from './schemas/answers';

/** Statuses that count as certainly nothing done, in the service’s own envelope (docs/api.md, Open questions). */
export const REFUSAL_STATUSES: readonly number[] = [400, 401, 403, 404];

/** All documented statuses. Messages give the number only of others. */
const DOCUMENTED_STATUSES: readonly number[] = [200, ...REFUSAL_STATUSES, 500];

const CHECK_BASE_URL = 'Check the Base URL in the credentials.';

const SEE_MESSAGE = 'Check the values that were sent; the service’s message may say what is wrong.';

const HINTS: Readonly<Record<number, string>> = {
	200: SEE_MESSAGE,
	400: SEE_MESSAGE,
	403: 'The user of these credentials may lack the required role, or the ID may be wrong. Check both, or use other credentials.',
	404: 'Check the ID. It may not exist, or the user of these credentials can’t see it.',
	407: 'Put a user name and password for the proxy into HTTPS_PROXY or HTTP_PROXY of n8n, or have the proxy let n8n through.',
	409: 'Compare with what the service has: it may have changed, or have this already.',
	413: 'The request is too large for the service. Send fewer at once.',
	422: SEE_MESSAGE,
	429: 'Rate limit reached. Try again later. In the action node, lower Concurrency under Options; in the polling trigger, choose longer Poll Times.',
};

/** For a 401, by what the call was sent with. */
const UNAUTHORIZED_HINTS = {
	accessToken:
		'The access token may have expired or been revoked. Enter a new one as Access Token in the credentials.',
	/* Which operations take the older scheme isn't documented (docs/api.md, Authentication). */
	legacyApiKey:
		'The API key may have expired, or the service may not accept API keys here. Replace the key, or use credentials with Wallet Sign-In or Access Token.',
	walletSignIn: 'Test the credentials. If they work, their user may lack a role for this.',
	none: 'The wallet may have no role on this Platform ID. Check both.',
	signature:
		'The signature may not be this wallet’s, or the nonce may have expired. Get a new sign-in message and sign it again.',
};

/** What is known about a call that failed, for the hint. */
interface FailedCall {
	readonly roleNeeded: string | undefined;
	/** What the call was sent with. */
	readonly authentication: keyof typeof UNAUTHORIZED_HINTS;
	/** What was sent, under the service's own names. */
	readonly body?: Call<unknown>['body'];
}

function hintFor(status: number, { roleNeeded, authentication }: FailedCall): string {
	if (status === 401) return UNAUTHORIZED_HINTS[authentication];
	if (status === 403 && roleNeeded !== undefined) {
		return `This operation needs the role ${roleNeeded}. Ask an administrator for it, or use other credentials.`;
	}
	if (status >= 500) return 'The service isn’t working properly right now. Try again later.';
	return HINTS[status] ?? CHECK_BASE_URL;
}

/**
 * The hint, with whose entries a refusal means in front: "invites.2 is ana@example.com." Services name them by
 * their places in the request, from 0.
 */
function withEntries(hint: string, message: string, body: FailedCall['body'] = {}): string {
	const places = [...message.matchAll(/\b([\w-]+)[.[](\d{1,6})\b/g)];
	const names = places.flatMap(([, list = '', index]) => {
		const entries = body[list];
		const entry: unknown = Array.isArray(entries) && entries[Number(index)];
		/* Field Names may have renamed the member. */
		const members = isRecord(entry) ? Object.values(entry) : [entry];
		const texts = members.filter((member) => typeof member === 'string');
		const name = texts.find((text) => text.includes('@'));
		return name === undefined ? [] : [`${list}.${index} is ${name}`];
	});
	return names.length === 0 ? hint : `${listed([...new Set(names)])}. ${hint}`;
}

/**
 * For a success whose data can't be used.
 * @param response what the service said, to be shown as data
 */
export function unusableAnswer(what: string, status = 200, response?: JsonValue): ServiceError {
	const hint = 'The service may have changed. Update this node, or report this to the service.';
	const details = response === undefined ? undefined : { response };
	return new ServiceError(what, { status, nothingDone: false, hint, details });
}

interface FailedAnswer extends HttpAnswer {
	readonly envelope: Envelope | undefined;
}

/** The origin that a redirect leads to: its path may hold a secret. */
function originOf({ location = '' }: FailedAnswer['headers'], redact: Redact): string {
	const isUrl = /^https?:/i.test(location) && URL.canParse(location);
	return isUrl ? ` to ${safeExcerpt(new URL(location).origin, redact, 100)}` : '';
}

/** What a failure says that isn't in the documented form, if it is JSON; a web page isn't shown. */
function inAnotherForm(body: string, redact: Redact) {
	const data = parseJson(body);
	if (!isRecord(data) || data.success === true || !isReadable(data)) return undefined;
	if (Object.keys(data).length === 0) return undefined;
	const { message } = readFailure({ success: false, data, error_code: '' }, redact);
	return { message, details: { response: shownOf(data, redact) } };
}

/** For an answer that isn't a success, with what the service says in its failure envelope. */
export function errorFor(
	{ status, envelope, headers, body }: FailedAnswer,
	redact: Redact,
	failedCall: FailedCall,
): ServiceError {
	const hint = hintFor(status, failedCall);
	if (status === 407) {
		const what = 'The proxy between n8n and the service wants n8n to sign in (HTTP 407)';
		return new ServiceError(what, { status, nothingDone: true, hint });
	}
	if (envelope?.success === false && isReadable(envelope)) {
		const { message, errorCode, rest, text } = readFailure(envelope, redact);
		const codes = [errorCode, DOCUMENTED_STATUSES.includes(status) ? undefined : `HTTP ${status}`];
		const suffix = codes.map((code) => (code === undefined ? '' : ` (${code})`)).join('');
		return new ServiceError(`The service refused: ${message}${suffix}`, {
			status,
			errorCode,
			inEnvelope: true,
			nothingDone: REFUSAL_STATUSES.includes(status),
			/* The message shown may be cut before these words. */
			mayHaveSucceeded: mayHaveSucceeded(text),
			hint: withEntries(hint, message, failedCall.body),
			details: rest === undefined ? undefined : { response: rest },
		});
	}
	const other = status < 400 ? undefined : inAnotherForm(body, redact);
	const fault = (what: string, next: string) => {
		const message = [`${what} (HTTP ${status})`, other?.message].filter(Boolean).join(': ');
		const advice = withEntries(next, message, failedCall.body);
		const details = other?.details;
		return new ServiceError(message, { status, nothingDone: false, hint: advice, details });
	};
	if (status >= 300 && status < 400) {
		const why = 'The node doesn’t follow redirects, so that the token can’t go to another host.';
		return fault(
			`The service answered with a redirect${originOf(headers, redact)}`,
			`${why} ${CHECK_BASE_URL}`,
		);
	}
	const another = `A proxy may have answered instead of the service. ${CHECK_BASE_URL}`;
	const isUseful =
		hint !== CHECK_BASE_URL && (other !== undefined || [401, 403, 429].includes(status));
	return fault('Unexpected response', isUseful ? `${hint} ${another}` : another);
}
