import { isDocumented, isRenamable, TYPED_DATA } from '../contract/renamableFields';
import { UserError } from '../shared/errors';
import { isRecord } from '../shared/json';
import type { Call, Query } from './call';
import { linesOf } from './lines';

/** A documented field, and what a deployment of the service calls it. */
interface FieldName {
	readonly documented: string;
	readonly theirs: string;
}

/** *Field Names*: `documented = theirs` on each line. */
export const fieldNames = linesOf<FieldName>((line, above) => {
	const [, documented = '', theirs = ''] = /^([\w.[\]-]+)\s*=\s*([\w.[\]-]+)$/.exec(line) ?? [];
	if (documented === '') {
		return { fault: 'write the documented name, = and the service’s name' };
	}
	if (!isRenamable(documented)) {
		return {
			fault: isDocumented(documented)
				? `${documented} can’t have another name`
				: 'no documented field has this name',
		};
	}
	if (isDocumented(theirs)) return { fault: `${theirs} is another documented field` };
	if (above.some((each) => each.documented === documented || each.theirs === theirs)) {
		return { fault: 'an earlier line has one of the names' };
	}
	return { value: { documented, theirs } };
});

type Rename = (name: string) => string;

/** The value with other names for its members, at any depth, but none inside typed data. */
function renameMembers(value: unknown, rename: Rename): unknown {
	if (Array.isArray(value)) return value.map((each: unknown) => renameMembers(each, rename));
	return isRecord(value) ? renameIn(value, rename) : value;
}

function renameIn(record: Readonly<Record<string, unknown>>, rename: Rename) {
	const names = Object.keys(record);
	/* Where both names are there, the one that was entered counts. */
	const given = new Set(names.filter((name) => rename(name) !== name).map(rename));
	return Object.fromEntries(
		Object.entries(record)
			.filter(([name]) => !given.has(name))
			.map(([name, member]) => [
				rename(name),
				name === TYPED_DATA ? member : renameMembers(member, rename),
			]),
	);
}

/** The names of a call's fields in the service's words, and those of its answers as documented. */
export class Renaming {
	private readonly toTheirs: ReadonlyMap<string, string>;
	private readonly toDocumented: ReadonlyMap<string, string>;

	constructor(private readonly names: readonly FieldName[]) {
		this.toTheirs = new Map(names.map(({ documented, theirs }) => [documented, theirs]));
		this.toDocumented = new Map(names.map(({ documented, theirs }) => [theirs, documented]));
	}

	get isEmpty(): boolean {
		return this.names.length === 0;
	}

	query(query: Query = {}): Query {
		const entries = Object.entries(query).map(([name, value]) => {
			const [, own = '', brackets = ''] = /^(.*?)(\[\])?$/.exec(name) ?? [];
			return [`${this.toTheirs.get(own) ?? own}${brackets}`, value];
		});
		return Object.fromEntries(entries);
	}

	body(body: Call<unknown>['body']): Call<unknown>['body'] {
		if (body === undefined || this.isEmpty) return body;
		const taken = Object.keys(body).find((name) => {
			const documented = this.toDocumented.get(name);
			return documented !== undefined && documented in body;
		});
		if (taken !== undefined) {
			throw new UserError(`Field Names gives another field of the request the name ${taken}`, {
				hint: 'Change Field Names in the credentials, or the name of the field under Options.',
			});
		}
		return renameIn(body, (name) => this.toTheirs.get(name) ?? name);
	}

	answer(data: unknown): unknown {
		if (this.isEmpty) return data;
		return renameMembers(data, (name) => this.toDocumented.get(name) ?? name);
	}
}
