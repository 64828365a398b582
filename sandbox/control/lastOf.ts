import { z } from 'zod';

const queryShape = z.object({ limit: z.coerce.number().int().positive().optional() });

/** The last `?limit=` entries of a log, or all without a limit. Throws ZodError. */
export function lastOf<Entry>(entries: readonly Entry[], query: unknown): readonly Entry[] {
	const { limit } = queryShape.parse(query);
	return limit === undefined ? entries : entries.slice(-limit);
}
