import type { INodeParameters } from 'n8n-workflow';

import { useLog } from '../support/n8nLog';
import { messageOf } from '../../nodes/PayrollPayments/shared/errors';
import { escapeRegExp } from '../../nodes/PayrollPayments/shared/text';
import { depositEvent, otherEvent } from '../../n8nHost/sampleEvents';
import { FILTERED, GENUINE, NOT_SET_UP, useTriggerHosts } from '../support/triggerHost';

/* A setting that is there but resolves to nothing, or that no event could pass, never opens or closes. */

const start = useTriggerHosts();
const host = async (parameters: INodeParameters) => await start({ parameters });
const log = useLog();

type Value = INodeParameters[string];
type With = (value: Value) => INodeParameters;

const event: With = (events) => ({ events });
const status: With = (depositStatuses) => ({ events: ['deposit.received'], depositStatuses });
const option =
	(name: string): With =>
	(value) => ({ options: { [name]: value } });
const filter =
	(name: string): With =>
	(value) => ({ filters: { [name]: value } });

const FILTERS: Readonly<Record<string, With>> = {
	'Destination Currencies': filter('destinationCurrencies'),
	'Team or Company IDs': filter('entityIds'),
	'Event Versions': filter('eventVersions'),
	Networks: filter('networks'),
	Providers: filter('providers'),
	'Source Currencies': filter('sourceCurrencies'),
};
const REQUIRED_LISTS: Readonly<Record<string, With>> = {
	'Trigger On': event,
	'Deposit Statuses': status,
	'IP Allowlist': option('ipAllowlist'),
};
const LISTS = { ...REQUIRED_LISTS, ...FILTERS };
const NUMBERS: Readonly<Record<string, With>> = {
	'Minimum Amount (Cents)': filter('minimumAmountCents'),
	'Maximum Age (Seconds)': option('maximumAgeSeconds'),
};
const SETTINGS: Readonly<Record<string, With>> = {
	...{ ...LISTS, ...NUMBERS },
	'Deduplication History': option('deduplicationHistory'),
	Output: (output) => ({ output }),
	'Invalid Payload': option('invalidPayload'),
	'Include Headers': option('includeHeaders'),
	Deduplicate: option('deduplicate'),
};
const NEVER_EXPRESSIONS: Readonly<Record<string, With>> = {
	Acknowledge: option('acknowledge'),
	Filters: (filters) => ({ filters }),
	Options: (options) => ({ options }),
};

const BLANKS: readonly Value[] = ['', '  '];
const SEPARATORS = ' , ,\n';
/* With a pattern that tries every way to divide it, n8n would stand still for years. */
const LONG_VERSION = `2${'.00'.repeat(80)}!`;
const NO_EVENT = ' must be an event type such as deposit\\.received, or \\* for any';
const NO_CURRENCY = ', entry 1 must be a currency code of 3 to 5 letters or digits, e\\.g\\. USD';

type Refused = readonly [of: string | object, problem: string, values: readonly Value[]];

