import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { parseEvent } from '../../../nodes/PayrollPayments/trigger/parseEvent';
import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { outcomeOf, settingsWith } from '../../support/receivedEvent';
import { runs } from '../../support/propertyRuns';
import { rejectionOf } from '../../support/refusals';
import { SIGNED_SCHEMES, type SignedScheme } from '../../support/signedDeliveries';
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

const anySettings = fc.record({
	events: fc.constantFrom(['*'], ['deposit.received']),
	filters: fc.constantFrom({}, { entityIds: ['te-a1B2c3D4e5F6'], minimumAmountCents: 100 }),
	output: fc.constantFrom('event', 'simplified'),
	options: fc.record({
		includeHeaders: fc.boolean(),
		invalidPayload: fc.constantFrom('emit', 'reject'),
	}),
});

/** The body's JSON without a byte order mark; undefined if it isn't JSON in UTF-8 that JSON can hold. */
function readIndependently(body: Buffer): unknown {
	if (!isUtf8(body)) return undefined;
	try {
		return JSON.parse(body.toString().replace(/^\ufeff/, ''), (_name, value: unknown) => {
			if (value === Infinity || value === -Infinity) throw new Error('too large for JSON');
			return value;
		});
	} catch {
		return undefined;
	}
}

function depthOf(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0;
	return Math.max(0, ...Object.values(value).map((each) => 1 + depthOf(each)));
}

/** Whether a JSON value is an event by the documented rules. */
function isEvent(value: unknown): boolean {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	const members = new Map(Object.entries(value));
	const isText = (name: string) =>
		typeof members.get(name) === 'string' && members.get(name) !== '';
	return (
		members.get('object') === 'event' &&
		isText('event_type') &&
		(isText('idempotency_key') || typeof members.get('idempotency_key') === 'number') &&
		depthOf(value) <= 100
	);
}

it('any body is an event as it was sent, or an answer, and never pollutes prototypes', () => {
	const before = Object.getOwnPropertyDescriptors(Object.prototype);
	fc.assert(
		fc.property(anySettings, anyBody, (settings, rawBody) => {
			const headers = { 'content-type': 'application/json' };
			const outcome = outcomeOf({ headers, rawBody }, settingsWith(settings));
			expect(() => JSON.stringify(outcome)).not.toThrow();
			const value = readIndependently(rawBody);
			const parse = () => parseEvent(rawBody, headers['content-type']);
			if (rejectionOf(parse) === undefined) {
				expect(isEvent(value)).toBe(true);
				const { event, idempotencyKey } = parse();
				expect(isDeepStrictEqual(event, value)).toBe(true);
				expect(idempotencyKey).toBe(String(event.idempotency_key));
				return;
			}
			/* A number may be in a member that comes again; JSON.parse doesn't show the first. */
			const mayBeRounded = /[\d.]{16}|\de[+-]?\d/i.test(rawBody.toString());
			expect(isEvent(value) && !mayBeRounded).toBe(false);
			expect(outcome).toMatchObject({ status: 400 });
		}),
		{ numRuns: runs(500) },
	);
	expect(Object.getOwnPropertyDescriptors(Object.prototype)).toEqual(before);
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

const NOW = 1_774_949_400;
const BODY = Buffer.from('{"object":"event"}');
const FRESH = [String(NOW), `${NOW}000`, new Date(NOW * 1000).toISOString()];

/**
 * Headers of pieces that anyone may have seen: of proofs by a stranger, of another body and of a time
 * that is over. The secret signed nothing that they could prove.
 */
async function unprovenHeaders({ secrets, prove, signsBody, signsTime }: SignedScheme) {
	const [secret, stranger] = secrets;
	const seen = [
		await prove(stranger, BODY, NOW),
		...(signsBody ? [await prove(secret, Buffer.from('{}'), NOW)] : []),
		...(signsTime ? [await prove(secret, BODY, NOW - 601)] : []),
	];
	const values = seen.flatMap((headers) => Object.values(headers));
	const pieces = values.flatMap((value) => [value, ...value.split(/([,;= .])/), value.slice(1)]);
	const others = [...FRESH, `t=${NOW}`, `ts=${NOW}`, 'v1=', 'v1,', 'sha256=', 'Bearer ', '\t'];
	const tooShort = [secret.slice(1), secret.slice(0, -1)];
	const piece = fc.oneof(
		fc.constantFrom(...pieces),
		fc.constantFrom(...others, ...tooShort),
		fc.string({ unit: anyCharacter, maxLength: 3 }),
	);
	const header = fc
		.array(piece, { maxLength: 8 })
		.map((chosen) => chosen.join(''))
		.filter((value) => !value.includes(secret));
	return fc.record(Object.fromEntries(Object.keys({ ...seen[0] }).map((name) => [name, header])));
}

it('no pieces of headers prove a delivery that the sender didn’t sign, or make it name a secret', async () => {
	for (const scheme of SIGNED_SCHEMES) {
		const { saved, secrets } = scheme;
		const credentials = readWebhookCredentials({ ...saved, secret: secrets[0] });
		fc.assert(
			fc.property(await unprovenHeaders(scheme), (headers) => {
				const verify = () => verifySignature(BODY, headers, credentials, NOW * 1000);
				const refusal = rejectionOf(verify);
				expect(refusal).toBeDefined();
				expect(`${refusal?.message} ${refusal?.details.hint}`).not.toContain(secrets[0]);
			}),
			{ numRuns: runs(100) },
		);
	}
});
