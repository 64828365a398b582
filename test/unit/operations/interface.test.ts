import { NodeHelpers, type INodeProperties } from 'n8n-workflow';

import { CATALOGUE } from '../../../nodes/PayrollPayments/operations/catalogue';
import { properties } from '../../../nodes/PayrollPayments/operations/nodeForm';
import { PayrollPaymentsPollingTrigger } from '../../../nodes/PayrollPayments/PayrollPaymentsPollingTrigger.node';
import { PayrollPaymentsTrigger } from '../../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { sourceOf } from '../../support/receivedEvent';

/** The fields of each operation that workflows rely on, in their order; `?` marks optional ones. */
const PROMISED: Readonly<Record<string, string>> = {
	'authentication.getSignInMessage': 'platformId? wallet?',
	'authentication.verify': 'message signature nonce?',
	'balance.get': 'entityId currencies? includeZero? output',
	'invite.getAll': 'entityId returnAll limit',
	'invite.create': 'teamId role inviteesSource invitees inviteesJson anonymous? existingPeople',
	'administratorInvite.create': 'entityId role emails',
	'administratorInvite.complete': 'inviteIds typedData role signatureSource signature signer',
	'administratorInvite.send': 'entityId role emails',
	'nameReview.update': 'teamId userId decision reviewVersion',
	'payment.create':
		'teamId paymentsSource paymentsJson recipientEmail amountUnit amountCents amountDollars currency network paymentReference? typedData signatureSource signature signer',
	'teamUser.getAll': 'teamId returnAll limit emails? filters? output outputFields',
	'webhook.send': 'webhookId eventType version?',
};

const COMMON_OPTIONS = {
	read: ['concurrency', 'retries', 'timeout'],
	write: ['approvedCheck', 'checkOnly', 'concurrency', 'timeout'],
};
const SETTINGS = { read: { concurrency: 5, retries: 3 }, write: { concurrency: 1 } };
const OWN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
	'administratorInvite.send': ['expectedRoleCode'],
	'administratorInvite.complete': ['expectedRoleCode'],
	'balance.get': ['currenciesEncoding'],
	'invite.create': ['columnNames', 'inviteesPerRequest'],
	'nameReview.update': ['decisionFieldName'],
	'payment.create': [
		...['checkOutput', 'columnNames', 'confirmedNotPaid', 'domain', 'expectedPayments'],
		...['expectedTotal', 'ifAlreadyPaid', 'primaryType', 'typedAmountUnit', 'types'],
	],
	'webhook.send': ['eventTypeFieldName'],
};

/** Where n8n leaves out a value that is the default, it must be a read if there is one. */
const DEFAULT_OPERATIONS = {
	administratorInvite: 'create',
	authentication: 'getSignInMessage',
	balance: 'get',
	invite: 'getAll',
	nameReview: 'update',
	payment: 'create',
	teamUser: 'getAll',
	webhook: 'send',
};

/** Only a value typed by a person counts in these. */
const WITHOUT_EXPRESSIONS = [
	...['allowToolWrites', 'expectedRoleCode', 'checkOnly', 'checkOutput', 'confirmedNotPaid'],
	...['ifAlreadyPaid', 'typedAmountUnit'],
];

/** The promised fields of each event that is polled. */
const POLLING_EVENTS: Readonly<Record<string, readonly string[]>> = {
	balanceChanged: ['entityId', 'currencies', 'minimumChangeCents'],
	inviteAdded: ['entityId'],
	inviteEnded: ['entityId'],
	teamUserAdded: ['teamId'],
	teamUserChanged: ['teamId'],
};

/** The fields under Options. */
const optionsIn = (fields: readonly INodeProperties[]) =>
	fields.flatMap(({ name, options = [] }) =>
		name === 'options' ? options.flatMap((option) => ('type' in option ? [option] : [])) : [],
	);

const defaultsOf = (fields: readonly INodeProperties[]) =>
	Object.fromEntries(fields.map((field) => [field.name, field.default]));

const valuesOf = ({ options = [] }: INodeProperties) =>
	options.flatMap((option) => ('value' in option ? [option.value] : []));

function shownFor({ displayOptions }: INodeProperties, resource: string, operation: string) {
	const show = displayOptions?.show ?? {};
	const isShown = show.resource?.includes(resource) && show.operation?.includes(operation);
	return isShown === true && show['@tool'] === undefined;
}

it('offers exactly the promised resource/operation pairs', () => {
	const pairs = CATALOGUE.map(({ resource, operation }) => `${resource}.${operation}`);
	expect(pairs.sort()).toEqual(Object.keys(PROMISED).sort());
});

describe.each(Object.entries(PROMISED))('%s', (pair, promised) => {
	const [resource = '', operation = ''] = pair.split('.');
	const form = properties.filter((property) => shownFor(property, resource, operation));
	const names = form.filter(({ type }) => type !== 'notice').map(({ name }) => name);
	const described = CATALOGUE.find((each) => `${each.resource}.${each.operation}` === pair);
	const effect = described?.effect ?? 'read';

	it('has the promised fields in their order, and Options at the end', () => {
		expect(names).toEqual([...promised.replaceAll('?', '').split(' '), 'options']);
	});

	it('leaves no optional field marked as required', () => {
		const required = form.filter((field) => field.required).map(({ name }) => `${name}?`);
		expect(required.filter((name) => promised.split(' ').includes(name))).toEqual([]);
	});

	/* formRules.test.ts has their order. */
	it('has the promised options', () => {
		const options = optionsIn(form).filter(({ type }) => type !== 'hidden');
		const promisedOptions = [...COMMON_OPTIONS[effect], ...(OWN_OPTIONS[pair] ?? [])];
		expect(options.map(({ name }) => name).sort()).toEqual(promisedOptions.sort());
	});

	it('has the promised settings where no option is set', () => {
		const settings = described?.readSettings(sourceOf({ options: {} }));
		expect(settings).toMatchObject({ ...SETTINGS[effect], timeout: 30_000 });
	});
});

