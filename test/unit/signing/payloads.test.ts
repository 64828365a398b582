import { id, Wallet } from 'ethers';
import type { z } from 'zod';

import {
	descriptionOf,
	paymentPayload,
	setRolesRequest,
} from '../../../nodes/PayrollPayments/signing/payloads';
import { membersIn } from './note';

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

	it.each([1, 2])('is taken back as it came, with %d accounts', (accounts) => {
		const typedData = { ...request, data: Array.from({ length: accounts }, () => grant) };
		expect(setRolesRequest.parse(typedData)).toEqual(typedData);
	});

	it.each<[string, object]>([
		['data is empty', { data: [] }],
		['salt is missing', { salt: undefined }],
		['expires must be text', { expires: 4102444800 }],
		['data.0.role is missing', { data: [{ account }] }],
		["data.0 Unrecognized key(s) in object: 'group'", { data: [{ ...grant, group: '' }] }],
		["Unrecognized key(s) in object: 'more'", { more: '' }],
	])('is refused: %s', (fault, change) => {
		expect(faultOf(setRolesRequest, { ...request, ...change })).toBe(fault);
	});
});

describe('a payment authorization', () => {
	const whole = { domain: { chainId: 1 }, types: { Payment: [] }, primaryType: 'Payment', message };
	const { domain, types, primaryType } = whole;
	const inTheirNames = { domain, types, primary_type: primaryType, typed_data: message };
	const { data, ...withoutData } = message;

	it.each<[string, object, object]>([
		['the message alone', message, { message }],
		['a whole payload', whole, whole],
		['one in the service’s names', inTheirNames, whole],
		['a payload of some parts', { types, typed_data: message }, { types, message }],
	])('may be %s', (_what, value, expected) => {
		expect(paymentPayload.parse(value)).toEqual(expected);
	});

	it.each<[string, unknown]>([
		['is missing', undefined],
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
		['salt is missing', { ...message, salt: undefined }],
		['data is missing', withoutData],
		['data must be an object', { ...message, data: '0x' }],
		['data.amount must be text', { ...message, data: { ...data, amount: 125_000_000 } }],
		["data Unrecognized key(s) in object: 'fee'", { ...message, data: { ...data, fee: '1' } }],
	])('is refused: %s', (fault, value) => {
		expect(faultOf(paymentPayload, value)).toBe(fault);
	});
});

type Eip712Description = NonNullable<ReturnType<typeof descriptionOf>>;

const EIP712Domain = membersIn('string name, uint256 chainId');
const Payment = membersIn('string from, string to');
const DESCRIPTION: Eip712Description = {
	domain: { name: 'Payments', chainId: 1 },
	types: { Payment, Data: [] },
	primaryType: 'Payment',
};
const withDomainType = { ...DESCRIPTION, types: { EIP712Domain, ...DESCRIPTION.types } };
const { domain, types, primaryType } = DESCRIPTION;

type Given = [payload: Parameters<typeof descriptionOf>[0], fields: Partial<Eip712Description>];
const descriptionToSign = (...given: Given) => descriptionOf(...given, false);
const descriptionToCheck = (...given: Given) => descriptionOf(...given, true);
const bothWays = [descriptionToSign, descriptionToCheck];

describe('what EIP-712 needs in addition to the message', () => {
	it.each<[string, object, Partial<Eip712Description>, Eip712Description]>([
		['the fields', {}, DESCRIPTION, DESCRIPTION],
		['the payload', DESCRIPTION, {}, DESCRIPTION],
		['both, which agree', DESCRIPTION, structuredClone(DESCRIPTION), DESCRIPTION],
		['some of each', { domain }, { types, primaryType }, DESCRIPTION],
		[
			'both, in another order',
			DESCRIPTION,
			{ domain: { chainId: 1, name: 'Payments' }, types: { Data: [], Payment } },
			DESCRIPTION,
		],
		['EIP712Domain in the payload only', withDomainType, DESCRIPTION, withDomainType],
		['EIP712Domain in the fields only', DESCRIPTION, withDomainType, withDomainType],
		['EIP712Domain in both', withDomainType, withDomainType, withDomainType],
		['EIP712Domain from the payload alone', withDomainType, {}, withDomainType],
	])('is taken from %s', (_what, payload, fields, expected) => {
		const parsed = paymentPayload.parse({ ...payload, message });
		for (const describe of bothWays) expect(describe(parsed, fields)).toStrictEqual(expected);
	});

	it.each<['domain' | 'types' | 'primaryType', string, unknown]>([
		['domain', 'Domain', { name: 'Payments', chainId: 2 }],
		['domain', 'Domain', { name: 'Payments' }],
		['domain', 'Domain', { name: 'Payments', chainId: '1' }],
		['domain', 'Domain', { name: 'Payments', chainId: 1, version: '1' }],
		['types', 'Types', { Payment }],
		['types', 'Types', { Payment, Data: {} }],
		['types', 'Types', { Payment: Payment.toReversed(), Data: [] }],
		['types', 'Types', { Payment, Data: [], Permit: [] }],
		['types', 'Types', { EIP712Domain, Payment }],
		['types', 'Types', { EIP712Domain: [], ...types }],
		['primaryType', 'Primary Type', 'Data'],
	])('is refused where %s differs', (field, label, value) => {
		for (const describe of bothWays) {
			const act = () => describe({ ...withDomainType, message }, { [field]: value });
			expect(act).toThrow(
				expect.objectContaining({
					message: `${label} differs from the one in Payment Authorization`,
					hint: `Correct one of the two, or remove ${label} under Options. Nothing was signed or sent.`,
				}),
			);
		}
	});

	const domainOf = (extra: unknown) => ({ domain: { name: 'Payments', extra } });

	it.each([
		[null, {}],
		[1, {}],
		['a', { 0: 'a' }],
		['a', ['a']],
		[['a'], { 0: 'a' }],
		[[], {}],
		[1, '1'],
		[{ a: 1 }, { b: 1 }],
		[{ a: 1 }, { a: 1, b: 1 }],
	])('must not be %j in one place and %j in the other', (one, another) => {
		const signWith = (own: unknown, other: unknown) => () =>
			descriptionToSign({ ...domainOf(own), message }, domainOf(other));
		expect(signWith(one, another)).toThrow('Domain differs');
		expect(signWith(another, one)).toThrow('Domain differs');
	});

	it.each([
		['Domain', { types, primaryType }],
		['Types', { domain, primaryType }],
		['Primary Type', { domain, types }],
		['Types', { domain }],
		['Domain', { types }],
		['Domain', { primaryType }],
	])('is refused without %s: it is missing from %j', (label, fields) => {
		expect(() => descriptionToSign({ message }, fields)).toThrow(
			expect.objectContaining({
				message: `${label} is missing`,
				hint: 'The wallet needs Domain, Types and Primary Type to sign. Add them under Options, or enter the whole EIP-712 payload as Payment Authorization. Nothing was signed or sent.',
			}),
		);
		expect(() => descriptionToCheck({ message }, fields)).toThrow(
			expect.objectContaining({
				message: `${label} is missing`,
				hint: 'To have the signature checked, add Domain, Types and Primary Type under Options. To send it unchecked, remove all three. Nothing was sent.',
			}),
		);
	});

	it('may be missing as a whole where the signature is provided', () => {
		expect(descriptionToCheck({ message }, {})).toBeUndefined();
		expect(() => descriptionToSign({ message }, {})).toThrow('Domain is missing');
	});
});
