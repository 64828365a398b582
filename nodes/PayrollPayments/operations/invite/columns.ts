import { isBlank } from '../../forms/field';
import {
	columnNamesFor,
	fieldsOfRow,
	rowError,
	withoutStyle,
	type SheetRow,
} from '../../run/columns';
import { shorten, visible } from '../../shared/redaction';

import { invitee, INVITEE_FIELDS, inviteeFrom, type Invitee, type InviteeField } from './invitees';

export type Row = SheetRow<InviteeField>;

export const columnNames = columnNamesFor(INVITEE_FIELDS, 'email');

const RECOGNITION = {
	recognized: Object.fromEntries(INVITEE_FIELDS.map((field) => [field, field])),
	exclusive: ['email'],
} as const;

export function readRow(row: Row): Invitee {
	const isNamed = row.names.some(({ name }) => withoutStyle(name) === 'prefill');
	if (!isNamed && !isBlank(row.columns.prefill)) {
		const advice = ' Invitees From: JSON takes invitees in the service’s form.';
		throw rowError(
			row,
			'prefill can’t be a column; use one for each field, e.g. first_name',
			advice,
		);
	}
	const { valueOf, headerOf, isNamed: hasName } = fieldsOfRow(row, RECOGNITION);
	const result = invitee.safeParse(inviteeFrom(valueOf));
	if (result.success) return result.data;
	const [{ path, message } = { path: [], message: 'isn’t valid' }] = result.error.issues;
	const field = INVITEE_FIELDS.find((each) => each === path.at(-1)) ?? 'email';
	const fault = `${headerOf(field)} ${message}`;
	if (field !== 'email') throw rowError(row, fault);
	const value = valueOf(field);
	if (typeof value === 'string' && value.trim() !== '') {
		throw rowError(row, `${shorten(visible(value.trim()), 100)} isn’t an email address`);
	}
	const advice = hasName(field)
		? ' Column Names says where the address is, so it is taken from no other column.'
		: ' If the address is in another column, enter its header in Column Names under Options.';
	throw rowError(row, fault, advice);
}
