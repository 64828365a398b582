import { errorFor } from '../../../nodes/PayrollPayments/api/errors';
import { saysItExists } from '../../../nodes/PayrollPayments/api/wordsForExisting';
import { balanceAnswer, readEnvelope } from '../../../nodes/PayrollPayments/api/schemas/answers';
import { outcomeOf } from '../../../nodes/PayrollPayments/shared/errors';
import { Redactor } from '../../../nodes/PayrollPayments/shared/redaction';

const redactor = new Redactor().add('my-secret-token');

function failure(
	body: unknown,
	status = 400,
	authentication: Parameters<typeof errorFor>[2]['authentication'] = 'walletSignIn',
) {
	const envelope = readEnvelope(typeof body === 'string' ? body : JSON.stringify(body));
	const call = { roleNeeded: undefined, authentication };
	return errorFor({ status, envelope }, redactor.text, call);
}

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
		[{ data: 'No', zod: [] }, 'No'],
		[{ data: 'No', zod: [{ path: ['x'] }] }, 'No'],
	])('is in the message: %j', (body, message) => {
		expect(said(body)).toBe(`The service refused: ${message}`);
	});

	it.each(['a-key-ends-so.', 'a-key-ends-so. ', 'is a-key-ends-so.'])(
		'withholds a secret that ends as a sentence does: %j',
		(data) => {
			const envelope = readEnvelope(JSON.stringify({ success: false, data }));
			const { text } = new Redactor().add('a-key-ends-so.');
			const call = { roleNeeded: undefined, authentication: 'legacyApiKey' } as const;
			const { message } = errorFor({ status: 400, envelope }, text, call);
			expect(message).toMatch(/^The service refused: (is )?\[…\]$/);
		},
	);

	it.each([
		['accessToken', /^The access token may have expired or been revoked\. Enter a new one/],
		['walletSignIn', /their user may lack a role for this\.$/],
		['none', /Get a new sign-in message and sign it again\.$/],
	] as const)('a 401 with %s says what to do about that', (authentication, hint) => {
		const error = failure({ success: false, data: 'No' }, 401, authentication);
		expect(error.hint).toMatch(hint);
		expect(/Wallet Sign-In|API key/.test(error.hint ?? '')).toBe(false);
	});

	it('lists three issues at most', () => {
		const issues = Array.from({ length: 9 }, (_, index) => ({ path: [index], message: 'Bad' }));
		expect(said({ data: 'No', issues })).toMatch(/: No: 0: Bad, 1: Bad, 2: Bad and 6 more$/);
	});

	it.each([
		[409, / \(HTTP 409\)$/],
		[422, / \(HTTP 422\)$/],
		[429, / \(HTTP 429\)$/],
		[503, / \(HTTP 503\)$/],
		...[200, 400, 401, 403, 404, 500].map((status): [number, RegExp] => [status, /: No$/]),
	])('is told with a status that isn’t documented: %d', (status, message) => {
		const error = failure({ success: false, data: 'No' }, status);
		expect(error.message).toMatch(message);
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

it('a proxy that wants a login has sent nothing on', () => {
	for (const body of ['<html>', '{"success":false,"data":"No"}']) {
		const error = failure(body, 407);
		expect(error.message).toBe(
			'The proxy between n8n and the service wants n8n to sign in (HTTP 407)',
		);
		expect(error.hint).toContain('HTTPS_PROXY');
		expect(outcomeOf(error)).toBe('refused');
	}
});

it.each<[string, boolean]>([
	['Already processed', true],
	['Duplicate', true],
	['DUPLICATE_REQUEST', true],
	['This payment exists', true],
	['Processed', true],
	['authorization is used or canceled', true],
	['nonce too low', true],
	['INVALID_NONCE', true],
	['salt was used before', true],
	['Replay detected', true],
	['A replayed request', true],
	['Conflict', true],
	['Signature consumed', true],
	['Authorization spent', true],
	['A payment is in progress', true],
	['was paid on 3 March', true],
	['has been made', true],
	['It has now been settled', true],
	['The transfer was successfully executed', true],
	['These were sent', true],
	['It is completed', true],
	['No. The payment was made', true],
	['The payment was not sent', false],
	['The payment has not been made', false],
	['It can’t be made', false],
	['The payment wasn’t sent', false],
	['No payment was made', false],
	['Nothing was sent', false],
	['It could never have been paid', false],
	['Insufficient balance', false],
	['INSUFFICIENT_BALANCE', false],
	['The recipient does not exist', false],
	['The typed data has expired', false],
	['Unused field', false],
	['Validation error', false],
])('whether a refusal can mean that it was made before: %s', (text, expected) => {
	expect(saysItExists(text)).toBe(expected);
	expect(failure({ success: false, data: text }).saysItExists).toBe(expected);
	expect(failure({ success: false, data: { reason: text } }).saysItExists).toBe(expected);
	const cut = `${'-'.repeat(600)} ${text}`;
	expect(failure({ success: false, data: cut }).saysItExists).toBe(expected);
	expect(failure({ success: false, data: 'No', reason: text }).saysItExists).toBe(expected);
});

it.each([
	{ errors: [{ path: 'invoice', message: 'was already paid' }] },
	{ details: { reason: 'already paid' } },
	{ errors: ['duplicate'] },
	{ meta: { already_paid: true } },
	{ meta: [{ transaction: 'tx-a1B2c3D4e5F6' }] },
])('a refusal can say anywhere that it was made before: %j', (rest) => {
	expect(failure({ success: false, data: 'Bad request', ...rest }).saysItExists).toBe(true);
});

it('the name of a field doesn’t mean that it was made before', () => {
	const zod = [{ path: ['typed_data', 'salt'], message: 'Required' }];
	expect(failure({ success: false, data: 'Validation error', zod }).saysItExists).toBe(false);
});

it('cents may be a whole number, and become text as documented', () => {
	const balances = ['12', 12, -3, 0].map((balance_cents) => ({ currency: 'USD', balance_cents }));
	const read = balanceAnswer.parse({ platform_account_address: '0x1', balances });
	expect(read.balances.map(({ balance_cents }) => balance_cents)).toEqual(['12', '12', '-3', '0']);
	for (const balance_cents of [1.5, null, true]) {
		const wrong = {
			platform_account_address: '0x1',
			balances: [{ currency: 'USD', balance_cents }],
		};
		expect(balanceAnswer.safeParse(wrong).success).toBe(false);
	}
});
