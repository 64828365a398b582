import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultInput } from '../../sandbox/server';
import { CONTINUE, recordsOf, runNode, TWICE, type RunResult } from '../support/actionHost';
import { expectValidRequests, useActionSandbox } from '../support/actionSandbox';
import { useEchoService } from '../support/echoService';
import { formOf, withAccessToken } from '../support/operationForms';
import { runs } from '../support/propertyRuns';
import { prefillWith } from './conformance/operations/invites';

const sandbox = useActionSandbox();
expectValidRequests(sandbox);

const otherTeam = () => sandbox.service.organisation.teams[1]?.nanoid ?? '';

/** Fails the post number `skip + 1`. */
async function failPost(skip: number, how: Partial<FaultInput> = {}): Promise<void> {
	await sandbox.fault({
		match: { method: 'POST', path: '^/v2/invites$' },
		kind: 'status',
		status: 500,
		skip,
		...how,
	});
}

const wire = () => sandbox.requests();
const posts = () => wire().filter(({ method }) => method === 'POST');
const reads = () => wire().filter(({ method }) => method === 'GET');

function workspace(nanoid = sandbox.team) {
	const found = sandbox.service.organisation.team(nanoid);
	if (found === undefined) throw new Error(`no team ${nanoid}`);
	return found;
}

/** The addresses with a pending invite to the team, in lower case. */
const pending = (nanoid?: string) =>
	workspace(nanoid).invites.map(({ email }) => email.toLowerCase());

/** The identifier under which the service lists an invite or a user. */
function identifierOf(email: string, nanoid?: string): string | undefined {
	const { users, invites } = workspace(nanoid);
	const isSame = (each: { readonly email: string }) =>
		each.email.toLowerCase() === email.toLowerCase();
	return (users.find(isSame) ?? invites.find(isSame))?.nanoid;
}

function addMember(email: string, id = `us-${email}`, nanoid?: string) {
	const [model] = workspace().users;
	if (model === undefined) throw new Error('no user to copy');
	const member = { ...model, email, nanoid: id };
	workspace(nanoid).users.push(member);
	return member;
}

function addInvite(email: string, id = `in-${email}`, nanoid?: string) {
	const invite = {
		nanoid: id,
		role: 'contractor' as const,
		invitee_name: 'Somebody',
		email,
		inviter_name: 'Ada',
		inviter_email: 'ada@example.com',
	};
	workspace(nanoid).invites.push(invite);
	return invite;
}

type Options = Parameters<typeof runNode>[2];

const invitation = (parameters: INodeParameters) => {
	const usual = { role: 'contractor', teamId: sandbox.team, inviteesSource: 'items' };
	return formOf('invite.create', { ...usual, ...parameters });
};

/** Runs rows with the default of *Existing People*, which is *Skip*. */
async function skip(
	items: readonly IDataObject[],
	parameters: INodeParameters = {},
	options: Options = {},
): Promise<RunResult> {
	return await sandbox.run(invitation(parameters), { items, ...options });
}

/** Runs rows without looking anybody up. */
async function invite(
	items: readonly IDataObject[],
	parameters: INodeParameters = {},
	options: Options = {},
): Promise<RunResult> {
	return await skip(items, { existingPeople: 'invite', ...parameters }, options);
}

const outcomes = ({ output }: RunResult) => recordsOf(output).map(({ outcome }) => outcome);

const a = 'a@example.com';
const b = 'b@example.com';

/** A person in a request, with a prefill that is complete. */
const person = (email: string, prefill: Readonly<Record<string, string>>) => ({
	email,
	prefill: prefillWith(prefill),
});

/** Column Names: pairs of a field and a header. */
const named = (
	...pairs: ReadonlyArray<readonly [field: string, name: string]>
): INodeParameters => ({
	columnNames: { column: pairs.map(([field, name]) => ({ field, name })) },
});

