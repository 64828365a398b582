import { z } from 'zod';

import { ENDPOINTS } from '../contract/endpoints';
import { ServiceError, stoppedError, UserError, wrapError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import { Redactor, type Redact } from '../shared/redaction';
import type { Wallet } from '../signing';
import { Client, transportOver } from './client';
import { LONGEST_TOKEN, type WalletCredentials } from './credentials';
import { REFUSAL_STATUSES } from './serviceErrors';
import { signInMessageAnswer, verifyAnswer } from './schemas/answers';

/** A token that can go into a header. */
const headerToken = z.object({ jwt: z.string().regex(/^[\x21-\x7e]+$/) });

/** Asks for a message to sign (docs/api.md, Endpoint 1). */
export function signInMessageCall(query: { wallet: string; platformId: string }) {
	return {
		...ENDPOINTS.getSignInMessage,
		query: { wallet: query.wallet, platformid: query.platformId },
		answer: signInMessageAnswer,
		withoutToken: true,
	} as const;
}

/** Exchanges `message`, `sig` and `nonce` for a token (docs/api.md, Endpoint 2). */
export const VERIFICATION = {
	...ENDPOINTS.verifySignIn,
	answer: verifyAnswer,
	withoutToken: true,
} as const;

/**
 * The wallet of the credentials. Loads the cryptography, so call it only to sign something.
 * @param signal ends the wait for a remote signer
 */
export async function openWallet(
	credentials: WalletCredentials,
	exchange: HttpExchange,
	redact: Redact,
	signal?: AbortSignal,
): Promise<Wallet> {
	const { privateKeyWallet, remoteSignerWallet } = await import('../signing');
	if (credentials.signer === 'privateKey') return privateKeyWallet(credentials);
	const { remoteSignerUrl: url, remoteSignerToken: token, ...rest } = credentials;
	const { remoteSignerDialect: dialect, walletAddress, confirmationSeconds } = rest;
	const asked = { walletAddress, confirmationSeconds, redact, signal };
	return remoteSignerWallet({ url, token, dialect, ...asked }, exchange);
}

const CHECK = 'Check the Platform ID, the wallet and the Base URL in the credentials.';
const NO_ROLE =
	'The wallet may have no role on this Platform ID, or a role that cannot sign in. Check both in the credentials, and ask an administrator to give the wallet a viewer role.';

/** By the status of a refusal. */
const HINTS: Readonly<Record<number, string>> = {
	400: `${CHECK} If the service names a field differently, enter its name under Field Names there.`,
	401: NO_ROLE,
	403: NO_ROLE,
	404: 'The service doesn’t know this Platform ID. Check it in the credentials, and the Base URL.',
	429: 'Rate limit reached. Try again in a minute.',
};

/** The same for the signed message. */
const VERIFICATION_HINTS: typeof HINTS = {
	...HINTS,
	401: 'The signature isn’t this wallet’s, or the nonce in the message had expired. Check the wallet and the Platform ID in the credentials. If a person confirms sign-ins, confirm sooner.',
};

function signInError(error: unknown, hints: typeof HINTS): unknown {
	if (!(error instanceof ServiceError)) return error;
	const { message, status, inEnvelope, hint, context } = error;
	/* Messages (errors.ts) leave out the number of a documented status. */
	const isNumbered = inEnvelope && [...REFUSAL_STATUSES, 500].includes(status);
	const code = isNumbered ? ` (HTTP ${status})` : '';
	/* What a proxy's page says, says nothing of the wallet. */
	const isSaid = inEnvelope || context.details !== undefined || status === 429;
	const ownHint = isSaid ? hints[status] : undefined;
	return wrapError(error, `Sign-in failed${code}. ${message}`, { hint: ownHint ?? hint });
}

/** n8n holds nodes to these domains, but not the test of credentials, so both are checked here. */
function requireAllowedDomains({ allowedDomains, baseUrl, ...signer }: WalletCredentials): void {
	const allowed = allowedDomains?.split(',').map((each) => each.trim().toLowerCase());
	const urls = {
		'the Base URL': baseUrl,
		...('remoteSignerUrl' in signer && { 'the signer': signer.remoteSignerUrl }),
	};
	for (const [what, url] of Object.entries(urls)) {
		const { hostname: host } = new URL(url);
		const matches = (domain: string) =>
			domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain;
		if (allowed === undefined || allowed.some(matches)) continue;
		throw new UserError(
			`Allowed Domains in the credentials leave out ${host}, the host of ${what}`,
			{ hint: 'Add it to that list, without a port: n8n can’t sign in without it.' },
		);
	}
}

interface SignInOptions {
	readonly now?: () => number;
	/** Whether anyone still waits for the token; asked before anything is signed. */
	readonly isWanted?: () => boolean;
}

/**
 * Signs in with a wallet (docs/api.md, Authentication).
 * @returns the token (JWT)
 * @throws {UserError} if a step fails; it never contains a token or a signature
 */
export async function signIn(
	credentials: WalletCredentials,
	exchange: HttpExchange,
	redactor: Redactor = new Redactor(),
	{ now = Date.now, isWanted = () => true }: SignInOptions = {},
): Promise<string> {
	const { baseUrl, platformId, signInDomain: domain, signInChainId: chainId } = credentials;
	requireAllowedDomains(credentials);
	const client = new Client(credentials, transportOver(exchange), redactor, {
		retries: 1,
		longestPause: 5_000,
	});
	const wallet = await openWallet(credentials, exchange, redactor.text);
	const { address: walletAddress } = wallet;
	const { siwe: message } = await client
		.sendRead(signInMessageCall({ wallet: walletAddress, platformId }))
		.catch((error: unknown) => {
			throw signInError(error, HINTS);
		});
	// Loaded late, because signing typed data doesn't need the parser of sign-in messages.
	const { checkSignInMessage } = await import('../signing/guards/signInMessage');
	const redact = redactor.text;
	const expected = { walletAddress, domain, chainId, baseUrl, now: now(), redact };
	const { nonce } = checkSignInMessage(message, expected);
	if (!isWanted()) throw stoppedError();
	const sig = await wallet.signMessage(message).catch((error: unknown) => {
		const wasAsked = error instanceof UserError && error.context.mayBeSigned !== false;
		throw wasAsked ? error.with({ wasAsked }) : error;
	});
	const body = { message, sig, nonce };
	/* A person may have taken minutes. */
	if (!isWanted()) throw stoppedError();
	/* A person who confirmed isn't asked again soon, even if the service then failed. */
	const wasAsked = credentials.signer === 'remoteSigner';
	const { jwt } = await client
		.sendWrite({ ...VERIFICATION, body, answer: headerToken })
		.catch((error: unknown) => {
			const failure = signInError(error, VERIFICATION_HINTS);
			throw failure instanceof UserError ? failure.with({ wasAsked }) : failure;
		});
	if (jwt.length <= LONGEST_TOKEN) return jwt;
	throw new UserError(
		`Sign-in failed. The service’s token has more than ${LONGEST_TOKEN} characters`,
		{
			hint: 'Report this to the service: such a token doesn’t fit into the header of a request.',
			wasAsked,
		},
	);
}
