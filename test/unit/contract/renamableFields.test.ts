import { isDocumented, isRenamable } from '../../../nodes/PayrollPayments/contract/renamableFields';
import { OPERATIONS, resolved, type Schema } from '../../n8n/conformance/openapi';

/** The members in a part of a request or an answer, none inside of typed data. */
function fieldsIn(part: Schema): string[] {
	const { properties = {}, items = {}, anyOf = [] } = resolved(part);
	const inside = [items, ...anyOf].filter((each) => Object.keys(each).length > 0);
	return [
		...inside.flatMap(fieldsIn),
		...Object.entries(properties).flatMap(([name, member]) =>
			name === 'typed_data' ? name : [name, ...fieldsIn(member)],
		),
	];
}

/** The document doesn't show their names: settings of the node hold them. */
const SETTINGS = ['action', 'event_type'];
const FIXED = ['success', 'data', 'error_code', 'typed_data', 'domain', 'types', 'primary_type'];
const FIELDS = OPERATIONS.flatMap(({ query, body = {}, answer }) =>
	[query, body, answer].flatMap(fieldsIn),
);

it.each([...new Set(FIELDS)].filter((name) => ![...SETTINGS, ...FIXED].includes(name)))(
	'may have another name: %s',
	(name) => {
		expect([isRenamable(name), isDocumented(name)]).toEqual([true, true]);
	},
);

it.each([
	...[...FIXED, 'team_nanoid', 'user_nanoid', 'webhook_nanoid', 'to', 'salt', 'expires', 'account'],
	...['chainId', 'verifyingContract', 'id', 'groupID', 'payAtTime', 'validMinutes', 'payType'],
	...['token', 'recipient', 'amount'],
])('has no other name, and is none: %s', (name) => {
	expect([isRenamable(name), isDocumented(name)]).toEqual([false, true]);
});

it('is no field of the document: event_type, which a setting names', () => {
	expect([isRenamable('event_type'), isDocumented('event_type')]).toEqual([false, false]);
});
