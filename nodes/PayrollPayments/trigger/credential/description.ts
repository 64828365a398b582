import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { propertyOf } from '../../forms/field';
import { FORMATS, hasOwnHeader, signsTime, type Format } from '../schemes';
import { credentialFields as fields } from './fields';

/*
 * The build evaluates this file and bundles only the values, so that n8n can load the credential
 * without loading what verifies signatures.
 */

const formatsThat = (holds: (format: Format) => boolean) =>
	FORMATS.map(({ value }) => value).filter(holds);

const hmac = { method: ['hmacSignature'] };
const custom = { ...hmac, format: ['custom'] };
const signing = (field: string): IDisplayOptions['show'] => ({
	...custom,
	signedContent: [{ _cnd: { includes: field } }],
});

export const properties: INodeProperties[] = [
	{
		displayName:
			'n8n’s connection test checks only that these fields are filled in correctly. To find out whether they match the service, click <b>Execute step</b> in the trigger, and have the service send an event to the test URL. If the signature doesn’t fit, the error names the header and format that do, if any.',
		name: 'testNotice',
		type: 'notice',
		default: '',
	},
	propertyOf('method', fields.method),
	propertyOf('secret', fields.secret),
	propertyOf('header', fields.header, { method: ['sharedToken'] }),
	propertyOf('format', fields.format, hmac),
	propertyOf('header', fields.header, { ...hmac, format: formatsThat(hasOwnHeader) }),
	propertyOf('signedContent', fields.signedContent, custom),
	propertyOf('timestampHeader', fields.timestampHeader, signing('{timestamp}')),
	propertyOf('idHeader', fields.idHeader, signing('{id}')),
	propertyOf('algorithm', fields.algorithm, custom),
	propertyOf('encoding', fields.encoding, custom),
	propertyOf('signaturePrefix', fields.signaturePrefix, custom),
	propertyOf('secretEncoding', fields.secretEncoding, custom),
	propertyOf('previousSecret', fields.previousSecret),
	propertyOf('toleranceSeconds', fields.toleranceSeconds, {
		...hmac,
		format: formatsThat(signsTime),
	}),
	propertyOf('toleranceSeconds', fields.toleranceSeconds, signing('{timestamp}')),
];
