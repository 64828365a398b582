import { runNode } from '../../../support/actionHost';
import { without } from '../../../../n8nHost/sampleEvents';
import { FILTERED, GENUINE, SECRET, TriggerHost } from '../../../support/triggerHost';
import { examplesOf, isRecord } from '../examples';
import { bodyField, boundsOf, schema, valuesOf, type Schema } from '../openapi';
import type { World } from '../world';

const EVENT_TYPES = valuesOf('EventType');
const [, MOST_VERSION] = boundsOf(bodyField('sendTestDelivery', 'version'));
const depositReceived = examplesOf(schema('DepositReceivedEvent'));
const eventEnvelope = examplesOf(schema('EventEnvelope'));

type Json = Record<string, unknown>;

function recordOf(value: unknown): Json {
	if (!isRecord(value)) throw new Error('not an object');
	return value;
}

let keys = 0;

/** An event with a key of its own. */
function fresh(event: Json): Json {
	keys += 1;
	return { ...event, idempotency_key: `conformance-${keys}` };
}

const fullDeposit = recordOf(depositReceived.allowed[0].value);
const fullEvent = recordOf(eventEnvelope.allowed[0].value);

const ALL_STATUSES = [...valuesOf('Deposit.status')];

/** A trigger for some types of events, and deposits of any status. */
async function withHost(
	events: string[],
	use: (host: TriggerHost) => Promise<void>,
): Promise<void> {
	const parameters = { events, depositStatuses: ALL_STATUSES };
	const host = await TriggerHost.start({ parameters });
	try {
		await use(host);
	} finally {
		await host.idle();
		await host.stop();
	}
}

const outputs = async (host: TriggerHost) => (await host.outputs()).flat();

/** Every event through the trigger. test/unit/trigger has the filters and the simplified row. */
export function eventsSuite(world: World): void {
	it('each type passes any filter that names it, and no other', async () => {
		const eventOf = (type: string): Json =>
			fresh(type === 'deposit.received' ? fullDeposit : { ...fullEvent, event_type: type });
		await withHost(['*'], async (host) => {
			const events = EVENT_TYPES.map(eventOf);
			for (const event of events) expect(await host.send(event)).toEqual(GENUINE);
			expect(await outputs(host)).toEqual(events);
		});
		for (const type of EVENT_TYPES) {
			await withHost([type], async (host) => {
				const another = EVENT_TYPES.find((each) => each !== type) ?? '';
				expect(await host.send(eventOf(type))).toEqual(GENUINE);
				expect(await host.send(eventOf(another))).toEqual(FILTERED);
			});
		}
	});

	it('full and sparse events and deposits come out as they are', async () => {
		const examples = [
			...depositReceived.allowed.map(({ value }) => recordOf(value)),
			...eventEnvelope.allowed.map(({ value }) => recordOf(value)),
			recordOf(depositReceived.sparse),
			recordOf(eventEnvelope.sparse),
			{ ...fullDeposit, deposit: { ...recordOf(fullDeposit.deposit), new_field: [1] } },
			{ ...fullEvent, event_type: 'a.new.type', anything: { else: true } },
		].map(fresh);
		await withHost(['*'], async (host) => {
			for (const event of examples) expect(await host.send(event)).toEqual(GENUINE);
			expect(await outputs(host)).toEqual(examples);
		});
	});

	it('an event or deposit without a required field is refused with 400', async () => {
		const lacking = (whole: Json, { required = [] }: Schema): Json[] =>
			required.map((name) => without(whole, name));
		const deposits = lacking(recordOf(fullDeposit.deposit), schema('Deposit'));
		/* In other versions, only the envelope is required. */
		const documented = { ...fullDeposit, event_version: '2.0' };
		const envelopes = lacking(documented, schema('DepositReceivedEvent'));
		const wrong = [
			...deposits.map((deposit) => fresh({ ...documented, deposit })),
			...envelopes.map((event) => ('idempotency_key' in event ? fresh(event) : event)),
			fresh({ ...fullDeposit, object: 'message' }),
		];
		await withHost(['*'], async (host) => {
			for (const event of wrong) expect(await host.send(event)).toMatchObject({ status: 400 });
			expect(await outputs(host)).toEqual([]);
		});
	});

	it('a test event of each type and version reaches the trigger from the service', async () => {
		world.refresh();
		await withHost(['*'], async (host) => {
			world.service.deliveries.register({ nanoid: world.webhook, url: host.url, secret: SECRET });
			const asked = [
				...EVENT_TYPES.map((eventType) => ({ eventType, version: 2 })),
				...Array.from({ length: MOST_VERSION }, (_, index) => ({
					eventType: 'invite.accepted',
					version: index + 1,
				})),
			];
			for (const { eventType, version } of asked) {
				const { output, error } = await runNode(world.signedIn, {
					resource: 'webhook',
					operation: 'send',
					webhookId: world.webhook,
					eventType,
					version,
				});
				expect(error?.message).toBeUndefined();
				const event = recordOf(output[0]?.json.test_payload);
				expect(world.service.description.eventProblems(event)).toEqual([]);
				expect(event).toMatchObject({ event_type: eventType, event_version: String(version) });
			}
			await arrived(host, asked.length);
			const types = (await outputs(host)).map((event) => recordOf(event).event_type);
			expect(types.sort()).toEqual(asked.map(({ eventType }) => eventType).sort());
		});
	});
}

/** Waits until the sandbox has delivered, without looking at a clock. */
async function arrived(host: TriggerHost, count: number): Promise<void> {
	for (let round = 0; round < 10_000 && host.executions.length < count; round++) {
		await new Promise((resolve) => setImmediate(resolve));
		await host.idle();
	}
	expect(host.executions).toHaveLength(count);
}
