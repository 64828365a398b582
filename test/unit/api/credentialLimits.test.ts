import { readCredentials } from '../../../nodes/PayrollPayments/api/credentials';
import {
	credentialLabel,
	isUnlimited,
	limitFields,
	PERMISSIONS,
	requireAllowedAmount,
	requireAllowedRecipient,
	requireAllowedRun,
	requirePermission,
} from '../../../nodes/PayrollPayments/api/credentialLimits';
import { propertiesOf } from '../../../nodes/PayrollPayments/forms/field';
import { keysOf } from '../../../nodes/PayrollPayments/forms/fieldTypes';
import { CATALOGUE } from '../../../nodes/PayrollPayments/operations/catalogue';
import { refusalOf } from '../../support/refusals';

type Change = Readonly<Record<string, unknown>>;

function credentials(change: Change = {}, name?: string) {
	const saved = {
		baseUrl: 'https://api.example.com',
		authentication: 'accessToken',
		accessToken: 'a.b.c',
		...change,
	};
	return readCredentials(saved, name);
}

const limits = (change: Change) => credentials(change).limits;

const messageFor = (change: Change) => refusalOf(() => limits(change)).message;

const ALL = [
	...['invitePeople', 'manageAdministrators', 'resolveNameReviews', 'sendPayments'],
	'sendTestEvents',
];

describe('what workflows may do', () => {
	it.each<[Change, string[]]>([
		[{}, []],
		...[undefined, null, '', 'readOnly'].map((access): [Change, string[]] => [{ access }, []]),
		[{ access: 'readOnly', permissions: ALL }, []],
		[{ permissions: ALL }, []],
		[{ access: 'everything' }, ALL],
		[{ access: 'everything', permissions: 'not shown' }, ALL],
		[{ access: 'selected' }, []],
		...[undefined, null, '', []].map((permissions): [Change, string[]] => [
			{ access: 'selected', permissions },
			[],
		]),
		[
			{ access: 'selected', permissions: ['sendTestEvents', 'invitePeople', 'invitePeople'] },
			['invitePeople', 'sendTestEvents'],
		],
	])('with %j is %j', (change, permissions) => {
		expect([...limits(change).permissions].sort()).toEqual(permissions);
	});

	it.each(['Everything', '__proto__', true, 0, {}])('is refused where it is %j', (access) => {
		expect(messageFor({ access })).toBe(
			'Workflows May in the credentials must be Choose…, Everything or Read Only (selected, everything, readOnly)',
		);
		expect(messageFor({ access: '{{ "everything" }}' })).toContain('can’t be an expression');
	});

	it.each<[fault: string, ...selected: unknown[]]>([
		[', entry 1 must be ', 'SendPayments', '__proto__', ['everything'], [['sendPayments']]],
		[', entry 2 is missing. Select ', ['sendPayments', null]],
		[' can’t be an expression', '{{ $json.permissions }}'],
		[' must be a list', true, 0, { 0: 'sendPayments', length: 1 }],
	])('is refused by name: “Permissions in the credentials%s”', (fault, ...selected) => {
		for (const permissions of selected) {
			expect(messageFor({ access: 'selected', permissions })).toContain(
				`Permissions in the credentials${fault}`,
			);
		}
	});
});

describe('a permission', () => {
	it.each(keysOf(PERMISSIONS))('%s is needed, and enough', (permission) => {
		const { label, activity } = PERMISSIONS[permission];
		const without = { access: 'selected', permissions: ALL.filter((each) => each !== permission) };
		const inPayroll = 'in the credentials “Payroll”.';
		for (const [change, reason] of [
			[without, `“${label}” isn’t selected under Permissions ${inPayroll}`],
			[{}, `Workflows May is Read Only ${inPayroll} Set it to Choose… and select “${label}”.`],
		] as const) {
			const refused = () => requirePermission(credentials(change, 'Payroll'), permission);
			expect(refusalOf(refused)).toMatchObject({
				message: `These credentials don’t allow ${activity}`,
				hint: `${reason} Ask the person who manages them.`,
				context: { page: 'credentials.md#workflows-may' },
			});
		}
		requirePermission(credentials({ access: 'everything' }), permission);
		requirePermission(credentials({ access: 'selected', permissions: [permission] }), permission);
	});

	it('is needed for each change, but not to sign in', () => {
		const changes = CATALOGUE.filter(({ effect }) => effect === 'write');
		const needed = changes.map((each) => `${each.resource}.${each.operation}: ${each.permission}`);
		expect(needed.sort()).toEqual([
			'administratorInvite.complete: manageAdministrators',
			'administratorInvite.create: manageAdministrators',
			'administratorInvite.send: manageAdministrators',
			'authentication.verify: none',
			'invite.create: invitePeople',
			'nameReview.update: resolveNameReviews',
			'payment.create: sendPayments',
			'webhook.send: sendTestEvents',
		]);
		expect(() => requirePermission(credentials(), 'none')).not.toThrow();
	});
});

