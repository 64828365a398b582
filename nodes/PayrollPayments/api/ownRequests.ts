import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { ServiceCredentials } from './credentials';

/**
 * The copies of the credentials that our nodes send with their requests, and what was read from them.
 * n8n hands the same object to both methods of the credentials, so that they know our requests by
 * identity: those were checked before they were made.
 */
const ownRequests = new WeakMap<ICredentialDataDecryptedObject, ServiceCredentials>();

/** Marks a copy of the saved credentials as belonging to one request of our nodes. */
export function markOwnRequest(
	saved: ICredentialDataDecryptedObject,
	credentials: ServiceCredentials,
): ICredentialDataDecryptedObject {
	ownRequests.set(saved, credentials);
	return saved;
}

/** What was read from the credentials of one of our requests; undefined for those of other nodes. */
export function ownCredentials(
	saved: ICredentialDataDecryptedObject,
): ServiceCredentials | undefined {
	return ownRequests.get(saved);
}
