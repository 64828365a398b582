import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { outcomeOf, settingsWith } from '../../support/receivedEvent';
import { hmac, otherEvent, without } from '../../../n8nHost/sampleEvents';

const SECRET = 'whsec_1';
const credentials = readWebhookCredentials({ secret: SECRET, format: 'hex' });

/** Delivers an event that is signed and wanted, except for the changes. */
function deliver(event: unknown, changes: object = {}, signedWith = SECRET) {
	const rawBody = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
	const signature = hmac(signedWith, rawBody).toString('hex');
	const headers = { 'content-type': 'application/json', 'x-signature': signature };
	return outcomeOf({ ip: '203.0.113.7', headers, rawBody }, settingsWith(changes, credentials));
}

/** What the workflow starts with; undefined if nothing starts. */
function itemOf(...delivery: Parameters<typeof deliver>) {
	const outcome = deliver(...delivery);
	return 'item' in outcome ? outcome.item : undefined;
}

it('checks in the order allowlist, signature, content, filter', () => {
	const options = { ipAllowlist: '198.51.100.0/24' };
	const elsewhere = { events: ['invite.accepted'], options };
	const here = { ...elsewhere, options: {} };
	const unwanted = otherEvent({ event_type: 'payment.sent' });
	expect(deliver('no json', elsewhere, 'wrong')).toMatchObject({ status: 403 });
	expect(deliver('no json', here, 'wrong')).toMatchObject({ status: 401 });
	expect(deliver('no json', here)).toMatchObject({ status: 400 });
	expect(deliver(without(unwanted, 'created'), here)).toMatchObject({ status: 400 });
	expect(deliver(unwanted, here)).toMatchObject({ status: 200 });
	expect(deliver(otherEvent(), here)).toEqual({ idempotencyKey: 'key-2', item: otherEvent() });
});

/* At the time 0. test/n8n/closedOptions.test.ts has times in milliseconds. */
it.each<[created: unknown, error: string | undefined]>([
	...[-60, -60.4, 86_400, '0', '-60'].map((created): [unknown, undefined] => [created, undefined]),
	...[-61, '-61'].map((created): [unknown, string] => [
		created,
		'The event is 61 seconds old; at most 60 are allowed',
	]),
	...[undefined, null, 'now', '', 86_401, 4_102_444_800_000_000].map(
		(created): [unknown, string] => [created, 'The event has no usable creation time'],
	),
])('an event created at %j that may be 60 seconds old: %s', (created, error) => {
	const event = otherEvent({ created });
	const options = { invalidPayload: 'emit', maximumAgeSeconds: 60 };
	const hint = 'See Maximum Age (Seconds) in the trigger’s options.';
	expect(itemOf(event, { options: { ...options, maximumAgeSeconds: 0 } })).toBeDefined();
	expect(deliver(event, { options })).toMatchObject(
		error === undefined
			? { idempotencyKey: 'key-2' }
			: { status: 401, body: { error: `${error}. ${hint}` } },
	);
});

it.each([
	['headers', { includeHeaders: true }, { 'content-type': 'application/json' }],
	['validation_issues', { invalidPayload: 'emit' }, ['request_id must be string, not number']],
])('never replaces a field of the event with its own %s', (name, options, shown) => {
	const own = otherEvent({ request_id: 7, [name]: 'mine' });
	expect(itemOf(own)).toEqual(own);
	expect(itemOf(own, { options })).toEqual({ ...own, [`delivery_${name}`]: shown });
	const both = { ...own, [`delivery_${name}`]: 7 };
	expect(itemOf(both, { options })).toEqual(both);
	expect(itemOf(own, { options, output: 'simplified' })?.[name]).toEqual(shown);
});

it('treats a missing body as empty', () => {
	const headers = { 'x-signature': hmac(SECRET, '').toString('hex') };
	expect(outcomeOf({ headers }, settingsWith({}, credentials))).toMatchObject({ status: 400 });
});

it('keeps a __proto__ field as plain data', () => {
	const body = `${JSON.stringify(otherEvent()).slice(0, -1)},"__proto__":{"polluted":true}}`;
	const item = itemOf(body, { options: { includeHeaders: true } });
	expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
	expect(Object.keys(Object(item))).toContain('__proto__');
	expect({}).not.toHaveProperty('polluted');
});
