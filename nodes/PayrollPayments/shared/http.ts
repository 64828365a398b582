/** One HTTP request with an optional JSON body. */
export interface HttpRequest {
	readonly method: 'GET' | 'POST' | 'PUT';
	/** Absolute, with its query string. */
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as JSON; without it, no body is sent. */
	readonly body?: unknown;
	/** Milliseconds until the request is given up. */
	readonly timeout?: number;
}

/** What came back, whatever the status. */
export interface HttpAnswer {
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** The body as text, not yet parsed. */
	readonly body: string;
}

/**
 * Sends one request and answers with whatever came back: 4xx and 5xx are answers, redirects are
 * answered and never followed. Rejects with a {@link Refusal} when no answer came at all (no
 * connection, TLS error, timeout).
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpAnswer>;
