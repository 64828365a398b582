import { isBlank } from '../../forms/field';
import {
	columnNamesFor,
	fieldsOfRow,
	faultInAddress,
	rowError,
	withoutStyle,
	type SheetRow,
} from '../../run/sheetRows';

import { invitee, INVITEE_FIELDS, inviteeFrom, type Invitee, type InviteeField } from './invitees';

export type InviteeRow = SheetRow<InviteeField>;

export const columnNames = columnNamesFor(INVITEE_FIELDS);

export const RECOGNITION = {
	recognized: new Map(INVITEE_FIELDS.map((field) => [withoutStyle(field), field])),
	exclusive: ['email'],
} as const;

/** @throws {UserError} that names the row and its column */
export function readRow(row: InviteeRow): Invitee {
	const isNamed = row.names.some(({ name }) => withoutStyle(name) === 'prefill');
	const isPrefill = ([header, value]: [string, unknown]) =>
		withoutStyle(header) === 'prefill' && !isBlank(value);
	if (!isNamed && Object.entries(row.cells).some(isPrefill)) {
		throw rowError(row, 'prefill can’t be a column; use one for each field, e.g. first_name');
	}
	const { valueOf, headerOf, isNamed: hasName } = fieldsOfRow(row, RECOGNITION);
	const result = invitee.safeParse(inviteeFrom(valueOf));
	if (result.success) return result.data;
	const [{ path, message } = { path: [], message: 'isn’t valid' }] = result.error.issues;
	const field = INVITEE_FIELDS.find((each) => each === path.at(-1)) ?? 'email';
	const fault = `${headerOf(field)} ${message}`;
	if (field !== 'email') throw rowError(row, fault);
	const wrong = faultInAddress(valueOf(field));
	if (wrong !== undefined) throw rowError(row, wrong);
	const advice = hasName(field)
		? ''
		: 'If the address is in another column, enter its header in Column Names under Options.';
	throw rowError(row, fault, advice);
}
