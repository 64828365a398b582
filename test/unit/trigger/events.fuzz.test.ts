import fc from 'fast-check';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { eventKey } from '../../../nodes/PayrollPayments/trigger/claims';
import { parseEvent } from '../../../nodes/PayrollPayments/trigger/parseEvent';
import { simplify } from '../../../nodes/PayrollPayments/trigger/simplify';
import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import type { DeliverySettings } from '../../../nodes/PayrollPayments/trigger/settings';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { anyCharacter } from '../../support/unicodeCharacters';
import { outcomeOf } from '../../support/receivedEvent';
import { deposit, depositEvent, timestamped } from '../../support/sampleEvents';

const SETTINGS: DeliverySettings = {
	credentials: undefined,
	allowlist: [],
	filter: {
		events: ['*'],
		depositStatuses: ['complete', 'unknown'],
	},
	acknowledge: 'received',
	output: 'simplified',
	invalidPayload: 'emit',
	includeHeaders: true,
	maximumAgeSeconds: Number.POSITIVE_INFINITY,
	history: 5_000,
	recordedHistory: 5_000,
};

const taken = (body: string) =>
	outcomeOf(
		{
			ip: '192.0.2.1',
			headers: { 'content-type': 'application/json' },
			rawBody: Buffer.from(body),
		},
		SETTINGS,
	);

/** Names that every JavaScript object inherits. */
const POISON = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

/** JSON of any shape, its names often poisonous or those of an event. */
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small' },
		fc.constantFrom<unknown>(null, true, 0, -0, 1e308, 2 ** 53, 'event', '', 'deposit.received'),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		fc.string({ unit: anyCharacter }),
		fc.array(tie('value'), { maxLength: 4 }),
		fc
			.array(
				fc.tuple(
					fc.oneof(
						fc.constantFrom(...POISON),
						fc.constantFrom(...Object.keys(depositEvent()), ...Object.keys(deposit())),
						fc.string(),
					),
					tie('value'),
				),
				{ maxLength: 6 },
			)
			.map((members) => Object.fromEntries(members)),
	),
})).value;

/** JSON text as it is: `Object.fromEntries` and spreading keep `__proto__` as a plain name. */
const anyEvent = fc
	.tuple(
		fc.dictionary(fc.constantFrom(...Object.keys(depositEvent()), ...POISON), anyJson),
		anyJson,
	)
	.map(([changes, more]) => JSON.stringify({ ...depositEvent(), ...changes, more }));

describe('event bodies', () => {
	it('any JSON is an event or an answer, and never pollutes prototypes', () => {
		const before = POISON.map((name) => Reflect.get({}, name));
		fc.assert(
			fc.property(
				fc.oneof(
					anyEvent,
					anyJson.map((value) => JSON.stringify(value)),
				),
				(body) => {
					const outcome = taken(body);
					expect('status' in outcome || outcome.idempotencyKey !== '').toBe(true);
					expect(() => JSON.stringify(outcome)).not.toThrow();
				},
			),
			{ numRuns: 200 },
		);
		expect(POISON.map((name) => Reflect.get({}, name))).toEqual(before);
		expect(Object.keys(Object.prototype)).toEqual([]);
	});

	it('an accepted event equals what was sent, to the last member', () => {
		fc.assert(
			fc.property(anyEvent, (body) => {
				const parsed = parseEvent(Buffer.from(body), 'application/json');
				if (parsed instanceof UserError) return;
				expect(JSON.stringify(parsed.event)).toBe(JSON.stringify(JSON.parse(body)));
			}),
			{ numRuns: 300 },
		);
	});

	it('any bytes and any content type give an answer', () => {
		fc.assert(
			fc.property(fc.uint8Array(), fc.string({ unit: anyCharacter }), (body, type) => {
				expect(parseEvent(body, type)).toBeInstanceOf(UserError);
				expect(parseEvent(body, 'application/json')).toBeInstanceOf(UserError);
			}),
		);
	});

	it('10 MB in one text, one name, and one list pass unchanged', () => {
		const long = 'x'.repeat(10_000_000);
		for (const more of [long, { [long]: 1 }, Array.from({ length: 1_000_000 }, () => 1)]) {
			expect(taken(JSON.stringify(depositEvent({ more })))).toHaveProperty('item');
		}
		const key = taken(JSON.stringify(depositEvent({ idempotency_key: long })));
		expect(key).toMatchObject({ idempotencyKey: long });
		expect(eventKey(long)).toHaveLength(44);
	});

	it('huge numbers and impossible times never become a wrong amount', () => {
		fc.assert(
			fc.property(fc.double({ noNaN: true }), (number) => {
				const row = simplify({
					created: number,
					deposit: { destination_amount_cents: number, source_amount_cents: number },
				});
				if (row.destination_amount !== null) {
					expect(Number(String(row.destination_amount).replace('.', ''))).toBe(number + 0);
				}
				if (row.created_at !== null) expect(row.created_at).toMatch(/^[+-]?\d{4,6}-.*Z$/);
			}),
			{ numRuns: 200 },
		);
	});
});

describe('signature headers', () => {
	const NOW = 1_774_949_400;
	const body = Buffer.from(JSON.stringify(depositEvent()));
	const credentials = readWebhookCredentials({ secret: 'a secret' });
	const genuine = timestamped('a secret', NOW, body);
	const verify = (proof: string) =>
		verifySignature(body, { 'x-signature': proof }, credentials, NOW * 1_000);

	it('pieces of a genuine header in any order and number prove nothing new', () => {
		const [time = '', signature = ''] = genuine.split(',');
		const odd = ['t=', 'v1=', 't=0', 'v1=00', 'v0=1', ' ', '', `t=${NOW}.`];
		const piece = fc.constantFrom(time, signature, ...odd);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
				const isProven = verify(pieces.join(',')) === undefined;
				const times = pieces.filter((each) => each.startsWith('t='));
				const fits = new Set(times).size === 1 && times[0] === time && pieces.includes(signature);
				expect(isProven).toBe(fits);
			}),
			{ numRuns: 300 },
		);
	});
});
