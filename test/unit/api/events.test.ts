import { readFileSync } from 'node:fs';
import path from 'node:path';

import {
	DEPOSIT_NETWORKS,
	DEPOSIT_PROVIDERS,
	DEPOSIT_STATUSES,
	depositReceivedSchema,
	EVENT_TYPES,
	eventSchema,
	isDocumented,
} from '../../../nodes/PayrollPayments/api/schemas/events';
import { PayrollPaymentsTrigger } from '../../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { deposit, depositEvent, otherEvent } from '../../support/sampleEvents';

const { properties, webhooks, usableAsTool } = new PayrollPaymentsTrigger().description;

/** The choices of a parameter, in a collection or not. */
function choicesOf(name: string) {
	const inCollections = properties.flatMap(({ options = [] }) =>
		options.flatMap((option) => ('displayName' in option && 'name' in option ? [option] : [])),
	);
	const found = [...properties, ...inCollections].find((property) => property.name === name);
	const options = found !== undefined && 'options' in found ? found.options : undefined;
	return (options ?? []).flatMap((option) => ('value' in option ? [option] : []));
}

const valuesOf = (name: string) => choicesOf(name).map(({ value }) => value);

describe('the schemas', () => {
	it('know 39 event types', () => {
		expect(new Set(EVENT_TYPES).size).toBe(39);
	});

	it('type what they read, and keep what they do not know', () => {
		const event = depositReceivedSchema.parse(
			depositEvent({ deposit: deposit({ network: 'new' }) }),
		);
		expect(event.deposit.token.symbol).toBe('USDC');
		expect(isDocumented(DEPOSIT_NETWORKS, event.deposit.network)).toBe(false);
		expect(isDocumented(DEPOSIT_STATUSES, event.deposit.status)).toBe(true);
		expect(eventSchema.parse(otherEvent({ later: [1] }))).toEqual(otherEvent({ later: [1] }));
	});
});

describe('the form', () => {
	it('offers every documented event, and any', () => {
		expect(new Set(valuesOf('events'))).toEqual(new Set(['*', ...EVENT_TYPES]));
	});

	it('names events as Group: Event, in alphabetical order after the usual one', () => {
		const [first, ...names] = choicesOf('events').map(({ name }) => name);
		expect(first).toBe('Deposit: Received');
		expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
		for (const { name, value } of choicesOf('events')) {
			if (value === '*') continue;
			expect(name).toMatch(/^[A-Z][A-Za-z ]+: [A-Z][A-Za-z ]+$/);
			const group = name.split(':')[0]?.toLowerCase().replaceAll(' ', '_');
			expect(value).toMatch(new RegExp(`^${group}\\.`));
		}
	});

	it('reads as sentences in n8n’s panel of nodes, deposits first', () => {
		const actions = choicesOf('events').map(({ action }) => action);
		expect(actions[0]).toBe('On deposit received');
		for (const action of actions)
			expect(action).toMatch(/^On (?:[a-z]+|KYC|RSK|Bitcoin)( [a-z]+|KYC|RSK)*/);
		expect(actions).toEqual(
			expect.arrayContaining([
				...['On any event', 'On token swap', 'On onboarding KYC accepted', 'On Bitcoin deposit'],
				...['On payment cash requirement due', 'On duplicate withdraw account detected'],
			]),
		);
	});

	it('offers the documented values of a deposit', () => {
		expect(new Set(valuesOf('depositStatuses'))).toEqual(new Set([...DEPOSIT_STATUSES, 'unknown']));
		expect(new Set(valuesOf('networks'))).toEqual(new Set(DEPOSIT_NETWORKS));
		expect(new Set(valuesOf('providers'))).toEqual(new Set(DEPOSIT_PROVIDERS));
	});

	it('has the parameters and defaults of the interface', () => {
		const defaults = Object.fromEntries(
			properties.map((property) => [property.name, property.default]),
		);
		expect(defaults).toMatchObject({
			authentication: 'webhookCredentials',
			events: ['deposit.received'],
			depositStatuses: ['complete'],
			filters: {},
			output: 'event',
			options: {},
		});
		expect(webhooks).toEqual([
			expect.objectContaining({
				name: 'default',
				httpMethod: 'POST',
				path: 'webhook',
				responseMode: expect.stringContaining('? "lastNode" : "onReceived" }}'),
				responseData: expect.stringContaining('? "noData" : "" }}'),
			}),
		]);
		expect(usableAsTool).toBeUndefined();
	});
});

it('stands under Finance & Accounting in the editor', () => {
	const codex = path.join(
		__dirname,
		'../../../nodes/PayrollPayments/PayrollPaymentsTrigger.node.json',
	);
	expect(JSON.parse(readFileSync(codex, 'utf8'))).toMatchObject({
		node: 'n8n-nodes-payroll-payments.payrollPaymentsTrigger',
		categories: ['Finance & Accounting'],
	});
});
