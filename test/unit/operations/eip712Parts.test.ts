import { id, Wallet } from 'ethers';

import { eip712PartsOf } from '../../../nodes/PayrollPayments/operations/payment/eip712Parts';
import { paymentPayload } from '../../../nodes/PayrollPayments/signing/payloads';
import { membersIn } from '../signing/note';

const [from, to, recipient] = ['from', 'to', 'recipient'].map(
	(name) => new Wallet(id(name)).address,
);
const message = {
	...{ from: String(from), to: String(to), salt: '918273645', expires: '4102444800' },
	data: { recipient: String(recipient), amount: '125000000' },
};

type Eip712Parts = NonNullable<ReturnType<typeof eip712PartsOf>>;

const EIP712Domain = membersIn('string name, uint256 chainId');
const Payment = membersIn('string from, string to');
const domain = { name: 'Payments', chainId: 1 };
const domainInDigits = { name: 'Payments', chainId: '1' };
const types = { Payment, Data: [] };
const primaryType = 'Payment';
const DESCRIPTION: Eip712Parts = { domain, types, primaryType };
const withDomainType = { ...DESCRIPTION, types: { EIP712Domain, ...types } };

type Given = [payload: Parameters<typeof eip712PartsOf>[0], fields: Partial<Eip712Parts>];
const descriptionToSign = (...given: Given) => eip712PartsOf(...given, false);
const descriptionToCheck = (...given: Given) => eip712PartsOf(...given, true);
const bothWays = [descriptionToSign, descriptionToCheck];

describe('what EIP-712 needs in addition to the message', () => {
	it.each<[string, object, Partial<Eip712Parts>, Eip712Parts]>([
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
		['both, with a chain ID in digits', DESCRIPTION, { domain: domainInDigits }, DESCRIPTION],
		['the fields, in digits', {}, { ...DESCRIPTION, domain: domainInDigits }, DESCRIPTION],
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
		['domain', 'Domain', { name: 'Payments', chainId: '2' }],
		['domain', 'Domain', { name: 'Payments', chainId: '01' }],
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
			expect(() => describe({ ...withDomainType, message }, { [field]: value })).toThrow(
				expect.objectContaining({
					message: `${label} differs from the one in Payment Authorization`,
					hint: `Correct one of the two, or remove ${label} under Options.`,
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
				hint: 'The wallet needs Domain, Types and Primary Type to sign. Add them under Options, or enter the whole EIP-712 payload as Payment Authorization.',
			}),
		);
		expect(() => descriptionToCheck({ message }, fields)).toThrow(
			expect.objectContaining({
				message: `${label} is missing`,
				hint: 'To have the signature checked, add Domain, Types and Primary Type under Options. To send it unchecked, remove all three.',
			}),
		);
	});

	it('may be missing as a whole where the signature is provided', () => {
		expect(descriptionToCheck({ message }, {})).toBeUndefined();
		expect(() => descriptionToSign({ message }, {})).toThrow('Domain is missing');
	});
});
