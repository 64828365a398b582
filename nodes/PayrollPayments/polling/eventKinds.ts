import { createHash } from 'node:crypto';

import type { IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { balancesCall } from '../api/balanceCall';
import { unusableAnswer } from '../api/serviceErrors';
import { pendingInvites, teamUsers } from '../api/pagination';
import { parametersOf, readFields, type Field, type ParameterSource } from '../forms/field';
import { choice, menu, wholeNumber } from '../forms/fieldTypes';
import { balanceCurrencies, entityId, teamId } from '../forms/serviceFields';
import { isCurrency } from '../contract/currencies';
import { emailKey } from '../contract/formats';
import { hasPrefix } from '../contract/identifiers';
import {
	canonicalJson,
	isRecord,
	parseJson,
	type JsonObject,
	type JsonValue,
} from '../shared/json';
import { centsAsDecimal, wholeCents } from '../shared/money';
import {
	observationsOf,
	type Change,
	type EventKind,
	type Observation,
	type Source,
	type Watch,
} from './compare';

function described<Value>(field: Field<Value>, description: string): Field<Value> {
	return { ...field, form: { ...field.form, description } };
}

const balanceFields = {
	entityId: described(entityId('te', 'co', 'us'), 'Whose balances to watch'),
	currencies: balanceCurrencies(
		'The currencies to watch; leave empty for all. The service documents no balance in BTC, USDC or USDT.',
	),
	minimumChangeCents: wholeNumber(
		{
			label: 'Minimum Change (Cents)',
			description:
				'The smallest change that counts, up or down, in cents, e.g. 12500 for $125.00. Smaller changes add up until they reach it.',
		},
		{ least: 0, preset: 0 },
	),
};

/** `amount` as decimal text, and `amount_cents` as the service writes cents: digits in text. */
function amount<Name extends string>(name: Name, cents: bigint) {
	return { [name]: centsAsDecimal(cents), [`${name}_cents`]: String(cents) };
}

/**
 * docs/api.md, Endpoint 3, without its filter, whose encoding isn't documented. A currency that isn't
 * listed has a balance of 0.
 */
const balanceChanged: EventKind = {
	description: 'A balance of a team, company or user went up or down',
	fields: balanceFields,
	readWatch: (source) => {
		const { currencies = [], ...rest } = readFields(balanceFields, source);
		return { ...rest, currencies: [...new Set(currencies)].sort() };
	},
	observe: async ({ read, watch: { entityId: nanoid, currencies = [] } }) => {
		const { balances } = await read(balancesCall(nanoid));
		const found = new Map<string, Observation>();
		for (const record of balances) {
			/* In capitals, since a service may change how it writes a code. */
			const currency = record.currency.trim().toUpperCase();
			const isWatched = currencies.some((each) => isCurrency(currency, each));
			if (currencies.length > 0 && !isWatched) continue;
			if (currency === '' || /\s/.test(currency) || found.has(currency)) {
				throw unusableAnswer('The response lists a currency twice, or one without a name');
			}
			/* Whole cents (docs/api.md, Balance entry), which may be negative. */
			const cents = wholeCents(record.balance_cents);
			if (cents === undefined) throw unusableAnswer('A balance in the response isn’t whole cents');
			found.set(currency, { compared: String(cents), record });
		}
		return found;
	},
	addsUp: true,
	isChange: (before = '0', now = '0', { minimumChangeCents = 0 }) => {
		const change = BigInt(now) - BigInt(before);
		const magnitude = change < 0n ? -change : change;
		return change !== 0n && magnitude >= BigInt(minimumChangeCents);
	},
	describe: async (changes, { watch }) =>
		changes.map(({ id, before = '0', now }) => {
			const [previous, balance] = [BigInt(before), BigInt(now?.compared ?? '0')];
			return {
				entity_id: watch.entityId,
				currency: id,
				...amount('balance', balance),
				...amount('previous_balance', previous),
				...amount('change', balance - previous),
			};
		}),
};

/** Events about what wasn't listed before, which is output as the service gives it. */
const additions: Pick<EventKind, 'isChange' | 'describe'> = {
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

const usersOf = async ({ read, watch }: Source) =>
	await teamUsers(read, { teamId: watch.entityId });
const invitesOf = async ({ read, watch }: Source) => await pendingInvites(read, watch.entityId);

const teamUserAdded: EventKind = {
	...additions,
	...ofTeam,
	description: 'A team has a new user',
	observe: async (source) => observationsOf('a user', await usersOf(source)),
};

/** `role`, `payable` and `onboarding` by their paths, as text. Null counts as missing. */
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

const teamUserChanged: EventKind = {
	...ofTeam,
	description: 'The role, the onboarding or the payment eligibility of a team’s user changed',
	notice:
		'Compares <b>role</b>, <b>payable</b> and <b>onboarding</b>. Other details, such as a name, don’t count as a change.',
	observe: async (source) => observationsOf('a user', await usersOf(source), comparedOf),
	isChange: (before, now) => before !== undefined && now !== undefined && before !== now,
	describe: async (changes) =>
		changes.map((change) => ({ ...change.now?.record, ...difference(change) })),
};

const inviteAdded: EventKind = {
	...additions,
	...ofEntity,
	description: 'A team or company has a new pending invite',
	observe: async (source) => observationsOf('an invite', await invitesOf(source)),
};

/** The hash of an email address, which is remembered instead of it. Empty if there is none. */
function emailHashIn(entity: string): (record: { readonly email?: unknown }) => string {
	return ({ email }) => {
		if (typeof email !== 'string' || email === '') return '';
		const text = JSON.stringify([entity, emailKey(email.trim())]);
		/* 96 bits. */
		return createHash('sha256').update(text).digest('base64url').slice(0, 16);
	};
}

const inviteEnded: EventKind = {
	...ofEntity,
	description: 'An invite is no longer pending: it was accepted, rejected or withdrawn, or expired',
	notice:
		'For an invite to a team, <b>outcome</b> is <b>member</b> if the team now lists the invite’s email address, and <b>gone</b> if not. For an invite to a company it’s always <b>gone</b>.',
	observe: async (source) =>
		observationsOf('an invite', await invitesOf(source), emailHashIn(source.watch.entityId)),
	isChange: (_before, now) => now === undefined,
	describe: async (changes, source) => {
		const { entityId: id } = source.watch;
		/* A company's invites don't say which team they are for. */
		const users = hasPrefix(id, 'te') ? await usersOf(source) : [];
		const members = new Set(users.map(emailHashIn(id)));
		return changes.map(({ id: nanoid, before = '' }) => ({
			nanoid,
			outcome: before !== '' && members.has(before) ? 'member' : 'gone',
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

/** @throws {UserError} that names the field that isn't valid */
export function readParameters(context: IPollFunctions): { event: PollEvent; watch: Watch } {
	const menuOnly = { event: eventField };
	const node = context.getNode();
	const { event } = readFields(menuOnly, parametersOf(context, node, menuOnly));
	const { fields, readWatch } = EVENTS[event];
	return { event, watch: readWatch(parametersOf(context, node, fields)) };
}