it.each([
	['Payroll', 'the credentials “Payroll”'],
	['', 'these credentials'],
	[undefined, 'these credentials'],
])('credentials with the name %j are called %s', (name, label) => {
	expect(credentialLabel(credentials({}, name))).toBe(label);
});

it.each<[Change, boolean]>([
	[{ access: 'everything', requireApproval: false }, true],
	[{}, false],
	[{ access: 'selected', permissions: ALL }, false],
	[{ access: 'everything', maximumPayment: '1000000' }, false],
	[{ access: 'everything', maximumPerRun: '1000000' }, false],
	[{ access: 'everything', paymentRecipients: '@example.com' }, false],
	[{ access: 'everything', otherRequests: 'POST /v2/x' }, true],
	[{ access: 'everything', requireApproval: true }, false],
])('credentials with %j are without any limit: %j', (change, expected) => {
	expect(isUnlimited(credentials(change))).toBe(expected);
});

it.each([undefined, null, '', 'false', 'true', 0, 1, [], {}])(
	'an approved check can’t be required by %j',
	(requireApproval) => {
		expect(messageFor({ requireApproval })).toBe(
			`Require Approved Check in the credentials ${typeof requireApproval === 'string' ? 'can’t be an expression' : 'must be true or false'}`,
		);
	},
);

describe('the maximum payment', () => {
	it.each([
		['2500', 250_000],
		['2500.5', 250_050],
		[' 2500.50 ', 250_050],
		['1', 100],
		['1.15', 115],
		['1129.6', 112_960],
		['999999999999.99', 99_999_999_999_999],
		['', undefined],
	])('%j is %d cents to the cent', (maximumPayment, cents) => {
		expect(limits({ maximumPayment }).maximumPaymentCents).toBe(cents);
	});

	it.each([
		...[' ', '2,500', '2.500,00', '$2500', '2500 USD', '1e3', '0x10', '-1', '+1', '.5', '5.'],
		...['5.001', '007', '1 000', 'Infinity', 'NaN', '٢٥٠٠', '{{ $vars.limit }}', '9999999999999'],
		...['1\n2', '0', '0.01', '0.99'],
		...[2500, Number.NaN, true, {}, ['2500'], undefined, null],
	])('of one payment or a run is refused by name where it is %j', (maximum) => {
		for (const [name, label] of [
			['maximumPayment', 'Payment'],
			['maximumPerRun', 'per Run'],
		] as const) {
			expect(messageFor({ [name]: maximum })).toMatch(
				RegExp(`^Maximum ${label} in the credentials (must be|can’t be an expression)`),
			);
		}
	});
});

describe('the payment recipients', () => {
	it('are addresses and domains, in any case', () => {
		const { paymentRecipients } = limits({ paymentRecipients: ' Ana@Example.com; @Example.ORG ,' });
		expect([...(paymentRecipients ?? [])]).toEqual(['ana@example.com', '@example.org']);
		expect(limits({ paymentRecipients: '' }).paymentRecipients).toBeUndefined();
	});

	const FORM = 'must be an email address, or @ and a domain such as @example.com';

	it.each<[fault: string, ...recipients: unknown[]]>([
		[' is empty', ' ', ',', ' , ,', undefined, null, []],
		[`, entry 1 ${FORM}`, 'ana@example.com ben@example.com', 'example.com', '*@example.com', '*'],
		[`, entry 1 ${FORM}`, '@example', '@', '@.com', '@example..com', '@-example.com'],
		[`, entry 1 ${FORM}`, 'ana@ben@example.com', '"ana"@example.com', 'ana@exämple.com'],
		[`, entry 1 ${FORM}`, 'Ana <ana@example.com>'],
		[`, entry 2 ${FORM}`, 'ana@example.com, , @example, ben'],
		[' can’t be an expression', '{{ $vars.recipients }}'],
		[' must be a list, or text separated by commas', 7, {}],
		[', entry 2 must be text', ['ana@example.com', 7]],
	])('are refused: “%s”, such as %j', (fault, ...recipients) => {
		for (const paymentRecipients of recipients) {
			expect(messageFor({ paymentRecipients })).toBe(
				`Payment Recipients in the credentials${fault}`,
			);
		}
	});
});

