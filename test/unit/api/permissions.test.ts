import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import {
	isUnlimited,
	limitsPayments,
	missingPermissions,
	permissionOf,
	requireAllowedPayment,
	requirePermission,
} from '../../../nodes/PayrollPayments/api/permissions';
import { z } from 'zod';
import {
	PERMISSION_LABELS,
	PERMISSIONS,
} from '../../../nodes/PayrollPayments/api/credentialLimits';
import { readCredentials } from '../../../nodes/PayrollPayments/api/credentials';
import { Refusal } from '../../../nodes/PayrollPayments/shared/errors';
import { CATALOGUE } from '../../../nodes/PayrollPayments/actions/catalogue';
import { PayrollPaymentsApi } from '../../../credentials/PayrollPaymentsApi.credentials';

const TEAM = 'te-a1B2c3D4e5F6';
const USER = 'us-a1B2c3D4e5F6';

function credentials(change: Record<string, unknown> = {}, name?: string) {
	return readCredentials(
		{
			baseUrl: 'https://api.example.com',
			authentication: 'accessToken',
			accessToken: 'a.b.c',
			...change,
		},
		name,
	);
}

function refusalOf(check: () => void): Refusal | undefined {
	try {
		check();
	} catch (error) {
		if (error instanceof Refusal) return error;
		throw error;
	}
	return undefined;
}

describe('the permission of a request', () => {
	const NEEDED: ReadonlyArray<readonly [string, string, string]> = [
		['POST', '/v2/auth/verify', 'none'],
		['POST', '/v2/invites', 'invitePeople'],
		['POST', '/v2/invites/manager', 'manageAdministrators'],
		['PUT', '/v2/invites/manager', 'manageAdministrators'],
		[
			'POST',
			`/v2/payments/teams/${TEAM}/external_entity/${USER}/name_review`,
			'resolveNameReviews',
		],
		['PUT', '/v2/payments/external_entity/instant', 'sendPayments'],
		['POST', '/v2/webhooks/test/wh-a1B2c3D4e5F6', 'sendTestEvents'],
	];

	it.each(NEEDED)('%s %s is %s', (method, path, permission) => {
		expect(permissionOf(method, path)).toBe(permission);
	});

	it.each(NEEDED)('%s %s is known by its whole path only', (method, path) => {
		for (const longer of [`/base${path}`, `x${path}`, `${path}x`, `${path}/more`, `${path}\n`]) {
			expect([longer, permissionOf(method, longer)]).toEqual([longer, undefined]);
		}
		for (const part of path.slice(1).split('/')) {
			const shorter = path.replace(part, part.slice(0, -1));
			expect([shorter, permissionOf(method, shorter)]).toEqual([shorter, undefined]);
			const other = path.replace(part, `${part.slice(0, -1)}.`);
			expect([other, permissionOf(method, other)]).toEqual([other, undefined]);
		}
	});

	it('is known for every write of the sandbox’s description, and for nothing else', () => {
		const description = z
			.object({ paths: z.record(z.record(z.unknown())) })
			.parse(parse(readFileSync(join(__dirname, '../../../sandbox/openapi.yaml'), 'utf8')));
		const writes = Object.entries(description.paths).flatMap(([path, item]) =>
			['post', 'put', 'patch', 'delete']
				.filter((method) => method in item)
				.map((method) => [
					method.toUpperCase(),
					path
						.replace('{team_nanoid}', TEAM)
						.replace('{user_nanoid}', USER)
						.replace('{webhook_nanoid}', 'wh-a1B2c3D4e5F6'),
				]),
		);
		expect(writes.sort()).toEqual(NEEDED.map(([method, path]) => [method, path]).sort());
	});

	it.each([
		['GET', '/v2/invites'],
		['post', '/v2/invites'],
		['PATCH', '/v2/invites'],
		['POST', '/v2/payments/external_entity/instant'],
		['PUT', '/v2/invites'],
		['POST', '/v2/invites/'],
		['POST', '//v2/invites'],
		['POST', '/v2//invites'],
		['POST', '/v2/Invites'],
		['POST', '/v2/%69nvites'],
		['POST', '/v2/invites%2Fmanager'],
		['POST', '/v2/invites;x'],
		['POST', '/v2/invites\n'],
		['POST', '/v2/invites.json'],
		['POST', '/v2/invites/manager/..'],
		['POST', '/v1/invites'],
		['POST', 'v2/invites'],
		['POST', '/v2/webhooks/test/wh-a1B2c3D4e5F6/'],
		['POST', '/v2/webhooks/test/wh-a1B2c3D4e5F'],
		['POST', '/v2/webhooks/test/wh-a1B2c3D4e5F67'],
		['POST', '/v2/webhooks/test/us-a1B2c3D4e5F6'],
		['POST', '/v2/webhooks/test/wh-a1B2c3D4/5F6'],
		['POST', '/v2/webhooks/test/wh-a1B2c3D4%65F'],
		['POST', `/v2/payments/teams/${USER}/external_entity/${TEAM}/name_review`],
	])('%s %j is not known', (method, path) => {
		expect(permissionOf(method, path)).toBeUndefined();
	});
});

