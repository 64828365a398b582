import { readFields, type FieldSet, type InputItem } from '../../forms/field';
import type { OutputRecord } from '../../run/write';
import { columnsOfRefused } from './paymentColumns';
import { fields, type PaymentInput } from './paymentFields';

/** The fields of a form that can be read; a field that others show or hide is read after them. */
function readableFields(item: InputItem): Partial<PaymentInput> {
	let readable: FieldSet = {};
	for (const [name, field] of Object.entries(fields)) {
		const tried = { ...readable, [name]: field };
		try {
			readFields(tried, item);
			readable = tried;
		} catch {
			/* The row's own error says why. */
		}
	}
	return readFields(readable, item);
}

/** Which payment a refused form is of, as far as it could be read. */
export function columnsOfUnread(item: InputItem): OutputRecord {
	return columnsOfRefused(readableFields(item));
}
