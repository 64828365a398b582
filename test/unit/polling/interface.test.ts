import type { INodeProperties } from 'n8n-workflow';

import { PayrollPaymentsPollingTrigger } from '../../../nodes/PayrollPayments/PayrollPaymentsPollingTrigger.node';
import { BALANCE_CURRENCIES } from '../../../nodes/PayrollPayments/shared/money';

const { description } = new PayrollPaymentsPollingTrigger();
const properties: readonly INodeProperties[] = description.properties;

/** The promise of interface.md: the fields of each event. */
const PROMISED: Readonly<Record<string, readonly string[]>> = {
	balanceChanged: ['entityId', 'currencies', 'minimumChangeCents'],
	inviteAdded: ['entityId'],
	inviteEnded: ['entityId'],
	teamUserAdded: ['teamId'],
	teamUserChanged: ['teamId'],
};

const [event] = properties.filter(({ name }) => name === 'event');
const options = (event?.options ?? []).flatMap((option) => ('value' in option ? [option] : []));

it('is a polling trigger with the names that workflows save', () => {
	expect(description).toMatchObject({
		name: 'payrollPaymentsPollingTrigger',
		displayName: 'Payroll Payments Polling Trigger',
		polling: true,
		version: 1,
		inputs: [],
		outputs: ['main'],
		credentials: [{ name: 'payrollPaymentsApi', required: true }],
	});
	expect(event).toMatchObject({ displayName: 'Trigger On', default: 'balanceChanged' });
	expect(description).not.toHaveProperty('usableAsTool');
});

it('offers the promised events in the order of their names', () => {
	expect(options.map(({ value }) => value)).toEqual(Object.keys(PROMISED));
	const names = options.map(({ name }) => name);
	expect(names).toEqual([...names].sort());
});

it.each(Object.entries(PROMISED))('%s has the promised fields', (value, fields) => {
	const shown = properties.filter(
		({ type, displayOptions }) =>
			type !== 'notice' && displayOptions?.show?.event?.includes(value) === true,
	);
	expect(shown.map(({ name }) => name)).toEqual(fields);
	expect(shown.filter(({ required }) => required).map(({ name }) => name)).toEqual([fields[0]]);
});

it('watches any change of every currency by default', () => {
	const [currencies] = properties.filter(({ name }) => name === 'currencies');
	const [minimum] = properties.filter(({ name }) => name === 'minimumChangeCents');
	expect(currencies?.default).toEqual([]);
	expect(currencies?.options).toEqual(BALANCE_CURRENCIES.map((value) => ({ name: value, value })));
	expect(minimum?.default).toBe(0);
});
