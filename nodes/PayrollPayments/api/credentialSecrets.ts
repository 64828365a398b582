import { Redactor } from '../shared/redaction';
import { storedToken } from './session';

/** The fields of the credentials `payrollPaymentsApi` that hold secrets, whichever are in use. */
export const SECRET_FIELDS = [
	'accessToken',
	'apiKey',
	'privateKey',
	'remoteSignerToken',
	'sessionToken',
] as const;

/** Adds every secret of the saved credentials; of the session also the token inside it. */
export function addSecretsOf(
	redactor: Redactor,
	saved: Readonly<Record<string, unknown>>,
): Redactor {
	return redactor.add(
		...SECRET_FIELDS.map((field) => (field === 'sessionToken' ? undefined : saved[field])),
		storedToken(saved.sessionToken) ?? saved.sessionToken,
	);
}