describe('columns of input rows', () => {
	const SPELLINGS = [
		['email', 'first_name'],
		['E-Mail', 'firstName'],
		[' E MAIL ', 'FIRST-NAME'],
		['E\u2011Mail', 'first–name'],
		['\ufeffE-Mail\u200b', 'First\u00a0Name'],
	] as const;

	it.each<[string, IDataObject[], object[], options?: INodeParameters]>([
		...SPELLINGS.map(([email, name]): [string, IDataObject[], object[]] => [
			`recognizes ${JSON.stringify(email)} and ${JSON.stringify(name)}`,
			[{ [email]: a, [name]: 'Ana' }],
			[person(a, { first_name: 'Ana' })],
		]),
		[
			'ignores a header that is another word',
			[{ email: a, 'First Names': 'x', mail: 'y', e: 'z' }],
			[{ email: a }],
		],
		[
			'takes digits that a sheet turned into numbers',
			[{ email: a, phone: 123, company_zip: null }],
			[person(a, { phone: '123' })],
		],
		[
			'takes an empty cell for no prefill',
			[
				{ email: a, prefill: '' },
				{ email: b, prefill: null },
			],
			[{ email: a }, { email: b }],
		],
		[
			'prefers a named column, and keeps the recognized prefill of a row without it',
			[
				{ 'Work Mail': a, email: 'private@example.org', Vorname: 'A', first_name: 'no' },
				{ 'Work Mail': b, email: 'private@example.org', first_name: 'B' },
			],
			[person(a, { first_name: 'A' }), person(b, { first_name: 'B' })],
			named(['email', 'Work Mail'], ['first_name', 'Vorname']),
		],
		[
			'takes the one of two columns that is named, and can swap columns',
			[{ email: 'x@example.org', 'e-mail': a, 'First Name': 'L', 'Last Name': 'F' }],
			[person(a, { first_name: 'F', last_name: 'L' })],
			named(['email', 'e-mail'], ['first_name', 'Last Name'], ['last_name', 'First Name']),
		],
		[
			'takes a named column for its own field only',
			[{ email: a, 'Company Name': 'Engineer', prefill: '12' }],
			[person(a, { job_title: 'Engineer', phone: '12' })],
			named(['job_title', 'Company Name'], ['phone', 'prefill']),
		],
		[
			'finds a named header that differs only in style',
			[{ 'Work Mail ': a }],
			[{ email: a }],
			named(['email', 'work mail']),
		],
		[
			'takes whichever of two named columns a row has',
			[{ 'Work Mail': a }, { 'Mail at Home': b }],
			[{ email: a }, { email: b }],
			named(['email', 'Work Mail'], ['email', 'Mail at Home']),
		],
		[
			'reads names from an expression for each row',
			[
				{ header: 'Work Mail', 'Work Mail': a, email: 'no@example.org' },
				{ header: 'Home', Home: b, 'Work Mail': 'no@example.org' },
			],
			[{ email: a }, { email: b }],
			named(['email', '={{ $json.header }}']),
		],
	])('%s', async (_what, items, invites, options = {}) => {
		const { error } = await invite(items, { options });
		expect(error).toBeUndefined();
		expect(posts().map(({ body }) => body)).toEqual([
			{ nanoid: sandbox.team, role: 'contractor', invites },
		]);
	});

	it('go in one request for each team and role, which names every row', async () => {
		const items = ['contractor', 'team_employee', 'contractor'].map((role, index) => ({
			email: `r${index}@example.com`,
			role,
		}));
		const { output } = await invite(items, { role: '={{ $json.role }}' });
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			[{ item: 0 }, { item: 2 }],
			{ item: 1 },
		]);
		expect(posts().map(({ body }) => Object(body).role)).toEqual(['contractor', 'team_employee']);
	});

	/* test/unit/shared/cellFaults.test.ts has each kind of fault. */
	const NO_PREFILL = 'prefill can’t be a column; use one for each field, e.g. first_name';
	const BROKEN = 'First Name has #REF!, the error of a formula in a sheet';
	const LOST =
		'last_name has \ufffd, a letter that was lost when the file was read; save the file as UTF-8';
	const TWO = 'columns First Name and firstName both hold First Name';

	it.each<[fault: string, row: IDataObject]>([
		['"b@example\ufffd" isn’t an email address', { email: ' b@example\u200b' }],
		['"\'ana@example.com" isn’t an email address', { email: "'ana@example.com" }],
		['email is missing', { name: 'Ben' }],
		['email is missing', { email: ' ', name: 'Ben' }],
		/* As databases leave it open. */
		['email is missing', { email: null, name: 'Ben' }],
		['email must be text', { email: 7 }],
		['Phone must be text', { email: b, Phone: {} }],
		['email must be text, not a list', { email: [b] }],
		[TWO, { email: b, 'First Name': 'B', firstName: '' }],
		/* As SheetJS, and so n8n, reads a header that an Excel file has twice. */
		['columns phone and phone_1 both hold Phone', { email: b, phone: '1', phone_1: '2' }],
		[NO_PREFILL, { email: b, prefill: { first_name: 'B' } }],
		[NO_PREFILL, { email: b, ' Prefill': '{"first_name":"B"}' }],
		['phone has lost some of its digits; enter it as text', { email: b, phone: 2 ** 64 }],
		[BROKEN, { email: b, 'First Name': 'Ana #REF!' }],
		[LOST, { email: b, last_name: 'M\u0096ller' }],
	])('refuse a row where %s: %j', async (fault, row) => {
		const { error } = await invite([{ email: a }, row]);
		expect(error?.message).toBe(`Row 2: ${fault}`);
		expect(wire()).toEqual([]);
	});

	it.each<[string, INodeParameters, IDataObject[], string]>([
		[
			'two columns that a name stands for',
			named(['email', 'work mail']),
			[{ 'Work Mail': a, work_mail: b }],
			'Row 1: columns Work Mail and work_mail both hold Email',
		],
		[
			'two columns for one field, each of which some row lacks, as Excel leaves out empty cells',
			{},
			[{ 'E-Mail': a }, { Email: 'private@example.org' }],
			'Row 1: columns E-Mail and Email both hold Email (the same in row 2)',
		],
		[
			'a row whose named address is missing, as Excel leaves out empty cells',
			named(['email', 'Work Email']),
			[{ 'Work Email': a }, { Email: 'private@example.org' }],
			'Row 2: Work Email is missing',
		],
		[
			'a row without any of two columns that are named for the address',
			named(['email', 'Work'], ['email', 'Home']),
			[{ Work: a }, { Home: b }, { Email: 'private@example.org' }],
			'Row 3: Work is missing',
		],
		[
			'a row that has a named address only in another spelling, which is another column',
			named(['email', 'Email']),
			[{ Email: a, 'E-Mail': 'private@example.org' }, { 'E-Mail': 'private2@example.org' }],
			'Row 2: Email is missing',
		],
		...['-', ' _ ', 'Vornme'].map((name): [string, INodeParameters, IDataObject[], string] => [
			`a name ${name} that no row has, also as a header that is empty`,
			named(['first_name', name]),
			[{ email: a, Vorname: 'A', '': 'x' }],
			`Column Names reads First Name from column ${name}, but no row has that column [item 0]`,
		]),
		...[' ', '={{ $json.x }}'].map((name): [string, INodeParameters, IDataObject[], string] => [
			`a column whose name is ${name}`,
			named(['email', name]),
			[{ email: a }],
			'Column Names, Column, entry 1, Name is missing [item 0]',
		]),
		[
			'an expression for all names, which n8n drops',
			{ columnNames: '={{ { column: [{ field: "email", name: "X" }] } }}' },
			[{ email: a, X: b }],
			'Column Names, Column is empty. Add a column with a field and a name, or remove the option [item 0]',
		],
		[
			'an unknown field',
			named(['nickname', 'X']),
			[{ email: a }],
			'Column Names, Column, entry 1, Field must be an entry of its menu, e.g. Company Address (company_address) [item 0]',
		],
	])('refuse %s', async (_what, options, items, message) => {
		const { error } = await invite(items, { options });
		expect(error?.message).toBe(message);
		expect(wire()).toEqual([]);
	});

	/* test/n8n/paymentRows.test.ts has what is said of rows that are left out. */
	it('are named by the row of the sheet, and left out where they are empty', async () => {
		const items = [
			{ row_number: 2, email: a },
			{ row_number: 3, email: '', checked: false },
			{ row_number: 5, email: 'x' },
			{ row_number: 9, email: a },
		];
		const { error } = await invite(items);
		expect(error?.message).toBe('Row 5 of the sheet: "x" isn’t an email address');
		expect(error?.description).toContain(
			`Also failed: Row 9 of the sheet: ${a} is already in row 2 of the sheet.`,
		);
		expect((await invite(items.slice(0, 2))).output).toMatchObject([{ pairedItem: { item: 0 } }]);
	});

	it.each([
		['Role', 'Employee', 'Role is Contractor'],
		['role', 'team_employee', 'Role is Contractor'],
		['team_nanoid', 'te-zzzzzzzzzzzz', 'Team ID is {team}'],
		['Anonymous', 'TRUE', 'Anonymous is off'],
	])(
		'are refused where the column %s says %s, and the form says that %s',
		async (header, value, said) => {
			/* What an expression gives another value for each row isn't compared. */
			const other = header === 'Anonymous' ? 'role' : 'anonymous';
			const mixed = {
				[other]: `={{ $itemIndex ? ${other === 'role' ? '"team_employee" : "contractor"' : 'true : false'} }}`,
			};
			const rows = [{ email: a, [header]: value, [other]: 'TRUE' }, { email: b }];
			const { error, stored } = await invite(rows, mixed);
			const form = said.replace('{team}', sandbox.team);
			expect(error?.message).toBe(`Row 1: ${header} is ${value}, and the form’s ${form}`);
			expect(stored).not.toContain(`Column ${other}`);
			expect(wire()).toEqual([]);
		},
	);

	it.each([
		['role', 'Engineer'],
		['Team ID', 'Sales'],
		['anonymous', 'maybe'],
	])('name the column %s, which decides nothing', async (header, value) => {
		const { stored } = await invite([{ email: a, [header]: value }]);
		expect(stored).toMatch(new RegExp(`Column \\W*${header}\\W* isn’t used: the node’s own field`));
		const same = ['Contractor', 'contractor'].map((Role, index) => ({
			...{ email: `${index}@example.com`, Role, team: '' },
			...{ 'Team ID': sandbox.team, Anonymous: 'FALSE' },
		}));
		expect((await invite(same)).stored).not.toContain('isn’t used');
	});

	it('tell equal faults in one sentence, and each row its own with Continue', async () => {
		const items = [a, 'x', undefined, b, undefined, 'y', 'x', undefined].map((email) => ({
			name: 'Somebody',
			email,
		}));
		const { error } = await invite(items);
		expect(error?.message).toBe('Row 2: "x" isn’t an email address (the same in row 7)');
		expect(error?.description).toContain(
			'Also failed: Row 3: email is missing (the same in rows 5, 8); Row 6: "y" isn’t an email address.',
		);
		const { output } = await invite(items, {}, CONTINUE);
		expect(recordsOf(output).flatMap(({ error: said }) => said ?? [])).toEqual([
			'Row 2: "x" isn’t an email address',
			'Row 3: email is missing',
			'Row 5: email is missing',
			'Row 6: "y" isn’t an email address',
			'Row 7: "x" isn’t an email address',
			'Row 8: email is missing',
		]);
		expect(recordsOf(output)[1]?.hint).toBe(
			'Correct the row, then run the node again. This was not sent. Other items were: leave them out of the next run.',
		);
		expect(posts().map(({ body }) => body)).toEqual([
			expect.objectContaining({ invites: [{ email: a }, { email: b }] }),
		]);
	});

	it('refuse all rows where no row has a named column, with Continue, too', async () => {
		const items = [{ email: a, Vorname: 'A' }, { email: b }];
		const parameters = { options: named(['first_name', 'Vornme']) };
		const stopped = await invite(items, parameters);
		expect(stopped.error?.description).toContain('The first row has the columns email, Vorname.');
		const { output } = await invite(items, parameters, CONTINUE);
		expect(recordsOf(output).map(({ error }) => typeof error)).toEqual(['string', 'string']);
		expect(wire()).toEqual([]);
	});
});

