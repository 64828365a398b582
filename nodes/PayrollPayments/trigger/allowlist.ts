import { Refusal } from '../shared/errors';

/** Addresses of one family that share their first bits. */
export interface IpRange {
	readonly family: 4 | 6;
	readonly address: bigint;
	/** How many of the family's 32 or 128 bits must agree. */
	readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/** The upper 96 bits of an IPv4-mapped address, ::ffff:0:0/96 (RFC 4291, section 2.5.5.2). */
const MAPPED = 0xffffn;

/**
 * Reads the entries of an allowlist: single addresses and CIDR ranges, IPv4 and IPv6.
 * @throws {Refusal} that names the first entry that is neither.
 */
export function readAllowlist(entries: readonly string[]): IpRange[] {
	return entries.map((entry) => {
		const range = readRange(entry);
		if (range === undefined) {
			throw new Refusal(`IP Allowlist: “${entry.slice(0, 60)}” is no address and no CIDR range`, {
				field: 'ipAllowlist',
				hint: 'Entries read 203.0.113.7, 203.0.113.0/24, 2001:db8::7 or 2001:db8::/32.',
			});
		}
		return range;
	});
}

/**
 * Whether an address lies in one of the ranges; an IPv4-mapped one counts as IPv4. What is no
 * address lies in none, and an empty allowlist allows every sender.
 */
export function isAllowed(address: string | undefined, allowlist: readonly IpRange[]): boolean {
	if (allowlist.length === 0) return true;
	const sender = readRange(address ?? '');
	return (
		sender !== undefined &&
		allowlist.some(({ family, address: network, prefix }) => {
			const shift = BigInt(BITS[family] - prefix);
			return sender.family === family && sender.address >> shift === network >> shift;
		})
	);
}

function readRange(text: string): IpRange | undefined {
	const [host = '', prefixText, ...rest] = text.trim().split('/');
	const family = host.includes(':') ? 6 : 4;
	const address = family === 6 ? readIpv6(host.split('%', 1)[0] ?? '') : readIpv4(host);
	if (address === undefined || rest.length > 0) return undefined;
	if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return undefined;

	const prefix = prefixText === undefined ? BITS[family] : Number(prefixText);
	if (prefix > BITS[family]) return undefined;
	if (family === 6 && prefix >= 96 && address >> 32n === MAPPED) {
		return { family: 4, address: address & 0xffffffffn, prefix: prefix - 96 };
	}
	return { family, address, prefix };
}

function readIpv4(text: string): bigint | undefined {
	const octets = text.split('.');
	/* 010 is 8 to some and 10 to others, so a leading zero is refused. */
	const areOctets = octets.every(
		(octet) => /^(0|[1-9]\d{0,2})$/.test(octet) && Number(octet) <= 255,
	);
	if (octets.length !== 4 || !areOctets) return undefined;
	return octets.reduce((address, octet) => (address << 8n) | BigInt(octet), 0n);
}

function readIpv6(text: string): bigint | undefined {
	const halves = withoutDottedTail(text)?.split('::') ?? [];
	if (halves.length === 0 || halves.length > 2) return undefined;
	const [head = [], tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
	const groups =
		tail === undefined
			? head
			: [...head, ...Array<string>(Math.max(1, 8 - head.length - tail.length)).fill('0'), ...tail];
	if (groups.length !== 8 || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) {
		return undefined;
	}
	return groups.reduce((address, group) => (address << 16n) | BigInt(`0x${group}`), 0n);
}

/** ::ffff:192.0.2.1 as ::ffff:c000:201. */
function withoutDottedTail(text: string): string | undefined {
	if (!text.includes('.')) return text;
	const start = text.lastIndexOf(':') + 1;
	const address = readIpv4(text.slice(start));
	if (address === undefined) return undefined;
	return `${text.slice(0, start)}${(address >> 16n).toString(16)}:${(address & 0xffffn).toString(16)}`;
}
