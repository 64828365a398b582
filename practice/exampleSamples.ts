import { z } from 'zod';

import { centsAsDecimal } from '../nodes/PayrollPayments/shared/money';
import type { JsonObject } from '../nodes/PayrollPayments/shared/json';
import { simplify } from '../nodes/PayrollPayments/trigger/simplify';
import { makeEvent } from '../sandbox/events';
import { Organisation } from '../sandbox/organisation';
import { makePerson } from '../sandbox/people';
import type { Workflow, WorkflowNode } from '../n8nHost/workflows';

/** The placeholder for the user's team in the examples; it has the form of an identifier. */
export const TEAM_PLACEHOLDER = 'te-YOUR-TEAM-ID';

/** When the sample events happened; a fixed time, so that writing them again changes nothing. */
const SAMPLE_TIME = '2026-03-31T09:30:00.000Z';

type Sample = readonly object[];

const eventParameters = z.object({
	events: z.array(z.string()).nonempty(),
	output: z.enum(['event', 'simplified']).default('event'),
});

const TIMES = { created_at: SAMPLE_TIME, updated_at: SAMPLE_TIME };

const sampleTransaction = (index: number): string => `tx-sample00000${index + 1}`;

/** What a sample has in place of what the sandbox makes up: the user's team, and one time. */
function contentOf(eventType: string): object {
	const [group] = eventType.split('.');
	if (group === 'payment') {
		const pay_at_time = Date.parse(SAMPLE_TIME) / 1000;
		return { ...TIMES, creation_transaction: sampleTransaction(0), pay_at_time };
	}
	if (group === 'invite') return { invited_to: TEAM_PLACEHOLDER };
	const deposit = group === 'deposit' ? { ...TIMES, transaction_date: SAMPLE_TIME } : {};
	return { entity_nanoid: TEAM_PLACEHOLDER, ...deposit };
}

/** The sandbox's event of a type, as a delivery brings it. */
export function sampleEvent(eventType: string): JsonObject {
	const organisation = new Organisation(eventType, 0);
	const event = makeEvent(eventType, organisation, {
		optionalFields: true,
		envelope: { created: Date.parse(SAMPLE_TIME) / 1000, idempotency_key: `sample ${eventType}` },
		content: { ...contentOf(eventType) },
	});
	return JSON.parse(JSON.stringify(event));
}

function eventSample({ parameters }: WorkflowNode): Sample {
	const { events, output } = eventParameters.parse(parameters);
	const [first] = events;
	const event = sampleEvent(first === '*' ? 'deposit.received' : first);
	return [output === 'simplified' ? simplify(event) : event];
}

/** A balance of the sandbox's first team that has risen. */
function balanceSample(): Sample {
	const [team] = new Organisation('balance', 0).teams;
	const before = team?.balances.get('USD') ?? 0n;
	const change = 1_250_000n;
	const amount = (name: string, cents: bigint) => ({
		[name]: centsAsDecimal(cents),
		[`${name}_cents`]: String(cents),
	});
	return [
		{
			event: 'balanceChanged',
			entity_id: TEAM_PLACEHOLDER,
			currency: 'USD',
			...amount('balance', before + change),
			...amount('previous_balance', before),
			...amount('change', change),
			observed_at: SAMPLE_TIME,
		},
	];
}

const SAMPLE_MONTH = SAMPLE_TIME.slice(0, 7);

const COUNT_OF_PEOPLE = 3;

/** Rows of a payroll sheet. */
function people(): Sample {
	const { randomness } = new Organisation('people', 0);
	return Array.from({ length: COUNT_OF_PEOPLE }, (_person, index) => {
		const { email, firstName, lastName } = makePerson(randomness, index + 1);
		return {
			row_number: index + 2,
			email,
			first_name: firstName,
			last_name: lastName,
			outcome: '',
		};
	});
}

/** Rows of a sheet with name reviews, decided as people type. */
function nameReviews(): Sample {
	const [team] = new Organisation('name reviews', 0).teams;
	const decisions = ['approve', ' Cancel', 'maybe'];
	return [...(team?.nameReviews ?? [])].slice(0, decisions.length).map(([user, review], index) => ({
		row_number: index + 2,
		team_id: TEAM_PLACEHOLDER,
		user_id: user,
		review_version: review.reviewVersion,
		decision: decisions[index],
		outcome: '',
	}));
}

/** Rows of a sheet with deposits, as *Deposit received → sheet* writes them. */
function deposits(): Sample {
	return [
		['dp-3Gbyf8rBUJue-e153yK5e', 'complete', '8945.48', 'INV-20269494'],
		['dp-Xw81LkPq0aZt-r28Uxq7b', 'reverted', '1200.00', 'INV-20265904'],
		['dp-p9VbN3cYt7Qs-Mz40dkV2', 'complete', '20000.00', ''],
	].map(([deposit_id, status, amount, reference], index) => ({
		row_number: index + 2,
		deposit_id,
		status,
		account: 'Engineering',
		amount,
		currency: 'USD',
		reference,
		received_at: `${SAMPLE_MONTH}-${10 + index}T09:30:00.000Z`,
		updated_at: `${SAMPLE_MONTH}-${10 + index}T09:30:00.000Z`,
		reverted_at: status === 'reverted' ? `${SAMPLE_MONTH}-${10 + index}T09:30:00.000Z` : '',
	}));
}

