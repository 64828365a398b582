import { z } from 'zod';
import { teamUsers } from '../api/pagination';
import { readFields, type ParameterSource } from '../forms/field';
import { teamId } from '../forms/serviceFields';
import { isRecord, parseJson, type JsonValue } from '../shared/json';
import {
	additions,
	described,
	observationsOf,
	type Change,
	type ChangeKind,
	type OutputRecord,
} from './snapshots';

const fields = { teamId: described(teamId(), 'The team whose users to watch') };

const readWatch = (source: ParameterSource) => ({ entityId: readFields(fields, source).teamId });

export const teamUserAdded: ChangeKind = {
	...additions,
	name: 'Team User Added',
	description: 'A team has a new user',
	fields,
	readWatch,
	observe: async ({ call, watch }) =>
		observationsOf('a user', await teamUsers(call, { teamId: watch.entityId }), () => ''),
};

/** Path and value of each field that is compared, in the order of the paths. */
const comparedFields = z.array(z.tuple([z.string(), z.custom<JsonValue>()])).catch([]);

type ComparedFields = z.infer<typeof comparedFields>;

/** `role`, `payable` and `onboarding`, as text. */
function comparedOf({ role, payable, onboarding }: OutputRecord): string {
	const steps: ReadonlyArray<[string, unknown]> = isRecord(onboarding)
		? Object.entries(onboarding).map(([name, value]) => [`onboarding.${name}`, value])
		: [['onboarding', onboarding]];
	const compared: Array<[string, unknown]> = [['role', role], ['payable', payable], ...steps];
	return JSON.stringify(
		compared.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)),
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

export const teamUserChanged: ChangeKind = {
	name: 'Team User Changed',
	description: 'The role, the onboarding or the payment eligibility of a team’s user changed',
	fields,
	notice:
		'Compares <b>role</b>, <b>payable</b> and <b>onboarding</b>. Other details, such as a name, don’t count as a change.',
	readWatch,
	observe: async ({ call, watch }) =>
		observationsOf('a user', await teamUsers(call, { teamId: watch.entityId }), comparedOf),
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
