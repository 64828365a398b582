import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { deliveryShape, type DeliveryAttempt, type Sent } from '../deliveries';
import { makeEvent, type ServiceEvent } from '../events';
import type { Service } from '../service';
import { bodyOf } from './body';
import { lastOf } from './lastOf';

const sendingShape = z.object({
	version: z.number().int().min(1).max(10).default(2),
	/** Fields of the envelope to replace or add; null ones are left out. */
	envelope: z.record(z.unknown()).default({}),
	/** How many different events. */
	count: z.number().int().min(1).max(100_000).default(1),
	/** Deliveries in flight at once. */
	concurrency: z.number().int().min(1).max(200).default(10),
	delivery: deliveryShape.default({}),
	/** Whether to answer only when the first attempts have their outcome. */
	wait: z.boolean().default(true),
});
const eventShape = sendingShape
	.extend({
		event_type: z.string(),
		/** Fields of the event's own object to replace or add; null ones are left out. */
		content: z.record(z.unknown()).default({}),
	})
	.strict();
const depositShape = sendingShape
	.extend({
		/** Fields of the deposit to replace or add; null ones are left out. */
		deposit: z.record(z.unknown()).default({}),
		/** One event for each status of the same deposit, in this order. */
		statuses: z.array(z.string()).nonempty().optional(),
		/** Sends them the other way round. */
		reorder: z.boolean().default(false),
	})
	.strict();

/** Webhook endpoints, events on demand, and the log of what was delivered. */
export function addDeliveryControl(app: FastifyInstance, service: Service): void {
	app.get('/sandbox/endpoints', async () => ({ endpoints: service.deliveries.endpoints() }));
	app.post('/sandbox/endpoints', async (request) => service.deliveries.register(bodyOf(request)));
	app.delete('/sandbox/endpoints', async () => {
		service.deliveries.forgetEndpoints();
		return { forgotten: true };
	});

	app.post('/sandbox/events', async (request) => {
		const wishes = eventShape.parse(bodyOf(request));
		const events = Array.from({ length: wishes.count }, () =>
			withoutNulls(makeEvent(wishes.event_type, service.organisation, wishes)),
		);
		return await sendAll(service, events, wishes);
	});
	app.post('/sandbox/deposits', async (request) => {
		const wishes = depositShape.parse(bodyOf(request));
		const events = Array.from({ length: wishes.count }, () =>
			depositEvents(service, wishes),
		).flat();
		if (wishes.delivery.signature === 'valid') events.forEach((event) => credit(service, event));
		// A life has an order only when its events go out one after the other.
		const concurrency = wishes.statuses ? 1 : wishes.concurrency;
		return await sendAll(service, events, { ...wishes, concurrency });
	});

	app.get('/sandbox/deliveries', async (request) => ({
		deliveries: lastOf(service.deliveries.log(), request.query),
	}));
	app.post('/sandbox/deliveries/repeat', async (request, reply) => {
		const delivery = deliveryShape.parse(bodyOf(request));
		const last = service.deliveries.log().at(-1);
		if (!last) return await reply.code(404).send({ error: 'Nothing was delivered yet' });
		const { event_type, idempotency_key, body: rawBody } = last;
		const event = { event_type, idempotency_key };
		const wishes = { ...delivery, rawBody };
		return {
			attempts: await service.deliveries.send(event, wishes, service.settings).firstAttempts,
		};
	});
	app.delete('/sandbox/deliveries', async () => {
		service.deliveries.clearLog();
		return { cleared: true };
	});
}

/** The life of one deposit, a new event (and idempotency key) for each status. */
function depositEvents(
	{ organisation }: Service,
	{ version, envelope, deposit, statuses, reorder }: z.infer<typeof depositShape>,
): ServiceEvent[] {
	const makeOne = (content: Record<string, unknown>): ServiceEvent =>
		makeEvent('deposit.received', organisation, { version, envelope, content });
	const first = makeOne(deposit);
	if (!statuses) return [withoutNulls(first)];
	const same = z.record(z.unknown()).parse(first.deposit);
	const events = statuses.map((status) => withoutNulls(makeOne({ ...same, status })));
	return reorder ? events.reverse() : events;
}

const creditShape = z.object({
	deposit: z.object({
		status: z.literal('complete'),
		entity_nanoid: z.string(),
		destination_currency: z.string(),
		destination_amount_cents: z.number().int().nonnegative(),
	}),
});

/** Puts a complete deposit on the balance; one with made-up fields stays an event only. */
function credit({ organisation }: Service, event: ServiceEvent): void {
	const deposit = creditShape.safeParse(event).data?.deposit;
	const balances = deposit && organisation.workspace(deposit.entity_nanoid)?.balances;
	if (!balances) return;
	const { destination_currency: currency, destination_amount_cents: cents } = deposit;
	balances.set(currency, (balances.get(currency) ?? 0n) + BigInt(cents));
}

/** Null means: leave this field out, on the envelope and one level below. */
function withoutNulls(event: ServiceEvent): ServiceEvent {
	const kept = Object.entries(event).filter(([, value]) => value !== null);
	return Object.fromEntries(
		kept.map(([name, value]) => {
			const nested = z.record(z.unknown()).safeParse(value);
			if (Array.isArray(value) || !nested.success) return [name, value];
			return [name, Object.fromEntries(Object.entries(nested.data).filter(([, v]) => v !== null))];
		}),
	);
}

interface Sending {
	readonly concurrency: number;
	readonly wait: boolean;
	readonly delivery: z.infer<typeof deliveryShape>;
}

async function sendAll(
	service: Service,
	events: readonly ServiceEvent[],
	{ concurrency, wait, delivery }: Sending,
): Promise<object> {
	const send = (event: ServiceEvent): Sent =>
		service.deliveries.send(event, delivery, service.settings);
	const first: DeliveryAttempt[] = [];
	const queue = [...events];
	const worker = async (): Promise<void> => {
		for (let event = queue.shift(); event; event = queue.shift()) {
			first.push(...(await send(event).firstAttempts));
		}
	};
	const all = Promise.all(Array.from({ length: concurrency }, worker));
	if (!wait) return { events };
	await all;
	return { events, attempts: first };
}
