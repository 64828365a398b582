import type { Change, ChangeKind } from './changeKind';

/** What both kinds of additions share: whatever wasn't listed before, as the service gives it. */
export const additions: Pick<ChangeKind, 'compare' | 'describe'> = {
	compare: (before, now) => {
		const changes: Change[] = [];
		now.forEach((each, id) => {
			if (!before.has(id)) changes.push({ id, before: undefined, now: each });
		});
		return { changes, remembered: now };
	},
	describe: async (changes) =>
		changes.flatMap(({ now }) => (now === undefined ? [] : [now.record])),
};
