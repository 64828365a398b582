import { z } from 'zod';
import { readEnvelope } from './schemas/envelope';
import { Refusal } from '../shared/errors';
import type { HttpAnswer, HttpExchange } from '../shared/http';
import { safeExcerpt, type Redact } from '../shared/redaction';
import type { Wallet } from '../signing/wallet';

const TIMEOUT = 30_000;
/** Characters; both answers are far shorter. */
const LONGEST_ANSWER = 100_000;
/** Characters of the service's message and of its code that are repeated. */
const LONGEST_MESSAGE = 300;
const LONGEST_CODE = 100;

const messageData = z.object({ siwe: z.string().min(1) });
const tokenData = z.object({ jwt: z.string().regex(/^[\x21-\x7e]+$/) });

function hintFor(status: number): string {
	if (status === 401 || status === 403) {
		return (
			'The wallet has no role on this platform identifier, or not one that may sign in: check ' +
			'both in the credentials, and ask an administrator for a viewer role for the wallet.'
		);
	}
	if (status === 429) return 'The service is answering too many requests. Wait a minute.';
	if (status >= 500) return 'The service has a fault of its own. Try again in a few minutes.';
	return 'Check the platform identifier, the wallet and the base URL in the credentials.';
}

function refusalOf(answer: HttpAnswer, step: string, redact: Redact): Refusal {
	const { status } = answer;
	const envelope = answer.body.length > LONGEST_ANSWER ? undefined : readEnvelope(answer.body);
	if (envelope?.success === false) {
		const { data, error_code: code } = envelope;
		const named = code === undefined ? '' : `, ${safeExcerpt(code, redact, LONGEST_CODE)}`;
		const said = safeExcerpt(data, redact, LONGEST_MESSAGE) || 'no reason given';
		return new Refusal(`The service refused ${step}: ${said} (HTTP ${status}${named}).`, {
			hint: hintFor(status),
		});
	}
	if (status >= 300 && status < 400) {
		return new Refusal(`The service answered ${step} with a redirect, which is not followed.`, {
			field: 'baseUrl',
			hint: 'Correct the base URL in the credentials to the address that answers by itself.',
		});
	}
	return new Refusal(`The answer to ${step} is not one of the service (HTTP ${status}).`, {
		field: 'baseUrl',
		hint: status === 200 ? 'Check the base URL in the credentials.' : hintFor(status),
	});
}

/** The data of a success; anything else is the refusal of the step. */
function readData<Data>(
	answer: HttpAnswer,
	schema: z.ZodType<Data>,
	step: string,
	redact: Redact,
): Data {
	const isReadable = answer.status === 200 && answer.body.length <= LONGEST_ANSWER;
	const envelope = isReadable ? readEnvelope(answer.body) : undefined;
	const data = envelope?.success === true ? schema.safeParse(envelope.data) : undefined;
	if (data?.success !== true) throw refusalOf(answer, step, redact);
	return data.data;
}

/**
 * Signs in with a wallet (docs/api.md, Authentication, Endpoint 1 and Endpoint 2): gets the message,
 * checks it, signs it and hands it in. Answers with the JWT.
 *
 * `timeout` is in milliseconds for each of the two requests, `now` for tests, `redact` takes the
 * secrets of the credentials out of what the service says. Raises a {@link Refusal} that says which
 * step failed; it never holds a token or a signature.
 */
export async function signIn(
	options: {
		baseUrl: string;
		platformId: string;
		wallet: Wallet;
		domain?: string;
		chainId?: number;
		now?: () => number;
		timeout?: number;
		redact?: Redact;
	},
	exchange: HttpExchange,
): Promise<{ token: string }> {
	const { baseUrl, platformId, wallet, domain, chainId, now = Date.now } = options;
	const { redact = (text) => text } = options;
	const timeout = options.timeout ?? TIMEOUT;
	const query =
		`wallet=${encodeURIComponent(wallet.address)}` +
		`&platformid=${encodeURIComponent(platformId)}`;
	const offer = await exchange({
		method: 'GET',
		url: `${baseUrl}/v2/auth/siwe?${query}`,
		timeout,
	});
	const { siwe: message } = readData(
		offer,
		messageData,
		'the request for a sign-in message',
		redact,
	);
	// Loaded late: signing typed data needs no parser of sign-in messages.
	const { checkSignInMessage } = await import('../signing/guards/signInMessage');
	const { nonce } = checkSignInMessage(message, {
		walletAddress: wallet.address,
		domain,
		chainId,
		baseUrl,
		now: now(),
	});
	const sig = await wallet.signMessage(message);
	const verdict = await exchange({
		method: 'POST',
		url: `${baseUrl}/v2/auth/verify`,
		body: { message, sig, nonce },
		timeout,
	});
	return { token: readData(verdict, tokenData, 'the signed sign-in message', redact).jwt };
}