const who = fc.integer({ min: 0, max: 11 });
/** Whom the service lists in the two teams: a person, whether in the other team, and in upper case. */
const known = fc.uniqueArray(fc.tuple(who, fc.boolean(), fc.boolean()), {
	maxLength: 6,
	selector: ([each, isOtherTeam]) => `${each} ${isOtherTeam}`,
});
const mostly = fc.constantFrom(
	...Array<'good'>(18).fill('good'),
	'bad' as const,
	'missing' as const,
);

/** A random sheet, what the service knows of its people, and how it is run. */
const scenario = fc.record({
	rows: fc.array(
		fc.record({
			person: who,
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

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

const addressOf = (number: number, upper: boolean) =>
	upper ? `PERSON${number}@Example.com` : `person${number}@example.com`;

/** Runs a random sheet as often as it takes, and compares it with a model that reads only the sheet. */
async function playScenario(given: Scenario): Promise<void> {
	await sandbox.control('DELETE', 'faults');
	for (const nanoid of [sandbox.team, otherTeam()]) {
		workspace(nanoid).users.splice(1);
		workspace(nanoid).invites.splice(0);
	}
	const placeOf = (isOther: boolean) => (isOther ? otherTeam() : sandbox.team);
	for (const [number, isOther, upper] of given.members) {
		addMember(addressOf(number, upper), undefined, placeOf(isOther));
	}
	for (const [number, isOther, upper] of given.pending) {
		addInvite(addressOf(number, upper), undefined, placeOf(isOther));
	}
	const isIn = (list: Scenario['members'], row: Scenario['rows'][number]) =>
		list.some(([number, isOther]) => number === row.person && isOther === row.isOtherTeam);

	const taken = new Set<string>();
	const expected = given.rows.map((row) => {
		const key = `${row.person} ${row.isOtherTeam}`;
		if (row.email !== 'good' || taken.has(key)) return 'refused';
		taken.add(key);
		if (isIn(given.members, row)) return 'member';
		return isIn(given.pending, row) ? 'pending' : 'invited';
	});
	const isStopped = !given.continues && expected.includes('refused');
	const before = { [sandbox.team]: pending(), [otherTeam()]: pending(otherTeam()) };
	const sheet = given.rows.map((row) => ({
		...(row.email === 'missing'
			? {}
			: { Email: row.email === 'bad' ? 'nobody' : addressOf(row.person, row.upper) }),
		role: row.role,
		team: placeOf(row.isOtherTeam),
		anonymous: row.anonymous ? 'TRUE' : false,
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
			given.continues ? CONTINUE : {},
		);
	};
	const invited = isStopped ? [] : given.rows.filter((_row, at) => expected[at] === 'invited');
	const finalState = (nanoid: string) =>
		[
			...(before[nanoid] ?? []),
			...invited
				.filter(({ isOtherTeam }) => placeOf(isOtherTeam) === nanoid)
				.map(({ person: number }) => addressOf(number, false)),
		].sort();

	if (given.fault !== undefined) {
		await failPost(given.fault.skip, given.fault.how);
		await play();
		await sandbox.control('DELETE', 'faults');
	}
	const { output, error } = await play();
	expect(pending().sort()).toEqual(finalState(sandbox.team));
	expect(pending(otherTeam()).sort()).toEqual(finalState(otherTeam()));
	if (isStopped) {
		expect(error).toBeDefined();
		expect(wire()).toEqual([]);
		return;
	}
	expect(error).toBeUndefined();
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(sheet.map((_, item) => ({ item })));
	const outcomesIn = (records: IDataObject[]) =>
		records.map((record) => record.outcome ?? 'refused');
	const expectIdentified = (records: IDataObject[]) => {
		for (const [at, record] of records.entries()) {
			if (record.error !== undefined) continue;
			const { person: number = 0, isOtherTeam = false } = given.rows[at] ?? {};
			const nanoid = identifierOf(addressOf(number, false), placeOf(isOtherTeam));
			expect(record).toMatchObject({ email: sheet[at]?.Email, nanoid });
		}
	};
	expectIdentified(recordsOf(output));
	if (given.fault === undefined) {
		expect(outcomesIn(recordsOf(output))).toEqual(expected);
		const { perRequest } = given;
		const groups = invited.map(({ isOtherTeam, role, anonymous }) =>
			[isOtherTeam, role, anonymous].join(),
		);
		const requests = [...new Set(groups)].map((group) => {
			const count = groups.filter((each) => each === group).length;
			return Math.ceil(count / (perRequest || count));
		});
		expect(posts()).toHaveLength(requests.reduce((sum, count) => sum + count, 0));
		const invitees = posts().flatMap(({ body }): IDataObject[] => Object(body).invites);
		expect(invitees.map(({ email }) => email).sort()).toEqual(
			invited.map(({ person: number, upper }) => addressOf(number, upper)).sort(),
		);
		expect(reads()).toHaveLength(2 * new Set([...taken].map((key) => key.split(' ')[1])).size);
	}

	const again = await play();
	expect(posts()).toEqual([]);
	expect(outcomesIn(recordsOf(again.output))).toEqual(
		expected.map((outcome) => (outcome === 'invited' ? 'pending' : outcome)),
	);
	expectIdentified(recordsOf(again.output));
}

describe('Existing People: Skip', () => {
	it('does as the property model says for random sheets, and again after a fault', async () => {
		await fc.assert(fc.asyncProperty(scenario, playScenario), { numRuns: runs(30) });
	});

	const listed = ['new', 'Member', 'pending', 'last', 'Member2'].map((name) => ({
		email: `${name}@example.com`,
	}));

	it.each<[string, INodeParameters]>([
		['the form', { inviteesSource: 'fields', invitees: { invitee: listed } }],
		['JSON', { inviteesSource: 'json', inviteesJson: JSON.stringify(listed) }],
	])('gives one item per person in the order of %s', async (_name, source) => {
		addMember('member@example.com');
		addMember('member2@example.com');
		addInvite('pending@example.com');
		const parameters = { ...source, options: { inviteesPerRequest: 1 } };
		const { output, error } = await skip([{}], parameters);
		expect(error).toBeUndefined();
		expect(recordsOf(output)).toEqual(
			['invited', 'member', 'pending', 'invited', 'member'].map((outcome, index) => {
				const email = listed[index]?.email ?? '';
				return { email, outcome, nanoid: identifierOf(email) };
			}),
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(Array(5).fill({ item: 0 }));
		expect(posts()).toHaveLength(2);
	});

	const mixed = {
		inviteesSource: '={{ $json.from ?? "items" }}',
		inviteesJson: '={{ $json.list }}',
		invitees: { invitee: [{ email: 'unused@example.com' }] },
		existingPeople: '={{ $json.existing ?? "skip" }}',
		role: '={{ $json.role ?? "contractor" }}',
	};

	const twoRows = (first: IDataObject, second: IDataObject): [IDataObject[], string] => [
		[
			{ email: a, ...first },
			{ email: 'A@example.com', ...second },
		],
		'Row 2: A@example.com is already in row 1',
	];

	it.each<[string, IDataObject[], string]>([
		['two rows, whatever their roles', ...twoRows({}, { role: 'team_employee' })],
		['a row that skips and one that invites', ...twoRows({}, { existing: 'invite' })],
		['a row that invites and one that skips', ...twoRows({ existing: 'invite' }, {})],
		[
			'a list and a row',
			[{ from: 'json', list: [{ email: 'A@example.com' }] }, { email: a }],
			'Row 2: a@example.com is already in item 0',
		],
		[
			'a row and a list',
			[{ email: a }, { from: 'json', list: [{ email: b }, { email: 'A@example.com' }] }],
			'A@example.com is already in row 1 [item 1]',
		],
		[
			'one list',
			[{ from: 'json', list: [{ email: a }, { email: 'A@example.com' }] }],
			'A@example.com is listed twice [item 0]',
		],
	])('refuses a person in %s for the same team', async (_what, items, message) => {
		expect((await skip(items, mixed)).error?.message).toBe(message);
		expect(wire()).toEqual([]);
		const { output } = await skip(items, mixed, CONTINUE);
		expect(recordsOf(output).filter(({ error }) => error !== undefined)).toHaveLength(1);
	});

	it('takes nobody for a person whose address only looks the same', async () => {
		/* The Kelvin sign becomes a k in lower case, and is another person's. */
		addInvite('mar\u212a@example.com');
		expect(outcomes(await skip([{ email: 'mark@example.com' }]))).toEqual(['invited']);
	});

	it('gives no identifier where the service lists none, and takes no blank email for a person', async () => {
		Reflect.deleteProperty(addInvite(a), 'nanoid');
		Reflect.set(addInvite('hidden@example.com'), 'email', null);
		const { output } = await skip([{ email: a }, { email: b }]);
		expect(recordsOf(output)).toEqual([
			{ email: a, outcome: 'pending', nanoid: null },
			{ email: b, outcome: 'invited', nanoid: expect.any(String) },
		]);
	});

	const service = useEchoService();

	it.each([
		['fewer identifiers than people', ['in-1'], 'unknown'],
		['one identifier twice', ['in-1', 'in-1'], 'unknown'],
		['more identifiers than people', ['in-1', 'in-2', 'in-3'], 'invited'],
	])('gives none where the service names %s', async (_what, nanoids, outcome) => {
		service.answer(({ method, path }) => {
			const listed = path === '/v2/invites' ? [] : { users: [] };
			return { body: { success: true, data: method === 'POST' ? { nanoids } : listed } };
		});
		const items = [{ email: a }, { email: b }];
		const saved = withAccessToken(service.url);
		const { output, error } = await runNode(saved, invitation({}), { items });
		expect(error).toBeUndefined();
		expect(recordsOf(output)).toEqual([a, b].map((email) => ({ email, outcome, nanoid: null })));
	});

	it('sees who accepts an invite between the two reads', async () => {
		addInvite('quick@example.com');
		const place = workspace();
		const { users, invites } = place;
		/* As soon as the users were read, the invite is accepted. */
		Object.defineProperty(place, 'users', {
			configurable: true,
			get: () => {
				invites.splice(0);
				return users;
			},
		});
		expect(outcomes(await skip([{ email: 'quick@example.com' }]))).toEqual(['pending']);
		expect(posts()).toEqual([]);
	});
});

describe('Existing People: Skip, when reading fails', () => {
	it.each<[string, string, number, RegExp]>([
		['a 403 for the invites', '^/v2/invites$', 403, /needs the role Team: Admin \(team_admin\)/],
		['a 404 for the invites', '^/v2/invites$', 404, /^Check the ID/],
		['a 403 for the users', '/users$', 403, /may lack the required role/],
	])('says so after %s, how to go on, and sends nothing', async (_name, path, status, hint) => {
		await sandbox.fault({ match: { method: 'GET', path }, kind: 'status', status, message: 'no' });
		const { error } = await skip([{ email: a }]);
		expect(error?.message).toBe(
			`Nobody was invited to ${sandbox.team}, because its members and pending invites couldn’t be read. The service refused: no [item 0]`,
		);
		expect(error?.description).toMatch(hint);
		expect(error?.description).toContain('set Existing People to Invite');
		expect(posts()).toEqual([]);
		/* What the advice says works. */
		await sandbox.fault({ match: { method: 'GET', path }, kind: 'status', status });
		expect((await invite([{ email: a }])).error).toBeUndefined();
	});

	it('sends nothing for any team; with Continue On Fail the other teams go on', async () => {
		const rows = [
			{ email: 'a@example.com', team: sandbox.team },
			{ email: 'b@example.com', team: otherTeam() },
			{ email: 'c@example.com', team: sandbox.team },
		];
		const parameters = { teamId: '={{ $json.team }}' };
		const match = { path: `/${otherTeam()}/users$` };
		await sandbox.fault({ match, kind: 'status', status: 403, times: 2 });
		expect((await skip(rows, parameters)).error?.message).toContain('[item 1]');
		expect(posts()).toEqual([]);
		const { output } = await skip(rows, parameters, CONTINUE);
		expect(recordsOf(output)).toMatchObject([
			{ outcome: 'invited' },
			{ error: expect.stringContaining('[item 1]'), http_status: 403 },
			{ outcome: 'invited' },
		]);
		expect(posts()).toHaveLength(1);
	});

	it.each([undefined, '', ' '])(
		'invites nobody where a member is listed with the email %j',
		async (email) => {
			const member = addMember(a, 'us-a12345678901');
			Object.defineProperty(member, 'toJSON', { value: () => ({ ...member, email }) });
			const { error } = await skip([{ email: a }]);
			expect(error?.message).toContain('lists user us-a12345678901 without an email');
			expect(posts()).toEqual([]);
		},
	);

	it('invites nobody where pending invites have their email address under another name', async () => {
		/* Those of anonymous invites alone say nothing. */
		const list = (email: string, shown: object) =>
			Object.defineProperty(addInvite(email), 'toJSON', { value: () => shown });
		list(a, { nanoid: 'in-a12345678901', email: null, inviter_email: b });
		expect(outcomes(await skip([{ email: b }]))).toEqual(['invited']);
		workspace().invites.length = 0;
		list(a, { nanoid: 'in-a12345678902', invitee_email: a });
		const { error } = await skip([{ email: a }]);
		expect(error?.message).toContain('email, but some have invitee_email');
		expect(posts()).toHaveLength(1);
	});
});

describe('Existing People: Skip, after a run was cut', () => {
	const rows = Array.from({ length: 10 }, (_, index) => ({
		email: `Cut.${index}@example.com`,
		role: index % 3 === 0 ? 'team_employee' : 'contractor',
	}));
	const parameters = { role: '={{ $json.role }}', options: { inviteesPerRequest: 3 } };

	/* The random sheets have what the next run does. */
	it('says which rows were invited before the connection broke', async () => {
		await failPost(2, { kind: 'cutAfter' });
		const { error } = await skip(rows, parameters);
		expect(error?.data).toMatchObject({
			completed: [0, 3, 6, 9].map((item) => expect.objectContaining({ item, outcome: 'invited' })),
		});
		expect(error?.message).toMatch(/ \(the same in items 2, 4\) \[item 1\]$/);
		expect(error?.description).toContain('item 6, item 9. Not sent: item 5, item 7, item 8. ');
		expect(posts()).toHaveLength(3);
	});

	it('names every row of a request that was made', async () => {
		await failPost(1, { status: 400 });
		const { error } = await invite(rows, { ...parameters, options: {} });
		expect(error?.description).toContain('error: item 0, item 3, item 6, item 9. ');
		expect(error?.data).toMatchObject({ completed: [{ item: 0, items: [0, 3, 6, 9] }] });
	});

	it('says for a list who was invited before the error', async () => {
		await failPost(1, { status: 400 });
		const emails = rows.map(({ email }) => email);
		const inviteesJson = JSON.stringify(emails.map((email) => ({ email })));
		const list = { inviteesSource: 'json', inviteesJson, options: { inviteesPerRequest: 3 } };
		const { output } = await skip([{}], list, CONTINUE);
		expect(output[0]?.json).toMatchObject({
			...{ outcome: 'unknown', completed: [{ emails: emails.slice(0, 3) }] },
			error: expect.stringMatching(/\. Already invited: Cut\.0@.+Not sent: 4 people, from Cut\.6@/),
		});
	});

	it('names nobody as done who only was known already', async () => {
		addMember(a);
		await failPost(0, { status: 400 });
		const { error } = await skip([{ email: a }, { email: b }], { options: { concurrency: 5 } });
		expect(error?.message).toContain('[item 1]');
		expect(error?.description).not.toContain('Already');
		expect(JSON.stringify(error?.data ?? {})).not.toContain(a);
	});

	it('is answered from memory by Retry On Fail, also what was invited before the error', async () => {
		await failPost(1, { status: 403 });
		const run = await skip(rows, parameters, { node: TWICE });
		expect(run.error).toBeUndefined();
		expect(outcomes(run)).toEqual(rows.map(() => 'invited'));
		const invited = pending().filter((email) => email.startsWith('cut.'));
		expect(invited.sort()).toEqual(rows.map(({ email }) => email.toLowerCase()).sort());
		expect(reads()).toHaveLength(2);
	});

	it('is not sent again by Retry On Fail where the outcome is unknown', async () => {
		await failPost(1, { kind: 'cutAfter' });
		const { error } = await skip(rows, parameters, { node: { ...TWICE, maxTries: 3 } });
		expect(error?.message).toMatch(
			/The request wasn’t sent again, because the first one may have succeeded \[item \d\]$/,
		);
		expect(error?.description).toContain('then run the workflow again for what’s missing');
		expect(posts()).toHaveLength(2);
	});
});

const service = () => `. Service: ${new URL(sandbox.url).host}`;

describe('Existing People: Skip with Check Only', () => {
	const options = { checkOnly: true };

	it('reads, and puts out the requests with who is skipped and the name of the team', async () => {
		addMember(a);
		addInvite(b);
		const items = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ email: `${name}@example.com` }));
		const credentials = sandbox.credentials({ entities: `${sandbox.team} Engineering` });
		const form = invitation({ options: { ...options, inviteesPerRequest: 2 } });
		const { output, error } = await runNode(credentials, form, { items });
		expect(error).toBeUndefined();
		const to = `to team Engineering (${sandbox.team}) as Contractor`;
		/* test/n8n/checkOnly.test.ts has the rest of a request. */
		const request = (...names: string[]) => ({
			body: { invites: names.map((name) => ({ email: `${name}@example.com` })) },
		});
		expect(recordsOf(output)).toMatchObject([
			{
				check: 'passed',
				summary: `Invite 2 people (c@example.com, d@example.com) ${to}; skips 2 people who are members or already invited${service()}`,
				request: request('c', 'd'),
			},
			{
				check: 'passed',
				summary: `Invite 1 person (e@example.com) ${to}${service()}`,
				request: request('e'),
			},
		]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			[{ item: 2 }, { item: 3 }],
			{ item: 4 },
		]);
		expect(posts()).toEqual([]);
		expect(reads()).toHaveLength(2);
		expect((await skip(items.slice(0, 2), { options })).output).toMatchObject([
			{
				json: {
					...{ check: 'passed', request: null },
					summary: `Invite nobody to team ${sandbox.team} as Contractor: all 2 are members or already invited${service()}`,
				},
				pairedItem: [{ item: 0 }, { item: 1 }],
			},
		]);
	});

	it('leaves nothing behind: a run in the same execution reads again', async () => {
		await skip([{ email: a }], { options }, { executionId: 'checked' });
		addInvite(a);
		const { output } = await skip([{ email: a }], {}, { executionId: 'checked' });
		expect(recordsOf(output)).toMatchObject([{ outcome: 'pending' }]);
	});
});
