import { z } from 'zod';

import { readFields, savedValues, type Empty } from '../forms/field';
import {
	choice,
	integer,
	keysOf,
	menu,
	menuOf,
	password,
	text,
	wholeNumber,
} from '../forms/fieldTypes';
import { UserError } from '../shared/errors';
import { filledTrimmed } from '../shared/text';
import { evmAddress } from '../contract/formats';
import { identifier } from '../contract/identifiers';
import { hostOf, isLoopback, isPrivate } from '../shared/http';
import { DIALECTS } from '../signing/dialects';
import { fieldNames } from './fieldNames';
import { limitFields, limitsOf } from './credentialLimits';
import { linesOf } from './lines';

function plainUrl(allowsHttp: (host: string) => boolean, hosts: string) {
	return filledTrimmed
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
	.refine((url) => !url.endsWith('/v2'), 'must not end in /v2');

/** Characters. Servers limit their headers, many to 16 KiB in all, and answer longer ones without a 401. */
export const LONGEST_TOKEN = 8_192;

const token = filledTrimmed
	.regex(/^[\x21-\x7e]+$/, 'must be one line of printable characters without spaces')
	.max(LONGEST_TOKEN, `must not have more than ${LONGEST_TOKEN} characters`);

/** A team, company or user, and the name that people know it by. */
export interface Entity {
	readonly id: string;
	readonly name: string;
}

const entityId = identifier('te', 'co', 'us');

/** *Teams and Companies*: an identifier on each line, and a name unless the identifier serves as one. */
const entities = linesOf<Entity>((line, above) => {
	const [, given = '', name = ''] = /^([^\s,]+)[\s,]*(.*)$/.exec(line) ?? [];
	const { data: id, error } = entityId.safeParse(given);
	if (id === undefined) return { fault: `the ID ${error?.issues[0]?.message}` };
	if (above.some((entity) => entity.id === id)) return { fault: `${id} is listed again` };
	return { value: { id, name: name === '' ? id : name } };
});

/** *Sign-In Domain*; of a URL, its host. */
const signInDomain = filledTrimmed.transform((value, context) => {
	const url = value.includes('://') ? value : `https://${value}`;
	if (URL.canParse(url) && new URL(url).host !== '') return new URL(url).host;
	context.addIssue({ code: 'custom', message: 'must be a domain, e.g. app.example.com' });
	return z.NEVER;
});

const walletAddress = <IfEmpty extends Empty>(description: string, empty: IfEmpty) =>
	text({ label: 'Wallet Address', description, example: '0x5290…9EE7', empty }, evmAddress);

const dialects = menuOf(keysOf(DIALECTS), (dialect) => DIALECTS[dialect].label).map((option) => {
	const { message, typedData } = DIALECTS[option.value].methods;
	return { ...option, description: `Methods ${message} and ${typedData}` };
});

/** The fields, each defined once, by the value of Authentication or Signer that they go with. */
export const FIELDS = {
	common: {
		baseUrl: text(
			{
				label: 'Base URL',
				description:
					'Address of the service’s API, without /v2. Must use https, or http on this machine.',
				example: 'https://api.example.com',
			},
			baseUrl,
		),
		authentication: choice(
			{ label: 'Authentication' },
			menu({
				accessToken:
					'A token (JWT) that you already have; n8n can’t renew it or sign payments with it',
				legacyApiKey: 'The older scheme, sent as X-Auth-Token; n8n can’t sign payments with it',
				walletSignIn: {
					name: 'Wallet Sign-In',
					description: 'Sign in with a wallet; the token is renewed automatically',
				},
			}),
			'walletSignIn',
		),
		entities: text(
			{
				label: 'Teams and Companies',
				description:
					'Optional. One per line, an ID and a name. Forms then offer these names, and approvals and errors use them.',
				example: 'te-a1B2c3D4e5F6 Engineering',
				empty: 'preset',
				expressions: 'never',
			},
			entities,
			{ rows: 3 },
		),
		...limitFields,
		fieldNames: text(
			{
				label: 'Field Names',
				description:
					'Optional, if the service names a field differently than documented. One per line: documented name = the service’s name.',
				example: 'platformid = accountid',
				empty: 'preset',
				expressions: 'never',
			},
			fieldNames,
			{ rows: 2 },
		),
	},
	accessToken: {
		accessToken: password(
			{
				label: 'Access Token',
				description: 'The JWT, without the word Bearer',
				example: 'eyJhbG…',
			},
			token.refine((text) => !/^0x[0-9a-f]{64}$/i.test(text), 'must be a token, not a private key'),
		),
	},
	legacyApiKey: {
		apiKey: password(
			{ label: 'API Key', description: 'Sent as the X-Auth-Token header', example: '3f9c…b1d2' },
			token,
		),
	},
	/** With either signer. */
	walletSignIn: {
		platformId: text(
			{
				label: 'Platform ID',
				description:
					'ID of the user account that the wallet has its role on, usually 0x…; your provider knows it',
				example: '0x…',
			},
			filledTrimmed,
		),
		signer: choice(
			{ label: 'Signer' },
			menu({
				privateKey: 'The key stays in the encrypted credentials of n8n',
				remoteSigner: 'A JSON-RPC signer keeps the key, which never enters n8n',
			}),
			'privateKey',
		),
		signInDomain: text(
			{
				label: 'Sign-In Domain',
				description:
					'Recommended. The only domain that a sign-in message may name: the website’s, not the API’s; if empty, any may.',
				example: 'app.example.com',
				empty: 'unset',
				expressions: 'never',
			},
			signInDomain,
		),
		signInChainId: text(
			{
				label: 'Sign-In Chain ID',
				description:
					'Optional. The only chain that a sign-in message may name; it isn’t the chain of payments.',
				example: '1',
				empty: 'unset',
				expressions: 'never',
			},
			integer({ least: 1 }),
		),
	},
	privateKey: {
		privateKey: password(
			{
				label: 'Private Key',
				description: '64 hex characters, with or without 0x',
				example: '0x4c08…3f31',
			},
			filledTrimmed
				.regex(/^(?:0x)?[0-9a-fA-F]{64}$/, 'must be 64 hex characters, with or without 0x')
				.transform((key) => (key.startsWith('0x') ? key : `0x${key}`)),
		),
		walletAddress: walletAddress(
			'Optional. If filled in, it must be the address of the private key.',
			'unset',
		),
	},
	remoteSigner: {
		remoteSignerUrl: text(
			{
				label: 'Remote Signer URL',
				description:
					'Address of the JSON-RPC signer. Must use https, or http on a private address.',
				example: 'https://signer.example.com',
			},
			plainUrl(isPrivate, 'localhost and private addresses'),
		),
		walletAddress: walletAddress('Address of the wallet that the signer signs with', 'required'),
		remoteSignerDialect: choice({ label: 'Remote Signer Dialect' }, dialects, 'wallet'),
		confirmationSeconds: wholeNumber(
			{
				label: 'Wait for Confirmation (Seconds)',
				description: 'How long the signer may take, e.g. until a person has confirmed',
				empty: 'preset',
			},
			{ least: 5, most: 900, preset: 30 },
		),
		remoteSignerToken: password(
			{
				label: 'Remote Signer Token',
				description: 'Optional. Sent to the signer as a bearer token.',
				example: '3f9c…b1d2',
				empty: 'unset',
			},
			token,
		),
	},
};

/** Hex digits in one spelling. */
function withoutPrefix(hex: string): string {
	return hex.toLowerCase().replace(/^0x/, '');
}

type Saved = Readonly<Record<string, unknown>>;

/** What n8n adds to each credential: where requests with it may go, if *Specific Domains* is chosen. */
const allowedDomains = z
	.object({
		allowedHttpRequestDomains: z.literal('domains'),
		allowedDomains: z.string().catch(''),
	})
	.transform((saved) => saved.allowedDomains)
	.optional()
	.catch(undefined);

/** "Engineering (te-a1B2c3D4e5F6)", or the identifier if its name isn't known. */
export function entityLabel(id: string, entities: readonly Entity[]): string {
	const name = entities.find((entity) => entity.id === id)?.name ?? id;
	return name === id ? id : `${name} (${id})`;
}

const CORRECT_FIELD = 'Open the Payroll Payments API credentials and correct this field.';

function sourceOf(saved: Saved) {
	return savedValues(saved, { where: 'in the credentials', hint: CORRECT_FIELD });
}

/** @throws {UserError} that names the field that isn't valid */
export function readEntities(saved: Saved): readonly Entity[] {
	return readFields({ entities: FIELDS.common.entities }, sourceOf(saved)).entities;
}

export type ServiceCredentials = ReturnType<typeof readCredentials>;

/** What operations get of the credentials: no secret, and nothing to sign or sign in with. */
export interface PublicCredentials
	extends Pick<ServiceCredentials, 'baseUrl' | 'entities' | 'limits' | 'name'> {
	/** The user account that the wallet signs in for, where the credentials name one. */
	readonly platformId: string | undefined;
}

export function withoutSecretFields(credentials: ServiceCredentials): PublicCredentials {
	const { baseUrl, entities, limits, name } = credentials;
	const platformId = 'platformId' in credentials ? credentials.platformId : undefined;
	return { baseUrl, entities, limits, name, platformId };
}

export type WalletCredentials = Extract<ServiceCredentials, { authentication: 'walletSignIn' }>;

/**
 * @param name that of the saved credentials, if known
 * @throws {UserError} that names the wrong field, but never quotes its value
 */
export function readCredentials(saved: Saved, name?: string) {
	const source = sourceOf(saved);
	const { baseUrl, authentication, entities, fieldNames, ...limits } = readFields(
		FIELDS.common,
		source,
	);
	const common = { baseUrl, entities, fieldNames, limits: limitsOf(limits), name };
	if (authentication === 'accessToken') {
		return { ...common, authentication, ...readFields(FIELDS.accessToken, source) };
	}
	if (authentication === 'legacyApiKey') {
		return { ...common, authentication, ...readFields(FIELDS.legacyApiKey, source) };
	}
	const { signer, ...signIn } = readFields(FIELDS.walletSignIn, source);
	const wallet = {
		...common,
		authentication,
		...signIn,
		allowedDomains: allowedDomains.parse(saved),
	};
	if (signer === 'remoteSigner') {
		return { ...wallet, signer, ...readFields(FIELDS.remoteSigner, source) };
	}
	const own = readFields(FIELDS.privateKey, source);
	/* Pasted into the wrong field, it would be sent in a URL. */
	if (withoutPrefix(signIn.platformId) === withoutPrefix(own.privateKey)) {
		throw new UserError('Platform ID in the credentials must not be the private key', {
			hint: CORRECT_FIELD,
		});
	}
	return { ...wallet, signer, ...own };
}
