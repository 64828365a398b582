import { errorFor } from '../../../nodes/PayrollPayments/api/errors';
import { balanceAnswer, readEnvelope } from '../../../nodes/PayrollPayments/api/schemas/answers';
import { Redactor } from '../../../nodes/PayrollPayments/shared/redaction';

const redactor = new Redactor().add('my-secret-token', 'a-key-ends-so.');

function failure(
	body: unknown,
	status = 400,
	authentication: Parameters<typeof errorFor>[2]['authentication'] = 'walletSignIn',
) {
	const envelope = readEnvelope(typeof body === 'string' ? body : JSON.stringify(body));
	const call = { roleNeeded: undefined, authentication };
	return errorFor({ status, envelope }, redactor.text, call);
}

const saying = (said: unknown): [unknown, boolean] => [said, true];

const said = (body: object, status?: number) =>
	failure({ success: false, ...body }, status).message;

const ISSUES = [
	{ path: ['invites', 2, 'email'], message: 'Invalid email', code: 'invalid_string' },
	{ path: 'role', message: 'Required' },
];
const FOUND = 'invites.2.email: Invalid email, role: Required';

describe('what a failure body says', () => {
	it.each<[object, string]>([
		[{ data: 'No' }, 'No'],
		[{ data: '' }, 'no reason given'],
		[{ data: 'No', error_code: 'E1' }, 'No (E1)'],
		[{ data: 'No', error_code: 4012 }, 'No (4012)'],
		[{ data: 'No', error_code: null }, 'No'],
		[{ data: { message: 'No' } }, 'No'],
		[{ data: { error: 'No', id: 7 } }, 'No'],
		[{ data: { id: 7 } }, '{"id":7}'],
		[{ data: ['No', 'Never'] }, '["No","Never"]'],
		[{ data: 'Validation error', zod: ISSUES }, `Validation error: ${FOUND}`],
		[{ data: 'Validation error.', zod: { issues: ISSUES } }, `Validation error: ${FOUND}`],
		[
			{ data: 'Validation error', details: { body: { errors: ISSUES } } },
			`Validation error: ${FOUND}`,
		],
		[{ data: { errors: ISSUES } }, FOUND],
		[{ data: ISSUES }, FOUND],
		[{ data: [{ path: [], message: 'Unrecognized key' }] }, 'Unrecognized key'],
		[{ data: 'No', zod: [] }, 'No'],
		[{ data: 'No', zod: [{ path: ['x'] }] }, 'No'],
	])('is in the message: %j', (body, message) => {
		expect(said(body)).toBe(`The service refused: ${message}`);
	});

	it.each(['a-key-ends-so.', 'a-key-ends-so. ', 'is a-key-ends-so.'])(
		'withholds a secret that ends as a sentence does: %j',
		(data) => {
			expect(said({ data })).toMatch(/^The service refused: (is )?\[…\]$/);
		},
	);

	/* docs/errors.md has the other ways to sign in. */
	it('asks for a new signature after a 401 of a request without a token', () => {
		const { hint } = failure({ success: false, data: 'No' }, 401, 'none');
		expect(hint).toMatch(/^The signature .* Get a new sign-in message and sign it again\.$/);
	});

	it('lists three issues at most', () => {
		const issues = Array.from({ length: 9 }, (_, index) => ({ path: [index], message: 'Bad' }));
		expect(said({ data: 'No', issues })).toMatch(/: No: 0: Bad, 1: Bad, 2: Bad and 6 more$/);
	});

	it.each([
		...[409, 422, 429, 503].map((status) => [status, `No (HTTP ${status})`] as const),
		...[200, 400, 401, 403, 404, 500].map((status) => [status, 'No'] as const),
	])('is told with a status that isn’t documented: %d', (status, message) => {
		const error = failure({ success: false, data: 'No' }, status);
		expect(error.message).toBe(`The service refused: ${message}`);
		expect(error.hint).not.toContain('Base URL');
	});

	it('has its other members in the details, without secrets', () => {
		const rest = { zod: ISSUES, trace: 'my-secret-token', key: `0x${'a'.repeat(64)}` };
		const { details } = failure({ success: false, data: 'No', error_code: 'E', ...rest }).context;
		expect(details).toEqual({ response: { zod: ISSUES, trace: '[…]', key: '[…]' } });
		expect(failure({ success: false, data: 'No' }).context.details).toBeUndefined();
	});

	it('has 4,000 characters of them at most', () => {
		const more = 'my-secret-token '.repeat(1_000);
		const { details } = failure({ success: false, data: 'No', more }).context;
		const text = String(details?.response);
		expect(text.length).toBeLessThanOrEqual(4_001);
		expect(text).not.toContain('my-secret');
	});

	it.each(['{"success":false}', '{"success":false,"data":null}', '{"data":"No"}', 'No'])(
		'isn’t the service’s in another form: %s',
		(body) => {
			const error = failure(body);
			expect([error.inEnvelope, error.nothingDone]).toEqual([false, false]);
		},
	);
});

