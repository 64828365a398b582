import type { IDataObject, INodeParameters } from 'n8n-workflow';

import '../../support/withoutPauses';
import type { WireLogEntry } from '../../../sandbox/server';
import { runNode } from '../../support/actionHost';
import { FORMS, partsOf } from '../../support/forms';
import { OPERATION_IDS } from '../../support/operationForms';
import { formFor } from '../../support/sandboxForms';
import {
	refusingOption,
	type Accepted,
	type Group,
	type OperationCases,
	type Refused,
} from './cases';
import { bodyField, operation, OPERATIONS, valuesOf } from './openapi';
import { OPERATION_CASES } from './operations';
import { answersSuite } from './suites/answers';
import { authenticationSuite } from './suites/authentication';
import { sandboxSuite } from './suites/sandbox';
import { differences } from './tables';
import { World } from './world';

const world = new World();

beforeAll(async () => {
	await world.start();
	/* Else the first payment would confirm the token by a read. */
	await runNode(world.signedIn, world.balance());
});

/** Says which case failed. */
async function inCase(what: unknown, check: () => Promise<void>): Promise<void> {
	await check().catch((error: unknown) => {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`${JSON.stringify(what)?.slice(0, 300)}\n${reason}`);
	});
}

const isSignIn = ({ path }: { path: string }): boolean => path.startsWith('/v2/auth/');

/** A complete form with what a case changes. Options under test join those that the form needs. */
async function formOf(cases: OperationCases, { form = {} }: Accepted): Promise<INodeParameters> {
	const given = typeof form === 'function' ? await form(world) : form;
	const own = { ...(await formFor(world, cases.name)), ...(await cases.form?.(world)) };
	return { ...own, ...given, options: { ...optionsOf(own), ...optionsOf(given) } };
}

const optionsOf = ({ options }: INodeParameters): object =>
	typeof options === 'object' && options !== null ? options : {};

