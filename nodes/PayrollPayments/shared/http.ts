export interface HttpRequest {
	readonly method: 'GET' | 'POST' | 'PUT';
	/** Absolute, with its query string. */
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as JSON; without it, no body is sent. */
	readonly body?: unknown;
	/** Milliseconds until the request times out. */
	readonly timeout?: number;
}

export interface HttpAnswer {
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** The body as text, not yet parsed. */
	readonly body: string;
}

/**
 * Sends one request and returns the response of any status, redirects included: they are never
 * followed. Rejects with a {@link UserError} if no response arrives (no connection, TLS error, timeout).
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpAnswer>;
