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

/** Within which groups a person may be named only once, and where later items look for them. */
interface Scopes {
	readonly mustBeNewIn: readonly string[];
	readonly isThenIn: readonly string[];
}

/** With *Existing People: Skip*, a person may be named only once for a team, in whatever group. */
function scopesOf({ teamId }: Invitation, group: string, skipsExisting: boolean): Scopes {
	const [anyone, skipped] = [`${teamId} anyone`, `${teamId} skipped`];
	return skipsExisting
		? { mustBeNewIn: [anyone], isThenIn: [anyone, skipped] }
		: { mustBeNewIn: [group, skipped], isThenIn: [group, anyone] };
}

/** Who was named so far, and by which item. */
class Register {
	private readonly itemOf = new Map<string, number>();

	/** @throws {Refusal} if an earlier item names one of the guests */
	add(
		{ mustBeNewIn, isThenIn }: Scopes,
		guests: readonly Guest[],
		refuse: (guest: Guest, before: number) => Refusal,
	) {
		const keyIn = (scope: string, { invitee }: Guest) =>
			JSON.stringify([scope, comparable(invitee.email)]);
		for (const guest of guests) {
			for (const scope of mustBeNewIn) {
				const before = this.itemOf.get(keyIn(scope, guest));
				if (before !== undefined) throw refuse(guest, before);
			}
		}
		for (const guest of guests) {
			for (const scope of isThenIn) this.itemOf.set(keyIn(scope, guest), guest.item);
		}
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
function groupRows(items: readonly InputItem[], register: Register): Grouping {
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
	const rowsOf = new Map<string, Row[]>();
	const refusals: FailedItems[] = [];
	for (const source of items) {
		try {
			const row = readRow(source, sheet);
			const { teamId, role, anonymous = false } = row.invitation;
			const name = JSON.stringify([teamId, role, anonymous, row.skipsExisting]);
			register.add(scopesOf(row.invitation, name, row.skipsExisting), [row], repeatedRow);
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
function groupLists(items: readonly InputItem[], register: Register): Grouping {
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
			const invitation = { teamId, role, anonymous };
			register.add(scopesOf(invitation, '', true), guests, repeatedGuest);
			groups.push({
				invitation,
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

/** The groups of a sheet's rows, and of the lists of items that skip existing people. */
export function groupGuests(rows: readonly InputItem[], lists: readonly InputItem[]): Grouping {
	const register = new Register();
	const [sheet, others] = [groupRows(rows, register), groupLists(lists, register)];
	return {
		groups: [...sheet.groups, ...others.groups],
		refusals: [...sheet.refusals, ...others.refusals],
	};
}
