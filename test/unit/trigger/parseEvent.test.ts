import { parseEvent, type ReceivedEvent } from '../../../nodes/PayrollPayments/trigger/parseEvent';
import { rejectionOf } from '../../support/refusals';
import { deposit, depositEvent, otherEvent, without } from '../../../n8nHost/sampleEvents';
import { examplesOf } from '../../n8n/conformance/examples';
import { schema } from '../../n8n/conformance/openapi';

const parse = (body: unknown, contentType: string | undefined = 'application/json') =>
	parseEvent(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), contentType);

const parsed = (body: unknown): ReceivedEvent => parse(body);

const refusalOf = (body: unknown, contentType?: string) =>
	rejectionOf(() => parse(body, contentType))?.message;

describe('an event', () => {
	it.each(['DepositReceivedEvent', 'EventEnvelope'])(
		'passes as it is, with everything that the document allows: %s',
		(name) => {
			const { allowed, sparse } = examplesOf(schema(name));
			for (const event of [...allowed, sparse])
				expect(parsed(event)).toMatchObject({ event, issues: [], isValid: true });
		},
	);

	const NONE = Object.fromEntries(
		'blockchain_reference network provider_deposit_id entity_deposit_account_id updated_at token'
			.split(' ')
			.map((name) => [name, null]),
	);

	it('deposit.received passes, exactly as received, with new members and values, and null for optional ones', () => {
		const currencies = { source_currency: 'new', destination_currency: 'new' };
		const named = { network: 'new', status: 'new', provider_name: 'new', ...currencies };
		const added = deposit({ memo: 'x', trace: null, ...named, ...NONE });
		const event = depositEvent({ extra: { nested: [1, null] }, request_id: null, deposit: added });
		expect(parsed(event)).toMatchObject({ event, issues: [] });
	});

	it.each(['7', '12345678901234567890'])('may have the number %s as its key', (key) => {
		const body = JSON.stringify(otherEvent({ idempotency_key: 'x' })).replace('"x"', key);
		expect(parsed(body)).toMatchObject({ idempotencyKey: key, isValid: true });
	});

	it('may begin with a byte order mark', () => {
		expect(parsed(`\uFEFF${JSON.stringify(otherEvent())}`).event).toEqual(otherEvent());
	});
});

describe('what is missing', () => {
	it.each(['created', 'event_version', ...(schema('Deposit').required ?? [])])(
		'each required field is named: %s',
		(name) => {
			const isOfDeposit = name in deposit();
			const event = isOfDeposit
				? depositEvent({ deposit: without(deposit(), name) })
				: without(depositEvent(), name);
			const issues = [`${isOfDeposit ? 'deposit.' : ''}${name} is missing`];
			expect(parsed(event)).toMatchObject({ isValid: false, issues });
		},
	);

	it('the deposit itself is named, but only where it belongs', () => {
		expect(parsed(without(depositEvent(), 'deposit')).issues).toEqual(['deposit is missing']);
		expect(parsed(otherEvent({ deposit: { amount: 1 } })).issues).toEqual([]);
	});

	it('an optional field of another type is named, and the event is valid', () => {
		const changed = deposit({ reference: 7, deposit_bank_account_seen: true });
		const event = depositEvent({ request_id: 7, deposit: changed });
		const issues = [
			'request_id must be string, not number',
			'deposit.reference must be string, not number',
			'deposit.deposit_bank_account_seen must be number, not boolean',
		];
		expect(parsed(event)).toMatchObject({ event, issues, isValid: true });
	});

	it.each<Record<string, unknown>>([
		...[{ deposit: JSON.stringify(deposit()) }, { deposit: 7 }, { created: 'now' }],
		...[{ token: 'USDC' }, { token: [] }, { status: 2 }, { source_amount_cents: '5.' }].map(
			(change) => ({ deposit: deposit(change) }),
		),
	])('isn’t valid with something else in its place: %j', (change) => {
		expect(parsed(depositEvent(change)).isValid).toBe(false);
	});

	it('is listed whole, wrong types too', () => {
		const broken = without(deposit({ source_amount_cents: 'x', token: [] }), 'network');
		expect(parsed(depositEvent({ created: 'now', request_id: 7, deposit: broken }))).toMatchObject({
			isValid: false,
			issues: [
				'created must be number, not string',
				'request_id must be string, not number',
				'deposit.source_amount_cents must be number, not string',
				'deposit.token must be object, not array',
				'deposit.network is missing',
			],
		});
	});
});

describe('a deposit of a version that isn’t documented', () => {
	it.each([
		...['0', '0.2', '3', '10', '20', '3.0.0', ' v3', '2026-01-01', 'latest', 'version 2', '', 3],
	])('%j needs only the envelope', (version) => {
		for (const content of [undefined, null, 'later', [], { amount: { value: '12' } }]) {
			const event = depositEvent({ event_version: version, deposit: content });
			expect(parsed(event).issues).toEqual([]);
		}
		const broken = without(depositEvent({ event_version: version, deposit: {} }), 'created');
		expect(parsed(broken).issues).toEqual(['created is missing']);
	});

	it.each(['1', '1.0', '1.9', 'v1', '2', '2.0', '2.9.1', 'v2.0', ' V2 ', '02', 2, null])(
		'isn’t %j, so the deposit is checked',
		(version) => {
			const event = depositEvent({ event_version: version, deposit: {} });
			expect(parsed(event).issues).toContain('deposit.status is missing');
		},
	);
});

