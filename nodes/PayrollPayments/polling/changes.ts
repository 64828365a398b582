import { createHash } from 'node:crypto';

import type { IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { pendingInvites, teamUsers } from '../api/pagination';
import { parametersOf, readFields, type ParameterSource } from '../forms/field';
import { choice, menu } from '../forms/fieldTypes';
import { entityId, teamId } from '../forms/serviceFields';
import { hasPrefix } from '../contract/identifiers';
import { emailKey } from '../contract/formats';
import {
	canonicalJson,
	isRecord,
	parseJson,
	type JsonObject,
	type JsonValue,
} from '../shared/json';
import { balanceChanged } from './balanceChanged';
import {
	described,
	observationsOf,
	type Change,
	type ChangeKind,
	type Source,
	type Watch,
} from './snapshots';

/** What all kinds of additions share: whatever wasn't listed before, as the service gives it. */
const additions: Pick<ChangeKind, 'isChange' | 'describe'> = {
	isChange: (before) => before === undefined,
	describe: async (changes) =>
		changes.flatMap(({ now }) => (now === undefined ? [] : [now.record])),
};

const ofTeam = {
	fields: { teamId: described(teamId(), 'The team whose users to watch') },
	readWatch: (source: ParameterSource) => ({ entityId: readFields(ofTeam.fields, source).teamId }),
};

const ofEntity = {
	fields: { entityId: described(entityId('te', 'co'), 'Whose pending invites to watch') },
	readWatch: (source: ParameterSource) => readFields(ofEntity.fields, source),
};

const teamUserAdded: ChangeKind = {
	...additions,
	...ofTeam,
	description: 'A team has a new user',
	observe: async ({ call, watch }) =>
		observationsOf('a user', await teamUsers(call, { teamId: watch.entityId })),
};

/** `role`, `payable` and `onboarding` by their paths, as text. Null is as good as none. */
function comparedOf({ role, payable, onboarding }: JsonObject): string {
	const steps = isRecord(onboarding)
		? Object.entries(onboarding).map(([name, value]) => [`onboarding.${name}`, value] as const)
		: [['onboarding', onboarding] as const];
	const all = [['role', role] as const, ['payable', payable] as const, ...steps];
	return canonicalJson(Object.fromEntries(all.filter(([, value]) => value != null)));
}

const comparedFields = z.record(z.custom<JsonValue>()).catch({});

/** Which paths differ, and the value that each had; null where there was none. */
function difference({ before = '{}', now }: Change) {
	const old = comparedFields.parse(parseJson(before));
	const current = comparedFields.parse(parseJson(now?.compared ?? '{}'));
	const changed = Object.keys({ ...old, ...current })
		.filter((path) => JSON.stringify(old[path]) !== JSON.stringify(current[path]))
		.sort();
	return {
		changed,
		previous: Object.fromEntries(changed.map((path) => [path, old[path] ?? null])),
	};
}

const teamUserChanged: ChangeKind = {
	...ofTeam,
	description: 'The role, the onboarding or the payment eligibility of a team’s user changed',
	notice:
		'Compares <b>role</b>, <b>payable</b> and <b>onboarding</b>. Other details, such as a name, don’t count as a change.',
	observe: async ({ call, watch }) =>
		observationsOf('a user', await teamUsers(call, { teamId: watch.entityId }), comparedOf),
	isChange: (before, now) => before !== undefined && now !== undefined && before !== now,
	describe: async (changes) =>
		changes.map((change) => ({ ...change.now?.record, ...difference(change) })),
};

const inviteAdded: ChangeKind = {
	...additions,
	...ofEntity,
	description: 'A team or company has a new pending invite',
	observe: async ({ call, watch }) =>
		observationsOf('an invite', await pendingInvites(call, watch.entityId)),
};

/** The hash of an email address, which is remembered instead of it. Empty if there is none. */
function fingerprintIn(entity: string): (record: { readonly email?: unknown }) => string {
	return ({ email }) => {
		if (typeof email !== 'string' || email === '') return '';
		const text = JSON.stringify([entity, emailKey(email.trim())]);
		/* 96 bits. */
		return createHash('sha256').update(text).digest('base64url').slice(0, 16);
	};
}

/** The fingerprints of the team's users. A company's invites don't say which team they are for. */
async function members({ call, watch }: Source): Promise<ReadonlySet<string>> {
	if (!hasPrefix(watch.entityId, 'te')) return new Set();
	const users = await teamUsers(call, { teamId: watch.entityId });
	return new Set(users.map(fingerprintIn(watch.entityId)));
}

const inviteEnded: ChangeKind = {
	...ofEntity,
	description: 'An invite is no longer pending: it was accepted, rejected or withdrawn, or expired',
	notice:
		'For an invite to a team, <b>outcome</b> is <b>member</b> if the team now lists the invite’s email address, and <b>gone</b> if not. For an invite to a company it’s always <b>gone</b>.',
	observe: async ({ call, watch: { entityId: id } }) =>
		observationsOf('an invite', await pendingInvites(call, id), fingerprintIn(id)),
	isChange: (_before, now) => now === undefined,
	describe: async (changes, source) => {
		const joined = await members(source);
		return changes.map(({ id, before = '' }) => ({
			nanoid: id,
			outcome: before !== '' && joined.has(before) ? 'member' : 'gone',
		}));
	},
};

/** The events of the menu *Trigger On*, in the order of their names. */
export const EVENTS = { balanceChanged, inviteAdded, inviteEnded, teamUserAdded, teamUserChanged };

export type PollEvent = keyof typeof EVENTS;

export const eventField = choice(
	{
		label: 'Trigger On',
		description: 'The change that starts the workflow',
		expressions: 'never',
	},
	menu(EVENTS),
	'balanceChanged',
);

export function readSettings(context: IPollFunctions): { event: PollEvent; watch: Watch } {
	const menu = { event: eventField };
	const { event } = readFields(menu, parametersOf(context, menu));
	const { fields, readWatch } = EVENTS[event];
	return { event, watch: readWatch(parametersOf(context, fields)) };
}
