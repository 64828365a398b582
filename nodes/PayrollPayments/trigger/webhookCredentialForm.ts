import type { INodeProperties } from 'n8n-workflow';

import { noticeOf, propertiesOf } from '../forms/field';
import { credentialFields } from './webhookCredentialFields';

/* Evaluated by the build, so that n8n loads the credential without what verifies signatures. */
export const properties: INodeProperties[] = [
	noticeOf(
		'testNotice',
		'n8n’s connection test checks only that these fields are filled in correctly. To try them with the service, click <b>Execute step</b> in the trigger and have an event sent to the test URL. If the signature doesn’t fit, the error names the settings that do.',
	),
	...propertiesOf(credentialFields),
];
