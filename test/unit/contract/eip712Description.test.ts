import { descriptionOf, paymentPayload } from '../../../nodes/PayrollPayments/signing/payloads';

type Eip712Description = NonNullable<ReturnType<typeof descriptionOf>>;

const message = {
	...{ from: '0x1', to: '0x2', salt: '3', expires: '4' },
	data: {
		...{ id: '', groupID: '', payAtTime: '', validMinutes: '', payType: '' },
		...{ token: '', recipient: '', amount: '5', data: '' },
	},
};
const EIP712Domain = [
	{ name: 'name', type: 'string' },
	{ name: 'chainId', type: 'uint256' },
];
const Payment = [
	{ name: 'from', type: 'string' },
	{ name: 'to', type: 'string' },
];
const DESCRIPTION: Eip712Description = {
	domain: { name: 'Payments', chainId: 1 },
	types: { Payment, Data: [] },
	primaryType: 'Payment',
};
const withDomainType = { ...DESCRIPTION, types: { EIP712Domain, ...DESCRIPTION.types } };
const { domain, types, primaryType } = DESCRIPTION;

type Payload = Parameters<typeof descriptionOf>[0];
type Fields = Parameters<typeof descriptionOf>[1];

const descriptionToSign = (payload: Payload, fields: Fields) =>
	descriptionOf(payload, fields, false);
const descriptionToCheck = (payload: Payload, fields: Fields) =>
	descriptionOf(payload, fields, true);
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
					field,
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
		['domain', 'Domain', { types, primaryType }],
		['types', 'Types', { domain, primaryType }],
		['primaryType', 'Primary Type', { domain, types }],
		['types', 'Types', { domain }],
		['domain', 'Domain', { types }],
		['domain', 'Domain', { primaryType }],
	])('is refused without %s: %s is missing from %j', (field, label, fields) => {
		const missing = { message: `${label} is missing`, field };
		expect(() => descriptionToSign({ message }, fields)).toThrow(
			expect.objectContaining({
				...missing,
				hint: 'The wallet needs Domain, Types and Primary Type to sign. Add them under Options, or enter the whole EIP-712 payload as Payment Authorization. Nothing was signed or sent.',
			}),
		);
		expect(() => descriptionToCheck({ message }, fields)).toThrow(
			expect.objectContaining({
				...missing,
				hint: 'To have the signature checked, add Domain, Types and Primary Type under Options. To send it unchecked, remove all three. Nothing was sent.',
			}),
		);
	});

	it('may be missing as a whole where the signature is provided', () => {
		expect(descriptionToCheck({ message }, {})).toBeUndefined();
		expect(() => descriptionToSign({ message }, {})).toThrow('Domain is missing');
	});
});
