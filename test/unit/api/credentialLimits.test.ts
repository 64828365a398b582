import { PERMISSIONS } from '../../../nodes/PayrollPayments/api/credentialLimits';
import { readCredentials } from '../../../nodes/PayrollPayments/api/credentials';

const complete = {
	baseUrl: 'https://api.example.com',
	authentication: 'accessToken',
	accessToken: 'a.b.c',
};

function limits(change: Record<string, unknown>) {
	return readCredentials({ ...complete, ...change }).limits;
}

function messageFor(change: Record<string, unknown>): string {
	try {
		limits(change);
	} catch (error) {
		return error instanceof Error ? error.message : '';
	}
	return '';
}

describe('permissions', () => {
	it('are all granted to credentials from before there were any', () => {
		expect([...limits({}).permissions]).toEqual(PERMISSIONS);
	});

	it.each([[undefined], [null], [''], [[]]])(
		'allow reading only where the value is %j',
		(permissions) => {
			expect([...limits({ permissions }).permissions]).toEqual([]);
		},
	);

	it('are those that were chosen', () => {
		const chosen = limits({ permissions: ['sendTestEvents', 'invitePeople', 'invitePeople'] });
		expect([...chosen.permissions].sort()).toEqual(['invitePeople', 'sendTestEvents']);
	});

	it.each([
		'sendPayments',
		'{{ $json.permissions }}',
		['everything'],
		['sendPayments', null],
		[undefined],
		[['sendPayments']],
		['SendPayments'],
		['__proto__'],
		{ 0: 'sendPayments', length: 1 },
		{},
		true,
		0,
	])('are refused by name where the value is %j', (permissions) => {
		expect(messageFor({ permissions })).toBe(
			'Permissions in the credentials must contain only options from its menu',
		);
	});
});

describe('the maximum payment', () => {
	it.each([
		['0', 0],
		['0.01', 1],
		['1', 100],
		['2500', 250_000],
		['2500.5', 250_050],
		['2500.50', 250_050],
		[' 2500.50 ', 250_050],
		['0.29', 29],
		['1.15', 115],
		['4.35', 435],
		['1129.6', 112_960],
		['999999999999.99', 99_999_999_999_999],
	])('%j is %d cents to the cent', (maximumPayment, cents) => {
		expect(limits({ maximumPayment }).maximumPaymentCents).toBe(cents);
	});

	it('is unset where it is empty or from before there was one', () => {
		expect(limits({}).maximumPaymentCents).toBeUndefined();
		expect(limits({ maximumPayment: '' }).maximumPaymentCents).toBeUndefined();
	});

	it.each([[undefined], [null]])(
		'is refused by name where it has no value: %j',
		(maximumPayment) => {
			expect(messageFor({ maximumPayment })).toBe(
				'Maximum Payment in the credentials has no value',
			);
		},
	);

	it.each([
		' ',
		'2,500',
		'2.500,00',
		'$2500',
		'2500 USD',
		'1e3',
		'0x10',
		'-1',
		'+1',
		'.5',
		'5.',
		'5.001',
		'007',
		'1 000',
		'Infinity',
		'NaN',
		'٢٥٠٠',
		'{{ $vars.limit }}',
		'9999999999999',
		'1\n2',
		2500,
		Number.NaN,
		true,
		{},
		['2500'],
	])('is refused by name where it is %j', (maximumPayment) => {
		expect(messageFor({ maximumPayment })).toMatch(/^Maximum Payment in the credentials must be /);
	});
});

describe('the payment recipients', () => {
	it('are addresses and domains, in any case', () => {
		const { paymentRecipients } = limits({ paymentRecipients: ' Ana@Example.com, @Example.ORG ,' });
		expect([...(paymentRecipients ?? [])]).toEqual(['ana@example.com', '@example.org']);
	});

	it.each(['a&b@x.co', 'first/last@x.co', 'ana@xn--bcher-kva.xn--p1ai', `${'a'.repeat(65)}@x.co`])(
		'may be any email that the forms take: %s',
		(address) => {
			const { paymentRecipients } = limits({ paymentRecipients: address });
			expect([...(paymentRecipients ?? [])]).toEqual([address]);
		},
	);

	it('are unset where they are empty or from before there were any', () => {
		expect(limits({}).paymentRecipients).toBeUndefined();
		expect(limits({ paymentRecipients: '' }).paymentRecipients).toBeUndefined();
	});

	it.each([[undefined], [null]])(
		'are refused by name where they have no value: %j',
		(paymentRecipients) => {
			expect(messageFor({ paymentRecipients })).toBe(
				'Payment Recipients in the credentials has no value',
			);
		},
	);

	it.each([
		' ',
		',',
		' , ,',
		'ana@example.com; ben@example.com',
		'ana@example.com ben@example.com',
		'example.com',
		'@example',
		'@',
		'@.com',
		'@example..com',
		'@-example.com',
		'*@example.com',
		'*',
		'ana@ben@example.com',
		'"ana"@example.com',
		'Ana <ana@example.com>',
		'ana@exämple.com',
		'{{ $vars.recipients }}',
		7,
		['ana@example.com'],
		{},
	])('are refused by name where they are %j', (paymentRecipients) => {
		expect(messageFor({ paymentRecipients })).toMatch(/^Payment Recipients in the credentials /);
	});

	it('are parsed once for the same text, since every request reads them', () => {
		const text = Array.from({ length: 20_000 }, (_, index) => `person${index}@example.com`).join(
			',',
		);
		expect(limits({ paymentRecipients: text }).paymentRecipients).toBe(
			limits({ paymentRecipients: text }).paymentRecipients,
		);
	});
});
