import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { deliveryShape, type Delivery, type DeliveryAttempt } from '../deliveries';
import { eventVersionOf, makeEvent, type ServiceEvent } from '../events';
import type { SimulatedService } from '../simulatedService';
import { bodyOf } from './body';
import { lastOf } from './lastOf';

const sendShape = z.object({
	version: z.number().int().min(1).max(10).default(2),
	/** Whether deposits have the fields that may be missing, or null in them. */
	optionalFields: z.union([z.boolean(), z.literal('nulls')]).default(false),
	/** Fields of the envelope to replace or add; null removes one. */
	envelope: z.record(z.unknown()).default({}),
	/** How many different events to send. */
	count: z.number().int().min(1).max(100_000).default(1),
	/** How many deliveries to send at the same time. */
	concurrency: z.number().int().min(1).max(200).default(10),
	delivery: deliveryShape.default({}),
	/** Whether to wait until all first attempts have ended. */
	wait: z.boolean().default(true),
});
const eventShape = sendShape
	.extend({
		event_type: z.string(),
		/** Fields of the event's object to replace or add; null removes one. */
		content: z.record(z.unknown()).default({}),
	})
	.strict();
const depositShape = sendShape
	.extend({
		/** Fields of the deposit to replace or add; null removes one. */
		deposit: z.record(z.unknown()).default({}),
		/** Statuses of the same deposit, one event for each, in this order. */
		statuses: z.array(z.string()).nonempty().optional(),
		/** Whether to reverse that order. */
		reorder: z.boolean().default(false),
	})
	.strict();

/** Routes for webhook endpoints, events and the delivery log. */
export function addDeliveryControl(app: FastifyInstance, service: SimulatedService): void {
	app.get('/sandbox/endpoints', async () => ({ endpoints: service.deliveries.endpoints() }));
	app.post('/sandbox/endpoints', async (request) => service.deliveries.register(bodyOf(request)));
	app.delete('/sandbox/endpoints', async () => {
		service.deliveries.forgetEndpoints();
		return { forgotten: true };
	});

	app.get('/sandbox/event-types', async () => ({
		event_types: service.description.enumeration('EventType'),
	}));
	app.post('/sandbox/events', async (request) => {
		const { event_type, ...options } = eventShape.parse(bodyOf(request));
		const events = Array.from({ length: options.count }, () => make(service, event_type, options));
		return await sendAll(service, events, options);
	});
	app.post('/sandbox/deposits', async (request) => {
		const options = depositShape.parse(bodyOf(request));
		const deposits = Array.from({ length: options.count }, () => depositEvents(service, options));
		const { signature, age, bodyAfterSigning } = options.delivery;
		// A forged or old event says nothing about real money.
		if (signature === 'valid' && age === 0 && bodyAfterSigning === undefined) {
			for (const event of deposits.flat()) book(service, event);
		}
		const events = deposits.flatMap((each) => (options.reorder ? each.toReversed() : each));
		// Statuses keep their order only if one event is sent at a time.
		const concurrency = options.statuses ? 1 : options.concurrency;
		return await sendAll(service, events, { ...options, concurrency });
	});

	app.get('/sandbox/deliveries', async (request) => ({
		deliveries: lastOf(service.deliveries.log(), request.query),
	}));
	app.post('/sandbox/deliveries/repeat', async (request, reply) => {
		const delivery = deliveryShape.parse(bodyOf(request));
		const last = service.deliveries.log().at(-1);
		if (!last) return await reply.code(404).send({ error: 'Nothing has been delivered yet' });
		const { event_type, idempotency_key, body: rawBody } = last;
		const event = { event_type, idempotency_key };
		const options = { ...delivery, rawBody };
		return {
			attempts: await service.deliveries.send(event, options, service.settings).firstAttempts,
		};
	});
	app.delete('/sandbox/deliveries', async () => {
		service.deliveries.clearLog();
		return { cleared: true };
	});
}

/** Events of one deposit, one for each status, each with a new idempotency key. */
function depositEvents(
	service: SimulatedService,
	{ deposit, statuses, ...options }: z.infer<typeof depositShape>,
): ServiceEvent[] {
	const first = make(service, 'deposit.received', { ...options, content: deposit });
	if (!statuses) return [first];
	const same = z.record(z.unknown()).parse(first.deposit);
	return statuses.map((status, index) => {
		const updated_at = new Date(Date.now() + index).toISOString();
		const content = { ...same, updated_at, ...deposit, status };
		return make(service, 'deposit.received', { ...options, content });
	});
}

type MakeOptions = Pick<z.infer<typeof eventShape>, 'version' | 'optionalFields' | 'envelope'> & {
	readonly content: Readonly<Record<string, unknown>>;
};

/** Makes an event without the fields for which null was given. */
function make(
	{ organisation, settings }: SimulatedService,
	eventType: string,
	{ version, optionalFields, envelope, content }: MakeOptions,
): ServiceEvent {
	const eventVersion = eventVersionOf(settings, version);
	const event = makeEvent(eventType, organisation, {
		eventVersion,
		optionalFields,
		envelope,
		content,
	});
	const remaining = (values: object, asked: Readonly<Record<string, unknown>>): object =>
		Object.fromEntries(Object.entries(values).filter(([name]) => asked[name] !== null));
	return Object.fromEntries(
		Object.entries(remaining(event, envelope)).map(([name, value]): [string, unknown] => {
			const object = z.object({}).passthrough().safeParse(value);
			return [name, object.success ? remaining(object.data, content) : value];
		}),
	);
}

const bookingShape = z.object({
	deposit: z.object({
		nanoid: z.string(),
		status: z.enum(['complete', 'reverted']),
		entity_nanoid: z.string(),
		destination_currency: z.string(),
		destination_amount_cents: z.number().int().nonnegative(),
	}),
});

/** Adds a complete deposit to the balance once, until it is reverted; ignores a malformed one. */
function book({ organisation }: SimulatedService, event: ServiceEvent): void {
	const deposit = bookingShape.safeParse(event).data?.deposit;
	const balances = deposit && organisation.workspace(deposit.entity_nanoid)?.balances;
	if (!balances) return;
	const { nanoid, status, destination_currency: currency } = deposit;
	const credited = organisation.credits.get(nanoid);
	const isFirst = credited === undefined;
	if (isFirst !== (status === 'complete')) return;
	const change = isFirst ? BigInt(deposit.destination_amount_cents) : -credited;
	organisation.credits.set(nanoid, (credited ?? 0n) + change);
	balances.set(currency, (balances.get(currency) ?? 0n) + change);
}

interface SendOptions {
	readonly concurrency: number;
	readonly wait: boolean;
	readonly delivery: z.infer<typeof deliveryShape>;
}

async function sendAll(
	service: SimulatedService,
	events: readonly ServiceEvent[],
	{ concurrency, wait, delivery }: SendOptions,
): Promise<object> {
	const send = (event: ServiceEvent): Delivery =>
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
