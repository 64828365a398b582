import { emailKey } from '../../shared/email';
import { UserError } from '../../shared/errors';
import type { InviteRole } from '../../shared/roles';
import type { Settings } from '../commonOptions';
import type { ReadItem } from '../defineOperation';
import { collect, type FailedItems } from '../plan';

import { checkColumnNames, readRow, type Row } from './columns';
import type { InviteInput, InviteOptions } from './fields';
import type { Invitee } from './invitees';

type InviteItem = ReadItem<InviteInput, InviteOptions>;

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
	readonly guests: Guest[];
	readonly inviteesPerRequest: number;
	readonly settings: Settings;
}

interface Mention {
	readonly group: Group;
	readonly item: number;
}

const isRow = ({ input }: InviteItem) => input.inviteesSource === 'items';

const rowOf = ({ items: [index], json, options }: InviteItem): Row => ({
	number: index + 1,
	columns: json,
	names: options.columnNames ?? [],
});

/**
 * Reads all people, and groups those who can be invited by one request. A person may be named once in
 * a group and, since people who are invited already are left out by *Existing People: Skip*, once for
 * a team where that is set.
 * @throws {UserError} if Column Names names a column that no row has
 */
export async function groupGuests(items: readonly InviteItem[]): Promise<{
	readonly groups: readonly Group[];
	readonly refusals: readonly FailedItems[];
}> {
	checkColumnNames(items.filter(isRow).map(rowOf));
	const groups = new Map<string, Group>();
	const mentions = new Map<string, Mention[]>();
	const { refusals } = await collect(items, (each) => {
		const [item] = each.items;
		const { invitees, inviteesJson, teamId, role, anonymous = false, existingPeople } = each.input;
		const isSheet = isRow(each);
		const people = isSheet ? [readRow(rowOf(each))] : (invitees ?? inviteesJson ?? []);
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
		/* Kept apart until all of them passed: nobody of a refused item counts as named. */
		const added = new Map<string, Mention>();
		for (const { email } of people) {
			const key = `${teamId} ${emailKey(email)}`;
			const earlier = mentions
				.get(key)
				?.find((one) => one.group === group || one.group.skipsExisting || group.skipsExisting);
			const before = added.get(key) ?? earlier;
			if (before !== undefined) throw repeated(email, { group, item }, before);
			added.set(key, { group, item });
		}
		for (const [key, mention] of added) mentions.set(key, [...(mentions.get(key) ?? []), mention]);
		groups.set(name, group);
		for (const invitee of people) group.guests.push({ item, invitee });
	});
	return { groups: [...groups.values()], refusals };
}

function repeated(email: string, { group, item }: Mention, before: Mention): UserError {
	const isTwice = !group.isSheet && item === before.item;
	const place = before.group.isSheet ? `row ${before.item + 1}` : `item ${before.item}`;
	return new UserError(`${email} is ${isTwice ? 'listed twice' : `already in ${place}`}`, {
		...(group.isSheet ? { row: item + 1 } : { field: 'invitees' }),
		hint: 'Remove one of the two. Nothing was sent for the second.',
	});
}
