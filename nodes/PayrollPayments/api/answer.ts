import type { z } from 'zod';
import { readEnvelope } from './schemas/envelope';
import type { HttpAnswer } from '../shared/http';
import type { Redact } from '../shared/redaction';

import { ServiceError } from '../shared/errors';
import { errorFor } from './errors';

/**
 * The `data` of a success (docs/api.md, Response envelope), held to the operation's schema.
 * @throws {ServiceError} for everything else, with what a person can do about it
 */
export function readAnswer<Data>(
	answer: HttpAnswer,
	schema: z.ZodType<Data, z.ZodTypeDef, unknown>,
	redact: Redact,
	roleNeeded?: string,
): Data {
	if (answer.status < 200 || answer.status > 299) throw errorFor(answer, redact, roleNeeded);
	const envelope = readEnvelope(answer.body);
	if (envelope?.success !== true) throw errorFor(answer, redact, roleNeeded);
	const data = schema.safeParse(envelope.data);
	if (data.success) return data.data;
	const where = data.error.issues[0]?.path.join('.') ?? '';
	throw new ServiceError(
		`The service reported success, but its answer lacks what the document promises (${where === '' ? 'data' : `data.${where}`})`,
		{
			status: answer.status,
			refused: false,
			hint: 'The service may have changed. Look for a newer version of this node, or report this.',
		},
	);
}
