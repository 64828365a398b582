import type { INodeProperties } from 'n8n-workflow';

import { noticeOf, propertiesOf } from '../forms/field';
import { FIELDS } from './credentials';

const WALLET = { authentication: ['walletSignIn'] };
const PRIVATE_KEY = { ...WALLET, signer: ['privateKey'] };

const { baseUrl, authentication, access, permissions, entities, fieldNames, ...limits } =
	FIELDS.common;
const { platformId, signer, ...signIn } = FIELDS.walletSignIn;
const { privateKey, ...address } = FIELDS.privateKey;

/**
 * The form of the credentials: what everybody needs first, then the signer, then the limits. Evaluated
 * by the build, so that n8n loads the credential without what reads it.
 */
export const properties: INodeProperties[] = [
	{
		displayName: 'Session Token',
		name: 'sessionToken',
		type: 'hidden',
		typeOptions: { expirable: true, password: true },
		default: '',
	},
	...propertiesOf({ baseUrl, authentication, access, permissions }),
	...propertiesOf({ platformId }, WALLET),
	...propertiesOf({ privateKey }, PRIVATE_KEY),
	...propertiesOf(FIELDS.accessToken, { authentication: ['accessToken'] }),
	...propertiesOf(FIELDS.legacyApiKey, { authentication: ['legacyApiKey'] }),
	noticeOf(
		'walletNotice',
		'Use a dedicated wallet for n8n with the smallest role that works; the service recommends a viewer role for signing in. Before signing a payment, the node compares the amount, and the team and email address if the authorization names them. It can’t check the recipient’s wallet address.',
		WALLET,
	),
	...propertiesOf({ entities }),
	...propertiesOf({ signer }, WALLET),
	...propertiesOf(FIELDS.remoteSigner, { ...WALLET, signer: ['remoteSigner'] }),
	...propertiesOf(address, PRIVATE_KEY),
	...propertiesOf(signIn, WALLET),
	...propertiesOf(limits),
	...propertiesOf({ fieldNames }),
];
