import { rememberAll, type ChangeKind } from './changeKind';

/** What both kinds of additions share: whatever wasn't listed before, as the service gives it. */
export const additions: Pick<ChangeKind, 'compare' | 'describe'> = {
	compare: (before, now) => ({
		changes: now
			.filter(({ id }) => !before.has(id))
			.map((each) => ({ id: each.id, before: undefined, now: each })),
		remembered: rememberAll(now),
	}),
	describe: async (changes) =>
		changes.flatMap(({ now }) => (now === undefined ? [] : [now.record])),
};
