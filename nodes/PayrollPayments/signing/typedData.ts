import { hashTypedData, isAddress } from 'viem/utils';

import { z } from 'zod';
import { isRecord, type JsonValue } from '../shared/json';
import { asWord, quoted } from '../shared/redaction';
import { readChainId } from './chains';
import { isHex, isSameAddress, readSignature, refuseToSign, signerOf, type Hex } from './signature';

type Types = z.output<typeof typesSchema>;
type Member = z.output<typeof member>;
type Json = Readonly<Record<string, JsonValue>>;

/**
 * EIP-712 typed data, parsed once: what is guarded, signed and sent. Only {@link parseTypedData} makes
 * one, so nothing else can be signed.
 */
export class GuardedTypedData {
	/** Private, so that no other object passes for this class. */
	readonly #hash: Hex;

	/** @param types without EIP712Domain, which follows from `domain` */
	constructor(
		readonly domain: Json,
		readonly types: Readonly<Types>,
		readonly primaryType: string,
		readonly message: Json,
	) {
		this.#hash = hashTypedData({ domain, types, primaryType, message });
	}

	get hash(): Hex {
		return this.#hash;
	}

	/** The types with that of the domain, which remote signers need. */
	get allTypes(): Types {
		return { EIP712Domain: domainMembers(this.domain), ...this.types };
	}
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const BYTES = /^bytes([1-9]|[12]\d|3[0-2])$/;
const INTEGER = /^u?int([1-9]\d{0,2})$/;
const LIST_TYPE = /^(.+)\[\]$/;
/** Names that viem keeps for plain types, e.g. `uint`, `bytes33` and `integer`. */
const PLAIN_NAME = /^(?:address$|bool$|string$|bytes|u?int)/;

/** The members of a domain, in EIP-712's order. */
const DOMAIN_MEMBERS: readonly Member[] = [
	{ name: 'name', type: 'string' },
	{ name: 'version', type: 'string' },
	{ name: 'chainId', type: 'uint256' },
	{ name: 'verifyingContract', type: 'address' },
	{ name: 'salt', type: 'bytes32' },
];

/** The width of an integer type, or 0. `uint` and `int` have none. */
function bitsOf(type: string): number {
	const bits = Number(INTEGER.exec(type)?.[1] ?? 0);
	return bits <= 256 && bits % 8 === 0 ? bits : 0;
}

function isAtomic(type: string): boolean {
	return (
		['address', 'bool', 'string', 'bytes'].includes(type) || BYTES.test(type) || bitsOf(type) > 0
	);
}

/** Refuses names such as `constructor`, because libraries look up types and members by name. */
function isName(value: string): boolean {
	return NAME.test(value) && !(value in {});
}

const member = z.object({ name: z.string().refine(isName), type: z.string() }).strict();

const typeName = z.string().refine((name) => isName(name) && !PLAIN_NAME.test(name));

const hasDistinctNames = (members: ReadonlyArray<{ readonly name: string }>) =>
	new Set(members.map(({ name }) => name)).size === members.length;

const typesSchema = z.record(typeName, z.array(member).refine(hasDistinctNames));

/** Types as EIP-712 allows them, perhaps with EIP712Domain. */
export function readTypes(value: unknown): Types {
	const types = typesSchema.safeParse(value);
	if (types.success) return types.data;
	const [path = ''] = types.error.issues.map((issue) => issue.path.join('.'));
	const where = path === '' ? '' : ` at ${quoted(path)}`;
	return refuseToSign(`The types aren’t valid EIP-712 types${where}`);
}

function membersOf(types: Types, type: string): Member[] | undefined {
	return Object.hasOwn(types, type) ? types[type] : undefined;
}

/**
 * Refuses missing, unused and circular types, so that every library hashes the same ones.
 * @returns the members of the primary type
 */
function checkedPrimaryType(types: Types, primaryType: string): Member[] {
	const primary =
		membersOf(types, primaryType) ??
		refuseToSign(`The primary type ${quoted(primaryType)} is not among the types`);
	const used = new Set<string>();
	const visit = (type: string, path: readonly string[]): void => {
		const base = LIST_TYPE.exec(type)?.[1] ?? type;
		if (isAtomic(base)) return;
		const members = membersOf(types, base) ?? refuseToSign(`The type ${quoted(type)} is missing`);
		if (path.includes(base)) refuseToSign(`The type ${base} contains itself`);
		if (used.has(base)) return;
		used.add(base);
		for (const member of members) visit(member.type, [...path, base]);
	};
	visit(primaryType, []);
	const unused = Object.keys(types).find((type) => !used.has(type));
	if (unused !== undefined) refuseToSign(`The type ${unused} isn’t used by the primary type`);
	return primary;
}

/**
 * Integers must be text in plain decimal digits, so that signers and approvals see one spelling.
 */
function fitsInteger(value: string, signed: boolean, bits: bigint): boolean {
	if (!/^(?:0|-?[1-9]\d{0,77})$/.test(value)) return false;
	const integer = BigInt(value);
	const most = signed ? 2n ** (bits - 1n) : 2n ** bits;
	return integer < most && integer >= (signed ? -most : 0n);
}

function fitsAtomic(value: unknown, type: string): value is string | boolean {
	if (type === 'bool') return typeof value === 'boolean';
	if (typeof value !== 'string') return false;
	const bits = bitsOf(type);
	if (bits > 0) return fitsInteger(value, type.startsWith('int'), BigInt(bits));
	if (type === 'string') return value.isWellFormed();
	/* In lower case or with a valid checksum. Length first: viem caches every text it is asked about. */
	if (type === 'address') return value.length === 42 && isAddress(value);
	const size = BYTES.exec(type)?.[1];
	return isHex(value) && (size === undefined || value.length === 2 + 2 * Number(size));
}

function fitStruct(
	value: Readonly<Record<string, unknown>>,
	members: readonly Member[],
	types: Types,
	prefix: string,
): Json {
	const extra = Object.keys(value).find((name) => members.every((member) => member.name !== name));
	if (extra !== undefined) {
		return refuseToSign(`${prefix}${asWord(extra)} would be sent, but not signed`);
	}
	const copied = members.map(({ name, type }): [string, JsonValue] => {
		if (!Object.hasOwn(value, name)) return refuseToSign(`${prefix}${name} is missing`);
		return [name, fit(value[name], type, types, `${prefix}${name}`)];
	});
	return Object.fromEntries(copied);
}

/** Copies the value member by member, so that only what was checked is signed. */
function fit(value: unknown, type: string, types: Types, path: string): JsonValue {
	const members = membersOf(types, type);
	if (members !== undefined) {
		if (!isRecord(value)) return refuseToSign(`${path} is not an object`);
		return fitStruct(value, members, types, `${path}.`);
	}
	const item = LIST_TYPE.exec(type)?.[1];
	if (item !== undefined) {
		if (!Array.isArray(value)) return refuseToSign(`${path} is not a list`);
		return value.map((one: unknown, index) => fit(one, item, types, `${path}[${index}]`));
	}
	if (fitsAtomic(value, type)) return value;
	return refuseToSign(`${path} is ${quoted(value)}, which isn’t a valid ${type}`);
}

function domainMembers(domain: object): Member[] {
	return DOMAIN_MEMBERS.filter(({ name }) => Object.hasOwn(domain, name));
}

/** Its chain ID becomes a number, so that signers and approvals see one spelling. */
function readDomain(value: unknown): Json {
	if (!isRecord(value)) return refuseToSign('The domain is not an object');
	const chainId = readChainId(value.chainId);
	if (Object.hasOwn(value, 'chainId') && chainId === undefined) {
		return refuseToSign(
			`domain.chainId is ${quoted(value.chainId)}, which isn’t a whole number above 0`,
		);
	}
	const texts = chainId === undefined ? value : { ...value, chainId: String(chainId) };
	const domain = fitStruct(texts, domainMembers(value), {}, 'domain.');
	if (Object.keys(domain).length === 0) return refuseToSign('The domain is empty');
	// Libraries disagree on whether an empty name or version counts as present.
	if (Object.values(domain).includes('')) {
		return refuseToSign('The domain has an empty name or version');
	}
	return chainId === undefined ? domain : { ...domain, chainId };
}

export type UncheckedTypedData = Readonly<
	Record<'domain' | 'types' | 'primaryType' | 'message', unknown>
>;

/**
 * Typed data, strictly parsed and copied, so that every library computes the same hash: every value
 * fits its type, every member of the message is signed, and no type is unused.
 * @param prefix what errors put in front of the name of a member of the message
 */
export function parseTypedData(input: UncheckedTypedData, prefix: string): GuardedTypedData {
	const { EIP712Domain: givenDomainType, ...types } = readTypes(input.types);
	const { primaryType, message } = input;
	if (typeof primaryType !== 'string') return refuseToSign('The primary type is not text');
	const members = checkedPrimaryType(types, primaryType);
	const domain = readDomain(input.domain);
	const domainType = JSON.stringify(domainMembers(domain));
	if (givenDomainType !== undefined && JSON.stringify(givenDomainType) !== domainType) {
		return refuseToSign('The type EIP712Domain doesn’t match the members of the domain');
	}
	if (!isRecord(message)) return refuseToSign('The message is not an object');
	const fitted = fitStruct(message, members, types, prefix);
	return new GuardedTypedData(domain, types, primaryType, fitted);
}

/**
 * Refuses a provided signature that isn't the signer's, over exactly this typed data.
 * @returns it as every verifier accepts it
 */
export async function checkSigner(
	typedData: GuardedTypedData,
	{ signer, signature }: { readonly signer: string; readonly signature: string },
): Promise<Hex> {
	const readable = readSignature(signature);
	const recovered = readable && (await signerOf(typedData.hash, readable));
	if (recovered && isSameAddress(recovered, signer)) return readable;
	if (recovered === undefined) {
		return refuseToSign(
			'Signature isn’t valid',
			'Enter the 65-byte signature as the signer returned it: 0x followed by 130 hex characters.',
		);
	}
	return refuseToSign(
		'Signature isn’t Signer’s signature of this typed data',
		'Empty Signature, turn on Check Only, and sign what it shows as signs with the wallet in Signer.',
	);
}
