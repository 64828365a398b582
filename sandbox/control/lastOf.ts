import { z } from 'zod';

const queryShape = z.object({ limit: z.coerce.number().int().positive().optional() });

/** The last entries of a log, as many as `?limit=` asks for; all without it. Throws ZodError. */
export function lastOf<Entry>(entries: readonly Entry[], query: unknown): readonly Entry[] {
	const { limit } = queryShape.parse(query);
	return limit === undefined ? entries : entries.slice(-limit);
}
