import type { InputOf } from '../../forms/field';
import { emailKey } from '../../shared/email';
import { UserError } from '../../shared/errors';
import type { InviteRole } from '../../shared/roles';
import type { Settings } from '../commonOptions';
import type { ReadItem } from '../defineOperation';
import type { FailedItems } from '../plan';

import { checkColumnNames, readRow, type Row } from './columns';
import type { fields, options } from './fields';
import type { Invitee } from './invitees';

type InviteItem = ReadItem<InputOf<typeof fields>, InputOf<typeof options>>;

/** A person to invite, and the index of the item that names them. */
export interface Guest {
	readonly item: number;
	readonly invitee: Invitee;
}

/** Guests who share an invitation: the rows of a sheet with the same settings, or one item's list. */
export interface Group {
	readonly teamId: string;
	readonly role: InviteRole;
	readonly anonymous: boolean;
	/** Whether to leave out people who are in the team or have a pending invite. */
	readonly skipsExisting: boolean;
	/** Whether every guest has an item to themselves. */
	readonly isSheet: boolean;
	readonly guests: readonly Guest[];
	readonly inviteesPerRequest: number;
	readonly settings: Settings;
}

const isRow = ({ input }: InviteItem) => input.inviteesSource === 'items';

const rowOf = ({ items: [index], json, options }: InviteItem): Row => ({
	number: index + 1,
	columns: json,
	names: options.columnNames ?? [],
});

/**
 * Reads all people, and groups those who can be invited by one request.
 * @throws {UserError} if Column Names names a column that no row has
 */
export function groupGuests(items: readonly InviteItem[]): {
	readonly groups: readonly Group[];
	readonly refusals: readonly FailedItems[];
} {
	checkColumnNames(items.filter(isRow).map(rowOf));
	const groups = new Map<string, Group & { readonly guests: Guest[] }>();
	const refusals: FailedItems[] = [];
	const register = new Register();
	for (const each of items) {
		const [item] = each.items;
		const { invitees, inviteesJson, teamId, role, anonymous = false, existingPeople } = each.input;
		const isSheet = isRow(each);
		try {
			const people = isSheet ? [readRow(rowOf(each))] : (invitees ?? inviteesJson ?? []);
			const guests = people.map((invitee) => ({ item, invitee }));
			const name = JSON.stringify([teamId, role, anonymous, existingPeople, isSheet || item]);
			const group = groups.get(name) ?? {
				teamId,
				role,
				anonymous,
				skipsExisting: existingPeople === 'skip',
				isSheet,
				guests: [],
				inviteesPerRequest: each.options.inviteesPerRequest ?? 0,
				settings: each.settings,
			};
			register.add(group, guests);
			groups.set(name, group);
			for (const guest of guests) group.guests.push(guest);
		} catch (error) {
			refusals.push({ items: [item], error });
		}
	}
	return { groups: [...groups.values()], refusals };
}

interface Mention {
	readonly group: Group;
	readonly guest: Guest;
}

/**
 * Who was named so far. A person may be named once in a group and, since people who are invited
 * already are left out by *Existing People: Skip*, once for a team where that is set.
 */
class Register {
	private readonly mentions = new Map<string, Mention[]>();

	/** @throws {UserError} if one of the guests was named before; then none of them counts as named */
	add(group: Group, guests: readonly Guest[]) {
		const added = new Map<string, Mention>();
		for (const guest of guests) {
			const key = `${group.teamId} ${emailKey(guest.invitee.email)}`;
			const earlier = this.mentions
				.get(key)
				?.find((each) => each.group === group || each.group.skipsExisting || group.skipsExisting);
			const before = added.get(key) ?? earlier;
			if (before !== undefined) throw repeated({ group, guest }, before);
			added.set(key, { group, guest });
		}
		for (const [key, mention] of added) {
			this.mentions.set(key, [...(this.mentions.get(key) ?? []), mention]);
		}
	}
}

function repeated({ group, guest: { item, invitee } }: Mention, before: Mention): UserError {
	const isTwice = !group.isSheet && item === before.guest.item;
	const place = before.group.isSheet ? `row ${before.guest.item + 1}` : `item ${before.guest.item}`;
	return new UserError(`${invitee.email} is ${isTwice ? 'listed twice' : `already in ${place}`}`, {
		...(group.isSheet ? { row: item + 1 } : { field: 'invitees' }),
		hint: 'Remove one of the two. Nothing was sent for the second.',
	});
}
