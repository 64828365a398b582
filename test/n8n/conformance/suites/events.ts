import { without } from '../../../../n8nHost/sampleEvents';
import { GENUINE, TriggerHost } from '../../../support/triggerHost';
import { examplesOf, isRecord } from '../examples';
import { schema, valuesOf, type Schema } from '../openapi';

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

/** A trigger for any event, and deposits of any status. */
async function withHost(use: (host: TriggerHost) => Promise<void>): Promise<void> {
	const parameters = { events: ['*'], depositStatuses: ALL_STATUSES };
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
export function eventsSuite(): void {
	it('full and sparse events and deposits come out as they are', async () => {
		const examples = [
			...depositReceived.allowed.map(({ value }) => recordOf(value)),
			...eventEnvelope.allowed.map(({ value }) => recordOf(value)),
			recordOf(depositReceived.sparse),
			recordOf(eventEnvelope.sparse),
			{ ...fullDeposit, deposit: { ...recordOf(fullDeposit.deposit), new_field: [1] } },
			{ ...fullEvent, event_type: 'a.new.type', anything: { else: true } },
		].map(fresh);
		await withHost(async (host) => {
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
		await withHost(async (host) => {
			for (const event of wrong) expect(await host.send(event)).toMatchObject({ status: 400 });
			expect(await outputs(host)).toEqual([]);
		});
	});
}
