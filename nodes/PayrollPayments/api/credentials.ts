import { evmAddress } from '../shared/address';
import { LruCache } from '../shared/lruCache';
import { hostOf, isLoopback, isPrivate, parseUrl } from '../shared/hosts';
import { UserError } from '../shared/errors';
import { parseEntities, type Entity } from './entities';
import { LimitFault, readLimits, type CredentialLimits } from './limits';
import { z } from 'zod';

const optionalText = z
	.string()
	.nullish()
	.transform((value) => value?.trim() || undefined);

interface UrlRule {
	/** The hosts for which http is allowed. */
	readonly allowsHttp: (host: string) => boolean;
	readonly httpsOnly: string;
}

function faultInUrl(url: URL, { allowsHttp, httpsOnly }: UrlRule): string | undefined {
	const isHttp = url.protocol === 'http:' && allowsHttp(hostOf(url));
	if (url.protocol !== 'https:' && !isHttp) return httpsOnly;
	if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
	return url.search !== '' || url.hash !== ''
		? 'must not contain a query or a fragment'
		: undefined;
}

function readUrl(value: string, rule: UrlRule): { plain: string } | { fault: string } {
	if (value.trim() === '') return { fault: 'is missing' };
	const url = parseUrl(value.trim());
	if (url === undefined) return { fault: 'must be a web address, e.g. https://api.example.com' };
	const fault = faultInUrl(url, rule);
	if (fault !== undefined) return { fault };
	return { plain: url.pathname === '/' ? url.origin : `${url.origin}${url.pathname}` };
}

/** A URL without a user, query or fragment. */
function plainUrl(rule: UrlRule) {
	/** Every request reads the credentials, and parsing URLs takes most of that time. */
	const read = new LruCache<ReturnType<typeof readUrl>>(100);
	return z
		.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
		.transform((value, context) => {
			const url = read.getOrCreate(value, () => readUrl(value, rule));
			if ('plain' in url) return url.plain;
			context.addIssue({ code: 'custom', message: url.fault });
			return z.NEVER;
		});
}

const baseUrl = plainUrl({
	allowsHttp: isLoopback,
	httpsOnly:
		'must start with https:// (http:// is accepted for localhost only), so that the token can’t be intercepted',
})
	.transform((url) => url.replace(/(?<!\/)\/+$/, ''))
	.pipe(z.string().refine((url) => !url.endsWith('/v2'), 'must not end in /v2'));

const remoteSignerUrl = plainUrl({
	allowsHttp: isPrivate,
	httpsOnly:
		'must start with https:// (http:// is accepted for localhost and private addresses only)',
});

const optionalAddress = optionalText.pipe(evmAddress.optional());

const privateKey = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.transform((value) => value.trim())
	.pipe(
		z
			.string()
			.min(1, 'is missing')
			.regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x followed by 64 hex characters'),
	);

const signInChainId = z
	.union([z.number(), z.string()])
	.nullish()
	.transform((value, context) => {
		if (value === undefined || value === null || value === '' || value === 0) return undefined;
		const chainId = Number(value);
		if (Number.isSafeInteger(chainId) && chainId > 0) return chainId;
		context.addIssue({ code: 'custom', message: 'must be a whole number, e.g. 42161' });
		return z.NEVER;
	});

const signIn = {
	authentication: z.literal('walletSignIn'),
	baseUrl,
	platformId: z
		.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
		.transform((value) => value.trim())
		.pipe(z.string().min(1, 'is missing')),
	signInDomain: optionalText,
	signInChainId,
};

const privateKeySignIn = z.object({
	...signIn,
	signer: z.literal('privateKey'),
	privateKey,
	walletAddress: optionalAddress,
});

const remoteSignIn = z.object({
	...signIn,
	signer: z.literal('remoteSigner'),
	remoteSignerUrl,
	remoteSignerToken: optionalText,
	remoteSignerDialect: z.enum(['wallet', 'web3signer', 'clef']).default('wallet'),
	walletAddress: evmAddress,
});

const token = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.transform((value) => value.trim())
	.pipe(
		z
			.string()
			.min(1, 'is missing')
			.regex(/^[\x21-\x7e]+$/, 'must be one line of printable characters without spaces'),
	);

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

/** What all credentials have, whatever their authentication. */
interface CredentialUse {
	readonly limits: CredentialLimits;
	/** The teams and companies that the administrator has named. */
	readonly entities: readonly Entity[];
	/** The name of the saved credentials, if known. */
	readonly name?: string;
}

export type WalletCredentials = CredentialUse &
	(z.infer<typeof privateKeySignIn> | z.infer<typeof remoteSignIn>);
export type ServiceCredentials = CredentialUse &
	(
		| WalletCredentials
		| z.infer<typeof accessTokenCredentials>
		| z.infer<typeof legacyApiKeyCredentials>
	);

/** Labels of the credential fields, for messages. */
const LABELS: Readonly<Record<string, string>> = {
	access: 'Workflows May',
	accessToken: 'Access Token',
	apiKey: 'API Key',
	baseUrl: 'Base URL',
	entities: 'Teams and Companies',
	maximumPayment: 'Maximum Payment',
	paymentRecipients: 'Payment Recipients',
	permissions: 'Permissions',
	platformId: 'Platform ID',
	privateKey: 'Private Key',
	remoteSignerDialect: 'Remote Signer Dialect',
	remoteSignerUrl: 'Remote Signer URL',
	requireApproval: 'Require Approved Check',
	signInChainId: 'Sign-In Chain ID',
	walletAddress: 'Wallet Address',
};

function schemaFor(authentication: unknown, signer: unknown) {
	if (authentication === 'accessToken') return accessTokenCredentials;
	if (authentication === 'legacyApiKey') return legacyApiKeyCredentials;
	return signer === 'remoteSigner' ? remoteSignIn : privateKeySignIn;
}

function credentialFault(field: string, fault: string): UserError {
	return new UserError(`${LABELS[field] ?? field} in the credentials ${fault}`, {
		field,
		hint: 'Open the Payroll Payments API credentials and correct this field.',
	});
}

/**
 * Parses the saved `payrollPaymentsApi` credentials.
 * @param name the name of the saved credentials, for messages
 * @throws {UserError} that names the wrong field, but never quotes its value
 */
export function readCredentials(
	saved: Readonly<Record<string, unknown>>,
	name?: string,
): ServiceCredentials {
	const { authentication = 'walletSignIn', signer = 'privateKey' } = saved;
	const read = schemaFor(authentication, signer).safeParse({ ...saved, authentication, signer });
	if (!read.success) {
		const issue = read.error.issues[0];
		throw credentialFault(
			String(issue?.path[0] ?? 'authentication'),
			issue?.message ?? 'isn’t valid',
		);
	}
	const entities = parseEntities(saved.entities);
	if ('fault' in entities) throw credentialFault('entities', entities.fault);
	return Object.assign(read.data, { limits: limitsOf(saved), entities, name });
}

function limitsOf(saved: Readonly<Record<string, unknown>>): CredentialLimits {
	try {
		return readLimits(saved);
	} catch (error) {
		throw error instanceof LimitFault ? credentialFault(error.field, error.message) : error;
	}
}