describe('the operations of the action node', () => {
	it.each([
		['invite.create', 'invitePeople'],
		['administratorInvite.create', 'manageAdministrators'],
		['administratorInvite.execute', 'manageAdministrators'],
		['administratorInvite.createAndExecute', 'manageAdministrators'],
		['nameReview.resolve', 'resolveNameReviews'],
		['payment.createInstant', 'sendPayments'],
		['webhook.sendTest', 'sendTestEvents'],
		['authentication.verify', 'none'],
	])('%s needs %s', (pair, permission) => {
		const operation = CATALOGUE.find((each) => `${each.resource}.${each.operation}` === pair);
		expect(operation?.permission).toBe(permission);
	});

	it('name a permission where they write, and none where they read', () => {
		for (const { effect, permission } of CATALOGUE) {
			expect(permission !== undefined).toBe(effect === 'write');
		}
	});
});

describe('a permission', () => {
	it.each(PERMISSIONS)('%s is needed, and enough', (permission) => {
		const others = PERMISSIONS.filter((each) => each !== permission);
		const refusal = refusalOf(() => {
			requirePermission(credentials({ permissions: others }, 'Payroll'), permission);
		});
		expect(refusal?.message).toMatch(/^These credentials don't allow [a-z ]+$/);
		expect(refusal?.hint).toContain(
			`“${PERMISSION_LABELS[permission]}” isn't selected under Permissions in the credentials “Payroll”`,
		);
		expect(() => {
			requirePermission(credentials({ permissions: [permission] }), permission);
		}).not.toThrow();
	});

	it.each([
		['invitePeople', 'inviting people'],
		['manageAdministrators', 'managing administrators'],
		['resolveNameReviews', 'resolving name reviews'],
		['sendPayments', 'sending payments'],
		['sendTestEvents', 'sending test events'],
	] as const)('%s is named as %s, with the person to ask', (permission, activity) => {
		for (const [name, words] of [
			['Payroll', 'the credentials “Payroll”'],
			['', 'these credentials'],
			[undefined, 'these credentials'],
		] as const) {
			const refusal = refusalOf(() => {
				requirePermission(credentials({ permissions: [] }, name), permission);
			});
			expect(refusal).toMatchObject({
				message: `These credentials don't allow ${activity}`,
				field: 'permissions',
				hint: `“${PERMISSION_LABELS[permission]}” isn't selected under Permissions in ${words}. Ask the person who manages them. Nothing was signed or sent.`,
			});
		}
	});

	it('is missing where it is not selected, and is then named by its label', () => {
		expect(missingPermissions(credentials())).toEqual([]);
		expect(
			missingPermissions(credentials({ permissions: ['sendPayments', 'invitePeople'] })),
		).toEqual(['Manage Administrators', 'Resolve Name Reviews', 'Send Test Events']);
	});

	it.each([
		[{}, false, true],
		[{ permissions: PERMISSIONS.slice(1) }, false, false],
		[{ maximumPayment: '0' }, true, false],
		[{ paymentRecipients: '@example.com' }, true, false],
		[{ maximumPayment: '1', paymentRecipients: '@example.com' }, true, false],
	])('with %j: payments are limited: %s, nothing is: %s', (change, limited, unlimited) => {
		expect(limitsPayments(credentials(change))).toBe(limited);
		expect(isUnlimited(credentials(change))).toBe(unlimited);
	});

	it('is needed for nothing that only signs in', () => {
		expect(() => {
			requirePermission(credentials({ permissions: [] }), 'none');
		}).not.toThrow();
	});

	it.each([
		{ permissions: PERMISSIONS.slice(1) },
		{ maximumPayment: '1' },
		{ paymentRecipients: '@example.com' },
	])('that nobody named is all of them, without a limit: %j', (change) => {
		const refusal = refusalOf(() => {
			requirePermission(credentials(change), undefined);
		});
		expect(refusal).toMatchObject({
			message: "These credentials don't allow this change",
			hint: 'Ask the person who manages them. Nothing was signed or sent.',
		});
		expect(() => {
			requirePermission(credentials(), undefined);
		}).not.toThrow();
	});
});

describe('a payment', () => {
	const payment = { amountCents: 250_050, recipientEmail: 'ana@example.com' };
	const check = (
		change: Record<string, unknown>,
		of: Partial<typeof payment> & { typedAmountUnit?: string } = {},
	) =>
		refusalOf(() => {
			requireAllowedPayment(credentials(change, 'Payroll'), { ...payment, ...of });
		});

	it('needs its permission, whatever the limits say', () => {
		expect(check({ permissions: ['invitePeople'], maximumPayment: '2500.50' })?.message).toBe(
			"These credentials don't allow sending payments",
		);
		expect(check({ permissions: ['sendPayments'] })).toBeUndefined();
	});

	it('may move the maximum, and not a cent more', () => {
		expect(check({ maximumPayment: '2500.50' })).toBeUndefined();
		const refusal = check({ maximumPayment: '2500.49' });
		expect(refusal?.message).toBe(
			'These credentials allow payments up to $2,500.49, and this one is $2,500.50',
		);
		expect(refusal).toMatchObject({
			field: 'maximumPayment',
			hint: 'The limit is Maximum Payment in the credentials “Payroll”. Ask the person who manages them. Nothing was signed or sent.',
		});
		expect(check({ maximumPayment: '0' })).toBeDefined();
	});

	it('under a maximum is not signed with an amount that nobody checked', () => {
		expect(check({ maximumPayment: '2500.50' }, { typedAmountUnit: 'notChecked' })).toMatchObject({
			message: 'These credentials limit payments, so the signed amount must be checked',
			field: 'typedAmountUnit',
			hint: "Choose a unit under Typed Amount Unit: Maximum Payment in the credentials “Payroll” can't be kept to without it. Nothing was signed or sent.",
		});
		expect(check({ maximumPayment: '2500.50' }, { typedAmountUnit: 'cents' })).toBeUndefined();
		expect(check({}, { typedAmountUnit: 'notChecked' })).toBeUndefined();
	});

	it.each([
		['Ben@Example.com', 'ben@example.com'],
		['ben', 'this recipient'],
	])('to %j is refused with the words: paying %s', (recipientEmail, words) => {
		expect(check({ paymentRecipients: 'ana@example.com' }, { recipientEmail })).toMatchObject({
			message: `These credentials don't allow paying ${words}`,
			field: 'paymentRecipients',
			hint: "Payment Recipients in the credentials “Payroll” doesn't list this address or its domain. Ask the person who manages them. Nothing was signed or sent.",
		});
	});

	it.each([
		['ana@example.com', 'ana@example.com'],
		['ana@example.com', 'ANA@EXAMPLE.COM'],
		['Ana@Example.Com', 'ana@example.com'],
		['@example.com', 'anybody@example.com'],
		['@EXAMPLE.com', 'Anybody@Example.Com'],
		['ben@example.org, @example.com', 'ana@example.com'],
	])('to the recipients %j goes to %j', (paymentRecipients, recipientEmail) => {
		expect(check({ paymentRecipients }, { recipientEmail })).toBeUndefined();
	});

	it.each([
		['ana@example.com', 'ben@example.com'],
		['ana@example.com', 'ana@example.com.evil.example'],
		['ana@example.com', 'xana@example.com'],
		['ana@example.com', 'ana+x@example.com'],
		['ana@example.com', 'ana@example.com,eve@example.org'],
		['ana@example.com', ' ana@example.com'],
		['ana@example.com', 'ana@example.com\n'],
		['ana@example.com', 'ana@example.com\0'],
		['ana@example.com', 'an\u0430@example.com'],
		['kim@example.com', '\u212Aim@example.com'],
		['@example.com', 'ana@sub.example.com'],
		['@example.com', 'ana@notexample.com'],
		['@example.com', 'ana@example.com.'],
		['@example.com', 'ana@example.comx'],
		['@example.com', 'eve@example.org@example.com'],
		['@example.com', '"eve@example.org"@example.com'],
		['@example.com', 'eve@example.org <x@example.com>'],
		['@example.com', '@example.com'],
		['@example.com', 'example.com'],
		['@example.com', ''],
		['@kim.example', 'a@\u212Aim.example'],
		['@sub.example.com', 'ana@example.com'],
	])('to the recipients %j does not go to %j', (paymentRecipients, recipientEmail) => {
		expect(check({ paymentRecipients }, { recipientEmail })?.message).toMatch(
			/^These credentials don't allow paying /,
		);
	});
});

it('the form of the credentials offers the permissions, all of them chosen, and takes no expressions', () => {
	const { properties } = new PayrollPaymentsApi();
	const [permissions, maximum, recipients] = properties.slice(-3);
	expect(permissions).toMatchObject({
		displayName: 'Permissions',
		name: 'permissions',
		type: 'multiOptions',
		default: PERMISSIONS,
		options: [
			{ name: 'Invite People', value: 'invitePeople' },
			{ name: 'Manage Administrators', value: 'manageAdministrators' },
			{ name: 'Resolve Name Reviews', value: 'resolveNameReviews' },
			{ name: 'Send Payments', value: 'sendPayments' },
			{ name: 'Send Test Events', value: 'sendTestEvents' },
		],
	});
	expect(maximum).toMatchObject({
		displayName: 'Maximum Payment',
		name: 'maximumPayment',
		type: 'string',
		default: '',
	});
	expect(recipients).toMatchObject({
		displayName: 'Payment Recipients',
		name: 'paymentRecipients',
		type: 'string',
		default: '',
	});
	for (const property of [permissions, maximum, recipients]) {
		expect(property).toMatchObject({ noDataExpression: true });
		expect(property).not.toHaveProperty('displayOptions');
	}
});
