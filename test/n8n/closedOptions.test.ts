import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { depositEvent, otherEvent, timestamped } from '../support/sampleEvents';
import { recordLog } from '../support/n8nLog';
import { TriggerHost } from '../support/triggerHost';

const SECRET = 'whsec_1';
const TAKEN = { status: 200, body: { received: true } };
const FILTERED = { status: 200, body: { received: true, ignored: 'filter' } };
const NOT_SET_UP = {
	status: 500,
	body: { error: 'The receiving workflow is not set up correctly' },
};

const hosts: TriggerHost[] = [];
let log: ReturnType<typeof recordLog>;

beforeEach(() => {
	log = recordLog();
});

afterEach(async () => {
	log.stop();
	await Promise.all(hosts.splice(0).map((started) => started.stop()));
});

async function host(parameters: INodeParameters): Promise<TriggerHost> {
	const started = await TriggerHost.start({
		nodeId: randomUUID(),
		credentials: { secret: SECRET },
		parameters,
	});
	hosts.push(started);
	return started;
}

async function deliver(to: TriggerHost, event: Record<string, unknown>) {
	const body = Buffer.from(JSON.stringify(event));
	return await to.deliver(body, {
		'content-type': 'application/json',
		'x-signature': timestamped(SECRET, Math.floor(Date.now() / 1000), body),
	});
}

/** Can't be activated, answers 500, and the log names the field. */
async function expectClosed(parameters: INodeParameters, label: string): Promise<void> {
	const n8n = await host(parameters);
	await expect(n8n.hook('create')).rejects.toThrow(label);
	expect(await deliver(n8n, depositEvent())).toEqual(NOT_SET_UP);
	await n8n.idle();
	expect(n8n.executions).toEqual([]);
	expect(log.lines).toEqual([
		expect.stringMatching(`^Payroll Payments Trigger can't check deliveries: ${label}`),
	]);
}

async function expectAnswer(
	parameters: INodeParameters,
	answer: unknown,
	event: Record<string, unknown> = depositEvent(),
): Promise<void> {
	const n8n = await host(parameters);
	expect(await n8n.hook('create')).toBe(true);
	expect(await deliver(n8n, event)).toEqual(answer);
	await n8n.idle();
}

const EXPRESSIONS = [
	'={{ undefined }}',
	'={{ null }}',
	'={{ "" }}',
	'={{ [] }}',
	'={{ [null, " "] }}',
	'={{ $vars.missing }}',
	'={{ $vars.missing }}, {{ $vars.missing }}',
];
const BLANKS = ['', '  ', ' , ,\n'];

describe('IP Allowlist', () => {
	const withAllowlist = (ipAllowlist: INodeParameters[string]) => ({ options: { ipAllowlist } });

	it.each([...BLANKS, ...EXPRESSIONS, null, []])('%j accepts no sender', async (value) => {
		await expectClosed(withAllowlist(value), 'IP Allowlist');
	});

	it('accepts no sender if it can’t be evaluated', async () => {
		await expectClosed(withAllowlist('={{ $env.ALLOWED }}'), 'Options');
	});

	it.each(['={{ [127] }}', '={{ [{}] }}', '={{ {} }}', '={{ true }}'])(
		'%j isn’t a list of addresses and accepts no sender',
		async (value) => {
			await expectClosed(withAllowlist(value), 'IP Allowlist');
		},
	);

	it('accepts every sender if it was never added', async () => {
		await expectAnswer({ options: {} }, TAKEN);
	});

	it('accepts the addresses that an expression gives', async () => {
		await expectAnswer(withAllowlist('={{ ["127.0.0.0/8", ""] }}'), TAKEN);
		const other = await host(withAllowlist('={{ "192.0.2." + "1" }}'));
		expect((await deliver(other, depositEvent())).status).toBe(403);
	});
});

describe('Trigger On', () => {
	it.each([...BLANKS, ...EXPRESSIONS, [], [''], ['={{ undefined }}']])(
		'%j never drops an event with a 200',
		async (events) => {
			await expectClosed({ events }, 'Trigger On');
		},
	);

	it('start the workflow when an expression gives them', async () => {
		await expectAnswer({ events: '={{ "invite.accepted, deposit.received" }}' }, TAKEN);
	});
});

