import fc from 'fast-check';

import { parseEvent } from '../../../nodes/PayrollPayments/trigger/parseEvent';
import { diagnosis } from '../../support/judges/diagnosis';
import { eventParser } from '../../support/judges/eventParser';
import { headerSchemes, verifier } from '../../support/judges/verifier';
import { outcomeOf, settingsWith } from '../../support/receivedEvent';
import { runs } from '../../support/propertyRuns';
import { rejectionOf } from '../../support/refusals';
import { deposit, depositEvent } from '../../../n8nHost/sampleEvents';
import { anyCharacter } from '../../support/unicodeCharacters';

/* `npm run test:long -- properties` tries many more inputs. */

/** Names that every JavaScript object inherits. */
const POISON = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

/** Names, often poisonous or those of an event. */
const anyName = fc.oneof(
	fc.constantFrom(...POISON),
	fc.constantFrom(...Object.keys(depositEvent()), ...Object.keys(deposit())),
	fc.string(),
);

/** JSON of any shape. */
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small' },
		fc.constantFrom<unknown>(null, true, 0, -0, 1e308, 2 ** 53, 'event', '', 'deposit.received'),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		fc.string({ unit: anyCharacter }),
		fc.array(tie('value'), { maxLength: 4 }),
		fc
			.array(fc.tuple(anyName, tie('value')), { maxLength: 6 })
			.map((members) => Object.fromEntries(members)),
	),
})).value;

/** JSON text as it is: `Object.fromEntries` and spreading keep `__proto__` as a plain name. */
const anyEvent = fc
	.tuple(
		fc.dictionary(fc.constantFrom(...Object.keys(depositEvent()), ...POISON), anyJson),
		anyJson,
	)
	.map(([changes, more]) => ({ ...depositEvent(), ...changes, more }));

const anyBody = fc.oneof(
	fc.oneof(anyEvent, anyJson).map((value) => Buffer.from(JSON.stringify(value))),
	fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);

it('any body is an event as it was sent, or an answer, and never pollutes prototypes', () => {
	const before = POISON.map((name) => Reflect.get({}, name));
	fc.assert(
		fc.property(fc.nat(7), anyBody, (settings, body) => {
			eventParser.check(Buffer.concat([Buffer.of(settings), body]));
		}),
		{ numRuns: runs(500) },
	);
	expect(POISON.map((name) => Reflect.get({}, name))).toEqual(before);
});

it('any bytes with any content type give an answer', () => {
	fc.assert(
		fc.property(fc.uint8Array(), fc.string({ unit: anyCharacter }), (body, type) => {
			expect(rejectionOf(() => parseEvent(body, type))).toMatchObject({ status: 400 });
		}),
	);
});

it('10 MB in one text, one name, and one list pass unchanged', () => {
	const long = 'x'.repeat(10_000_000);
	for (const change of [
		...[long, { [long]: 1 }, Array.from({ length: 1_000_000 }, () => 1)].map((more) => ({ more })),
		{ idempotency_key: long },
	]) {
		const event = depositEvent(change);
		const headers = { 'content-type': 'application/json' };
		const rawBody = Buffer.from(JSON.stringify(event));
		const outcome = outcomeOf({ headers, rawBody }, settingsWith({}));
		expect(outcome).toEqual({ idempotencyKey: event.idempotency_key, item: event });
	}
});

it.each(Object.entries({ verifier, headerSchemes, diagnosis }))(
	'%s: any pieces of genuine headers, in any order and number, prove what they should',
	(_name, { dictionary, check }) => {
		const piece = fc.oneof(
			fc.constantFrom(...dictionary),
			fc.string({ unit: anyCharacter, maxLength: 3 }),
		);
		fc.assert(
			fc.property(fc.nat(255), fc.array(piece, { maxLength: 12 }), (scheme, pieces) => {
				check(Buffer.concat([Buffer.of(scheme), Buffer.from(pieces.join(''))]));
			}),
			{ numRuns: runs(500) },
		);
	},
);
