import { z } from 'zod';

import { DOCUMENTED_EVENTS, essentialSchema } from '../api/schemas/eventSchemas';
import { COLUMNS, TEXT_COLUMNS } from './simplify';

const simplifiedEvent = z.object({
	...Object.fromEntries(Object.entries(COLUMNS).map(([name, [type]]) => [name, type])),
	...Object.fromEntries(Object.keys(TEXT_COLUMNS).map((name) => [name, z.string().nullable()])),
});

/** What the trigger starts a workflow with: an event as received, or a flat row. */
export const triggerOutput = z.union([
	...DOCUMENTED_EVENTS,
	simplifiedEvent.extend({
		validation_issues: z.array(z.string()).optional(),
		headers: z.record(z.union([z.string(), z.array(z.string())])).optional(),
	}),
	/* Any other event; with *Invalid Payload: Emit* also one that lacks the rest. */
	essentialSchema,
]);
