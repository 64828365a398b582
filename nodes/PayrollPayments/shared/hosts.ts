/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
	return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

/** Whether a host is this machine. Names below localhost don't count: they may lead anywhere. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || isIpv4In(host, '127');
}

/** Whether a host is loopback or an address of a private network (RFC 1918, RFC 4193). */
export function isPrivate(host: string): boolean {
	return (
		isLoopback(host) ||
		isIpv4In(host, '10') ||
		isIpv4In(host, '192\\.168') ||
		isIpv4In(host, '172\\.(1[6-9]|2\\d|3[01])') ||
		/^f[cd][0-9a-f]{2}:/.test(host)
	);
}

function isIpv4In(host: string, network: string): boolean {
	return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) && new RegExp(`^${network}\\.`).test(host);
}

export function parseUrl(value: string): URL | undefined {
	try {
		return new URL(value);
	} catch {
		return undefined;
	}
}
