import { eventTypeOptions } from '../../../nodes/PayrollPayments/api/schemas/events';
import { menu, oneOf } from '../../../nodes/PayrollPayments/forms/fieldTypes';

const faultOf = (options: Parameters<typeof oneOf>[0], value: unknown): string | undefined =>
	oneOf(options).safeParse(value).error?.issues[0]?.message;

const existingPeople = menu({ invite: { name: 'Invite' }, skip: { name: 'Skip' } });

it.each(['', null, undefined])('asks for a choice by its label instead of %j', (nothing) => {
	expect(faultOf(existingPeople, nothing)).toBe('is missing. Choose Invite or Skip (invite, skip)');
});

it.each(['Skip', 'toString', 1, ['skip']])('refuses %j, which is not a value', (value) => {
	expect(faultOf(existingPeople, value)).toBe('must be Invite or Skip (invite, skip)');
});

it('names each entry once if the labels are the values', () => {
	expect(faultOf(menu({ USD: { name: 'USD' } }), 'EUR')).toBe('must be USD');
});

it('gives an example of a long menu', () => {
	expect(eventTypeOptions.length).toBeGreaterThan(30);
	expect(faultOf(eventTypeOptions, 'payday')).toMatch(
		/^must be an entry of its menu, e\.g\. [A-Z][\w ]+ \([a-z_.]+\)$/,
	);
});