/** What each of these settings can't be, and what is said of it after its name. */
const REFUSED: readonly Refused[] = [
	[
		SETTINGS,
		' is an expression that resolved to nothing',
		['={{ undefined }}', '={{ null }}', '={{ "" }}', '={{ [] }}', '={{ $vars.missing }}'],
	],
	[REQUIRED_LISTS, ' is empty', [...BLANKS, SEPARATORS, []]],
	[FILTERS, ' is empty', [SEPARATORS]],
	[LISTS, ' must be a list, or text separated by commas', ['={{ {} }}', '={{ true }}']],
	[LISTS, ', entry 1 (must be text.*|is missing.*)', ['={{ [null, " "] }}', '={{ [[]] }}']],
	[
		LISTS,
		' (is empty|has an expression that resolved to nothing)',
		['={{ $vars.missing }}, {{ $vars.missing }}'],
	],
	[
		NUMBERS,
		' must be a whole number, 0 or more',
		[
			...['={{ NaN }}', '={{ Infinity }}', '={{ true }}', '={{ [5] }}', '={{ "5 dollars" }}'],
			...['five', '5,000', -1, 0.5],
		],
	],
	['Maximum Age (Seconds)', ' must be a whole number, 0 or more', ['', null]],
	['Filters', ' can’t be an expression or a text', ['none', '={{ { networks: ["base"] } }}']],
	['Options', ' can’t be an expression or a text', ['none', '={{ { deduplicate: true } }}']],
	['IP Allowlist', ' is empty', [null]],
	['IP Allowlist', ' has an expression that .*', ['=127.0.0.1, {{ $vars.missing }}']],
	['IP Allowlist', ', entry 1 must be text', ['={{ [127] }}', '={{ [{}] }}']],
	['IP Allowlist', ', entry 1 is wrong: “::1 x” isn’t .*', ['::1 x']],
	['IP Allowlist', ', entry 2 is wrong: “” isn’t .*', ['={{ ["::1", ""] }}']],
	['Trigger On', ', entry 2 must be text', ['={{ ["*", null] }}']],
	['Trigger On', `, entry 1${NO_EVENT}`, ['={{ "Deposit Received" }}', ['deposit'], ['']]],
	['Trigger On', `, entry 2${NO_EVENT}`, ['*,on deposit.received', '*,deposit.received!']],
	['Trigger On', ', entry 1 must be text', [['={{ undefined }}']]],
	['Deposit Statuses', ', entry 1 is missing.*', [[''], ['={{ undefined }}']]],
	['Deposit Statuses', ', entry 2 must be Complete, .*', [['complete', 'settled']]],
	['Destination Currencies', NO_CURRENCY, ['={{ "€" }}']],
	['Source Currencies', NO_CURRENCY, ['dollars']],
	['Team or Company IDs', ', entry 1 must have 15 characters, but has 4', ['te-1']],
	['Team or Company IDs', ', entry 1 must start with te- or co-.*', ['us-a1B2c3D4e5F6']],
	[
		'Event Versions',
		', entry 1 must be a version such as 2 or 2\\.1',
		['two', 'x2', '2x', '2.', '-2', '2.x', LONG_VERSION],
	],
	['Event Versions', ', entry 1 must be text', ['={{ [true] }}']],
	['Networks', ', entry 1 must be Arbitrum, .*', ['={{ "solana" }}']],
	['Providers', ', entry 1 must be text', ['={{ [7] }}']],
	['Providers', ', entry 1 is missing', [[' ']]],
	[
		'Deduplication History',
		' must be a whole number, from 1 to 100000',
		[0, -1, 1.5, 'many', null, '', 100_001],
	],
	['Output', ' must be Event or Simplified \\(event, simplified\\)', ['={{ "table" }}']],
	['Invalid Payload', ' must be Emit or Reject \\(emit, reject\\)', ['={{ "keep" }}']],
	['Include Headers', ' must be true or false', ['={{ "maybe" }}']],
	['Deduplicate', ' must be true or false', ['={{ "maybe" }}']],
	[
		'Acknowledge',
		' must be When Finished or When Received \\(finished, received\\)',
		['Finished', true, 1, ['finished']],
	],
	['Acknowledge', ' is missing\\. Select .*', [null, '']],
	['Acknowledge', ' can’t be an expression', ['={{ "finished" }}', '{{ "finished" }}']],
];

const CLOSED = REFUSED.flatMap(([of, problem, values]) =>
	(typeof of === 'string' ? [of] : Object.keys(of)).flatMap((label) => {
		const parametersWith = { ...SETTINGS, ...NEVER_EXPRESSIONS }[label];
		const message = `^${escapeRegExp(label)}${problem}$`;
		return values.map((value) => ({ message, parameters: parametersWith?.(value) ?? {} }));
	}),
);

it.each([
	...CLOSED,
	{
		message: '^Deposit Statuses is an expression that resolved to nothing$',
		parameters: { events: '={{ ["*"] }}', depositStatuses: '={{ [] }}' },
	},
	{ message: '^Options can’t be evaluated', parameters: option('ipAllowlist')('={{ $env.IPS }}') },
])(
	'$parameters can’t be activated, and is answered 500; the log says why: $message',
	async ({ message, parameters }) => {
		const n8n = await host(parameters);
		const refusal: unknown = await n8n.hook('create').catch((error: unknown) => error);
		const description = 'Correct the field, then publish the workflow again.';
		expect(refusal).toMatchObject({ message: expect.stringMatching(message), description });
		expect(await n8n.send(depositEvent())).toEqual(NOT_SET_UP);
		expect(await n8n.outputs()).toEqual([]);
		expect(log.lines).toEqual([
			`Payroll Payments Trigger can’t check deliveries: ${messageOf(refusal)}`,
		]);
	},
);

