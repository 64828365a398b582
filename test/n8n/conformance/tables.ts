import { readFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from '../../../tooling/paths.mjs';
import { fieldOf, fieldsOf, OPERATIONS, resolved, schema, valuesOf, type Schema } from './openapi';

/** Sections of docs/api.md with a table of fields, and the records that they describe. */
const RECORDS: ReadonlyArray<readonly [string, Schema]> = [
	['Balance entry', schema('BalanceEntry')],
	['Invite record', schema('InviteRecord')],
	['Typed data for administrator invites', schema('AdministratorInviteTypedData')],
	['Team user record', schema('TeamUser')],
	['Pagination', schema('Pagination')],
	['Deposit record', schema('Deposit')],
	['Event envelope', schema('DepositReceivedEvent')],
	...OPERATIONS.map(({ number, pathParameters, query, body }): [string, Schema] => {
		const parts = [pathParameters, query, body ?? {}];
		return [
			`Endpoint ${number}`,
			{
				required: parts.flatMap(({ required = [] }) => required),
				properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
			},
		];
	}),
];

/** Sections with a table of names, and the names. */
const NAMES: ReadonlyArray<readonly [string, readonly string[]]> = [
	['Roles', valuesOf('Role')],
	['Event types', valuesOf('EventType')],
	['Deposit status', valuesOf('Deposit.status')],
	['Invite prefill', fieldsOf('InvitePrefill')],
];

/** Fields whose names the document doesn't show. */
const UNNAMED = ['action', 'event_type'];

const quoted = (text = ''): string[] =>
	[...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

const API_DOCUMENT = readFileSync(path.join(repository, 'docs', 'api.md'), 'utf8');

/** The cells of a section's tables, without headings; a heading is the row above the dashes. */
function rowsIn(section: string): string[][] {
	const [, text = ''] = API_DOCUMENT.split(`\n### ${section}\n`);
	const [own = ''] = text.split(/\n##+ /);
	return [...own.matchAll(/^\|[^\n]*\n\|-[^\n]*\n((?:\|[^\n]*\n)*)/gm)]
		.flatMap(([, rows = '']) => rows.trim().split('\n'))
		.map((row) =>
			row
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
}

/** What a row of a field says otherwise than openapi.yaml. */
function faultsIn(name: string, cells: readonly string[], record: Schema): string[] {
	const { items = {}, ...own } = name.split('.').reduce(fieldOf, record);
	const { enum: values, properties, maximum, maxItems } = { ...resolved(items), ...own };
	const notes = cells.at(-1) ?? '';
	const mentioned = quoted(notes);
	const missing = [
		...Object.keys(properties ?? {}).filter(
			(inner) => notes.includes('`') && !mentioned.includes(inner),
		),
		...(values ?? []).filter((value) => mentioned.length > 0 && !mentioned.includes(value)),
		...[maximum, maxItems, own.default].flatMap((each) =>
			typeof each === 'number' && !notes.includes(String(each)) ? [String(each)] : [],
		),
		...(values === undefined ? [] : mentioned.filter((value) => !values.includes(value))),
	];
	const isRequired = cells.find((cell) => /^(yes|no|for .*)$/.test(cell));
	const differs =
		isRequired !== undefined &&
		(isRequired !== 'no') !== (record.required?.includes(name) ?? false);
	return [...missing, ...(differs ? ['required'] : [])].map((fault) => `${name}: ${fault}`);
}

/** Where the tables of docs/api.md differ from openapi.yaml. */
export function differences(): string[] {
	const sorted = (names: readonly string[]) => [...names].sort().join();
	return [
		...NAMES.filter(([section, names]) => {
			const shown = rowsIn(section).flatMap((cells) => cells.flatMap(quoted));
			return sorted(shown) !== sorted(names);
		}).map(([section]) => section),
		...RECORDS.flatMap(([section, record]) => {
			const rows = rowsIn(section).map((cells) => ({ cells, names: quoted(cells[0]) }));
			const fields = rows.flatMap(({ names }) => names);
			const known = Object.keys(record.properties ?? {}).filter(
				(name) => !UNNAMED.includes(name) || fields.includes(name),
			);
			return known
				.filter((name) => !fields.includes(name))
				.concat(
					rows.flatMap(({ cells, names }) =>
						names
							.filter((name) => name in (record.properties ?? {}) || name.includes('.'))
							.flatMap((name) => faultsIn(name, cells, record)),
					),
				)
				.map((fault) => `${section}, ${fault}`);
		}),
	];
}
