import { z } from 'zod';

import { errorFor } from '../../../nodes/PayrollPayments/api/serviceErrors';
import { balanceAnswer, readEnvelope } from '../../../nodes/PayrollPayments/api/schemas/answers';
import { Redactor } from '../../../nodes/PayrollPayments/shared/redaction';

const redactor = new Redactor().add('my-secret-token', 'a-key-ends-so.', 'a/key+in/PHP');

function failure(
	body: unknown,
	status = 400,
	authentication: Parameters<typeof errorFor>[2]['authentication'] = 'walletSignIn',
	sent?: Readonly<Record<string, unknown>>,
) {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const answer = { status, envelope: readEnvelope(text), headers: {}, body: text };
	return errorFor(answer, redactor.text, { roleNeeded: undefined, authentication, body: sent });
}

const said = (body: object, status?: number) =>
	failure({ success: false, ...body }, status).message;

it.each<[string, number, object | string]>([
	[': amount is too high', 400, { message: 'amount is too high', id: 7 }],
	[': {"message":["email must be', 400, { message: ['email must be an email'], error: 'Bad' }],
	['"error_code":"LOW_BALANCE"', 400, { success: false, data: null, error_code: 'LOW_BALANCE' }],
	[': email: Required', 422, { detail: [{ path: 'email', message: 'Required' }] }],
	[': No, […]', 500, { message: 'No, my-secret-token.' }],
	[': Basic […] postgres://u:[…]@h', 500, { error: 'Basic c3ZjOnB3ZA==, postgres://u:pass@h' }],
	[': {"api_key":"[…]","n":1}', 500, { api_key: 'sk_live_12345', n: 1 }],
	[' (HTTP 400)', 400, '<html>No</html>'],
	[' (HTTP 403)', 403, { success: true, data: { jwt: 'a.b.c' } }],
])('a failure in another form is shown if it is JSON: %s', (shown, status, body) => {
	const { message, nothingDone, context } = failure(body, status);
	expect(message).toContain(shown);
	expect(nothingDone).toBe(false);
	expect(context.details !== undefined).toBe(!shown.startsWith(' '));
});

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
		[{ data: 'No', error_code: 'E1 '.repeat(60) }, `No (${'E1 '.repeat(33)}E…)`],
		[{ data: 'No. Never.' }, 'No. Never'],
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
		[{ data: 'No', a: { b: { c: { d: ISSUES } } } }, 'No'],
		[{ data: 'No', ...Object.fromEntries(Array(100).fill(0).entries()), zod: ISSUES }, 'No'],
		[{ data: 'No', zod: [{ path: ['x'] }] }, 'No'],
	])('is in the message: %j', (body, message) => {
		expect(said(body)).toBe(`The service refused: ${message}`);
	});

	it('says who the entries of a request are that it names by their places, from 0', () => {
		const refused = { success: false, data: 'emails[1]', issues: ISSUES };
		const hintFor = (sent: Readonly<Record<string, unknown>>) =>
			failure(refused, 400, 'walletSignIn', sent).hint;
		const invites = ['a@x.io', 'b@x.io', 'c@x.io'].map((email) => ({ email, prefill: {} }));
		expect(hintFor({ invites })).toMatch(/^invites\.2 is c@x\.io\. Check the values/);
		expect(hintFor({ emails: ['a@x.io', 'b@x.io'] })).toMatch(/^emails\.1 is b@x\.io\. /);
		expect(hintFor({ emails: 'ab', invites: [] })).toMatch(/^Check the values/);
	});

	it.each(['a-key-ends-so.', 'a-key-ends-so. ', 'is a-key-ends-so.'])(
		'withholds a secret that ends as a sentence does: %j',
		(data) => {
			expect(said({ data })).toMatch(/^The service refused: (is )?\[…\]$/);
		},
	);

	it('withholds a secret in JSON of PHP', () => {
		const request = JSON.stringify({ a: 'a/key+in/PHP' }).replaceAll('/', '\\/');
		expect(said({ data: { request } })).toBe(
			'The service refused: {"request":"{\\"a\\":\\"[…]\\"}"}',
		);
	});

	/* docs/errors.md has the other ways to sign in. */
	it('asks for a new signature after a 401 only where there was one', () => {
		const hintFor = (authentication: 'none' | 'signature') =>
			failure({ success: false, data: 'No' }, 401, authentication).hint;
		expect(hintFor('signature')).toMatch(/^The signature .* and sign it again\.$/);
		expect(hintFor('none')).toMatch(/^The wallet may have no role/);
	});

	it('lists three issues at most, of the first hundred', () => {
		const issues = Array.from({ length: 120 }, (_, index) => ({ path: [index], message: 'Bad' }));
		expect(said({ data: 'No', issues })).toMatch(/: No: 0: Bad, 1: Bad, 2: Bad and 97 more$/);
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
		const text = z.string().max(4_001).parse(details?.response);
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

const SALT = ['typed_data', 'salt'];

/** What is told by texts, and by names. doubtfulRefusals.test.ts has the words. */
const MADE_BEFORE = [
	...['DUPLICATE_REQUEST', 'The transfer was successfully executed', { reason: 'already paid' }],
	...[[{ path: 'invoice', message: 'was already paid' }], ['duplicate'], { already_paid: true }],
	[{ transaction: 'tx-a1B2c3D4e5F6' }],
	/* A line break hides nothing. */
	...['Reverted with the following reason:\nnonce too low', 'Reverted:\nspent'],
	...['Rejected:\tused', 'Transaction executed\r\nHash: 0x12'],
	/* What names another request, and a flag that says by itself that it was made. */
	...[{ duplicate_of: 'pa-a1B2c3D4e5F6' }, { existing_payment: { id: 'pa-1' } }, { paid: true }],
	...[{ transaction_hash: `0x${'5f'.repeat(32)}` }, { tx: `0x${'5f'.repeat(32)}` }],
	{ duplicate_salt: '0x5f3a' },
	...[{ paid_at: '2026-03-03' }, { executedAt: 1772496000 }, { reason: 'SETTLED' }],
	...[{ result: 'paid' }, { outcome: 'unknown' }, { code: 'PAID', message: 'Bad request' }],
	...[{ error_code: 'PAID' }, { errorReason: 'settled' }, { errors: 'Paid' }, { detail: 'SENT' }],
	/* What it says of a state, in a word or as a number. */
	...[{ payment_status: 'paid' }, { currentStatus: 'PAID' }, { status: 409 }, { code: 23505 }],
	...[{ expected_nonce: 42 }, { nonce: '42 was expected' }, { nonce: ['a1'] }, { salt_seen: '5a' }],
	...[{ salt_used_at: '2026-03-03' }, { checks: { uniqueness: false } }, { replay_ok: false }],
	/* Flags that are true, and those that would be true if it were new. */
	...[{ is_duplicate: true }, { isDuplicate: true }, { reference_unique: false }],
	...[{ unprocessed: false }, { authorization_unspent: false }, { not_sent: false }],
	...[{ unpaid: false }, { is_new: false }, { isNew: false }, { new_payment: false }],
	...[{ no_duplicate: false }, { replay_check: false }, { duplicateCheckPassed: false }],
	/* Whatever is said of a nonce or a salt, except that it isn't there. */
	...[{ nonce_valid: false }, { salt_ok: false }, { checks: { nonce: false, balance: true } }],
	...[{ checks: { nonce: { ok: false } } }, { nonce_not_reused: false }, { saltUnique: false }],
	...[{ errors: { nonce: ['is invalid'] } }, { nonce: 'invalid' }, { salts: { code: 17 } }],
	...[
		...['Must be fresh', 'Must be 32 bytes', 'A new value is required', 'Field is required again'],
	].map((message) => [{ path: SALT, message }]),
	...['Expected 42, received 41', 'Received null before'].map((message) => [
		{ path: 'nonce', message },
	]),
	[{ path: SALT, message: 'Required', note: 'already paid' }],
	...[[{ path: SALT, msg: 'Must be fresh' }], [{ path: SALT, code: 'stale' }]],
];
const NOT_MADE_BEFORE = [
	...['The payment was not sent', 'Insufficient balance', { is_new: true }, ['No']],
	/* Flags that are false, or not known. */
	{ message: 'Insufficient balance', is_duplicate: false, already_paid: null },
	...[{ kyc_status: 'completed' }, { status: 400 }],
	...[{ another_payment_exists: false }, { signature_valid: false }, { new_recipient: false }],
	...[{ recipient_new: false, paid_at: null, error: 'Forbidden' }, { step: 'completed' }],
	...[{ invite: { sent_at: '2026-03-01' } }, { paid_at: '' }, { kyc: { status: 'unknown' } }],
	...[{ paid_at: 0 }, { settled_on_chain: 'Arbitrum' }, { salt: 'abc5' }, { kyc_reason: 'sent' }],
	/* What the request had, and what was missing in it. And what is so of the recipient. */
	...[{ request: { nonce: 41, salt: '0x5f3a' }, salt: null }, { email_confirmed: true }],
	{ recipient: { onboarding_completed: true } },
	...[
		...['Required', 'This field is required', 'Field required', 'is missing'],
		'expected string, received undefined',
	].map((message) => [{ code: 'invalid_type', path: SALT, message }]),
	[{ path: SALT, message: 'Expected string, received null' }],
];

it.each<[unknown, boolean]>([
	...MADE_BEFORE.map((said): [unknown, boolean] => [said, true]),
	...NOT_MADE_BEFORE.map((said): [unknown, boolean] => [said, false]),
])('whether a refusal with %j can mean that it was made before: %j', (said, expected) => {
	const inTexts =
		typeof said === 'string' ? [JSON.stringify({ said }), `${'-'.repeat(600)} ${said}`] : [];
	for (const body of [
		...[said, { reason: said }, ...inTexts].map((data) => ({ data })),
		...['zod', 'details'].map((name) => ({ data: 'Bad request', [name]: said })),
	]) {
		expect([body, failure({ success: false, ...body }).mayHaveSucceeded]).toEqual([body, expected]);
	}
});

it('takes names of members for words only in what is documented', () => {
	const used = { limit: { used: 3 } };
	expect(failure({ success: false, data: used }).mayHaveSucceeded).toBe(true);
	expect(failure({ success: false, data: 'Too many', rate: used }).mayHaveSucceeded).toBe(false);
	for (const [word, expected] of Object.entries({ PAID: true, FORBIDDEN: false })) {
		for (const body of [{ data: 'No', error_code: word }, { data: word }])
			expect(failure({ success: false, ...body }).mayHaveSucceeded).toBe(expected);
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