describe('Deposit Statuses', () => {
	it.each([...BLANKS, ...EXPRESSIONS, [], [''], ['={{ undefined }}']])(
		'%j never drops a deposit with a 200',
		async (depositStatuses) => {
			await expectClosed({ events: ['deposit.received'], depositStatuses }, 'Deposit Statuses');
			log.stop();
			log = recordLog();
			await expectClosed({ events: '={{ ["*"] }}', depositStatuses }, 'Deposit Statuses');
		},
	);

	it.each([['Complete'], ['complete', 'settled'], '={{ "paid" }}'])(
		'%j contains an unknown status and is refused',
		async (depositStatuses) => {
			await expectClosed({ depositStatuses }, 'Deposit Statuses');
		},
	);

	it('are ignored if no deposits are asked for', async () => {
		const parameters = { events: ['invite.accepted'], depositStatuses: '={{ undefined }}' };
		await expectAnswer(parameters, TAKEN, otherEvent());
	});
});

const LISTS = {
	destinationCurrencies: 'Destination Currencies',
	entityIds: 'Team or Company IDs',
	eventVersions: 'Event Versions',
	networks: 'Networks',
	providers: 'Providers',
	sourceCurrencies: 'Source Currencies',
};

describe.each(Object.entries(LISTS))('the filter %s', (name, label) => {
	it.each(EXPRESSIONS)('%j lets nothing through', async (value) => {
		await expectClosed({ filters: { [name]: value } }, label);
	});

	it.each(['={{ {} }}', '={{ [[]] }}', '={{ true }}'])('%j isn’t a list', async (value) => {
		await expectClosed({ filters: { [name]: value } }, label);
	});

	it.each([...BLANKS, [], null])('%j accepts everything', async (value) => {
		await expectAnswer({ filters: { [name]: value } }, TAKEN);
	});
});

describe('Minimum Amount', () => {
	const withMinimum = (minimumAmountCents: INodeParameters[string]) => ({
		filters: { minimumAmountCents },
	});

	it.each([
		'={{ undefined }}',
		'={{ null }}',
		'={{ "" }}',
		'={{ NaN }}',
		'={{ Infinity }}',
		'={{ true }}',
		'={{ [] }}',
		'={{ [5] }}',
		'={{ "5 dollars" }}',
		'five',
		'5,000',
	])('%j never counts as 0', async (value) => {
		await expectClosed(withMinimum(value), 'Minimum Amount');
	});

	it.each(['', null])('%j accepts everything', async (value) => {
		await expectAnswer(withMinimum(value), TAKEN);
	});

	it('counts as a number or as text', async () => {
		await expectAnswer(withMinimum(1_084_205), TAKEN);
		await expectAnswer(withMinimum('={{ " 1084205 " }}'), TAKEN);
		await expectAnswer(withMinimum('={{ 1084205 + 1 }}'), FILTERED);
	});
});

describe('Maximum Age', () => {
	const withAge = (maximumAgeSeconds: INodeParameters[string]) => ({
		options: { maximumAgeSeconds },
	});
	const createdAgo = (seconds: number) => depositEvent({ created: Date.now() / 1000 - seconds });

	it.each([
		...['', ' ', null, '={{ undefined }}', '={{ null }}', '={{ "" }}', '={{ NaN }}', '={{ [] }}'],
		...['={{ $vars.missing }}', '={{ true }}', 'a day', -1, '={{ Infinity }}'],
	])('%j never accepts any age', async (value) => {
		await expectClosed(withAge(value), 'Maximum Age');
	});

	it.each([0, '0', '={{ 0 }}'])('%j accepts any age', async (value) => {
		await expectAnswer(withAge(value), TAKEN, depositEvent({ created: 0 }));
	});

	it('refuses an older event with 401, also without a signature', async () => {
		const n8n = await host(withAge(3_600));
		expect(await deliver(n8n, createdAgo(3_500))).toEqual(TAKEN);
		expect(await deliver(n8n, createdAgo(-3_700))).toMatchObject({ status: 200 });
		const old = await deliver(n8n, createdAgo(3_700));
		expect(old).toMatchObject({ status: 401 });
		expect(JSON.stringify(old.body)).toMatch(/seconds old; at most 3600 are allowed/);
		const milliseconds = depositEvent({ created: Date.now() - 3_700_000 });
		expect(await deliver(n8n, milliseconds)).toMatchObject({ status: 401 });
		await n8n.idle();
		expect(n8n.executions).toHaveLength(1);

		const unsigned = await host({ ...withAge(3_600), authentication: 'none' });
		expect(await deliver(unsigned, createdAgo(3_700))).toMatchObject({ status: 401 });
	});

	it('refuses an event whose age can’t be read, even if invalid events are emitted', async () => {
		const options = { maximumAgeSeconds: '={{ 3600 }}', invalidPayload: 'emit' };
		const n8n = await host({ options });
		expect(await deliver(n8n, depositEvent({ created: 'today' }))).toMatchObject({ status: 401 });
		expect(await deliver(n8n, depositEvent({ created: undefined }))).toMatchObject({ status: 401 });
	});
});