describe('no event', () => {
	it.each<[string, unknown, string]>([
		['an empty body', '', 'the body is not valid JSON'],
		['broken JSON', '{"object":', 'the body is not valid JSON'],
		['a list', [otherEvent()], 'the body is not a JSON object'],
		['null', 'null', 'the body is not a JSON object'],
		['text', '"event"', 'the body is not a JSON object'],
		['an empty object', {}, 'object must be "event"'],
		['a prototype', `{"__proto__":${JSON.stringify(otherEvent())}}`, 'object must be "event"'],
		['another object', otherEvent({ object: 'list' }), 'object must be "event"'],
		['no event_type', without(otherEvent(), 'event_type'), 'event_type is missing'],
		['an empty event_type', otherEvent({ event_type: '' }), 'event_type is missing'],
		['event_type 7', otherEvent({ event_type: 7 }), 'event_type must be string, not number'],
		['no key', without(otherEvent(), 'idempotency_key'), 'idempotency_key is missing'],
		['an empty key', otherEvent({ idempotency_key: ' ' }), 'idempotency_key is missing'],
		['no real key', otherEvent({ idempotency_key: 'null' }), 'idempotency_key is missing'],
		['key null', otherEvent({ idempotency_key: null }), 'idempotency_key must be string, not null'],
	])('%s is refused', (_what, body, why) => {
		expect(refusalOf(body)).toBe(`Not an event: ${why}`);
	});

	it.each([
		...['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'],
		...['application/json;profile=x; Charset = "UTF8"', 'application/cloudevents+json'],
		'application/json; x-charset=latin1',
	])('content type %s is accepted', (contentType) => {
		expect(refusalOf(otherEvent(), contentType)).toBeUndefined();
	});

	it.each([
		...['text/plain', 'application/jsonp', 'application/xml+jsonx', ''],
		...['application/x-www-form-urlencoded', 'x-application/json', undefined],
	])('content type %j is refused', (contentType) => {
		const body = Buffer.from(JSON.stringify(otherEvent()));
		expect(rejectionOf(() => parseEvent(body, contentType))).toMatchObject({
			status: 400,
			message: 'Not an event: the content type must be application/json',
		});
	});

	it.each(['latin1', 'utf-16le', '', 'ascii', 'xutf-8', 'utf-8x', 'utf"-8"', '"utf-"8'])(
		'in the charset %j is refused, since its bytes would be read as others',
		(charset) => {
			expect(refusalOf(otherEvent(), `application/json; charset=${charset}`)).toBe(
				'Not an event: the body must be in UTF-8',
			);
		},
	);

	it.each([
		['no UTF-8', [0xfc]],
		['a UTF-8 character that is cut off', [0xe6, 0x9d]],
		['UTF-16', [...Buffer.from('x', 'utf16le')]],
	])('with a key in bytes that are %s is refused or kept apart', (_what, bytes) => {
		const [before = '', after = ''] = JSON.stringify(otherEvent()).split('key-2');
		const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
		expect(rejectionOf(() => parseEvent(body, 'application/json'))?.message).toMatch(
			/the body (must be in UTF-8|is not valid JSON)$/,
		);
	});

	it.each([...['1e400', '-1e400', '1e-400', '[[1, 1e999]]', '{"total":{"amount" : [1e309]}}']])(
		'with the number %s, which JSON can’t hold, is refused',
		(number) => {
			const body = JSON.stringify(otherEvent({ amount: 'x' })).replace('"x"', number);
			expect(refusalOf(body)).toBe(
				'Not an event: the body contains a number that JSON can’t hold, in amount',
			);
		},
	);

	it.each([
		...['9007199254740993', '12345678901234567890', '-1152921504606846976'],
		...['0.1234567890123456789', '1250.0000000000000001', '12500000000000001e-13'],
	])('with the number %s, which would be rounded, has it as text', (amount) => {
		const body = JSON.stringify(otherEvent({ amount: 'x' })).replace('"x"', amount);
		expect(parsed(body).event).toEqual(otherEvent({ amount }));
	});

	it.each([
		...['1250.0', '1.25e3', '0.10', '9007199254740992', '100000000000000000000', '1E+22'],
		...['-0', '0.00e500', '1774949400.123456', '0.30000000000000004', '0.10000000000000001'],
		'5e-324',
	])('with the number %s, which keeps its value, is none that is refused', (number) => {
		const body = JSON.stringify(otherEvent({ amount: 'x' })).replace('"x"', ` ${number} `);
		expect(parsed(body).event.amount).toBe(Number(number));
	});

	it('with the same digits in texts and names passes, exactly as received', () => {
		const text = 'a ":[12345678901234567890], \\"\\\\';
		const event = otherEvent({ '":12345678901234567890,': text, [text]: { '[1e400,': 1 } });
		expect(parsed(event).event).toEqual(event);
	});
});

describe('attacks', () => {
	const envelope = JSON.stringify(otherEvent()).slice(1, -1);

	it('with a key twice get one reading: the last one', () => {
		const { idempotencyKey, event } = parsed(`{${envelope},"idempotency_key":"other"}`);
		expect([idempotencyKey, event.idempotency_key]).toEqual(['other', 'other']);
	});

	it('with 100 levels pass, with more are refused', () => {
		const nested = (levels: number) =>
			`{${envelope},"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
		expect(parsed(nested(100)).issues).toEqual([]);
		expect(refusalOf(nested(102))).toBe('Not an event: the body is nested deeper than 100 levels');
		expect(refusalOf(nested(200_000))).toMatch(/nested deeper/);
	});
});
