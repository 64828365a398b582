import type { CredentialInformation, ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Refusal } from '../shared/errors';

/** What the sender of a request and the methods of the credentials tell each other past n8n. */
interface Attempt {
	/** What a method of the credentials threw. */
	refusal?: Refusal;
	/** The session that the service refused, where the sender emptied `sessionToken` to get another. */
	refusedSession?: CredentialInformation;
}

const attempts = new WeakMap<ICredentialDataDecryptedObject, Attempt>();

/**
 * The attempt to send a request with this copy of the credentials, which n8n hands from the sender
 * to both methods of the credentials.
 */
export function attemptWith(saved: ICredentialDataDecryptedObject): Attempt {
	const attempt = attempts.get(saved) ?? {};
	attempts.set(saved, attempt);
	return attempt;
}

/**
 * Remembers a refusal for the sender, because n8n 1.x drops the cause of the error that it makes
 * of it (n8n-workflow, execution-base.error.ts).
 */
export async function rememberRefusal<Result>(
	saved: ICredentialDataDecryptedObject,
	work: Promise<Result>,
): Promise<Result> {
	return await work.catch((error: unknown) => {
		if (error instanceof Refusal) attemptWith(saved).refusal = error;
		throw error;
	});
}