describe('a setting that no event could pass', () => {
	it.each([
		['Trigger On', { events: '={{ "Deposit received" }}' }],
		['Trigger On', { events: ['deposit'] }],
		['Team or Company IDs', { filters: { entityIds: 'te-1' } }],
		['Team or Company IDs', { filters: { entityIds: '={{ "us-a1B2c3D4e5F6" }}' } }],
		['Event Versions', { filters: { eventVersions: 'two' } }],
		['Source Currencies', { filters: { sourceCurrencies: 'US dollars' } }],
		['Destination Currencies', { filters: { destinationCurrencies: '={{ "€" }}' } }],
		['Networks', { filters: { networks: '={{ "solana" }}' } }],
		['Providers', { filters: { providers: '={{ ["bank"] }}' } }],
		['Deduplication History', { options: { deduplicationHistory: 0 } }],
		['Deduplication History', { options: { deduplicationHistory: 100_001 } }],
		['Deduplication History', { options: { deduplicationHistory: '={{ 1.5 }}' } }],
		['Deduplication History', { options: { deduplicationHistory: '={{ undefined }}' } }],
	])('is refused, as in %s: %j', async (label, parameters) => {
		await expectClosed(parameters, label);
	});

	it.each([
		{ filters: { entityIds: 'te-a1B2c3D4e5F6;co-a1B2c3D4e5F6' } },
		{ filters: { destinationCurrencies: 'eur;\nusd' } },
		{ filters: { eventVersions: '1;v2' } },
		{ filters: { networks: '={{ "base;arbitrum" }}' } },
		{ events: '={{ "payroll.closed;deposit.received" }}' },
	])('isn’t one with other separators: %j', async (parameters) => {
		await expectAnswer(parameters, TAKEN);
	});

	it('is named in the log if it waits for an event type that isn’t documented', async () => {
		const n8n = await host({ events: ['payroll.closed', 'invite.accepted', '*'] });
		expect(await n8n.hook('create')).toBe(true);
		expect(log.lines).toContain(
			"Payroll Payments Trigger waits for event types that aren't documented: payroll.closed",
		);
	});
});

describe('the other parameters', () => {
	it.each([
		['Output', { output: '={{ undefined }}' }],
		['Output', { output: '={{ "table" }}' }],
		['Invalid Payload', { options: { invalidPayload: '={{ "keep" }}' } }],
		['Include Headers', { options: { includeHeaders: '={{ "maybe" }}' } }],
		['Deduplicate', { options: { deduplicate: '={{ "maybe" }}' } }],
	])('are named if their value is invalid: %s', async (label, parameters) => {
		await expectClosed(parameters, label);
	});

	it('use the strict value if an expression finds nothing', async () => {
		const options = {
			deduplicate: '={{ undefined }}',
			includeHeaders: '={{ null }}',
			invalidPayload: '={{ undefined }}',
		};
		const n8n = await host({ options });
		expect(await deliver(n8n, otherEvent({ event_version: 2 }))).toMatchObject({ status: 400 });
		expect(await deliver(n8n, otherEvent())).toEqual(TAKEN);
		expect(await deliver(n8n, otherEvent())).toMatchObject({ body: { ignored: 'duplicate' } });
		await n8n.idle();
		expect(n8n.executions.map(({ output }) => output[0]?.json)).toEqual([otherEvent()]);
	});
});