/** A bearer token where one is needed and nothing else that proves who asks; JSON if there is a body. */
function expectHeaders(entry: WireLogEntry): void {
	const { authorization, 'content-type': type } = entry.headers;
	expect(authorization).toEqual(
		operation(entry.operation).needsToken ? expect.stringMatching(/^Bearer #/) : undefined,
	);
	expect(entry.headers).not.toHaveProperty('x-auth-token');
	expect(type).toBe(entry.body === undefined ? undefined : 'application/json');
}

/** Runs a case whose form is in order, and judges every request and the output. */
async function expectAccepted(cases: OperationCases, accepted: Accepted): Promise<void> {
	if (accepted.prepare === undefined) world.refresh();
	else world.startOver();
	accepted.prepare?.(world);
	const form = await formOf(cases, accepted);
	const isSigningIn = cases.name.startsWith('authentication.');
	world.service.wireLog.clear();
	const { output, error } = await runNode(world.signedIn, form, { items: accepted.items });
	expect(error?.message).toBeUndefined();
	const sent = world.wire().filter((entry) => isSigningIn || !isSignIn(entry));
	expect(sent.map(({ method, path, query, body }) => ({ method, path, query, body }))).toEqual(
		(accepted.requests ?? cases.requests)(form, world),
	);
	for (const entry of sent) {
		if (entry.method !== 'GET') expect(cases.calls).toContain(entry.operation);
		expect([entry.status, entry.problems]).toEqual([200, []]);
		expectHeaders(entry);
	}
	const records: IDataObject[] = output.map(({ json }) => json);
	const [call = 'getBalance'] = cases.calls;
	const check = world.service.description.answerCheck(call, 200);
	const answersOf = accepted.answers ?? cases.answers;
	for (const data of answersOf?.(records) ?? records)
		expect([check({ success: true, data }), check.errors]).toEqual([true, null]);
}

/** Runs a case that the document rules out: the error names the field, and nothing was sent. */
async function expectRefused(cases: OperationCases, refused: Refused): Promise<void> {
	const form = await formOf(cases, refused);
	world.service.wireLog.clear();
	/* Without a token, so that not even a sign-in may go out. */
	const { error, output } = await runNode(world.credentials(), form, { items: refused.items });
	expect(world.wire()).toEqual([]);
	expect(output).toEqual([]);
	expect(error?.message).toContain(refused.label);
	expect(error?.message).toMatch(/^Row 1: |\[item 0\]$/);
}

/** The options that every operation has. */
function commonOptions({ calls }: OperationCases): Group {
	const isRead = calls.every((call) => operation(call).method === 'GET');
	const accepted = [
		{ concurrency: 1 },
		{ concurrency: 50 },
		{ timeout: 3_600_000 },
		...(isRead ? [{ retries: 0 }, { retries: 10 }] : [{ checkOnly: false }]),
	];
	return {
		what: 'the options of every operation',
		accepted: accepted.map((options) => ({ form: { options } })),
		refused: [
			...refusingOption('Concurrency', 'concurrency', [0, 51, 1.5]),
			...refusingOption('Timeout (Milliseconds)', 'timeout', [0, 3_600_001]),
			...(isRead ? refusingOption('Retries', 'retries', [-1, 11]) : []),
		],
	};
}

afterEach(() => {
	world.startOver();
});

sandboxSuite(world);

it('has cases for every operation of the sandbox', () => {
	const known = OPERATIONS.map(({ id }) => id).sort();
	expect([...new Set(OPERATION_CASES.flatMap(({ calls }) => calls))].sort()).toEqual(known);
	expect([...OPERATION_IDS].sort()).toEqual(known);
});

describe('every field and value that the document names', () => {
	for (const cases of OPERATION_CASES) {
		const groups = [...cases.groups(world), commonOptions(cases)];
		describe(cases.name, () => {
			it.each(groups)('$what', async ({ accepted = [], refused = [] }) => {
				for (const each of accepted) {
					await inCase(each.form, async () => await expectAccepted(cases, each));
				}
				for (const each of refused) {
					await inCase(each.form, async () => await expectRefused(cases, each));
				}
			});
		});
	}
});

describe('authentication', () => {
	authenticationSuite(world);
});

describe('answers', answersSuite);

const only = (field: string) => bodyField('createInstantPayment', field).enum ?? [];
const administrators = [
	...valuesOf('TeamAdministratorRole'),
	...valuesOf('CompanyAdministratorRole'),
];
const currencies = new Set([...valuesOf('BalanceFilterCurrency'), ...valuesOf('BalanceCurrency')]);
const menus: ReadonlyArray<readonly [string, string, readonly string[]]> = [
	['administratorInvite', 'role', administrators],
	['balance', 'currencies', [...currencies]],
	['invite', 'role', valuesOf('WorkerInviteRole')],
	['nameReview', 'decision', bodyField('resolveNameReview', 'action').enum ?? []],
	['payment', 'currency', only('currency_symbol')],
	['payment', 'network', only('network')],
	['webhook', 'eventType', valuesOf('EventType')],
	['trigger', 'events', ['*', ...valuesOf('EventType')]],
	['trigger', 'depositStatuses', ['unknown', ...valuesOf('Deposit.status')]],
	['trigger', 'networks', valuesOf('Deposit.network')],
	['trigger', 'providers', valuesOf('Deposit.provider_name')],
];

it.each(menus)('the menu %s: %s offers what the document lists', (resource, name, values) => {
	const type = resource === 'trigger' ? 'payrollPaymentsTrigger' : 'payrollPayments';
	const place = new RegExp(`^(${resource}\\.\\w+ |filters > )?${name}$`);
	const fields = partsOf(FORMS[type] ?? []).filter(({ path }) => place.test(path));
	expect(fields.length).toBeGreaterThan(0);
	for (const { part } of fields) {
		const options = 'options' in part ? (part.options ?? []) : [];
		const offered = options.map((option) => ('value' in option ? option.value : undefined));
		/* Execute may leave the role open. */
		expect(offered.filter((value) => value !== '' && value !== 'any').sort()).toEqual(
			[...values].sort(),
		);
	}
});

it('docs/api.md has the fields, values and limits of openapi.yaml in its tables', () => {
	expect(differences()).toEqual([]);
});
