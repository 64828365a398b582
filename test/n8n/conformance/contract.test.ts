import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { WireLogEntry } from '../../../sandbox/server';
import { PayrollPayments } from '../../../nodes/PayrollPayments/PayrollPayments.node';
import { runNode } from '../../support/actionHost';
import {
	refusingOption,
	type Accepted,
	type Group,
	type OperationCases,
	type Refused,
} from './cases';
import {
	compareAnswers,
	compareEvents,
	compareFailures,
	compareRequests,
	DOCUMENTED,
	type Comparison,
} from './description';
import {
	BALANCE_CURRENCIES,
	COMPANY_ADMINISTRATOR_ROLES,
	EVENT_TYPES,
	FILTER_CURRENCIES,
	RECORDS,
	ROLES,
	TEAM_ADMINISTRATOR_ROLES,
	WORKER_ROLES,
} from './document';
import {
	answerFaults,
	openapi,
	operationCalled,
	operationOf,
	requestFaults,
	tokenOf,
} from './openapi';
import { OPERATION_CASES } from './operations';
import { ConformanceRecord } from './record';
import { conformanceSection, gaps, missingTests, writeConformance, writtenSection } from './report';
import { answersSuite } from './suites/answers';
import { authenticationSuite } from './suites/authentication';
import { defaultsSuite } from './suites/defaults';
import { eventsSuite } from './suites/events';
import { World } from './world';

/** The pauses before retries, in milliseconds; nobody waits for them. */
const mockPauses: number[] = [];

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (milliseconds: number) => {
		mockPauses.push(milliseconds);
	},
}));

const record = new ConformanceRecord();
const world = new World();

beforeAll(async () => {
	await world.start();
});