const withMinimum = filter('minimumAmountCents');
const withAge = option('maximumAgeSeconds');

const TAKEN: readonly INodeParameters[] = [
	{ options: {} },
	option('ipAllowlist')('={{ ["127.0.0.0/8", "::1"] }}'),
	event('={{ "payroll.closed;deposit.received" }}'),
	...Object.values(FILTERS).flatMap((each) => [...BLANKS, [], null].map(each)),
	...['', null, 1_084_205, '={{ " 1084205 " }}'].map(withMinimum),
	...[0, '0', '={{ 0 }}'].map(withAge),
	filter('destinationCurrencies')('eur;\nusd'),
	filter('networks')('={{ "base;arbitrum" }}'),
	filter('networks')('={{ ["Arbitrum"] }}'),
	filter('providers')('={{ "another bank, WirePartner" }}'),
	filter('entityIds')(' te-a1B2c3D4e5F6, ;co-a1B2c3D4e5F6\n'),
	...[['2'], ['v3', 2], '10.20-rc, 2.0'].map(filter('eventVersions')),
	filter('sourceCurrencies')(['us1', 'EUR']),
	option('ipAllowlist')('192.0.2.1;\n127.0.0.0/24,2001:db8::/32'),
	status(['Complete']),
];

it.each(TAKEN.map((parameters) => ({ parameters })))(
	'takes a deposit with $parameters',
	async ({ parameters }) => {
		const n8n = await host(parameters);
		expect(await n8n.hook('create')).toBe(true);
		expect(await n8n.send(depositEvent())).toEqual(GENUINE);
	},
);

it('ignores the statuses where no deposits are asked for', async () => {
	const n8n = await host({ events: ['invite.accepted'], depositStatuses: '={{ undefined }}' });
	expect(await n8n.hook('create')).toBe(true);
	expect(await n8n.send(otherEvent())).toEqual(GENUINE);
});

it('keeps to the addresses and the minimum that an expression gives', async () => {
	const elsewhere = await host(option('ipAllowlist')('={{ "192.0.2." + "1" }}'));
	const error = 'This address is not on the allowlist';
	expect(await elsewhere.send(depositEvent())).toEqual({ status: 403, body: { error } });
	expect(log.lines).toEqual([`Payroll Payments Trigger answered 403: ${error}: 127.0.0.1`]);
	const more = await host(withMinimum('={{ 1084205 + 1 }}'));
	expect(await more.send(depositEvent())).toEqual(FILTERED);
});

/* test/unit/trigger/receive has the boundaries, and signed deliveries. */
it('refuses an event that is too old with 401, also without a signature', async () => {
	const n8n = await host({ ...withAge(3_600), authentication: 'none' });
	const seconds = Date.now() / 1000;
	expect(await n8n.send(depositEvent({ created: seconds - 3_500 }))).toEqual(GENUINE);
	for (const created of [seconds - 3_700, (seconds - 3_700) * 1000]) {
		const old = await n8n.send(depositEvent({ created }));
		expect(old).toEqual({
			status: 401,
			body: { error: expect.stringMatching(/seconds old; at most 3600/) },
		});
	}
	expect(await n8n.outputs()).toHaveLength(1);
});

it.each<[INodeParameters, RegExp[]]>([
	[event('Invite.Accepted, *'), []],
	[event('payroll.closed, a.b'), [/event types that aren’t documented: payroll.closed, a.b$/]],
	[
		{
			filters: { sourceCurrencies: 'Euro, usd, USDC, eth', destinationCurrencies: ['US1', 'inr'] },
		},
		[/^Payroll Payments Trigger waits for currencies that it doesn’t know: Euro, US1$/],
	],
])('the log names the URL, and what isn’t known of %j', async (parameters, named) => {
	expect(await (await host(parameters)).hook('create')).toBe(true);
	const register = /can’t register its webhook .* dashboard: http.*webhook$/;
	expect(log.lines).toEqual([...named, register].map((line) => expect.stringMatching(line)));
});
