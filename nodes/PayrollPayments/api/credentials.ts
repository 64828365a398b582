import { z } from 'zod';

import { UserError } from '../shared/errors';
import { evmAddress, identifier } from '../shared/formats';
import { hostOf, isLoopback, isPrivate } from '../shared/http';
import { DIALECTS, type RemoteSignerDialect } from '../signing/dialects';
import { properties } from './description';
import { limitsSchema, type CredentialLimits } from './limits';

const text = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.trim()
	.min(1, 'is missing');

function orEmpty<Value>(schema: z.ZodType<Value, z.ZodTypeDef, unknown>) {
	return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}

function only<Value extends string>(value: Value, message: string) {
	return z.literal(value, { errorMap: () => ({ message }) });
}

function plainUrl(allowsHttp: (host: string) => boolean, hosts: string) {
	return text
		.refine((value) => URL.canParse(value), 'must be a web address, e.g. https://api.example.com')
		.transform((value) => new URL(value))
		.refine(
			(url) => url.protocol === 'https:' || (url.protocol === 'http:' && allowsHttp(hostOf(url))),
			`must start with https:// (http:// is accepted for ${hosts} only)`,
		)
		.refine(
			({ username, password }) => !(username || password),
			'must not contain a user name or password',
		)
		.refine(({ search, hash }) => !(search || hash), 'must not contain a query or a fragment')
		.transform(({ origin, pathname }) => (pathname === '/' ? origin : `${origin}${pathname}`));
}

const baseUrl = plainUrl(isLoopback, 'localhost')
	.transform((url) => url.replace(/(?<!\/)\/+$/, ''))
	.pipe(z.string().refine((url) => !url.endsWith('/v2'), 'must not end in /v2'));

const chainId = z.preprocess(
	(value) => (typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value),
	z
		.number({ errorMap: () => ({ message: 'must be a whole number, e.g. 42161' }) })
		.int()
		.min(1)
		.max(Number.MAX_SAFE_INTEGER),
);

/** Characters. Servers limit their headers, many to 16 KiB in all, and answer longer ones without a 401. */
export const LONGEST_TOKEN = 8_192;

const token = text
	.regex(/^[\x21-\x7e]+$/, 'must be one line of printable characters without spaces')
	.max(LONGEST_TOKEN, `must not have more than ${LONGEST_TOKEN} characters`);

const signIn = {
	authentication: only('walletSignIn', 'must be Access Token, Legacy API Key or Wallet Sign-In'),
	baseUrl,
	platformId: text,
	signInDomain: orEmpty(text),
	signInChainId: orEmpty(chainId),
};

const privateKeySignIn = z.object({
	...signIn,
	signer: only('privateKey', 'must be Private Key or Remote Signer'),
	privateKey: text.regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x followed by 64 hex characters'),
	walletAddress: orEmpty(evmAddress),
});

const remoteSignIn = z.object({
	...signIn,
	signer: z.literal('remoteSigner'),
	remoteSignerUrl: plainUrl(isPrivate, 'localhost and private addresses'),
	remoteSignerToken: orEmpty(token),
	remoteSignerDialect: z
		.custom<RemoteSignerDialect>(
			(value) => typeof value === 'string' && Object.hasOwn(DIALECTS, value),
			'must be Clef, Wallet or Web3Signer',
		)
		.default('wallet'),
	walletAddress: evmAddress,
});

const accessTokenCredentials = z.object({
	authentication: z.literal('accessToken'),
	baseUrl,
	accessToken: token,
});

const legacyApiKeyCredentials = z.object({
	authentication: z.literal('legacyApiKey'),
	baseUrl,
	apiKey: token,
});

/** A team, company or user, and the name that people know it by. */
export interface Entity {
	readonly id: string;
	readonly name: string;
}

const entityId = identifier('te', 'co', 'us');

/** *Teams and Companies*: an identifier on each line, and a name unless the identifier serves as one. */
const entitiesSchema = z
	.string({ invalid_type_error: 'must be text' })
	.nullish()
	.transform((lines, context): Entity[] => {
		const entities = new Map<string, Entity>();
		for (const [index, line] of (lines ?? '').split(/\r\n|\r|\n/).entries()) {
			const [, id, name = ''] = /^(\S+)\s*(.*)$/.exec(line.trim()) ?? [];
			if (id === undefined) continue;
			const fault = entityId.safeParse(id).error?.issues[0]?.message;
			const message = entities.has(id)
				? `lists an ID again in line ${index + 1}`
				: fault && `has a wrong ID in line ${index + 1}, which ${fault}`;
			if (message !== undefined) context.addIssue({ code: 'custom', message });
			entities.set(id, { id, name: name === '' ? id : name });
		}
		return [...entities.values()];
	});

/** "Engineering (te-a1B2c3D4e5F6)", or the identifier if its name isn't known. */
export function entityLabel(id: string, entities: readonly Entity[]): string {
	const name = entities.find((entity) => entity.id === id)?.name ?? id;
	return name === id ? id : `${name} (${id})`;
}

interface CredentialUse {
	readonly limits: CredentialLimits;
	readonly entities: readonly Entity[];
	/** The name of the saved credentials, if known. */
	readonly name?: string;
}

type Signer = z.output<typeof privateKeySignIn> | z.output<typeof remoteSignIn>;
type Proof =
	| Signer
	| z.output<typeof accessTokenCredentials>
	| z.output<typeof legacyApiKeyCredentials>;

export type WalletCredentials = CredentialUse & Signer;
export type ServiceCredentials = CredentialUse & Proof;

function schemaFor(
	authentication: unknown,
	signer: unknown,
): z.ZodType<Proof, z.ZodTypeDef, unknown> {
	if (authentication === 'accessToken') return accessTokenCredentials;
	if (authentication === 'legacyApiKey') return legacyApiKeyCredentials;
	return signer === 'remoteSigner' ? remoteSignIn : privateKeySignIn;
}

function parsed<Value>(
	schema: z.ZodType<Value, z.ZodTypeDef, unknown>,
	value: unknown,
	field = 'authentication',
): Value {
	const { data, error } = schema.safeParse(value);
	if (data !== undefined) return data;
	const { path = [], message = 'isn’t valid' } = error?.issues[0] ?? {};
	const wrong = String(path[0] ?? field);
	const label = properties.find(({ name }) => name === wrong)?.displayName ?? wrong;
	throw new UserError(`${label} in the credentials ${message}`, {
		hint: 'Open the Payroll Payments API credentials and correct this field.',
	});
}

export function readEntities(saved: Readonly<Record<string, unknown>>): readonly Entity[] {
	return parsed(entitiesSchema, saved.entities, 'entities');
}

/** The fields that open something where they aren't set. */
const CLOSING_FIELDS = [
	...['signInDomain', 'signInChainId', 'walletAddress'],
	...['requireApproval', 'maximumPayment', 'paymentRecipients'],
];

/** @throws {UserError} that names the wrong field, but never quotes its value */
export function readCredentials(
	saved: Readonly<Record<string, unknown>>,
	name?: string,
): ServiceCredentials {
	const { authentication = 'walletSignIn', signer = 'privateKey' } = saved;
	const given: Record<string, unknown> = { ...saved, authentication, signer };
	/* A field that is there without a value, as an expression can be, must not count as not set. */
	for (const field of CLOSING_FIELDS) if (field in given) given[field] ??= null;
	return {
		...parsed(schemaFor(authentication, signer), given),
		limits: parsed(limitsSchema, given),
		entities: readEntities(saved),
		name,
	};
}
