/** The methods of changes. */
export const WRITE_METHODS = ['POST', 'PUT'] as const;
export type WriteMethod = (typeof WRITE_METHODS)[number];

export interface HttpRequest {
	readonly method: 'GET' | WriteMethod;
	/** Absolute, with its query string. */
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as JSON; without it, no body is sent. */
	readonly body?: unknown;
	/** For the whole answer, its body included; in milliseconds. */
	readonly timeout?: number;
	/** Aborted once the execution was stopped, or a first poll took too long. Never ends a write with a token. */
	readonly signal?: AbortSignal;
}

export interface HttpAnswer {
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/**
 * Sends one request and returns the answer of any status. Redirects are never followed. Rejects with
 * a {@link UserError} if none arrives.
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpAnswer>;

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
	return hostname.replace(/^\[|\]$/g, '');
}

function isIpv4In(host: string, network: string): boolean {
	return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) && new RegExp(`^${network}\\.`).test(host);
}

/** Whether a host is this machine. Names below localhost don't count: they may lead anywhere. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || isIpv4In(host, '127');
}

/** Whether a host is loopback or an address of a private network (RFC 1918, RFC 4193). */
export function isPrivate(host: string): boolean {
	const networks = ['10', '192\\.168', '172\\.(1[6-9]|2\\d|3[01])'];
	return (
		isLoopback(host) ||
		networks.some((network) => isIpv4In(host, network)) ||
		/^f[cd][0-9a-f]{2}:/.test(host)
	);
}
