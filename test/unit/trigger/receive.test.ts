import { readSettings } from '../../../nodes/PayrollPayments/trigger/settings';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { outcomeOf, sourceOf } from '../../support/receivedEvent';
import { deposit, depositEvent, hmac, otherEvent, without } from '../../support/sampleEvents';

const SECRET = 'whsec_1';
const credentials = readWebhookCredentials({ secret: SECRET, format: 'hex' });

type Saved = Readonly<Record<string, unknown>>;

interface Change {
	readonly headers?: Record<string, string>;
	readonly address?: string;
	readonly signedWith?: string;
	readonly proven?: boolean;
}

/** Delivers an event that is signed and wanted, except for the changes. */
function deliver(event: unknown, saved: Saved = {}, change: Change = {}) {
	const rawBody = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
	const settings = readSettings(
		sourceOf({
			events: ['*'],
			depositStatuses: ['complete'],
			filters: {},
			output: 'event',
			options: {},
			...saved,
		}),
		change.proven === false ? undefined : credentials,
	);
	const headers = {
		'content-type': 'application/json',
		'x-signature': hmac(change.signedWith ?? SECRET, rawBody).toString('hex'),
		...change.headers,
	};
	return outcomeOf({ ip: change.address ?? '203.0.113.7', headers, rawBody }, settings);
}

const status = (outcome: ReturnType<typeof outcomeOf>) =>
	'status' in outcome ? outcome.status : 'accepted';

it('checks in the order allowlist, signature, content, filter', () => {
	const options = { ipAllowlist: '198.51.100.0/24' };
	const elsewhere = { events: ['invite.accepted'], options };
	const here = { ...elsewhere, options: {} };
	const broken = without(otherEvent({ event_type: 'payment.sent' }), 'created');
	expect(status(deliver('no json', elsewhere, { signedWith: 'wrong' }))).toBe(403);
	expect(status(deliver('no json', here, { signedWith: 'wrong' }))).toBe(401);
	expect(status(deliver('no json', here))).toBe(400);
	expect(status(deliver(broken, here))).toBe(400);
	expect(status(deliver(otherEvent({ event_type: 'payment.sent' }), here))).toBe(200);
	expect(status(deliver(otherEvent(), here))).toBe('accepted');
});

it('emits an invalid event with what is wrong, if asked to', () => {
	const event = depositEvent({ deposit: without(deposit(), 'network') });
	const emit = { options: { invalidPayload: 'emit' } };
	const issues = { validation_issues: ['deposit.network is missing'] };
	expect(deliver(event, { ...emit, output: 'simplified' })).toMatchObject({
		item: { network: null, destination_amount: '10842.05', ...issues },
	});
	expect(status(deliver(without(depositEvent(), 'idempotency_key'), emit))).toBe(400);
	expect(deliver(depositEvent(), emit)).toMatchObject({ item: depositEvent() });
});

it('never replaces a field of the event with the headers', () => {
	const options = { includeHeaders: true };
	const shown = { 'content-type': 'application/json' };
	const own = otherEvent({ headers: 'mine' });
	expect(deliver(own, { options })).toMatchObject({ item: { ...own, delivery_headers: shown } });
	const both = { ...own, delivery_headers: 7 };
	expect(deliver(both, { options })).toMatchObject({ item: both });
	expect(deliver(own, { options, output: 'simplified' })).toMatchObject({
		item: { headers: shown },
	});
});

it('never replaces a field of the event with what is wrong with it', () => {
	const options = { invalidPayload: 'emit' };
	const issues = ['request_id must be string, not number'];
	const own = otherEvent({ request_id: 7, validation_issues: 'mine' });
	expect(deliver(own, { options })).toMatchObject({
		item: { ...own, delivery_validation_issues: issues },
	});
	const both = { ...own, delivery_validation_issues: 7 };
	expect(deliver(both, { options })).toMatchObject({ item: both });
	expect(deliver(own, { options, output: 'simplified' })).toMatchObject({
		item: { validation_issues: issues },
	});
});

it('treats a missing body as empty', () => {
	const settings = readSettings(
		sourceOf({ events: ['*'], depositStatuses: ['complete'], output: 'event' }),
		credentials,
	);
	const headers = { 'x-signature': hmac(SECRET, '').toString('hex') };
	expect(outcomeOf({ headers }, settings)).toMatchObject({
		status: 400,
	});
});

it('keeps a __proto__ field as plain data', () => {
	const body = `${JSON.stringify(otherEvent()).slice(0, -1)},"__proto__":{"polluted":true}}`;
	const outcome = deliver(body, { options: { includeHeaders: true } });
	const item = 'item' in outcome ? outcome.item : {};
	expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
	expect(Object.keys(item)).toContain('__proto__');
	expect({}).not.toHaveProperty('polluted');
});
