import { z } from 'zod';
import { teamUsers } from '../api/pagination';
import { isRecord, parseJson, type JsonValue } from '../shared/json';
import type { Change, ChangeKind, OutputRecord } from './changeKind';
import { observationsOf } from './records';

/** Path and value of each field that is compared, in the order of the paths. */
const comparedFields = z.array(z.tuple([z.string(), z.custom<JsonValue>()])).catch([]);

type ComparedFields = z.infer<typeof comparedFields>;

/** `role`, `payable` and `onboarding`, as text. */
function comparedOf({ role, payable, onboarding }: OutputRecord): string {
	const steps: ReadonlyArray<[string, unknown]> = isRecord(onboarding)
		? Object.entries(onboarding).map(([name, value]) => [`onboarding.${name}`, value])
		: [['onboarding', onboarding]];
	const fields: Array<[string, unknown]> = [['role', role], ['payable', payable], ...steps];
	return JSON.stringify(
		fields.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)),
	);
}

function fieldsIn(compared: string | undefined): ComparedFields {
	return comparedFields.parse(parseJson(compared ?? '[]'));
}

/** Which paths differ, and the value that each had; null where there was none. */
function difference(before: ComparedFields, now: ComparedFields) {
	const [old, current] = [new Map(before), new Map(now)];
	const changed = [...new Set([...old.keys(), ...current.keys()])]
		.filter((path) => JSON.stringify(old.get(path)) !== JSON.stringify(current.get(path)))
		.sort();
	return {
		changed,
		previous: Object.fromEntries(changed.map((path) => [path, old.get(path) ?? null])),
	};
}

/** docs/api.md, Endpoint 11. */
export const teamUserChanged: ChangeKind = {
	observe: async ({ call, settings: { entityId } }) =>
		observationsOf('a user', await teamUsers(call, { teamId: entityId }), comparedOf),
	compare: (before, now) => {
		const changes: Change[] = [];
		now.forEach((each, id) => {
			const old = before.get(id);
			if (old !== undefined && old.compared !== each.compared) {
				changes.push({ id, before: old.compared, now: each });
			}
		});
		return { changes, remembered: now };
	},
	describe: async (changes) =>
		changes.flatMap(({ before, now }) =>
			now === undefined
				? []
				: { ...now.record, ...difference(fieldsIn(before), fieldsIn(now.compared)) },
		),
};
