import type { INodeParameters } from 'n8n-workflow';

import { useLog } from '../support/n8nLog';
import { depositEvent, otherEvent } from '../../n8nHost/sampleEvents';
import { FILTERED, GENUINE, NOT_SET_UP, useTriggerHosts } from '../support/triggerHost';

/* A setting that is there but resolves to nothing, or that no event could pass, never opens or closes. */

const start = useTriggerHosts();
const host = async (parameters: INodeParameters) => await start({ parameters });
const log = useLog();

type Value = INodeParameters[string];

const EXPRESSIONS: readonly Value[] = [
	'={{ undefined }}',
	'={{ null }}',
	'={{ "" }}',
	'={{ [] }}',
	'={{ [null, " "] }}',
	'={{ $vars.missing }}',
	'={{ $vars.missing }}, {{ $vars.missing }}',
];
const BLANKS: readonly Value[] = ['', '  '];
const SEPARATORS = ' , ,\n';
const NO_LISTS: readonly Value[] = ['={{ {} }}', '={{ [[]] }}', '={{ true }}'];
const EMPTY_MENU: readonly Value[] = [[], [''], ['={{ undefined }}']];

const event = (events: Value): INodeParameters => ({ events });
const status = (depositStatuses: Value): INodeParameters => ({
	events: ['deposit.received'],
	depositStatuses,
});
const statusOfAny = (depositStatuses: Value): INodeParameters => ({
	events: '={{ ["*"] }}',
	depositStatuses,
});
const option =
	(name: string) =>
	(value: Value): INodeParameters => ({ options: { [name]: value } });
const filter =
	(name: string) =>
	(value: Value): INodeParameters => ({ filters: { [name]: value } });

type Setting = readonly [
	label: string,
	parametersWith: (value: Value) => INodeParameters,
	values: readonly Value[],
];

const FILTERS: ReadonlyArray<readonly [string, string, readonly Value[]]> = [
	['Destination Currencies', 'destinationCurrencies', ['={{ "€" }}']],
	['Team or Company IDs', 'entityIds', ['te-1', '={{ "us-a1B2c3D4e5F6" }}']],
	['Event Versions', 'eventVersions', ['two']],
	['Networks', 'networks', ['={{ "solana" }}']],
	['Providers', 'providers', ['={{ [7] }}']],
	['Source Currencies', 'sourceCurrencies', ['US dollars']],
];

const TEXTS: readonly Value[] = ['none', "={{ { providers: ['bank'] } }}"];

const CLOSED: readonly Setting[] = [
	['Filters', (filters) => ({ filters }), TEXTS],
	['Options', (options) => ({ options }), TEXTS],
	[
		'IP Allowlist',
		option('ipAllowlist'),
		[...BLANKS, SEPARATORS, ...EXPRESSIONS, ...NO_LISTS, null, []],
	],
	[
		'IP Allowlist',
		option('ipAllowlist'),
		['=127.0.0.1, {{ $vars.missing }}', '={{ [127] }}', '={{ [{}] }}', '={{ ["::1", ""] }}'],
	],
	['Options', option('ipAllowlist'), ['={{ $env.ALLOWED }}']],
	['Trigger On', event, [...BLANKS, SEPARATORS, ...EXPRESSIONS, ...EMPTY_MENU]],
	['Trigger On', event, ['={{ "Deposit Received" }}', ['deposit']]],
	['Deposit Statuses', status, [...BLANKS, SEPARATORS, ...EXPRESSIONS, ...EMPTY_MENU]],
	['Deposit Statuses', statusOfAny, [...BLANKS, SEPARATORS, ...EXPRESSIONS, ...EMPTY_MENU]],
	['Deposit Statuses', status, [['complete', 'settled'], '={{ "paid" }}']],
	...FILTERS.map(
		([label, name, impossible]): Setting => [
			label,
			filter(name),
			[SEPARATORS, ...EXPRESSIONS, ...NO_LISTS, ...impossible],
		],
	),
	[
		'Minimum Amount',
		filter('minimumAmountCents'),
		[
			...['={{ undefined }}', '={{ null }}', '={{ "" }}', '={{ NaN }}', '={{ Infinity }}'],
			...['={{ true }}', '={{ [] }}', '={{ [5] }}', '={{ "5 dollars" }}', 'five', '5,000'],
		],
	],
	[
		'Maximum Age',
		option('maximumAgeSeconds'),
		[
			...['', ' ', null, '={{ undefined }}', '={{ null }}', '={{ "" }}', '={{ NaN }}', '={{ [] }}'],
			...['={{ $vars.missing }}', '={{ true }}', 'a day', -1, '={{ Infinity }}'],
		],
	],
	['Deduplication History', option('deduplicationHistory'), [0, 100_001, '={{ undefined }}']],
	['Output', (output) => ({ output }), ['={{ undefined }}', '={{ "table" }}']],
	['Invalid Payload', option('invalidPayload'), ['={{ "keep" }}', '={{ undefined }}']],
	['Include Headers', option('includeHeaders'), ['={{ "maybe" }}', '={{ null }}']],
	['Deduplicate', option('deduplicate'), ['={{ "maybe" }}', '={{ undefined }}']],
	['Acknowledge', option('acknowledge'), ['={{ "finished" }}', '', 'later']],
];