describe('a payment', () => {
	const pay = (change: Change, cents: bigint | undefined) => {
		requireAllowedAmount(credentials(change, 'Payroll'), cents);
	};
	const payTo = (paymentRecipients: string, recipientEmail: string) => {
		requireAllowedRecipient(credentials({ paymentRecipients }, 'Payroll'), recipientEmail);
	};

	it('may be the maximum, and not a cent more', () => {
		pay({ maximumPayment: '2500.50' }, 250_050n);
		expect(refusalOf(() => pay({ maximumPayment: '2500.49' }, 250_050n))).toMatchObject({
			message: 'These credentials allow payments up to $2,500.49, and this one is $2,500.50',
			hint: 'The limit is Maximum Payment in the credentials “Payroll”. Ask the person who manages them.',
		});
		expect(() => pay({ maximumPayment: '2500.50' }, 10n ** 70n)).toThrow('up to $2,500.50');
	});

	it('under a maximum must sign an amount that can be compared', () => {
		expect(refusalOf(() => pay({ maximumPayment: '2500.50' }, undefined))).toMatchObject({
			message: 'The signed amount can’t be compared with the limit of these credentials',
			hint: 'Under Typed Amount Unit, choose the unit of the authorization. Maximum Payment in the credentials “Payroll” needs it.',
		});
		pay({}, undefined);
	});

	it.each([
		['ana@example.com', 'ANA@EXAMPLE.COM'],
		['Ana@Example.Com', 'ana@example.com'],
		['@example.com', 'Anybody@Example.Com'],
		['ben@example.org, @example.com', 'ana@example.com'],
		['', 'ana@example.com'],
	])('to the recipients %j goes to %j', (paymentRecipients, recipientEmail) => {
		expect(() => payTo(paymentRecipients, recipientEmail)).not.toThrow();
	});

	it.each<[paymentRecipients: string, isAddress: boolean, ...emails: string[]]>([
		['ana@example.com', true, 'ben@example.com', 'ana@example.com.evil.example'],
		['ana@example.com', true, 'xana@example.com', 'ana+x@example.com'],
		['ana@example.com', false, ' ana@example.com', 'ana@example.com\n', 'ana@example.com\0'],
		['ana@example.com', false, 'an\u0430@example.com', 'ana@example.com,eve@example.org'],
		['@example.com', true, 'ana@sub.example.com', 'ana@notexample.com'],
		['@example.com', false, 'ana@example.com.', 'eve@x.org@example.com', 'example.com', ''],
		['@example.com', false, '"eve@x.org"@example.com', 'eve@x.org <x@example.com>', '@example.com'],
		['kim@example.com', false, '\u212Aim@example.com'],
		['@kim.example', false, 'a@\u212Aim.example'],
		['@sub.example.com', true, 'Ana@Example.com'],
	])('to the recipients %j goes to no other (address: %j): %j', (list, isAddress, ...emails) => {
		for (const recipientEmail of emails) {
			const shown = isAddress ? recipientEmail.toLowerCase() : 'this recipient';
			expect(refusalOf(() => payTo(list, recipientEmail))).toMatchObject({
				message: `These credentials don’t allow paying ${shown}`,
				hint: 'Payment Recipients in the credentials “Payroll” doesn’t list this address or its domain. Ask the person who manages them.',
			});
		}
	});
});

describe('a run', () => {
	const check = (maximumPerRun: string, total: bigint | number, signed?: bigint) => () => {
		requireAllowedRun(credentials({ maximumPerRun }, 'Payroll'), total, signed);
	};

	it('may move the maximum, and not a cent more, signed or not', () => {
		check('20000', 2_000_000, 2_000_000n)();
		check('', 10n ** 20n)();
		for (const [total = 0n, signed] of [
			[2_000_001n, 1n],
			[1n, 2_000_001n],
		]) {
			expect(refusalOf(check('20000', total, signed))).toMatchObject({
				message:
					'These credentials allow runs up to $20,000.00, and this one would move $20,000.01',
				hint: 'The limit is Maximum per Run in the credentials “Payroll”. Ask the person who manages them.',
			});
		}
	});

	it('under a maximum must sign amounts that can be compared', () => {
		expect(refusalOf(check('20000', 1)).hint).toContain(
			'Maximum per Run in the credentials “Payroll”',
		);
	});
});

it.each([undefined, null, '', '\n'])('no other requests may be sent where %j is saved', (saved) => {
	expect(limits({ otherRequests: saved }).otherRequests).toEqual([]);
});

it('no limit can be an expression in the form, and a list of requests has more than one line', () => {
	expect(messageFor({ otherRequests: '{{ $vars.requests }}' })).toBe(
		'Other Nodes May Also Send in the credentials can’t be an expression',
	);
	const forms = propertiesOf(limitFields);
	expect(forms.filter(({ noDataExpression }) => noDataExpression !== true)).toEqual([]);
	const several = forms.filter(({ typeOptions }) => Number(typeOptions?.rows ?? 1) > 1);
	expect(several.map(({ name }) => name)).toEqual(['otherRequests']);
});
