import { Expression } from 'n8n-workflow';

import { engineNode, engineWorkflow, NodeTypes } from '../../n8nHost/engine';
import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { EVENT_TYPES } from '../../nodes/PayrollPayments/contract/events';

const { description: action } = new PayrollPayments();
const { description: trigger } = new PayrollPaymentsTrigger();

/** The name of a menu's entry in the form. */
function nameOf(menu: string, value: string, resource = value): string {
	const fields = action.properties.filter(
		({ name, displayOptions }) =>
			name === menu && (displayOptions?.show?.resource?.includes(resource) ?? true),
	);
	const entries = fields.flatMap(({ options = [] }) => options);
	return entries.find((entry) => 'value' in entry && entry.value === value)?.name ?? '';
}

/** The parameters of a node, and the line that n8n's editor shows under it. */
type Case = readonly [parameters: object, subtitle: string];

/** The amount, in the unit that is chosen; that in the other unit is left over. */
const paying = (amountUnit: 'cents' | 'dollars', amount: unknown, subtitle: string): Case => [
	{
		...{ resource: 'payment', operation: 'create', amountUnit },
		...{ amountCents: 99_900, amountDollars: '5' },
		[amountUnit === 'cents' ? 'amountCents' : 'amountDollars']: amount,
	},
	subtitle,
];

/** The line under a payment whose amount isn't known before it runs. */
const UNKNOWN = 'Create Instant: Payment';

const ACTION: readonly Case[] = [
	...CATALOGUE.map(
		({ resource, operation }): Case => [
			{ resource, operation },
			`${nameOf('operation', operation, resource)}: ${nameOf('resource', resource)}`,
		],
	),
	paying('cents', 100, 'Pay $1.00'),
	paying('cents', '12550', 'Pay $125.50'),
	paying('cents', 10_000_000_000, 'Pay $100,000,000.00'),
	paying('cents', 0, UNKNOWN),
	paying('cents', '', UNKNOWN),
	paying('cents', '={{ $json.amount_cents }}', UNKNOWN),
	paying('dollars', '125.5', 'Pay $125.50'),
	paying('dollars', '100000000.00', 'Pay $100,000,000.00'),
	paying('dollars', '125.505', UNKNOWN),
	paying('dollars', null, UNKNOWN),
	paying('dollars', '={{ $json.amount }}', UNKNOWN),
];

const TRIGGER: readonly Case[] = [
	[{ events: ['deposit.received'] }, 'Deposit Received'],
	[{ events: ['onboarding.step_updated.kyc.accepted'] }, 'Onboarding KYC Accepted'],
	[{ events: EVENT_TYPES.slice(0, 7) }, '7 events'],
	[{ events: ['*'] }, 'Any Event'],
	[{ events: ['deposit.received', '*'] }, 'Any Event'],
	[{ events: ['deposit.refunded'] }, 'Deposit Refunded'],
	[{ events: 'invite.accepted' }, 'Invite Accepted'],
	[{ events: '={{ $json.events }}' }, 'Events from an expression'],
	[{ events: ['={{ $json.event }}'] }, 'Events from an expression'],
	[{ events: ['deposit.received', '={{ $json.event }}'] }, '2 events'],
	[{ events: [] }, ''],
];

const ENGINE = { bridgeTimeout: 5_000, bridgeMemoryLimit: 128, poolSize: 1, maxCodeCacheSize: 100 };

/* The engine is n8n's for the whole process. */
afterEach(async () => {
	await Expression.disposeExpressionEngine();
	Expression.setExpressionEngine('legacy');
});

/* The third engine, "vm", needs a native module that `npm ci --ignore-scripts` does not build. */
it.each(['legacy', 'quickjs'] as const)(
	'the line under a node says what it does, with the expression engine %s',
	async (engine) => {
		await Expression.initExpressionEngine({ engine, ...ENGINE });
		expect(Expression.getActiveImplementation()).toBe(engine);
		for (const [description, cases] of [
			[action, ACTION],
			[trigger, TRIGGER],
		] as const) {
			const nodes = cases.map(([parameters], index) =>
				engineNode({ name: `Payroll ${index}`, type: 'payroll', parameters: { ...parameters } }),
			);
			const { expression } = engineWorkflow(nodes, new NodeTypes({ payroll: { description } }));
			const shown = await expression.withIsolate(async () =>
				nodes.map((node) =>
					expression.getSimpleParameterValue(node, description.subtitle, 'internal', {}),
				),
			);
			expect(shown).toEqual(cases.map(([, subtitle]) => subtitle));
		}
	},
);