afterAll(async () => {
	await world.stop();
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
	const { resource, operation } = cases;
	const own = await cases.form(world);
	const options = { ...optionsOf(own), ...optionsOf(given) };
	return { resource, operation, ...own, ...given, options };
}

const optionsOf = ({ options }: INodeParameters): object =>
	typeof options === 'object' && options !== null ? options : {};

/** A bearer token where one is needed and nothing else that proves who asks; JSON if there is a body. */
function expectHeaders(entry: WireLogEntry): void {
	const { authorization, 'content-type': type } = entry.headers;
	const call = DOCUMENTED.find(([operationId]) => operationId === operationOf(entry));
	expect(authorization).toEqual(
		call?.[1].token === 'none' ? undefined : expect.stringMatching(/^Bearer #/),
	);
	expect(entry.headers).not.toHaveProperty('x-auth-token');
	expect(type).toBe(entry.body === undefined ? undefined : 'application/json');
}

/** Runs a case whose form is in order, and judges every request and the output. */
async function expectAccepted(cases: OperationCases, accepted: Accepted): Promise<void> {
	if (accepted.prepare === undefined) world.refresh();
	else world.reset();
	accepted.prepare?.(world);
	const form = await formOf(cases, accepted);
	const isSigningIn = cases.resource === 'authentication';
	world.service.wireLog.clear();
	const { output, error } = await runNode(world.signedIn, form, { items: accepted.items });
	expect(error?.message).toBeUndefined();
	const sent = world.everythingSent.filter((entry) => isSigningIn || !isSignIn(entry));
	const requests = (accepted.requests ?? cases.requests)(form, world);
	expect(sent.map(({ method, path, query, body }) => ({ method, path, query, body }))).toEqual(
		requests,
	);
	for (const entry of sent) {
		expect(requestFaults(accepted.asDocumented?.(entry) ?? entry)).toEqual([]);
		const call = operationOf(entry);
		if (entry.method !== 'GET') expect(cases.calls).toContain(call);
		expect([entry.status, entry.problems]).toEqual([200, []]);
		expectHeaders(entry);
	}
	const records: IDataObject[] = output.map(({ json }) => json);
	const [call = 'getBalance'] = cases.calls;
	for (const data of (accepted.answers ?? cases.answers)(records))
		expect(answerFaults(call, data)).toEqual([]);
}

/** Runs a case that the document rules out: the error names the field, and nothing was sent. */
async function expectRefused(cases: OperationCases, refused: Refused): Promise<void> {
	const form = await formOf(cases, refused);
	world.service.wireLog.clear();
	/* Without a token, so that not even a sign-in may go out. */
	const { error, output } = await runNode(world.credentials(), form, { items: refused.items });
	expect(world.everythingSent).toEqual([]);
	expect(output).toEqual([]);
	expect(error?.message).toContain(refused.label);
	expect(error?.message).toMatch(/^Row 1: |\[item 0\]$/);
}

/** The options that every operation has. */
function commonOptions({ effect }: OperationCases): Group {
	const accepted = [
		{ concurrency: 1 },
		{ concurrency: 50 },
		{ timeout: 3_600_000 },
		...(effect === 'read' ? [{ retries: 0 }, { retries: 10 }] : [{ checkOnly: false }]),
	];
	return {
		what: 'the options of every operation',
		guards: ['requests/rate-limits'],
		accepted: accepted.map((options) => ({ form: { options } })),
		refused: [
			...refusingOption('Concurrency', 'concurrency', [0, 51, 1.5]),
			...refusingOption('Timeout (Milliseconds)', 'timeout', [0, 3_600_001]),
			...(effect === 'read' ? refusingOption('Retries', 'retries', [-1, 11]) : []),
		],
	};
}

afterEach(() => {
	world.reset();
});

function expectAgreement({ accepted, refused, disagreements }: Comparison) {
	expect(disagreements).toEqual([]);
	return { accepted, refused };
}

const ADMINISTRATOR_ROLES = [...TEAM_ADMINISTRATOR_ROLES, ...COMPANY_ADMINISTRATOR_ROLES];
/** 16 characters of Crockford's Base32 in groups of four. */
const APPROVAL = /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/;
const STATUSES = [400, 401, 403, 404, 500];

/** Fields whose names the document doesn't show. */
const UNNAMED: Readonly<Record<string, string>> = {
	action: 'name-not-documented',
	event_type: 'name-not-documented',
};

const ANSWER_RECORDS = [
	'balance-entry',
	'invite-record',
	'typed-data-for-administrator-invites',
	'team-user-record',
	'pagination',
] as const;

describe('sandbox/openapi.yaml', () => {
	const area = 'openapi.yaml';

	it.each(DOCUMENTED)('describes %s as the document does', (operationId, documented) => {
		const { number, method, path, token, failures, query = [], body = [] } = documented;
		const { template, method: verb, operation } = operationCalled(operationId);
		expect([template, verb.toUpperCase(), tokenOf(operationId)]).toEqual([path, method, token]);
		const statuses = Object.keys(operation.responses).filter((status) => status !== '200');
		expect(statuses).toEqual(failures.length > 0 ? failures.map(String) : ['default']);
		const fields = [...query, ...body, documented.pathParameters ?? {}].flatMap(Object.keys);
		record.add({
			area,
			what: 'describes requests as the document does',
			...expectAgreement(compareRequests(documented)),
			guards: [
				`overview/${number}`,
				...fields.map((name) => `endpoint-${number}/${UNNAMED[name] ?? name}`),
				`endpoint-${number}/${method.toLowerCase()}-v2*`,
				'invite-prefill/*',
				'endpoint-10/typed_data.data',
				'identifiers/every*',
				'limits/*',
				'versioning/the-description*',
			],
		});
		record.add({
			area,
			what: 'describes answers as the document does',
			...expectAgreement(compareAnswers(operationId, documented)),
			guards: [
				`endpoint-${number}/answer*`,
				...ANSWER_RECORDS.flatMap((section) =>
					Object.keys(RECORDS[section]).map((name) => `${section}/${name}`),
				),
				'response-envelope/a-success*',
				...STATUSES.map((status) => `errors/${status}`),
				'errors/every*',
				...ROLES.map((role) => `roles/${role}`),
				'roles/a-listed*',
			],
		});
	});

	it('has no operation, scheme or failure of its own', () => {
		const known = DOCUMENTED.map(([operationId]) => operationId).sort();
		const described = Object.values(openapi.paths)
			.flatMap((methods) => Object.values(methods))
			.map(({ operationId }) => operationId);
		expect(described.sort()).toEqual(known);
		expect(openapi.info.version).toBe('2.0.0');
		expect(openapi.components.securitySchemes).toMatchObject({
			bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
			v1Auth: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
		});
		record.add({
			area,
			what: 'has no operation, scheme or failure of its own',
			...expectAgreement(compareFailures()),
			guards: [
				'response-envelope/success',
				'response-envelope/data',
				'response-envelope/error_code',
				'errors/a-failed*',
				'authentication/protected*',
				'authentication/authorization*',
				'authentication/an-older*',
				'versioning/the-older*',
				'versioning/the-description*',
			],
		});
	});

	it('describes events and deposits as the document does', () => {
		record.add({
			area,
			what: 'describes events and deposits as the document does',
			...expectAgreement(compareEvents()),
			guards: [
				...(['deposit-record', 'event-envelope'] as const).flatMap((section) =>
					Object.keys(RECORDS[section]).map((name) => `${section}/${name}`),
				),
				'event-envelope/deposit',
				'event-types/*',
			],
		});
	});
});

describe('every field and value that the document names', () => {
	for (const cases of OPERATION_CASES) {
		const groups = [...cases.groups(world), commonOptions(cases)];
		describe(cases.name, () => {
			it.each(groups)('$what', async ({ what, guards, accepted = [], refused = [] }) => {
				for (const each of accepted) {
					await inCase(each.form, async () => await expectAccepted(cases, each));
				}
				for (const each of refused) {
					await inCase(each.form, async () => await expectRefused(cases, each));
				}
				record.add({
					area: cases.name,
					what,
					accepted: accepted.length,
					refused: refused.length,
					guards,
				});
			});
		});
	}
});

describe('authentication', () => {
	authenticationSuite(record, world);
});

describe('answers', () => {
	answersSuite(record);
});

describe('defaults', () => {
	defaultsSuite(record, mockPauses);
});

describe('events', () => {
	eventsSuite(record, world);
});

describe('Check Only', () => {
	const writes = OPERATION_CASES.filter(({ effect }) => effect === 'write');

	it.each(writes)('$name: shows what would be sent, and sends nothing', async (cases) => {
		world.refresh();
		const form = await formOf(cases, { form: { options: { checkOnly: true } } });
		world.service.wireLog.clear();
		const { output, error } = await runNode(world.credentials(), form);
		expect(error?.message).toBeUndefined();
		expect(world.everythingSent).toEqual([]);
		const [shown] = output.map(({ json }) => json);
		const [request] = cases.requests(form, world);
		const { method, path, body } = { ...request };
		const unsigned = Object.entries(body ?? {}).filter(([name]) => !/^sig(nature)?$/.test(name));
		expect(shown).toEqual({
			check: 'passed',
			summary: expect.any(String),
			approval: expect.stringMatching(APPROVAL),
			signs: null,
			request: { method, path, body: Object.fromEntries(unsigned) },
			...cases.shown?.(form, world),
		});
		record.add({
			area: 'Check Only',
			what: 'shows what would be sent, and sends nothing',
			accepted: 1,
			refused: 0,
			guards: [],
		});
	});
});

describe('the menus of the node', () => {
	const { properties } = new PayrollPayments().description;
	const menus: ReadonlyArray<readonly [string, string, readonly string[], readonly string[]]> = [
		['administratorInvite', 'role', ADMINISTRATOR_ROLES, ['endpoint-6/role']],
		[
			'balance',
			'currencies',
			[...new Set([...FILTER_CURRENCIES, ...BALANCE_CURRENCIES])],
			['endpoint-3/currencies'],
		],
		['invite', 'role', WORKER_ROLES, ['endpoint-5/role']],
		['nameReview', 'decision', ['approve', 'cancel'], ['endpoint-8/name-not*']],
		['payment', 'currency', ['USD'], ['endpoint-10/currency_symbol', 'limits/currency_symbol']],
		['payment', 'network', ['arbitrum'], ['endpoint-10/network', 'limits/network']],
		['webhook', 'eventType', EVENT_TYPES, ['endpoint-9/name-not*', 'event-types/*']],
	];

	it.each(menus)('%s: %s offers what the document lists', (resource, name, values, guards) => {
		const fields = properties.filter(
			(field) =>
				field.name === name && field.displayOptions?.show?.resource?.includes(resource) === true,
		);
		expect(fields.length).toBeGreaterThan(0);
		for (const { options = [] } of fields) {
			const offered = options.map((option) => ('value' in option ? option.value : undefined));
			/* Execute may leave the role open. */
			expect(offered.filter((value) => value !== '' && value !== 'any').sort()).toEqual(
				[...values].sort(),
			);
		}
		record.add({
			area: 'Menus',
			what: 'offer what the document lists',
			accepted: values.length,
			refused: 0,
			guards,
		});
	});
});

describe('docs/api.md', () => {
	it('has a test or a reason for each statement, and no name of one that is gone', () => {
		expect(gaps(record)).toEqual({ open: [], gone: [] });
		expect(missingTests()).toEqual([]);
	});

	/* `npm run docs:api` sets the folder to write to. */
	const folder = process.env.PAYROLL_PAYMENTS_WRITE;

	it('shows what these tests tried', () => {
		const section = conformanceSection(record);
		if (folder !== undefined) writeConformance(section, folder);
		expect(writtenSection()).toBe(section);
	});
});
