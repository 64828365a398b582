import { readFileSync } from 'node:fs';
import path from 'node:path';

import {
	DEPOSIT_NETWORKS,
	DEPOSIT_STATUSES,
	depositReceivedSchema,
	eventSchema,
	isDocumented,
} from '../../../nodes/PayrollPayments/api/schemas/events';
import { PayrollPaymentsTrigger } from '../../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { deposit, depositEvent, otherEvent } from '../../support/sampleEvents';

const { properties, webhooks, usableAsTool } = new PayrollPaymentsTrigger().description;

/** The choices of a parameter. */
function choicesOf(wanted: string) {
	const options = properties.find(({ name }) => name === wanted)?.options ?? [];
	return options.flatMap((option) => ('value' in option ? [option] : []));
}

describe('the schemas', () => {
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
	it('names events as sentences, in alphabetical order after the usual one', () => {
		const [first, ...names] = choicesOf('events').map(({ name }) => name);
		expect(first).toBe('Deposit received');
		expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
		for (const { name, value } of choicesOf('events')) {
			expect(name).toMatch(/^[A-Z][a-z]+( [a-z]+| KYC| RSK)+$/);
			const [group = ''] = String(value).split(/[._]/);
			if (value !== '*') expect(name.toLowerCase()).toContain(group);
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
