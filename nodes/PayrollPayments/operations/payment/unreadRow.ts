import { readFields, type FieldSet, type InputItem } from '../../forms/field';
import type { OutputRecord } from '../../run/write';
import { centsAsDecimal } from '../../shared/money';
import { fields, type PaymentInput } from './fields';

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
	const { amountCents, amountDollars, typedData, ...input } = readableFields(item);
	const cents = amountCents ?? amountDollars;
	const columns = {
		amount: cents === undefined ? undefined : centsAsDecimal(cents),
		currency: input.currency,
		network: input.network,
		team: input.teamId,
		recipient_email: input.recipientEmail,
		recipient_address: typedData?.message.data.recipient,
		reference: input.paymentReference,
		expires: typedData?.message.expires,
		signer: input.signer,
	};
	return Object.fromEntries(
		Object.entries(columns).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, value]],
		),
	);
}