it('begins with the promised operation of each resource', () => {
	const menus = properties.filter(({ name }) => name === 'operation');
	const defaults = menus.map((menu) => [String(menu.displayOptions?.show?.resource), menu.default]);
	expect(Object.fromEntries(defaults)).toEqual(DEFAULT_OPERATIONS);
});

it.each(WITHOUT_EXPRESSIONS)('only a person decides on %s: it takes no expression', (name) => {
	const fields = [...properties, ...optionsIn(properties)].filter((field) => field.name === name);
	expect(fields).not.toEqual([]);
	expect(fields.filter(({ noDataExpression }) => noDataExpression !== true)).toEqual([]);
});

it('has the promised defaults and values for payments', () => {
	const form = properties.filter((property) => shownFor(property, 'payment', 'create'));
	expect(defaultsOf(form)).toMatchObject({
		...{ recipientEmail: '', amountCents: '', amountDollars: '', paymentReference: '' },
		...{ currency: 'USD', network: 'arbitrum', signatureSource: 'wallet' },
	});
	const fields = [...form, ...optionsIn(form)];
	expect(fields.map((field) => [field.name, field.default, valuesOf(field)])).toEqual(
		expect.arrayContaining([
			['amountUnit', 'dollars', ['cents', 'dollars']],
			['paymentsSource', 'fields', ['fields', 'items', 'json']],
			['typedAmountUnit', 'tokenSixDecimals', ['cents', 'notChecked', 'tokenSixDecimals']],
			['ifAlreadyPaid', 'fail', ['fail', 'skip']],
			['checkOutput', 'item', ['run', 'item']],
		]),
	);
});

it.each<[Record<string, string>, string]>([
	[
		{ paymentsSource: 'fields', amountUnit: 'dollars', signatureSource: 'wallet' },
		'recipientEmail amountUnit amountDollars paymentReference typedData signatureSource',
	],
	[
		{ paymentsSource: 'fields', amountUnit: 'cents', signatureSource: 'provided' },
		'recipientEmail amountUnit amountCents paymentReference typedData signatureSource signature signer',
	],
	[{ paymentsSource: 'json', amountUnit: 'dollars', signatureSource: 'provided' }, 'paymentsJson'],
	[{ paymentsSource: 'items', amountUnit: 'cents', signatureSource: 'provided' }, ''],
])('shows the fields of a payment where %j asks for them', (values, shown) => {
	const all = { resource: 'payment', operation: 'create', ...values };
	const names = properties
		.filter((each) => shownFor(each, 'payment', 'create') && each.type !== 'notice')
		.filter((each) => NodeHelpers.displayParameter(all, each, null, null))
		.map(({ name }) => name);
	const always = ['teamId', 'paymentsSource', 'currency', 'network', 'options'];
	expect(names.toSorted()).toEqual([...always, ...shown.split(' ').filter(Boolean)].toSorted());
});

it('names where rows come from as the documents do', () => {
	const sources = properties.filter(({ name }) => /^(payments|invitees)Source$/.test(name));
	const names = sources.map(({ options }) => options?.map(({ name }) => name));
	expect(names).toEqual(Array(2).fill(['Form', 'Input Rows', 'JSON']));
});

it('begins a list of payments with a row to fill in', () => {
	const list = properties.find(({ name }) => name === 'paymentsJson')?.default;
	const rows: object[] = JSON.parse(String(list));
	const columns = ['amount', 'authorization', 'recipient_email', 'reference'];
	expect(rows.map((row) => Object.keys(row).toSorted())).toEqual([columns]);
});

describe('the triggers', () => {
	const trigger = new PayrollPaymentsTrigger().description;
	const polling = new PayrollPaymentsPollingTrigger().description;

	it('have the promised defaults', () => {
		expect(defaultsOf(trigger.properties)).toMatchObject({
			authentication: 'webhookCredentials',
			events: ['deposit.received'],
			depositStatuses: ['complete'],
			filters: {},
			output: 'event',
			options: {},
		});
		expect(polling).toMatchObject({ polling: true, version: 1 });
		for (const each of [trigger, polling]) expect(each.usableAsTool).toBeUndefined();
	});

	it.each(Object.entries(POLLING_EVENTS))('%s is polled with its fields', (value, fields) => {
		const shown = polling.properties
			.filter(({ displayOptions }) => displayOptions?.show?.event?.includes(value))
			.filter(({ type }) => type !== 'notice');
		expect(shown.map(({ name }) => name)).toEqual(fields);
		expect(shown.filter(({ required }) => required).map(({ name }) => name)).toEqual([fields[0]]);
	});

	it('poll nothing else, and any change of every currency by default', () => {
		const event = polling.properties.find(({ name }) => name === 'event');
		expect(event?.default).toBe('balanceChanged');
		expect(event && valuesOf(event)).toEqual(Object.keys(POLLING_EVENTS));
		expect(defaultsOf(polling.properties)).toMatchObject({ currencies: [], minimumChangeCents: 0 });
	});
});
