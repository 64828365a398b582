/*
 * How n8n sends a request with credentials (n8n-core 2.41, request-helpers/authentication.js):
 *
 * 1. It calls `preAuthentication` if `sessionToken` is empty, and saves the token that it gives.
 * 2. It calls `authenticate`, which adds the token to the request.
 * 3. It sends the request.
 * 4. After a 401, or in the HTTP Request node after any failure, it does all this once more, whether
 *    or not the request may be sent twice. It also does so after `authenticate` itself failed.
 *
 * Our own requests go this way, too: n8n's lint rule no-http-request-with-manual-auth forbids a node to
 * add the token itself, and only n8n can save a new one. They ask for every status as an answer, so
 * that step 4 is left to client.ts, which knows what may be sent again.
 *
 * Neither method learns who sends a request, what the other one did, or what the service answered. But
 * n8n hands both the same copy of the credentials, one for each request. Here is what they have to
 * know of that request, by that copy; n8nTransport.ts asks here whether the request may have left.
 */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Redactor } from '../shared/redaction';
import type { ServiceCredentials } from './credentials';

/** A request of one of our nodes, which was checked before it was made. */
interface OwnRequest {
	readonly credentials: ServiceCredentials;
	/** Knows the secrets of the run, also those of a session that is no longer used. */
	readonly redactor: Redactor;
	/** The token that a sign-in before this request replaces; '' if there was none. */
	readonly replaces: string;
	/** For the whole answer, in milliseconds; the time of a sign-in doesn't count. By default that of n8nHttp.ts. */
	readonly timeout?: number;
	/** Ends the request when the execution is stopped. Unset for a write, whose outcome would be unknown. */
	readonly stop?: AbortSignal;
	/** Aborted once the execution was stopped: then the request doesn't leave, whatever it is. */
	readonly stopped?: AbortSignal;
}

/**
 * What `authenticate` did with a request:
 * - `refused`: it may not be sent, so n8n sends nothing.
 * - `sentOnce`: n8n sends it and must not repeat it. It is ours, or another node's that may change something.
 * - `repeatable`: n8n sends it, and may do so again after a 401: another node's plain GET.
 */
type Passage = 'refused' | 'sentOnce' | 'repeatable';

interface RequestState {
	/** Unset for requests of other nodes, such as n8n's HTTP Request. */
	readonly own?: OwnRequest;
	/** Undefined before `authenticate`, and while the request waits for a token. */
	passage?: Passage;
	/** Whether n8n has asked for a token since: then the request goes on with the one there is. */
	wasRenewed?: boolean;
}

/** Whether step 4 must end here: n8n takes it even after `authenticate` threw. */
export function mayNotBeRetried({ passage }: RequestState): boolean {
	return passage === 'refused' || passage === 'sentOnce';
}

const states = new WeakMap<ICredentialDataDecryptedObject, RequestState>();

/** Marks a request as ours, by its own copy of the credentials. Call it before n8n gets that copy. */
export function announceRequest(saved: ICredentialDataDecryptedObject, own: OwnRequest): void {
	states.set(saved, { own });
}

/** What is known of the request with this copy of the credentials. A copy that wasn't announced is another node's. */
export function stateOf(saved: ICredentialDataDecryptedObject): RequestState {
	const state = states.get(saved) ?? {};
	states.set(saved, state);
	return state;
}
