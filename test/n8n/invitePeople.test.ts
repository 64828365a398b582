import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import fc from 'fast-check';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import {
	startSandbox,
	type AccountName,
	type FaultInput,
	type Sandbox,
} from '../../sandbox/server';
import { runs } from '../support/propertyRuns';

import { processedKeys, runNode, SavedCredentials, type RunResult } from '../support/actionHost';

let sandbox: Sandbox;
let team: string;
let otherTeam: string;

beforeAll(async () => {
	sandbox = await startSandbox();
});

afterAll(async () => {
	await sandbox.close();
});

beforeEach(async () => {
	await control('POST', '/sandbox/reset');
	processedKeys.clear();
	const { teams } = sandbox.service.organisation;
	team = teams[0]?.nanoid ?? '';
	otherTeam = teams[1]?.nanoid ?? '';
});

afterEach(() => {
	const wrong = sandbox.service.wireLog.read().entries.filter(({ valid }) => !valid);
	expect(wrong.map(({ path, problems }) => ({ path, problems }))).toEqual([]);
});

async function control(method: string, path: string, body?: unknown): Promise<void> {
	const answer = await fetch(`${sandbox.url}${path}`, {
		method,
		...(body === undefined
			? {}
			: { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
	});
	if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

async function fault(input: FaultInput): Promise<void> {
	await control('POST', '/sandbox/faults', input);
}

/** Fails the post number `skip + 1`. */
async function failPost(skip: number, how: Partial<FaultInput> = {}): Promise<void> {
	await fault({
		match: { method: 'POST', path: '^/v2/invites$' },
		kind: 'status',
		status: 500,
		skip,
		...how,
	});
}

function data(name: AccountName = 'companyAdministrator', change: IDataObject = {}) {
	const account = sandbox.accounts.find((each) => each.name === name);
	if (account === undefined) throw new Error(`no account ${name}`);
	return {
		baseUrl: sandbox.url,
		authentication: 'walletSignIn',
		signer: 'privateKey',
		platformId: account.platformId,
		privateKey: account.privateKey,
		walletAddress: '',
		signInDomain: '',
		signInChainId: '',
		sessionToken: '',
		...Object.fromEntries(Object.entries(change).map(([key, value]) => [key, String(value)])),
	};
}

/** What reached the sandbox, apart from signing in. */
function wire() {
	return sandbox.service.wireLog.read().entries.filter(({ path }) => !path.startsWith('/v2/auth/'));
}

const posts = () => wire().filter(({ method }) => method === 'POST');
const reads = () => wire().filter(({ method }) => method === 'GET');

function workspace(nanoid: string) {
	const found = sandbox.service.organisation.team(nanoid);
	if (found === undefined) throw new Error(`no team ${nanoid}`);
	return found;
}

/** The addresses with a pending invite to the team, in lower case. */
const pending = (nanoid = team) =>
	workspace(nanoid).invites.map(({ email }) => email.toLowerCase());

/** The identifier under which the service lists an invite or a user. */
function identifierOf(nanoid: string, email: string): string | undefined {
	const { users, invites } = workspace(nanoid);
	const isSame = (each: { readonly email: string }) =>
		each.email.toLowerCase() === email.toLowerCase();
	return (users.find(isSame) ?? invites.find(isSame))?.nanoid;
}

function addMember(nanoid: string, email: string, id = `us-${email}`): void {
	const { users } = workspace(nanoid);
	const [model] = sandbox.service.organisation.teams[0]?.users ?? [];
	if (model === undefined) throw new Error('no user to copy');
	users.push({ ...model, email, nanoid: id });
}

function addInvite(nanoid: string, email: string, id = `in-${email}`): void {
	workspace(nanoid).invites.push({
		nanoid: id,
		role: 'contractor',
		invitee_name: 'Somebody',
		email,
		inviter_name: 'Ada',
		inviter_email: 'ada@example.com',
	});
}

const create = { resource: 'invite', operation: 'create', role: 'contractor' };

type Options = Parameters<typeof runNode>[2];

async function run(parameters: INodeParameters, options: Options = {}): Promise<RunResult> {
	return await runNode(
		new SavedCredentials(data()),
		{ ...create, teamId: team, inviteesSource: 'items', ...parameters },
		options,
	);
}

const CONTINUE: Partial<INode> = { onError: 'continueRegularOutput' };

/** Runs rows with *Existing People: Skip*. */
async function skip(
	items: readonly IDataObject[],
	parameters: INodeParameters = {},
	options: Options = {},
): Promise<RunResult> {
	return await run({ existingPeople: 'skip', ...parameters }, { items, ...options });
}

const json = (output: ReadonlyArray<{ json: IDataObject }>) => output.map((item) => item.json);
const outcomes = ({ output }: RunResult) => json(output).map(({ outcome }) => outcome);

describe('columns of input rows', () => {
	it.each([
		['email', 'first_name'],
		['Email', 'First Name'],
		['E-Mail', 'firstName'],
		['e_mail', 'FIRST-NAME'],
		[' E MAIL ', 'first name'],
		['\uFEFFeMail', 'First_Name'],
	])('are recognized as %j and %j', async (email, firstName) => {
		const { error } = await run(
			{},
			{ items: [{ [email]: 'ana@example.com', [firstName]: 'Ana' }] },
		);
		expect(error).toBeUndefined();
		expect(posts()[0]?.body).toMatchObject({
			invites: [{ email: 'ana@example.com', prefill: { first_name: 'Ana' } }],
		});
	});

	it('are recognized in any spelling that differs only in case, spaces, _ and -', async () => {
		const field = fc.constantFrom('email', 'last_name', 'company_zip', 'job_title', 'phone');
		const style = fc.array(fc.constantFrom('', '', '', ' ', '_', '-', '- '), {
			minLength: 30,
			maxLength: 30,
		});
		const caps = fc.array(fc.boolean(), { minLength: 30, maxLength: 30 });
		await fc.assert(
			fc.asyncProperty(field, style, caps, async (name, gaps, upper) => {
				const header = [...name.replace('_', '')]
					.map((letter, at) => `${gaps[at]}${upper[at] === true ? letter.toUpperCase() : letter}`)
					.join('');
				sandbox.service.wireLog.clear();
				const row =
					name === 'email'
						? { [header]: 'a@example.com', phone: 'x' }
						: { email: 'a@example.com', [header]: 'x' };
				await run({}, { items: [row] });
				expect(posts()[0]?.body).toMatchObject({
					invites: [
						{ email: 'a@example.com', prefill: { [name === 'email' ? 'phone' : name]: 'x' } },
					],
				});
			}),
			{ numRuns: runs(25) },
		);
	});

	it('are ignored where a name is another one', async () => {
		await run({}, { items: [{ email: 'a@example.com', 'First Names': 'x', mail: 'y', e: 'z' }] });
		expect(posts()[0]?.body).toMatchObject({ invites: [{ email: 'a@example.com' }] });
		expect(posts()[0]?.body).not.toHaveProperty('invites.0.prefill');
	});

	it('are refused where two hold one field, also if one is empty', async () => {
		const items = [
			{ email: 'a@example.com' },
			{ email: 'b@example.com', 'First Name': 'B', firstName: '' },
			{ 'E-Mail': 'c@example.com', email: null },
		];
		const stopped = await run({}, { items });
		expect(stopped.error?.message).toBe(
			'Columns First Name and firstName both hold First Name [item 1]',
		);
		expect(stopped.error?.description).toContain(
			'Columns E-Mail and email both hold Email [item 2]',
		);
		expect(wire()).toEqual([]);
		const continued = await run({}, { items, node: CONTINUE });
		expect(json(continued.output)).toEqual([
			{ nanoids: [expect.any(String)] },
			{ error: expect.stringContaining('[item 1]') },
			{ error: expect.stringContaining('[item 2]') },
		]);
	});

	it('name a bad value by the header of the sheet', async () => {
		const { error } = await run({}, { items: [{ 'E-Mail': 'nobody' }] });
		expect(error?.message).toBe('Column E-Mail must be a valid email address [item 0]');
	});
});

describe('Column Names', () => {
	const named = (...column: Array<{ field: string; name: string }>) => ({
		options: { columnNames: { column } },
	});

	it('wins over a column that is recognized', async () => {
		const columns = named(
			{ field: 'email', name: 'Work Mail' },
			{ field: 'firstName', name: 'Vorname' },
		);
		const items = [
			{
				'Work Mail': 'a@example.com',
				email: 'private@example.org',
				Vorname: 'A',
				first_name: 'no',
			},
			{ 'Work Mail': 'b@example.com', email: 'private@example.org', first_name: 'no' },
		];
		expect((await run(columns, { items })).error).toBeUndefined();
		expect(posts()[0]?.body).toMatchObject({
			invites: [
				{ email: 'a@example.com', prefill: { first_name: 'A' } },
				{ email: 'b@example.com' },
			],
		});
		expect(posts()[0]?.body).not.toHaveProperty('invites.1.prefill');
	});

	it('settles which of two columns holds a field, and can swap columns', async () => {
		const columns = named(
			{ field: 'email', name: 'e-mail' },
			{ field: 'first_name', name: 'Last Name' },
			{ field: 'last_name', name: 'First Name' },
		);
		const items = [
			{ email: 'x@example.org', 'e-mail': 'a@example.com', 'First Name': 'L', 'Last Name': 'F' },
		];
		expect((await run(columns, { items })).error).toBeUndefined();
		expect(posts()[0]?.body).toMatchObject({
			invites: [{ email: 'a@example.com', prefill: { first_name: 'F', last_name: 'L' } }],
		});
	});

	it('takes a column for its own field only', async () => {
		const columns = named({ field: 'job_title', name: 'Company Name' });
		const items = [{ email: 'a@example.com', 'Company Name': 'Engineer' }];
		expect((await run(columns, { items })).error).toBeUndefined();
		expect(posts()[0]?.body).toMatchObject({
			invites: [{ prefill: { job_title: 'Engineer', company_name: '' } }],
		});
	});

	it('finds a header that differs only in style, and refuses two that do', async () => {
		const columns = named({ field: 'email', name: 'work mail' });
		expect((await run(columns, { items: [{ 'Work Mail ': 'a@example.com' }] })).error).toBe(
			undefined,
		);
		const two = { 'Work Mail': 'a@example.com', work_mail: 'b@example.com' };
		expect((await run(columns, { items: [two] })).error?.message).toBe(
			'Columns Work Mail and work_mail both hold Email [item 0]',
		);
		expect(posts()).toHaveLength(1);
	});

	it('takes no header that is empty for a name of - or _', async () => {
		for (const name of ['-', ' _ ']) {
			const options = { columnNames: { column: [{ field: 'first_name', name }] } };
			const { error } = await run({ options }, { items: [{ email: 'a@example.com', '': 'Ana' }] });
			expect(error?.message).toContain('No row has a column');
		}
		expect(wire()).toEqual([]);
	});

	it('refuses the whole sheet where no row has the column, since it would be dropped', async () => {
		const columns = named({ field: 'first_name', name: 'Vornme' });
		const items = [
			{ email: 'a@example.com', Vorname: 'A' },
			{ email: 'b@example.com', Vorname: 'B' },
		];
		const stopped = await run(columns, { items });
		expect(stopped.error?.message).toBe(
			'No row has a column Vornme, which Column Names gives for First Name [item 0]',
		);
		expect(stopped.error?.description).toContain('The first row has the columns email, Vorname.');
		const continued = await run(columns, { items, node: CONTINUE });
		expect(json(continued.output)).toEqual(
			[0, 1].map((item) => ({ error: expect.stringContaining(`[item ${item}]`) })),
		);
		expect(wire()).toEqual([]);
	});

	it.each<[string, unknown, string]>([
		['no name', { column: [{ field: 'email', name: ' ' }] }, 'Name is missing'],
		[
			'a name that resolves to nothing',
			{ column: [{ field: 'email', name: '={{ $json.x }}' }] },
			'Name',
		],
		[
			'an unknown field',
			{ column: [{ field: 'nickname', name: 'X' }] },
			'Field must be an entry of its menu, e.g. Company Address (company_address)',
		],
		[
			'a field twice',
			{
				column: [
					{ field: 'email', name: 'X' },
					{ field: 'email', name: 'Y' },
				],
			},
			'Field repeats Email',
		],
	])('refuses %s', async (_name, columnNames, reason) => {
		const { error } = await run(
			{ options: { columnNames } as INodeParameters },
			{ items: [{ email: 'a@example.com' }] },
		);
		expect(error?.message).toContain('Column Names');
		expect(error?.message).toContain(reason);
		expect(wire()).toEqual([]);
	});
});

/** The sandbox behind a proxy that drops the last identifier from what Endpoint 5 answers. */
async function withoutLastIdentifier(): Promise<{ url: string; close(): Promise<void> }> {
	const created = z.object({ data: z.object({ nanoids: z.array(z.string()) }) });
	const server = createServer((request, response) => {
		void (async () => {
			const { method = '', url = '', headers } = request;
			const body = await text(request);
			const answer = await fetch(`${sandbox.url}${url}`, {
				method,
				headers: {
					'content-type': 'application/json',
					...(headers.authorization === undefined ? {} : { authorization: headers.authorization }),
				},
				...(method === 'POST' ? { body } : {}),
			});
			const said: unknown = await answer.json();
			const { data: lists } = created.safeParse(said).data ?? {};
			const changed =
				lists === undefined ? said : { success: true, data: { nanoids: lists.nanoids.slice(1) } };
			response.writeHead(answer.status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(changed));
		})();
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	return {
		url: `http://127.0.0.1:${port}`,
		close: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

/** One row of a random sheet. */
interface RandomRow {
	readonly person: number;
	readonly upper: boolean;
	readonly email: 'good' | 'bad' | 'missing';
	readonly role: 'contractor' | 'team_employee';
	readonly isOtherTeam: boolean;
	readonly anonymous: boolean;
}

interface Scenario {
	readonly rows: readonly RandomRow[];
	readonly members: ReadonlyArray<readonly [person: number, isOtherTeam: boolean, upper: boolean]>;
	readonly pending: ReadonlyArray<readonly [person: number, isOtherTeam: boolean, upper: boolean]>;
	readonly perRequest: number;
	readonly concurrency: number;
	readonly continues: boolean;
	readonly fault?: { readonly skip: number; readonly how: Partial<FaultInput> };
}

const person = fc.integer({ min: 0, max: 11 });
const known = fc.uniqueArray(fc.tuple(person, fc.boolean(), fc.boolean()), {
	maxLength: 6,
	selector: ([who, isOtherTeam]) => `${who} ${isOtherTeam}`,
});
const mostly = fc.constantFrom(
	...Array<'good'>(18).fill('good'),
	'bad' as const,
	'missing' as const,
);

const scenario: fc.Arbitrary<Scenario> = fc.record({
	rows: fc.array(
		fc.record({
			person,
			upper: fc.boolean(),
			email: mostly,
			role: fc.constantFrom('contractor', 'team_employee'),
			isOtherTeam: fc.boolean(),
			anonymous: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 9 },
	),
	members: known,
	pending: known,
	perRequest: fc.integer({ min: 0, max: 3 }),
	concurrency: fc.integer({ min: 1, max: 3 }),
	continues: fc.boolean(),
	fault: fc.option(
		fc.record({
			skip: fc.integer({ min: 0, max: 3 }),
			how: fc.constantFrom<Partial<FaultInput>>(
				{},
				{ processed: true },
				{ status: 403 },
				{ kind: 'cutBefore' },
				{ kind: 'cutAfter' },
			),
		}),
		{ nil: undefined },
	),
});

const addressOf = (who: number, upper: boolean) =>
	upper ? `PERSON${who}@Example.com` : `person${who}@example.com`;

/** Runs a random sheet as often as it takes, and compares it with a model that reads only the sheet. */
async function playScenario(given: Scenario): Promise<void> {
	await control('DELETE', '/sandbox/faults');
	for (const nanoid of [team, otherTeam]) {
		workspace(nanoid).users.splice(1);
		workspace(nanoid).invites.splice(0);
	}
	const placeOf = (isOther: boolean) => (isOther ? otherTeam : team);
	for (const [who, isOther, upper] of given.members) {
		addMember(placeOf(isOther), addressOf(who, upper));
	}
	for (const [who, isOther, upper] of given.pending) {
		addInvite(placeOf(isOther), addressOf(who, upper));
	}
	const isIn = (list: Scenario['members'], { person: who, isOtherTeam }: RandomRow) =>
		list.some(([other, isOther]) => other === who && isOther === isOtherTeam);

	const taken = new Set<string>();
	const expected = given.rows.map((row) => {
		const key = `${row.person} ${row.isOtherTeam}`;
		if (row.email !== 'good' || taken.has(key)) return 'refused';
		taken.add(key);
		if (isIn(given.members, row)) return 'member';
		return isIn(given.pending, row) ? 'pending' : 'invited';
	});
	const isStopped = !given.continues && expected.includes('refused');
	const before = { [team]: pending(team), [otherTeam]: pending(otherTeam) };
	const sheet = given.rows.map((row) => ({
		...(row.email === 'missing'
			? {}
			: { Email: row.email === 'bad' ? 'nobody' : addressOf(row.person, row.upper) }),
		role: row.role,
		team: placeOf(row.isOtherTeam),
		anonymous: row.anonymous,
	}));
	const play = async () => {
		sandbox.service.wireLog.clear();
		return await skip(
			sheet,
			{
				teamId: '={{ $json.team }}',
				role: '={{ $json.role }}',
				anonymous: '={{ $json.anonymous }}',
				options: { inviteesPerRequest: given.perRequest, concurrency: given.concurrency },
			},
			given.continues ? { node: CONTINUE } : {},
		);
	};
	const finalState = (nanoid: string) =>
		[
			...(before[nanoid] ?? []),
			...(isStopped
				? []
				: given.rows
						.filter((row, at) => expected[at] === 'invited' && placeOf(row.isOtherTeam) === nanoid)
						.map((row) => addressOf(row.person, false))),
		].sort();

	if (given.fault !== undefined) {
		await failPost(given.fault.skip, given.fault.how);
		await play();
		await control('DELETE', '/sandbox/faults');
	}
	const { output, error } = await play();
	expect(pending(team).sort()).toEqual(finalState(team));
	expect(pending(otherTeam).sort()).toEqual(finalState(otherTeam));
	if (isStopped) {
		expect(error).toBeDefined();
		expect(wire()).toEqual([]);
		return;
	}
	expect(error).toBeUndefined();
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(sheet.map((_, item) => ({ item })));
	const shown = json(output).map((record) => record.outcome ?? 'refused');
	if (given.fault === undefined) {
		expect(shown).toEqual(expected);
		const groups = new Map<string, number>();
		given.rows.forEach((row, at) => {
			const name = `${row.isOtherTeam} ${row.role} ${row.anonymous}`;
			if (expected[at] === 'invited') groups.set(name, (groups.get(name) ?? 0) + 1);
		});
		const { perRequest } = given;
		const requests = [...groups.values()].map((count) =>
			perRequest === 0 ? 1 : Math.ceil(count / perRequest),
		);
		expect(posts()).toHaveLength(requests.reduce((sum, count) => sum + count, 0));
		expect(reads()).toHaveLength(2 * new Set([...taken].map((key) => key.split(' ')[1])).size);
	}

	const again = await play();
	expect(posts()).toEqual([]);
	expect(json(again.output).map((record) => record.outcome ?? 'refused')).toEqual(
		expected.map((outcome) => (outcome === 'invited' ? 'pending' : outcome)),
	);
	json(again.output).forEach((record, at) => {
		if (record.outcome === undefined) return;
		const { person: who, isOtherTeam } = given.rows[at] ?? {};
		const address = addressOf(who ?? 0, false);
		expect(record.nanoid).toBe(identifierOf(placeOf(isOtherTeam === true), address));
		const email = json(output)[at]?.email;
		expect(record.email).toBe(sheet[at]?.Email);
		expect(email).toBe(sheet[at]?.Email);
	});
}

describe('Existing People: Skip', () => {
	it('says for each row of a sheet what is known, in the order of the rows', async () => {
		addMember(team, 'member@example.com', 'us-member123456');
		addMember(team, 'Both@example.com', 'us-both12345678');
		addInvite(team, 'both@example.com');
		addInvite(team, 'Pending@Example.com', 'in-pending12345');
		const { output, error } = await skip([
			{ email: 'New.Person@Example.com', first_name: 'N' },
			{ email: 'MEMBER@example.com' },
			{ email: 'pending@example.COM' },
			{ email: 'both@example.com' },
			{ email: 'other@example.com' },
		]);
		expect(error).toBeUndefined();
		expect(output).toEqual(
			[
				{ email: 'New.Person@Example.com', outcome: 'invited', nanoid: expect.any(String) },
				{ email: 'MEMBER@example.com', outcome: 'member', nanoid: 'us-member123456' },
				{ email: 'pending@example.COM', outcome: 'pending', nanoid: 'in-pending12345' },
				{ email: 'both@example.com', outcome: 'member', nanoid: 'us-both12345678' },
				{ email: 'other@example.com', outcome: 'invited', nanoid: expect.any(String) },
			].map((record, item) => expect.objectContaining({ json: record, pairedItem: { item } })),
		);
		expect(json(output)[0]?.nanoid).toBe(identifierOf(team, 'new.person@example.com'));
		expect(json(output)[4]?.nanoid).toBe(identifierOf(team, 'other@example.com'));
		expect(posts().map(({ body }) => body)).toEqual([
			{
				nanoid: team,
				role: 'contractor',
				invites: [
					{
						email: 'New.Person@Example.com',
						prefill: expect.objectContaining({ first_name: 'N' }),
					},
					{ email: 'other@example.com' },
				],
			},
		]);
	});

	it('sends no POST for a sheet of 500 rows that runs again', async () => {
		const rows = Array.from({ length: 500 }, (_, index) => ({
			'E-Mail': `Person.${index}@Example.com`,
			'First Name': `P${index}`,
		}));
		for (const index of [3, 77]) addMember(team, `person.${index}@example.com`);
		const first = await skip(rows);
		expect(first.error).toBeUndefined();
		expect(posts()).toHaveLength(1);
		expect(outcomes(first).filter((outcome) => outcome === 'invited')).toHaveLength(498);

		sandbox.service.wireLog.clear();
		const second = await skip(rows);
		expect(second.error).toBeUndefined();
		expect(posts()).toEqual([]);
		/* 500 addresses as written and 500 in lower case, 100 a request, and the pending invites. */
		expect(reads()).toHaveLength(11);
		for (const { query } of reads()) expect([query.emails ?? []].flat().length).toBeLessThan(101);
		expect(second.output).toEqual(
			rows.map((row, item) =>
				expect.objectContaining({
					json: {
						email: row['E-Mail'],
						outcome: [3, 77].includes(item) ? 'member' : 'pending',
						nanoid: identifierOf(team, row['E-Mail']),
					},
					pairedItem: { item },
				}),
			),
		);
		expect(json(second.output).map(({ nanoid }) => nanoid)).toEqual(
			json(first.output).map(({ nanoid }) => nanoid),
		);
	});

	it.each<[string, INodeParameters]>([
		[
			'the form',
			{
				inviteesSource: 'fields',
				invitees: {
					invitee: [
						'new@example.com',
						'Member@example.com',
						'pending@example.com',
						'last@example.com',
					].map((email) => ({ email })),
				},
			},
		],
		[
			'JSON',
			{
				inviteesSource: 'json',
				inviteesJson: JSON.stringify(
					['new@example.com', 'Member@example.com', 'pending@example.com', 'last@example.com'].map(
						(email) => ({ email }),
					),
				),
			},
		],
	])('gives one item per person in the order of %s', async (_name, source) => {
		addMember(team, 'member@example.com', 'us-member123456');
		addInvite(team, 'pending@example.com', 'in-pending12345');
		const parameters = { ...source, options: { inviteesPerRequest: 1 } };
		const { output, error } = await skip([{}], parameters);
		expect(error).toBeUndefined();
		expect(json(output)).toEqual([
			{
				email: 'new@example.com',
				outcome: 'invited',
				nanoid: identifierOf(team, 'new@example.com'),
			},
			{ email: 'Member@example.com', outcome: 'member', nanoid: 'us-member123456' },
			{ email: 'pending@example.com', outcome: 'pending', nanoid: 'in-pending12345' },
			{
				email: 'last@example.com',
				outcome: 'invited',
				nanoid: identifierOf(team, 'last@example.com'),
			},
		]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(Array(4).fill({ item: 0 }));
		expect(posts()).toHaveLength(2);
		expect(outcomes(await skip([{}], parameters))).toEqual([
			'pending',
			'member',
			'pending',
			'pending',
		]);
		expect(posts()).toHaveLength(2);
	});

	it('reads a team once for all items, and refuses a person whom two items list', async () => {
		const parameters = { inviteesSource: 'json', inviteesJson: '={{ $json.list }}' };
		const lists = ['a', 'b', 'c'].map((name) => ({ list: [{ email: `${name}@example.com` }] }));
		expect(outcomes(await skip(lists, parameters))).toEqual(['invited', 'invited', 'invited']);
		expect(reads()).toHaveLength(2);
		expect(posts()).toHaveLength(3);
		const twice = [...lists, { list: [{ email: 'd@example.com' }, { email: 'B@example.com' }] }];
		expect((await skip(twice, parameters)).error?.message).toBe(
			'B@example.com is already listed for this team in item 1 [item 3]',
		);
		expect(posts()).toHaveLength(3);
	});

	it('refuses a person in two rows for the same team, whatever their roles', async () => {
		const items = [
			{ email: 'a@example.com', role: 'contractor' },
			{ email: 'A@example.com', role: 'team_employee' },
		];
		const parameters = { role: '={{ $json.role }}' };
		expect((await skip(items, parameters)).error?.message).toBe(
			'Column email repeats the address of item 0 [item 1]',
		);
		expect(wire()).toEqual([]);
		expect(outcomes(await skip(items, parameters, { node: CONTINUE }))).toEqual([
			'invited',
			undefined,
		]);
		/* Two teams are two invites. */
		const teams = items.map(({ email }, index) => ({
			email,
			team: [team, otherTeam][index] ?? '',
		}));
		expect(outcomes(await skip(teams, { teamId: '={{ $json.team }}' }))).toEqual([
			'pending',
			'invited',
		]);
	});

	it.each<[string, readonly IDataObject[], INodeParameters, string]>([
		[
			'a row and a list',
			[
				{ from: 'json', list: [{ email: 'A@example.com' }] },
				{ from: 'items', email: 'a@example.com' },
			],
			{
				inviteesSource: '={{ $json.from }}',
				inviteesJson: '={{ $json.list }}',
				invitees: { invitee: [{ email: 'unused@example.com' }] },
			},
			'A@example.com is already listed for this team in item 1 [item 0]',
		],
		[
			'a row that skips and one that invites',
			[
				{ email: 'a@example.com', existing: 'skip' },
				{ email: 'A@example.com', existing: 'invite' },
			],
			{ existingPeople: '={{ $json.existing }}' },
			'Column email repeats the address of item 0 [item 1]',
		],
		[
			'a row that invites and one that skips',
			[
				{ email: 'a@example.com', existing: 'invite' },
				{ email: 'A@example.com', existing: 'skip' },
			],
			{ existingPeople: '={{ $json.existing }}' },
			'Column email repeats the address of item 0 [item 1]',
		],
	])('refuses a person in %s for the same team', async (_, items, parameters, message) => {
		expect((await skip(items, parameters)).error?.message).toBe(message);
		expect(wire()).toEqual([]);
	});

	it('takes nobody for a person whose address only looks the same in lower case', async () => {
		/* The Kelvin sign becomes a k in lower case. */
		addInvite(team, 'mar\u212a@example.com');
		expect(outcomes(await skip([{ email: 'mark@example.com' }]))).toEqual(['invited']);
	});

	it('checks every row before the first request', async () => {
		const items = [{ email: 'a@example.com' }, { email: 'nobody' }];
		expect((await skip(items)).error?.message).toContain('[item 1]');
		expect(wire()).toEqual([]);
		expect(outcomes(await skip(items, {}, { node: CONTINUE }))).toEqual(['invited', undefined]);
	});

	it.each(['anyCase', 'exact'])(
		'finds members if the filter by email is %s',
		async (emailFilter) => {
			await control('POST', '/sandbox/settings', { emailFilter });
			addMember(team, 'lower@example.com');
			addMember(team, 'As.Written@Example.com');
			const rows = [{ email: 'LOWER@example.com' }, { email: 'As.Written@Example.com' }];
			expect(outcomes(await skip(rows))).toEqual(['member', 'member']);
		},
	);

	it('refuses a value that is neither, and an expression that finds none', async () => {
		const faults = {
			'={{ $json.nothing }}': 'is missing. Choose Invite or Skip (invite, skip)',
			'': 'is missing. Choose Invite or Skip (invite, skip)',
			Skip: 'must be Invite or Skip (invite, skip)',
		};
		for (const [existingPeople, fault] of Object.entries(faults)) {
			const { error } = await skip([{ email: 'a@example.com' }], { existingPeople });
			expect(error?.message).toContain(`Existing People ${fault}`);
		}
		expect(wire()).toEqual([]);
	});

	it('gives no identifier where the service lists none', async () => {
		addInvite(team, 'a@example.com');
		Reflect.deleteProperty(workspace(team).invites.at(-1) ?? {}, 'nanoid');
		const { output } = await skip([{ email: 'a@example.com' }]);
		expect(json(output)).toEqual([{ email: 'a@example.com', outcome: 'pending', nanoid: null }]);
	});

	it('gives no identifier where the answer lacks one, since it is not known whose', async () => {
		const proxy = await withoutLastIdentifier();
		try {
			const { output, error } = await runNode(
				new SavedCredentials(data('companyAdministrator', { baseUrl: proxy.url })),
				{ ...create, teamId: team, inviteesSource: 'items', existingPeople: 'skip' },
				{ items: [{ email: 'a@example.com' }, { email: 'b@example.com' }] },
			);
			expect(error).toBeUndefined();
			expect(json(output)).toEqual([
				{ email: 'a@example.com', outcome: 'invited', nanoid: null },
				{ email: 'b@example.com', outcome: 'invited', nanoid: null },
			]);
		} finally {
			await proxy.close();
		}
	});

	it('sees who accepts an invite between the two reads', async () => {
		addInvite(team, 'quick@example.com');
		await fault({ match: { method: 'GET', path: '^/v2/invites$' }, kind: 'latency', delay: 300 });
		const place = workspace(team);
		const { users, invites } = place;
		/* As soon as the users were read, the invite is accepted. */
		Object.defineProperty(place, 'users', {
			configurable: true,
			get: () => {
				invites.splice(0);
				return users;
			},
		});
		const result = await skip([{ email: 'quick@example.com' }]);
		expect(outcomes(result)).toEqual(['pending']);
		expect(posts()).toEqual([]);
	});

	it('does not mistake an invite without an email for anybody', async () => {
		addInvite(team, 'hidden@example.com');
		Reflect.set(workspace(team).invites.at(-1) ?? {}, 'email', null);
		expect(outcomes(await skip([{ email: 'a@example.com' }]))).toEqual(['invited']);
	});

	it('does as the property model says for random sheets, and again after a fault', async () => {
		await fc.assert(
			fc.asyncProperty(scenario, async (given) => {
				await playScenario(given);
			}),
			{ numRuns: runs(30) },
		);
	});
});

describe('Existing People: Skip, when reading fails', () => {
	it.each<[string, FaultInput, string]>([
		[
			'a 403 for the invites',
			{
				match: { method: 'GET', path: '^/v2/invites$' },
				kind: 'status',
				status: 403,
				message: 'no',
			},
			'pending invites',
		],
		[
			'a 404 for the invites',
			{
				match: { method: 'GET', path: '^/v2/invites$' },
				kind: 'status',
				status: 404,
				message: 'no',
			},
			'pending invites',
		],
		[
			'a 403 for the users',
			{ match: { path: '/users$' }, kind: 'status', status: 403, skip: 1, message: 'no' },
			'users',
		],
	])('says so after %s, and sends nothing', async (_name, input, what) => {
		await fault(input);
		const rows = Array.from({ length: 150 }, (_, index) => ({ email: `p${index}@example.com` }));
		const { error } = await skip(rows);
		expect(error?.message).toBe(
			`Nobody was invited to ${team}, because its ${what} couldn't be read to skip existing people. The service refused: no [item 0]`,
		);
		expect(error?.description).toMatch(
			input.status === 404
				? /^Check the identifier/
				: what === 'users'
					? /may lack the required role/
					: /needs the role team_admin/,
		);
		expect(posts()).toEqual([]);
	});

	it('sends nothing for any team; with Continue On Fail the other teams go on', async () => {
		const rows = [
			{ email: 'a@example.com', team },
			{ email: 'b@example.com', team: otherTeam },
			{ email: 'c@example.com', team },
		];
		const parameters = { teamId: '={{ $json.team }}' };
		const refuseOther = async () =>
			await fault({
				match: { path: `/${otherTeam}/users$` },
				kind: 'status',
				status: 403,
				message: 'no',
			});
		await refuseOther();
		expect((await skip(rows, parameters)).error?.message).toContain('[item 1]');
		expect(posts()).toEqual([]);
		await refuseOther();
		const { output } = await skip(rows, parameters, { node: CONTINUE });
		expect(json(output)).toEqual([
			expect.objectContaining({ outcome: 'invited' }),
			{ error: expect.stringContaining('[item 1]'), http_status: 403 },
			expect.objectContaining({ outcome: 'invited' }),
		]);
		expect(posts()).toHaveLength(1);
	});

	it('reads again after passing faults', async () => {
		await fault({ match: { method: 'GET' }, kind: 'status', status: 503, times: 2 });
		expect(outcomes(await skip([{ email: 'a@example.com' }]))).toEqual(['invited']);
		expect(reads()).toHaveLength(4);
	});

	it('invites nobody where a member is listed without an email', async () => {
		addMember(team, 'a@example.com', 'us-a12345678901');
		await control('POST', '/sandbox/settings', { emailFilter: 'exact' });
		const member = workspace(team).users.at(-1);
		/* The address serves the filter, but doesn't come with the record. */
		Object.defineProperty(member, 'email', { value: 'a@example.com', enumerable: false });
		const { error } = await skip([{ email: 'a@example.com' }]);
		expect(error?.message).toContain('lists user us-a12345678901 without an email');
		expect(posts()).toEqual([]);
	});

	it.each(['', ' '])(
		'invites nobody where a member is listed with the email "%s"',
		async (email) => {
			addMember(team, 'a@example.com', 'us-a12345678901');
			await control('POST', '/sandbox/settings', { emailFilter: 'exact' });
			const member = workspace(team).users.at(-1);
			if (member === undefined) throw new Error('no member');
			/* The address serves the filter, but doesn't come with the record. */
			Object.defineProperty(member, 'toJSON', { value: () => ({ ...member, email }) });
			const { error } = await skip([{ email: 'a@example.com' }]);
			expect(error?.message).toContain('lists user us-a12345678901 without an email');
			expect(posts()).toEqual([]);
		},
	);

	it('needs the permission to invite before anything is read', async () => {
		const { error } = await runNode(
			new SavedCredentials({ ...data(), permissions: ['sendPayments'] }),
			{ ...create, teamId: team, inviteesSource: 'items', existingPeople: 'skip' },
			{ items: [{ email: 'a@example.com' }] },
		);
		expect(error?.message).toBe("These credentials don't allow inviting people [item 0]");
		expect(wire()).toEqual([]);
	});
});

describe('Existing People: Skip, after a run was cut', () => {
	const rows = Array.from({ length: 10 }, (_, index) => ({
		email: `Cut.${index}@example.com`,
		role: index % 3 === 0 ? 'team_employee' : 'contractor',
	}));
	const parameters = { role: '={{ $json.role }}', options: { inviteesPerRequest: 3 } };
	const everybody = rows.map(({ email }) => email.toLowerCase()).sort();
	const invited = () =>
		pending()
			.filter((email) => email.startsWith('cut.'))
			.sort();

	it.each<[string, Partial<FaultInput>]>([
		['the service fails before it acts', {}],
		['the service fails after it acted', { processed: true }],
		['the service refuses', { status: 403 }],
		['the connection breaks before the service acts', { kind: 'cutBefore' }],
		['the connection breaks after the service acted', { kind: 'cutAfter' }],
	])('invites everybody once where %s', async (_name, how) => {
		await failPost(2, how);
		const first = await skip(rows, parameters);
		expect(first.error?.data).toMatchObject({
			completed: [0, 3, 6, 9].map((item) => expect.objectContaining({ item, outcome: 'invited' })),
		});
		expect(posts()).toHaveLength(3);
		const second = await skip(rows, parameters);
		expect(second.error).toBeUndefined();
		expect(invited()).toEqual(everybody);
		expect(outcomes(second).filter((outcome) => outcome === 'pending')).toHaveLength(
			how.processed === true || how.kind === 'cutAfter' ? 7 : 4,
		);
		expect(outcomes(await skip(rows, parameters))).toEqual(rows.map(() => 'pending'));
	});

	it('gives each row its state with Continue On Fail, and finishes in the next run', async () => {
		await failPost(2);
		const first = await skip(rows, parameters, { node: CONTINUE });
		expect(first.output.map(({ pairedItem }) => pairedItem)).toEqual(
			rows.map((_, item) => ({ item })),
		);
		const failed = json(first.output).flatMap(({ error }, item) =>
			error === undefined ? [] : item,
		);
		expect(failed).toEqual([1, 2, 4]);
		expect((await skip(rows, parameters, { node: CONTINUE })).error).toBeUndefined();
		expect(invited()).toEqual(everybody);
	});

	it('invites everybody once after the process was killed at any request', async () => {
		for (let cut = 0; cut < 4; cut++) {
			await control('POST', '/sandbox/reset');
			await failPost(cut, { kind: cut % 2 === 0 ? 'cutAfter' : 'cutBefore' });
			const executionId = `killed at ${cut}`;
			expect((await skip(rows, parameters, { executionId })).error).toBeDefined();
			expect(posts()).toHaveLength(cut + 1);
			/* A new process remembers nothing, not even of the same execution. */
			await jest.isolateModulesAsync(async () => {
				const host = await import('../support/actionHost');
				expect(host.runNode).not.toBe(runNode);
				const { error } = await host.runNode(
					new host.SavedCredentials(data()),
					{
						...create,
						teamId: team,
						inviteesSource: 'items',
						existingPeople: 'skip',
						...parameters,
					},
					{ items: rows, executionId },
				);
				expect(error).toBeUndefined();
			});
			expect(invited()).toEqual(everybody);
		}
	});

	it('names nobody as done who only was known already', async () => {
		addMember(team, 'a@example.com');
		await failPost(0, { status: 400 });
		const items = [{ email: 'a@example.com' }, { email: 'b@example.com' }];
		const { error } = await skip(items, { options: { concurrency: 5 } });
		expect(error?.message).toContain('[item 1]');
		expect(error?.description).not.toContain('Already done');
		expect(JSON.stringify(error?.data ?? {})).not.toContain('a@example.com');
	});

	it('is answered from memory by Retry On Fail, also what was invited before the error', async () => {
		await failPost(1, { status: 403 });
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { output, error } = await skip(rows, parameters, { node });
		expect(error).toBeUndefined();
		expect(json(output).map(({ outcome }) => outcome)).toEqual(rows.map(() => 'invited'));
		expect(invited()).toEqual(everybody);
		expect(reads()).toHaveLength(2);
	});

	it('is not sent again by Retry On Fail where the outcome is unknown', async () => {
		await failPost(1, { kind: 'cutAfter' });
		const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { error } = await skip(rows, parameters, { node });
		expect(error?.message).toContain("The request wasn't sent again");
		expect(posts()).toHaveLength(2);
		expect((await skip(rows, parameters)).error).toBeUndefined();
		expect(invited()).toEqual(everybody);
	});
});

describe('Existing People: Skip with Check Only', () => {
	const options = { checkOnly: true };

	it('reads, and puts out the requests with who is skipped', async () => {
		addMember(team, 'a@example.com');
		addInvite(team, 'b@example.com');
		const items = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ email: `${name}@example.com` }));
		const { output, error } = await skip(items, { options: { ...options, inviteesPerRequest: 2 } });
		expect(error).toBeUndefined();
		const request = (...names: string[]) => ({
			method: 'POST',
			path: '/v2/invites',
			body: {
				nanoid: team,
				role: 'contractor',
				invites: names.map((name) => ({ email: `${name}@example.com` })),
			},
		});
		expect(output.map(({ json: record, pairedItem }) => ({ record, pairedItem }))).toEqual([
			{
				record: {
					check: 'passed',
					summary: `Invite 2 people (c@example.com, d@example.com) to team ${team} as Contractor; skips 2 people who are members or already invited`,
					request: request('c', 'd'),
				},
				pairedItem: [{ item: 2 }, { item: 3 }],
			},
			{
				record: {
					check: 'passed',
					summary: `Invite 1 person (e@example.com) to team ${team} as Contractor`,
					request: request('e'),
				},
				pairedItem: { item: 4 },
			},
		]);
		expect(posts()).toEqual([]);
		expect(reads()).toHaveLength(2);
	});

	it('says that there is nobody to invite', async () => {
		addMember(team, 'a@example.com');
		addInvite(team, 'b@example.com');
		const { output } = await skip([{ email: 'a@example.com' }, { email: 'b@example.com' }], {
			options,
		});
		expect(output).toEqual([
			expect.objectContaining({
				json: {
					check: 'passed',
					summary: `Invite nobody to team ${team} as Contractor: all 2 are members or already invited`,
					request: null,
				},
				pairedItem: [{ item: 0 }, { item: 1 }],
			}),
		]);
	});

	it('leaves nothing behind: a run in the same execution reads again', async () => {
		const items = [{ email: 'a@example.com' }];
		await skip(items, { options }, { executionId: 'checked' });
		addInvite(team, 'a@example.com');
		const { output } = await skip(items, {}, { executionId: 'checked' });
		expect(json(output)).toMatchObject([{ outcome: 'pending' }]);
	});
});