const REFUSED = CLOSED.flatMap(([label, parametersWith, values]) =>
	values.map((value) => ({ label, parameters: parametersWith(value) })),
);

it.each(REFUSED)(
	'$label: can’t be activated with $parameters, answers 500, and the log names the field',
	async ({ label, parameters }) => {
		const n8n = await host(parameters);
		await expect(n8n.hook('create')).rejects.toThrow(label);
		expect(await n8n.send(depositEvent())).toEqual(NOT_SET_UP);
		expect(await n8n.outputs()).toEqual([]);
		expect(log.lines).toEqual([
			expect.stringMatching(`^Payroll Payments Trigger can’t check deliveries: ${label}`),
		]);
	},
);

const withMinimum = filter('minimumAmountCents');
const withAge = option('maximumAgeSeconds');

const TAKEN: readonly INodeParameters[] = [
	{ options: {} },
	option('ipAllowlist')('={{ ["127.0.0.0/8", "::1"] }}'),
	event('={{ "payroll.closed;deposit.received" }}'),
	...FILTERS.flatMap(([, name]) => [...BLANKS, [], null].map(filter(name))),
	...['', null, 1_084_205, '={{ " 1084205 " }}'].map(withMinimum),
	...[0, '0', '={{ 0 }}'].map(withAge),
	filter('destinationCurrencies')('eur;\nusd'),
	filter('networks')('={{ "base;arbitrum" }}'),
	filter('networks')('={{ ["Arbitrum"] }}'),
	filter('providers')('={{ "another bank, WirePartner" }}'),
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

/* test/unit/trigger/receive has the boundaries. */
it('refuses an event that is too old with 401, also without a signature', async () => {
	const createdAgo = (seconds: number) => depositEvent({ created: Date.now() / 1000 - seconds });
	const n8n = await host(withAge(3_600));
	expect(await n8n.send(createdAgo(3_500))).toEqual(GENUINE);
	const old = await n8n.send(createdAgo(3_700));
	expect(old).toMatchObject({ status: 401 });
	expect(JSON.stringify(old.body)).toMatch(/seconds old; at most 3600 are allowed/);
	const milliseconds = depositEvent({ created: Date.now() - 3_700_000 });
	expect(await n8n.send(milliseconds)).toMatchObject({ status: 401 });
	expect(await n8n.outputs()).toHaveLength(1);

	const unsigned = await host({ ...withAge(3_600), authentication: 'none' });
	expect(await unsigned.send(createdAgo(3_700))).toMatchObject({ status: 401 });
});

it.each<[INodeParameters, RegExp[]]>([
	[event('invite.accepted, *'), []],
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
