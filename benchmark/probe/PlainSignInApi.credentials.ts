import type {
	Icon,
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
} from 'n8n-workflow';

import { PayrollPaymentsApi } from '../../credentials/PayrollPaymentsApi.credentials';
import { readCredentials } from '../../nodes/PayrollPayments/api/credentials';
import { exchangeOver } from '../../nodes/PayrollPayments/api/n8nHttp';
import { packSession, sessionBinding } from '../../nodes/PayrollPayments/api/storedSession';
import { signIn } from '../../nodes/PayrollPayments/api/signIn';

/** The same credentials with n8n's plain `preAuthentication`: each call without a token signs in. */
export class PlainSignInApi extends PayrollPaymentsApi {
	override name = 'plainSignInApi';

	override displayName = 'Plain Sign-In API';

	override icon: Icon = 'fa:flask';

	override async preAuthentication(
		this: IHttpRequestHelper,
		saved: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const credentials = readCredentials(saved);
		if (credentials.authentication !== 'walletSignIn') return {};
		const token = await signIn(
			credentials,
			exchangeOver(async (options): Promise<unknown> => await this.helpers.httpRequest(options)),
		);
		return { sessionToken: packSession(sessionBinding(credentials), token) };
	}
}
