import { createHash } from 'node:crypto';

import { z } from 'zod';
import { parseJson } from '../shared/json';
import type { ServiceCredentials } from './credentials';

/*
 * The hidden property `sessionToken` of the credentials, in which n8n saves the token. A change of a key or
 * an address doesn't clear it (n8n 2.41), so it says what its token was obtained with.
 */

const storedSession = z
	.string()
	.transform(parseJson)
	.pipe(z.object({ boundTo: z.string(), token: z.string() }));

/** Names the credentials by a hash over everything that a token is obtained with. */
export function sessionBinding(credentials: ServiceCredentials): string {
	const obtainedWith = { ...credentials, limits: undefined, entities: undefined, name: undefined };
	return createHash('sha256').update(JSON.stringify(obtainedWith)).digest('hex');
}

/** A token and what it is bound to, as the hidden credential property keeps it. */
export function packSession(boundTo: string, token: string): string {
	return JSON.stringify({ boundTo, token });
}

/** What {@link packSession} made; undefined if it's damaged, or something else. */
export function readSession(stored: unknown): z.output<typeof storedSession> | undefined {
	return storedSession.safeParse(stored).data;
}

/** The stored token; '' if there is none, or if it was obtained with other credentials. */
export function tokenIn(stored: unknown, boundTo: string): string {
	const session = readSession(stored);
	return session?.boundTo === boundTo ? session.token : '';
}
