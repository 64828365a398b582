import type { Redactor } from '../shared/redaction';
import { FIELDS } from './credentials';
import { readSession } from './storedSession';

const SECRETS = Object.values(FIELDS).flatMap((fields) =>
	Object.entries(fields).flatMap(([name, { form }]) =>
		form.typeOptions?.password === true ? [name] : [],
	),
);

/** Adds every secret of the saved credentials; of the session the token inside it. */
export function addSecretsOf(
	redactor: Redactor,
	saved: Readonly<Record<string, unknown>>,
): Redactor {
	const session = readSession(saved.sessionToken)?.token ?? saved.sessionToken;
	return redactor.add(...SECRETS.map((name) => saved[name]), session);
}