/* wordsForExisting.test.ts has the words. */
it.each<[unknown, boolean]>([
	['DUPLICATE_REQUEST', true],
	['The transfer was successfully executed', true],
	['The payment was not sent', false],
	['Insufficient balance', false],
	/* A line break hides nothing. */
	...['Reverted with the following reason:\nnonce too low', 'Reverted:\nspent'].map(saying),
	...['Rejected:\tused', 'Transaction executed\r\nHash: 0x12'].map(saying),
	...[[{ path: 'invoice', message: 'was already paid' }], { reason: 'already paid' }].map(saying),
	...[['duplicate'], { already_paid: true }, [{ transaction: 'tx-a1B2c3D4e5F6' }]].map(saying),
	...[{ is_duplicate: true }, { nonce_valid: false }, { salt_unique: false }].map(saying),
	/* The name of a field says nothing. */
	[[{ path: ['typed_data', 'salt'], message: 'Required' }], false],
	[{ message: 'Insufficient balance', is_duplicate: false, already_paid: null }, false],
	[{ nonce_used: false }, false],
	[{ another_payment_exists: false }, false],
])('whether a refusal with %j can mean that it was made before: %j', (said, expected) => {
	const inTexts =
		typeof said === 'string' ? [JSON.stringify({ said }), `${'-'.repeat(600)} ${said}`] : [];
	for (const body of [
		...[said, { reason: said }, ...inTexts].map((data) => ({ data })),
		...['zod', 'details'].map((name) => ({ data: 'Bad request', [name]: said })),
	]) {
		expect([body, failure({ success: false, ...body }).saysItExists]).toEqual([body, expected]);
	}
});

it('cents may be a whole number, and become text as documented', () => {
	const balances = ['12', 12, -3, 0].map((balance_cents) => ({ currency: 'USD', balance_cents }));
	const read = balanceAnswer.parse({ platform_account_address: '0x1', balances });
	expect(read.balances.map(({ balance_cents }) => balance_cents)).toEqual(['12', '12', '-3', '0']);
	for (const balance_cents of [1.5, null, true]) {
		const wrong = { ...read, balances: [{ currency: 'USD', balance_cents }] };
		expect(balanceAnswer.safeParse(wrong).success).toBe(false);
	}
});

it.each([
	[{ checks: { nonce: false, balance: true } }, true],
	[{ salt_ok: false }, true],
	[{ unprocessed: false }, true],
	[[{ path: ['typed_data', 'salt'], message: 'Must be fresh' }], true],
	[{ nonce_used: false, salt_present: false }, false],
	[[{ path: ['typed_data', 'salt'], message: 'Expected string' }], false],
])('a check of what is used once that failed can mean that it was: %j', (data, expected) => {
	expect(failure({ success: false, data }).saysItExists).toBe(expected);
	expect(failure({ success: false, data: 'Invalid', details: data }).saysItExists).toBe(expected);
});

const SALT = ['typed_data', 'salt'];

it.each<[unknown, boolean]>([
	/* As zod, its refinements and express-validator write what is wrong with the form of a salt. */
	[[{ code: 'invalid_string', validation: 'regex', message: 'Invalid', path: SALT }], false],
	[[{ code: 'invalid_type', path: SALT, message: 'Expected string, received number' }], false],
	[[{ code: 'custom', path: SALT, message: 'Must be 32 bytes' }], false],
	[[{ path: SALT, message: 'Must start with 0x' }], false],
	[[{ path: SALT, message: 'Too small: expected string to have >=66 characters' }], false],
	[[{ path: SALT, message: "can't be blank" }], false],
	[[{ path: SALT, msg: 'Must be a string' }], false],
	[{ checks: { salt_format: false, nonce_reused: false, has_nonce: false } }, false],
	/* And what is wrong with one that was used. */
	[[{ code: 'too_small', path: ['nonce'], message: 'Number must be greater than 41' }], true],
	[[{ path: ['nonce'], message: 'Expected 42, received 41' }], true],
	/* As zod 4 writes the same; a nonce in hexadecimal isn't a fault of form. */
	[[{ code: 'too_small', path: ['nonce'], message: 'Too small: expected number to be >41' }], true],
	[
		[{ code: 'too_small', path: ['nonce'], message: 'Too small: expected bigint to be >=42' }],
		true,
	],
	[[{ path: ['nonce'], message: 'Expected 0x2a, received 0x29' }], true],
	[[{ path: SALT, message: 'Choose a different string' }], true],
	[[{ path: SALT, message: 'This string is taken' }], true],
	[[{ path: SALT, message: 'Expected a fresh string' }], true],
	[[{ path: SALT, message: 'A new value is required' }], true],
	[[{ path: SALT, msg: 'Must be fresh' }], true],
	[[{ path: SALT, code: 'stale' }], true],
	[{ checks: { nonce: { ok: false } } }, true],
	[{ authorization_unspent: false }, true],
	[{ unpaid: false }, true],
	...[{ no_duplicate: false }, { replay_check: false }, { duplicate_check_passed: false }].map(
		saying,
	),
	...[
		{ nonce_not_reused: false },
		{ given_nonce_valid: false },
		{ is_new: false },
		{ new_payment: false },
	].map(saying),
	[{ checks: { nonce_format_valid: false, new_recipient: false, is_duplicate: false } }, false],
	[{ not_sent: false }, true],
	[{ reference_unique: false }, true],
])('tells a fault of form from what was used before: %j', (data, expected) => {
	expect(failure({ success: false, data }).saysItExists).toBe(expected);
	expect(failure({ success: false, data: 'Invalid', details: data }).saysItExists).toBe(expected);
});
