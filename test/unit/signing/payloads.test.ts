import { id, Wallet } from 'ethers';
import type { z } from 'zod';

import { paymentPayload, setRolesRequest } from '../../../nodes/PayrollPayments/signing/payloads';

const addressOf = (name: string) => new Wallet(id(name)).address;
const [from, to, account] = [addressOf('from'), addressOf('to'), addressOf('account')];

const message = {
	...{ from, to, salt: '918273645', expires: '4102444800' },
	data: {
		...{ id: '77', groupID: '', payAtTime: '0', validMinutes: '60', payType: 'instant' },
		...{ token: to, recipient: account, amount: '125000000', data: '0x' },
	},
};

/** The first fault of a value, as errors show it. */
function faultOf(schema: z.ZodTypeAny, value: unknown): string | undefined {
	const [issue] = schema.safeParse(value).error?.issues ?? [];
	return issue && `${issue.path.join('.')} ${issue.message}`.trim();
}

describe('the typed data of administrator invites', () => {
	const grant = { role: 'team_viewer', account };
	const request = { from, to, salt: '918273645', expires: '4102444800', data: [grant] };

	it.each<[string, object]>([
		...['from', 'to', 'salt', 'expires', 'data'].map((name): [string, object] => [
			`${name} is missing`,
			{ [name]: undefined },
		]),
		['data must be a list', { data: grant }],
		['data.0 must be an object', { data: [account] }],
		['expires must be text', { expires: 4102444800.5 }],
		['data.0.role is missing', { data: [{ account }] }],
		["data.0 Unrecognized key(s) in object: 'group'", { data: [{ ...grant, group: '' }] }],
		["Unrecognized key(s) in object: 'more'", { more: '' }],
	])('is refused: %s', (fault, change) => {
		expect(faultOf(setRolesRequest, { ...request, ...change })).toBe(fault);
	});

	it('may have whole numbers, which become text', () => {
		const numbers = { salt: 918273645, expires: 4102444800, data: [{ ...grant, role: 2 }] };
		const texts = { ...request, data: [{ ...grant, role: '2' }] };
		expect(setRolesRequest.parse({ ...request, ...numbers })).toEqual(texts);
	});
});

describe('a payment authorization', () => {
	const whole = { domain: { chainId: 1 }, types: { Payment: [] }, primaryType: 'Payment', message };
	const { domain, types, primaryType } = whole;
	const inTheirNames = { domain, types, primary_type: primaryType, typed_data: message };
	const { data, ...withoutData } = message;
	const { recipient, amount } = data;
	const leastMessage = { ...withoutData, data: { recipient, amount } };

	it.each<[string, object, object]>([
		['the message alone', message, { message }],
		['a whole payload', whole, whole],
		['one in the service’s names', inTheirNames, whole],
		['a payload of some parts', { types, typed_data: message }, { types, message }],
		['one with the least that data holds', leastMessage, { message: leastMessage }],
	])('may be %s', (_what, value, expected) => {
		expect(paymentPayload.parse(value)).toEqual(expected);
	});

	it.each<[string, unknown]>([
		['is missing', undefined],
		['is empty', {}],
		...[null, 'text', 7, [message]].map((value): [string, unknown] => ['must be an object', value]),
		["Unrecognized key(s) in object: 'more'", { ...message, more: '' }],
		["Unrecognized key(s) in object: 'more'", { ...whole, more: '' }],
		["Unrecognized key(s) in object: 'typed_data'", { ...whole, typed_data: message }],
		["Unrecognized key(s) in object: 'primary_type'", { ...whole, primary_type: primaryType }],
		['message is missing', { domain, types }],
		['domain must be a JSON object', { ...whole, domain: [] }],
		['types must be a JSON object', { ...whole, types: 'Payment' }],
		['primaryType must be text', { ...whole, primaryType: 1 }],
		['message.salt must be text', { ...whole, message: { ...message, salt: 1 } }],
		...Object.keys(message).map((name): [string, unknown] => [
			`${name} is missing`,
			{ ...message, [name]: undefined },
		]),
		['data.recipient is missing', { ...message, data: { amount } }],
		['data.amount is missing', { ...message, data: { recipient } }],
		['data.id must be text', { ...message, data: { ...data, id: null } }],
		['data must be an object', { ...message, data: '0x' }],
		['data.amount must be text', { ...message, data: { ...data, amount: 125_000_000 } }],
		["data Unrecognized key(s) in object: 'fee'", { ...message, data: { ...data, fee: '1' } }],
	])('is refused: %s', (fault, value) => {
		expect(faultOf(paymentPayload, value)).toBe(fault);
	});
});
