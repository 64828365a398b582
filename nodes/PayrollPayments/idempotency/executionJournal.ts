import { createHash } from 'node:crypto';

import type { z } from 'zod';

import { outcomeOf, UserError } from '../shared/errors';
import { ExecutionCache, type RunScope } from './executionCache';

export type ExecutionScope = RunScope;

const changesOfRuns = new ExecutionCache<{ readonly answer: unknown } | UserError>();

interface Change<Answer> {
	readonly identity: unknown;
	readonly isUnrepeatable?: boolean;
	readonly answer: z.ZodType<Answer, z.ZodTypeDef, unknown>;
}

export class ExecutionJournal {
	constructor(
		private readonly scope: () => ExecutionScope,
		private readonly isTool: boolean,
	) {}

	hasBegun(): boolean {
		return changesOfRuns.of(this.scope()).size > 0;
	}

	async perform<Answer>(
		{ identity, isUnrepeatable = false, answer: schema }: Change<Answer>,
		send: () => Promise<Answer>,
	): Promise<Answer> {
		/* n8n counts each try of an AI tool as a run of its own. */
		const isTry = isUnrepeatable && this.isTool;
		const scope = this.scope();
		const changes = changesOfRuns.of(isTry ? { ...scope, runIndex: 0 } : scope);
		const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
		const earlier = changes.get(key);
		if (earlier instanceof UserError) {
			throw earlier.with({
				message: `${earlier.message}. The request wasn’t sent again, because the first one may have succeeded`,
				hint: 'Check the result in the service, then run the workflow again for what’s missing.',
			});
		}
		if (earlier !== undefined) return schema.parse(earlier.answer);
		const answer = await send().catch((error: unknown) => {
			if (isUnrepeatable && error instanceof UserError && outcomeOf(error) === 'unknown') {
				changes.set(key, error);
			}
			throw error;
		});
		changes.set(key, { answer });
		return answer;
	}
}
