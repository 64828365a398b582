import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { z } from 'zod';

/** A CIDR range; a single address is a range of one. */
interface IpRange {
	readonly address: IPv4 | IPv6;
	/** How many leading bits must match. */
	readonly prefix: number;
}

export const ipRange = z
	.string({ invalid_type_error: 'must be text' })
	.transform((text, context): IpRange => {
		const range = readRange(text);
		if (range !== undefined) return range;
		const message = `is wrong: “${text.slice(0, 60)}” isn’t a valid IP address or CIDR range`;
		context.addIssue({ code: z.ZodIssueCode.custom, message });
		return z.NEVER;
	});

/** An empty allowlist allows every sender. Any other refuses a sender without a valid address. */
export function isAllowed(address: string | undefined, allowlist: readonly IpRange[]): boolean {
	if (allowlist.length === 0) return true;
	/* Some gateways write the port, and then brackets around IPv6, into X-Forwarded-For. */
	const text = address?.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2') ?? '';
	const sender = readRange(text)?.address;
	return (
		sender !== undefined &&
		allowlist.some(
			(range) =>
				range.address.kind() === sender.kind() && sender.match(range.address, range.prefix),
		)
	);
}

function readRange(text: string): IpRange | undefined {
	const [host = '', prefixText, ...rest] = text.trim().split('/');
	const address = readAddress(host);
	if (address === undefined || rest.length > 0) return undefined;
	if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return undefined;

	const bits = address.kind() === 'ipv4' ? 32 : 128;
	const prefix = prefixText === undefined ? bits : Number(prefixText);
	if (prefix > bits) return undefined;
	/* An IPv4-mapped address (RFC 4291, section 2.5.5.2) counts as IPv4, and so does a range of them. */
	if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefix >= 96) {
		return { address: address.toIPv4Address(), prefix: prefix - 96 };
	}
	return { address, prefix };
}

function readAddress(text: string): IPv4 | IPv6 | undefined {
	const [host = ''] = text.split('%', 1);
	if (!text.includes(':')) return readIpv4(text);
	/* The library reads 010 as 8, and ::192.0.2.1 as if it were ::ffff:192.0.2.1. */
	const dottedTail = host.includes('.') ? host.slice(host.lastIndexOf(':') + 1) : undefined;
	if (dottedTail !== undefined && readIpv4(dottedTail) === undefined) return undefined;
	const ipv6 = host.replace(/^::(?=\d+\.)/, '0::');
	return ipaddr.IPv6.isValid(ipv6) ? ipaddr.IPv6.parse(ipv6) : undefined;
}

/** Four decimal numbers; shorter, octal and hexadecimal spellings are refused. */
function readIpv4(text: string): IPv4 | undefined {
	return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
}