/** Rows of a sheet with payments; the last of them are not paid yet. */
function payments(paid = 0, prefix = 'PAY'): Sample {
	return ['4200.00', '3850.50', '5125.00'].map((amount, index) => ({
		row_number: index + 2,
		reference: `${prefix}-00${index + 1}`,
		recipient_email: `contractor.${index + 1}@example.com`,
		amount,
		outcome: index < paid ? 'paid' : '',
		transaction: index < paid ? sampleTransaction(index) : '',
		paid_at: index < paid ? `${SAMPLE_MONTH}-28T16:00:00.000Z` : '',
		approved_by: '',
		approved_at: '',
		fingerprint: '',
		status: '',
	}));
}

/** What nodes output in place of a sheet or a choice, by the example and the node. */
const SAMPLES: Readonly<Record<string, Readonly<Record<string, () => Sample>>>> = {
	'Payroll: payroll sheet → invites': { 'Read the sheet': people },
	'Payroll: name reviews from a queue': { 'Read the queue': nameReviews },
	'Payroll: payroll run with one approval': { 'Read the sheet': () => payments() },
	'Payroll: payroll run by a signed-in approver': { 'Read the sheet': () => payments() },
	'Payroll: payroll run approved in Slack': { 'Read the sheet': () => payments() },
	/* It writes to the sheet, which may have a PAY-001. */
	'Payroll: was it paid?': { 'Read the payments': () => payments(2, 'SAMPLE') },
	'Payroll: month-end statement': {
		'Which month': () => [{ month: SAMPLE_MONTH }],
		'Read the deposits': deposits,
		'Read the payments': () => payments(2),
	},
};

const CHAT = { sessionId: 'sample', action: 'sendMessage', chatInput: 'What is our balance?' };

/** What a workflow that paid hands over for the record. */
function paymentsForTheRecord(): Sample {
	const approved = {
		approved_by: 'Ada Example',
		approved_at: SAMPLE_TIME,
		fingerprint: 'YMNB-7K2Q-9D4F-H3XC',
	};
	const unknown = { outcome: 'unknown', transaction: null, attempt_code: '7F3A-91C2-1' };
	return payments(2).map((row, index) => ({ ...row, ...approved, ...(index < 2 ? {} : unknown) }));
}

/** What n8n gives an error workflow after a payment of unknown outcome. */
function failedPayment(): Sample {
	const message =
		'The payment of $4,200.00 to contractor.1@example.com may or may not have been made';
	const description =
		'Don’t pay this again in another way. Its authorization is valid until 2026-03-31 10:30 UTC: until then, the service can still make it.';
	const failure = { error: message, outcome: 'unknown', attempt_code: '7F3A-91C2-1' };
	const data = { failures: [{ ...failure, hint: description }] };
	const error = { message, description, context: { data } };
	const url = 'https://YOUR-N8N.example.com/workflow/1/executions/231';
	return [
		{
			execution: { id: '231', url, error, lastNodeExecuted: 'Pay', mode: 'trigger' },
			workflow: { id: '1', name: 'Payroll run' },
		},
	];
}

/** What someone who is signed in to n8n asks for. */
const ASKED_PAYMENT = {
	recipient_email: 'supplier@example.com',
	amount: '777.00',
	reference: 'INV-1045',
};
const SIGNED_IN = {
	submittedAt: SAMPLE_TIME,
	formMode: 'test',
	user: { id: 'sample', email: 'ada@example.com', firstName: 'Ada', lastName: 'Example' },
};

const formParameters = z.object({ formFields: z.object({ values: z.array(z.unknown()) }) });

function hasFields({ parameters }: WorkflowNode): boolean {
	return formParameters.parse(parameters).formFields.values.length > 0;
}

/** What a node outputs in place of a delivery or another account; undefined if it needs neither. */
function sampleOf(workflow: string, node: WorkflowNode): Sample | undefined {
	switch (node.type.split('.').at(-1) ?? '') {
		case 'payrollPaymentsTrigger':
			return eventSample(node);
		case 'payrollPaymentsPollingTrigger':
			return balanceSample();
		case 'errorTrigger':
			return failedPayment();
		case 'formTrigger':
			return [{ ...(hasFields(node) ? ASKED_PAYMENT : {}), ...SIGNED_IN }];
		case 'executeWorkflowTrigger':
			return paymentsForTheRecord();
		case 'chatTrigger':
			return [CHAT];
		default:
			return SAMPLES[workflow]?.[node.name]?.();
	}
}

/** The samples that an example pins, so that it runs with one click. */
export function samplesFor({ name, nodes }: Workflow): Record<string, { readonly json: object }[]> {
	return Object.fromEntries(
		nodes.flatMap((node) => {
			const sample = sampleOf(name, node);
			return sample === undefined ? [] : [[node.name, sample.map((json) => ({ json }))]];
		}),
	);
}
