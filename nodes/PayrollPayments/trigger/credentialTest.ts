import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { reasonOf } from './parameters';
import { checkWebhookCredentials } from './webhookCredentials';

/** Checks the saved fields only; there is nothing to ask over the network. */
export function testWebhookCredentials(
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): INodeCredentialTestResult {
	try {
		checkWebhookCredentials(credential.data ?? {});
	} catch (error) {
		return { status: 'Error', message: reasonOf(error) };
	}
	return {
		status: 'OK',
		message: 'Complete. Whether the secret is the right one shows with the first delivery.',
	};
}
