import { Refusal } from '../../shared/errors';
import { readOptions, sendingOptions, type SendingOptions } from '../commonOptions';
import { readFields, type InputItem } from '../fields/field';
import type { FailedItems } from '../plan';

import { SheetReader } from './columns';
import { fields, invitationFields, options } from './fields';
import { comparable, type Invitee } from './invitees';
import type { Invitation } from './request';

/** A person to invite, and the item that names them. */
export interface Guest {
	readonly item: number;
	readonly invitee: Invitee;
}

/** Guests who share an invitation: the rows of a sheet with the same settings, or one item's list. */
export interface Group {
	readonly invitation: Invitation;
	/** Whether to leave out people who are in the team or have a pending invite. */
	readonly skipsExisting: boolean;
	/** Whether every guest has an item to themselves. */
	readonly isSheet: boolean;
	readonly guests: readonly Guest[];
	readonly inviteesPerRequest: number;
	/** How reads and writes are sent. */
	readonly reading: SendingOptions;
	readonly sending: SendingOptions;
}

interface Row extends Guest {
	readonly source: InputItem;
	readonly invitation: Invitation;
	readonly skipsExisting: boolean;
}

/** The groups of all rows and lists, and the items that were refused. */
export interface Grouping {
	readonly groups: readonly Group[];
	readonly refusals: readonly FailedItems[];
}

/** Who was named so far, and by which item. */
class Register {
	private readonly itemOf = new Map<string, number>();

	/**
	 * @param scope within which a person may be named only once
	 * @throws {Refusal} if an earlier item names one of the guests
	 */
	add(scope: string, guests: readonly Guest[], refuse: (guest: Guest, before: number) => Refusal) {
		const keyOf = ({ invitee }: Guest) => JSON.stringify([scope, comparable(invitee.email)]);
		for (const guest of guests) {
			const before = this.itemOf.get(keyOf(guest));
			if (before !== undefined) throw refuse(guest, before);
		}
		for (const guest of guests) this.itemOf.set(keyOf(guest), guest.item);
	}
}

function sharedOptions(first: InputItem) {
	return {
		inviteesPerRequest: readOptions(options, first).inviteesPerRequest ?? 0,
		reading: sendingOptions('read', first),
		sending: sendingOptions('write', first),
	};
}

function readRow(source: InputItem, sheet: SheetReader): Row {
	const { existingPeople, ...invitation } = readFields(invitationFields, source);
	const invitee = sheet.read(source.json);
	return {
		source,
		item: source.index,
		invitation,
		invitee,
		skipsExisting: existingPeople === 'skip',
	};
}

/**
 * One group for all rows with the same team, role, `anonymous` flag and treatment of existing people.
 * Rows that aren't valid are refused one by one; run.ts decides whether the others continue.
 */
export function groupRows(items: readonly InputItem[]): Grouping {
	const [firstItem] = items;
	if (firstItem === undefined) return { groups: [], refusals: [] };
	const refused = (some: ReadonlyArray<{ readonly index: number }>, error: unknown) => ({
		items: some.map(({ index }) => index),
		error,
	});

	let sheet: SheetReader;
	try {
		const { columnNames = new Map() } = readOptions(options, firstItem);
		sheet = new SheetReader(
			columnNames,
			items.map(({ json }) => json),
		);
	} catch (error) {
		return { groups: [], refusals: [refused(items, error)] };
	}
	const register = new Register();
	const rowsOf = new Map<string, Row[]>();
	const refusals: FailedItems[] = [];
	for (const source of items) {
		try {
			const row = readRow(source, sheet);
			const { teamId, role, anonymous = false } = row.invitation;
			const name = JSON.stringify([teamId, role, anonymous, row.skipsExisting]);
			register.add(row.skipsExisting ? teamId : name, [row], repeatedRow);
			const rows = rowsOf.get(name) ?? [];
			rows.push(row);
			rowsOf.set(name, rows);
		} catch (error) {
			refusals.push({ items: [source.index], error });
		}
	}

	const groups = [...rowsOf.values()].flatMap((rows): Group[] => {
		const [first] = rows;
		if (first === undefined) return [];
		try {
			const { invitation, skipsExisting, source } = first;
			return [{ invitation, skipsExisting, isSheet: true, guests: rows, ...sharedOptions(source) }];
		} catch (error) {
			refusals.push(
				refused(
					rows.map(({ source: { index } }) => ({ index })),
					error,
				),
			);
			return [];
		}
	});
	return { groups, refusals };
}

function repeatedRow(_: Guest, before: number): Refusal {
	return new Refusal(`Column email repeats the address of item ${before}`, {
		field: 'email',
		hint: 'Remove one of the two rows. Nothing was sent.',
	});
}

/** One group per item, for items that skip existing people. */
export function groupLists(items: readonly InputItem[]): Grouping {
	const register = new Register();
	const groups: Group[] = [];
	const refusals: FailedItems[] = [];
	for (const source of items) {
		try {
			const { teamId, role, anonymous, invitees, inviteesJson } = readFields(fields, source);
			const guests = (invitees ?? inviteesJson ?? []).map((invitee) => ({
				item: source.index,
				invitee,
			}));
			const shared = sharedOptions(source);
			register.add(teamId, guests, repeatedGuest);
			groups.push({
				invitation: { teamId, role, anonymous },
				skipsExisting: true,
				isSheet: false,
				guests,
				...shared,
			});
		} catch (error) {
			refusals.push({ items: [source.index], error });
		}
	}
	return { groups, refusals };
}

function repeatedGuest({ invitee }: Guest, before: number): Refusal {
	return new Refusal(`${invitee.email} is already listed for this team in item ${before}`, {
		field: 'invitees',
		hint: 'Remove one of the two. Nothing was sent.',
	});
}
