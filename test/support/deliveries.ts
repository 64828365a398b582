import { timestamped } from '../../n8nHost/sampleEvents';
import { OWN_CONNECTION } from '../../n8nHost/waiting';

/** How the trigger answers a delivery that is genuine. */
export const GENUINE = { status: 200, body: { received: true } };
export const FILTERED = { status: 200, body: { received: true, ignored: 'filter' } };
export const DUPLICATE = { status: 200, body: { received: true, ignored: 'duplicate' } };

export interface Answer {
	readonly status: number;
	readonly body: unknown;
}

/** How a delivery is sent, if not as usual. */
export interface Sending {
	readonly secret?: string;
	readonly headers?: Record<string, string>;
	readonly signal?: AbortSignal;
}

/** A signature as the service makes it, with the time now. */
export function signatureHeaders(body: string, secret: string): Record<string, string> {
	const signature = timestamped(secret, Math.floor(Date.now() / 1000), Buffer.from(body));
	return { 'content-type': 'application/json', 'x-signature': signature };
}

/** Delivers to a webhook what is signed already, or isn't meant to be. */
export async function deliver(
	url: string,
	body: string | Uint8Array<ArrayBuffer>,
	headers: Record<string, string>,
	signal?: AbortSignal,
): Promise<Answer> {
	const all = { ...headers, ...OWN_CONNECTION };
	const response = await fetch(url, { method: 'POST', body, headers: all, signal });
	const text = await response.text();
	return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

export async function sendEvent(
	url: string,
	event: object | string,
	{ secret, headers, signal }: Sending & { readonly secret: string },
): Promise<Answer> {
	const body = typeof event === 'string' ? event : JSON.stringify(event);
	return await deliver(url, body, { ...signatureHeaders(body, secret), ...headers }, signal);
}
