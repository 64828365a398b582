import { Wallet } from 'ethers';
import { WorkflowExpression, type IDataObject, type INodeParameters } from 'n8n-workflow';

import { startRemoteSigner } from '../../sandbox/remoteSigner';
import type { AccountName } from '../../sandbox/server';

import { useActionSandbox } from '../support/actionSandbox';
import { runNode, SavedCredentials, testSaved } from '../support/actionHost';

const sandbox = useActionSandbox();
let team: string;
let company: string;

beforeEach(() => {
	const { organisation } = sandbox.service;
	company = organisation.company.nanoid;
	team = organisation.teams[0]?.nanoid ?? '';
});

const credentials = (name?: AccountName, change: IDataObject = {}) =>
	sandbox.credentials(
		Object.fromEntries(Object.entries(change).map(([key, value]) => [key, String(value)])),
		name,
	);

/** Runs the node twice in one execution, and counts the typed data that its signer was given. */
async function runTwice(parameters: INodeParameters) {
	const signer = await startRemoteSigner();
	const saved = credentials('companyAdministrator', {
		signer: 'remoteSigner',
		remoteSignerUrl: signer.url,
		walletAddress: sandbox.account('companyAdministrator').address,
	});
	try {
		const first = await runNode(saved, parameters, { executionId: 'run twice' });
		const again = await runNode(saved, parameters, { executionId: 'run twice' });
		const signed = signer.log.filter(({ method }) => method === 'eth_signTypedData_v4');
		return { first, again, signatures: signed.length };
	} finally {
		await signer.close();
	}
}

/** What reached the sandbox, apart from signing in. */
function wire() {
	return sandbox.service.wireLog.read().entries.filter(({ path }) => !path.startsWith('/v2/auth/'));
}

function signIns(): number {
	return sandbox.service.wireLog.read().entries.filter(({ path }) => path === '/v2/auth/verify')
		.length;
}

afterEach(() => {
	const wrong = sandbox.service.wireLog.read().entries.filter(({ valid }) => !valid);
	expect(wrong.map(({ path, problems }) => ({ path, problems }))).toEqual([]);
});

const json = (items: ReadonlyArray<{ json: IDataObject }>) => items.map((item) => item.json);

async function run(parameters: INodeParameters, options: Parameters<typeof runNode>[2] = {}) {
	return await runNode(credentials(), parameters, options);
}

describe('reads', () => {
	it('get a balance with one sign-in for many items, in the order of the input', async () => {
		const ids = [team, company, team, company, team];
		const { output, error } = await run(
			{
				resource: 'balance',
				operation: 'get',
				entityId: '={{ $json.id }}',
				currencies: ['USD', 'EUR'],
				output: 'asReceived',
			},
			{ items: ids.map((id) => ({ id })) },
		);
		expect(error).toBeUndefined();
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
		expect(output[0]?.json).toHaveProperty('platform_account_address');
		expect(output[0]?.json).toHaveProperty('balances');
		expect(output[0]?.json).toEqual(output[2]?.json);
		expect(signIns()).toBe(1);
		expect(wire()[0]?.query).toMatchObject({ currencies: ['USD', 'EUR'] });
	});

	it('list invites up to a limit, or all', async () => {
		const all = await run({
			resource: 'invite',
			operation: 'getAll',
			entityId: company,
			returnAll: true,
		});
		const two = await run({
			resource: 'invite',
			operation: 'getAll',
			entityId: company,
			returnAll: false,
			limit: 2,
		});
		expect(all.output.length).toBeGreaterThan(2);
		expect(json(two.output)).toEqual(json(all.output).slice(0, 2));
	});

	it('get all users of a team in one answer, and a page up to a limit of 500', async () => {
		await sandbox.control('POST', 'settings', { growingTeamSize: 1234 });
		const growing = sandbox.service.organisation.teams[2]?.nanoid ?? '';
		const base = { resource: 'teamUser', operation: 'getAll', teamId: growing };
		const all = await run({ ...base, returnAll: true });
		expect(all.output).toHaveLength(1234);
		expect(new Set(all.output.map((item) => item.json.nanoid)).size).toBe(1234);
		expect(wire().map(({ query }) => query)).toEqual([{}]);
		const some = await run({ ...base, returnAll: false, limit: 700 });
		expect(json(some.output)).toEqual(json(all.output).slice(0, 700));
		expect(
			wire()
				.slice(1)
				.map(({ query }) => query),
		).toEqual([{}]);
		expect((await run({ ...base, returnAll: false, limit: 7 })).output).toHaveLength(7);
		expect(wire().at(-1)?.query).toMatchObject({ count: '7' });
	});

	it('filter by more than 100 emails in several requests', async () => {
		const users = sandbox.service.organisation.teams[0]?.users ?? [];
		const wanted = users.map(({ email }) => email);
		const { output } = await run({
			resource: 'teamUser',
			operation: 'getAll',
			teamId: team,
			returnAll: true,
			emails: [...wanted, 'nobody@example.org'].join(', '),
		});
		expect(new Set(output.map((item) => item.json.email))).toEqual(new Set(wanted));
		expect(wire()).toHaveLength(Math.ceil((wanted.length + 1) / 100));
	});

	it('evaluate each parameter once an item', async () => {
		const entityId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		const evaluated = jest.spyOn(WorkflowExpression.prototype, 'getParameterValue');
		const { output } = await run(
			{
				resource: 'balance',
				operation: 'get',
				entityId,
				output: 'asReceived',
				options: { timeout: '={{ 5000 }}' },
			},
			{ items: [{ id: team }, { id: company }] },
		);
		const calls = evaluated.mock.calls.filter(([, , , , node]) => node === 'Payroll');
		evaluated.mockRestore();
		expect(output).toHaveLength(2);
		const ofItem = (wanted: number) =>
			calls.filter(([, , , item]) => item === wanted).map(([value]) => value);
		const fields = [{ timeout: '={{ 5000 }}' }, entityId, [], 'asReceived'];
		expect(ofItem(0)).toEqual(['balance', 'get', ...fields]);
		expect(ofItem(1)).toEqual(fields);
	});

	it('ask for both spellings of one address, and list its user once', async () => {
		const { email = '' } = sandbox.service.organisation.teams[0]?.users[0] ?? {};
		const base = { resource: 'teamUser', operation: 'getAll', teamId: team };
		const filler = Array.from({ length: 99 }, (_, index) => `nobody${index}@example.org`);
		const emails = [email, ...filler, email.toUpperCase()].join(',');
		expect((await run({ ...base, returnAll: true, emails })).output).toHaveLength(1);
		expect(wire().flatMap(({ query }) => query.emails)).toContain(email.toUpperCase());
	});

	it('keep to the limit when Return All is the text "false"', async () => {
		const text = await run({
			resource: 'teamUser',
			operation: 'getAll',
			teamId: team,
			returnAll: '={{ "false" }}',
			limit: 2,
		});
		expect(text.output).toHaveLength(2);
	});

	it('are repeated after passing faults', async () => {
		await sandbox.fault({ match: { path: '/v2/invites' }, kind: 'status', status: 503, times: 1 });
		const { output } = await run({ resource: 'invite', operation: 'getAll', entityId: team });
		expect(output.length).toBeGreaterThan(0);
		expect(wire()).toHaveLength(2);
	});
});

describe('invites', () => {
	const create = {
		resource: 'invite',
		operation: 'create',
		role: 'contractor',
		existingPeople: 'invite',
	};

	it('go with a prefill that is completed, and anonymous only when true', async () => {
		const invitees = {
			invitee: [{ email: 'ana@example.com', firstName: 'Ana' }, { email: 'ben@example.com' }],
		};
		const { output, error } = await run({
			...create,
			teamId: team,
			inviteesSource: 'fields',
			invitees,
			anonymous: false,
		});
		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
		expect(output[0]?.json.nanoids).toHaveLength(2);
		const body = wire()[0]?.body;
		expect(body).toMatchObject({
			nanoid: team,
			invites: [
				{
					email: 'ana@example.com',
					prefill: { first_name: 'Ana', last_name: '', company_country: '' },
				},
				{ email: 'ben@example.com' },
			],
		});
		expect(body).not.toHaveProperty('anonymous');
	});

	it('take one row of a sheet an invitee, one request a team and role, and name every row', async () => {
		const rows = [
			{ role: 'contractor', email: 'r0@example.com', first_name: 'Zero' },
			{ role: 'team_employee', email: 'r1@example.com', firstName: 'One', phone: 123 },
			{ role: 'contractor', email: 'r2@example.com', note: 'ignored' },
		];
		const { output, error } = await run(
			{ ...create, teamId: team, role: '={{ $json.role }}', inviteesSource: 'items' },
			{ items: rows },
		);
		expect(error).toBeUndefined();
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			[{ item: 0 }, { item: 2 }],
			{ item: 1 },
		]);
		expect(wire()).toHaveLength(2);
		expect(wire()[1]?.body).toMatchObject({
			role: 'team_employee',
			invites: [{ prefill: { first_name: 'One', phone: '123' } }],
		});
	});

	it('send nothing where one row is bad; with Continue On Fail only that row fails', async () => {
		const items = [
			{ email: 'a@example.com' },
			{ email: 'nobody' },
			{ email: 'A@example.com' },
			{ email: 'b@example.com' },
		];
		const parameters = { ...create, teamId: team, inviteesSource: 'items' };
		const stopped = await run(parameters, { items });
		expect(stopped.error?.message).toBe("Row 2: nobody isn't an email address");
		expect(wire()).toHaveLength(0);
		const continued = await run(parameters, { items, node: { onError: 'continueRegularOutput' } });
		expect(continued.output.map(({ pairedItem }) => pairedItem)).toEqual([
			[{ item: 0 }, { item: 3 }],
			{ item: 1 },
			{ item: 2 },
		]);
		expect(continued.output[2]?.json.error).toBe('Row 3: A@example.com is already in row 1');
		expect(wire()).toHaveLength(1);
	});

	it('split only when told to', async () => {
		const items = Array.from({ length: 5 }, (_, index) => ({ email: `p${index}@example.com` }));
		const parameters = {
			...create,
			teamId: team,
			inviteesSource: 'items',
			options: { inviteesPerRequest: 2 },
		};
		const { output } = await run(parameters, { items });
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			[{ item: 0 }, { item: 1 }],
			[{ item: 2 }, { item: 3 }],
			{ item: 4 },
		]);
		expect(wire()).toHaveLength(3);
	});

	it('take the form of the API as JSON, text or value', async () => {
		const list = [{ email: 'j@example.com', prefill: { first_name: 'J' } }];
		for (const inviteesJson of [JSON.stringify(list), '={{ [{ email: "k@example.com" }] }}']) {
			const { error } = await run({
				...create,
				teamId: team,
				inviteesSource: 'json',
				inviteesJson,
			});
			expect(error).toBeUndefined();
		}
	});

	it('are not sent twice by Retry On Fail', async () => {
		const parameters = {
			...create,
			teamId: team,
			inviteesSource: 'items',
			role: '={{ $json.role }}',
		};
		const items = [
			{ email: 'x@example.com', role: 'contractor' },
			{ email: 'y@example.com', role: 'team_employee' },
		];
		const first = await run(parameters, { items, executionId: 'retried' });
		const again = await run(parameters, { items, executionId: 'retried' });
		expect(json(again.output)).toEqual(json(first.output));
		expect(wire()).toHaveLength(2);
	});
});

describe('invites whose outcome is not known', () => {
	const rows = {
		resource: 'invite',
		operation: 'create',
		role: 'contractor',
		inviteesSource: 'items',
		existingPeople: 'invite',
	};

	it('are not sent again by Retry On Fail, but by a new run', async () => {
		await sandbox.fault({
			match: { method: 'POST', path: '/v2/invites' },
			kind: 'cutAfter',
			times: 1,
		});
		const parameters = { ...rows, teamId: team };
		const options = { items: [{ email: 'u@example.com' }] };
		const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { error } = await run(parameters, { ...options, node });
		expect(error?.message).toMatch(
			/The request wasn't sent again, because the first one may have succeeded \[item 0\]$/,
		);
		expect(error?.description).toContain("then run the workflow again for what's missing");
		expect(wire()).toHaveLength(1);
		expect((await run(parameters, options)).error).toBeUndefined();
	});

	it('are not forgotten for any number of reads in between', async () => {
		await sandbox.fault({
			match: { method: 'POST', path: '/v2/invites' },
			kind: 'cutAfter',
			times: 1,
		});
		const invites = { ...rows, teamId: team };
		const options = { items: [{ email: 'v@example.com' }], executionId: 'many reads' };
		await run(invites, options);
		for (let count = 0; count < 520; count++) {
			await run(
				{ resource: 'balance', operation: 'get', entityId: team },
				{ executionId: `read ${count}` },
			);
		}
		expect((await run(invites, options)).error?.message).toContain("The request wasn't sent again");
		expect(wire().filter(({ method }) => method === 'POST')).toHaveLength(1);
	});

	it('are sent for each run of a loop', async () => {
		const items = [{ email: 'w@example.com' }];
		await run({ ...rows, teamId: team }, { items, secondRun: items });
		expect(wire().filter(({ method }) => method === 'POST')).toHaveLength(2);
	});

	it('are told so on the regular output, too', async () => {
		await sandbox.fault({
			match: { method: 'POST', path: '/v2/invites' },
			kind: 'cutAfter',
			times: 1,
		});
		const { output } = await run(
			{ ...rows, teamId: team },
			{ items: [{ email: 'w@example.com' }], node: { onError: 'continueRegularOutput' } },
		);
		expect(output[0]?.json.error).toContain('[item 0]. The request may have succeeded anyway');
	});
});

describe('a bad option under Continue On Fail', () => {
	const node = { onError: 'continueRegularOutput' } as const;

	it.each([{ inviteesPerRequest: 2.5 }, { timeout: 0 }, { concurrency: 99 }])(
		'fails every row of a sheet, and none passes as if it had been sent: %j',
		async (options) => {
			const parameters = {
				resource: 'invite',
				operation: 'create',
				teamId: team,
				role: 'contractor',
				inviteesSource: 'items',
				options,
			};
			const { output, error } = await run(parameters, {
				items: [{ email: 'a@example.com' }, { email: 'b@example.com' }],
				node,
			});
			expect(error).toBeUndefined();
			expect(json(output)).toEqual(
				[0, 1].map((item) => ({
					error: expect.stringContaining(`[item ${item}]`),
					outcome: 'refused',
					hint: expect.stringContaining('Nothing was sent.'),
				})),
			);
			expect(wire()).toEqual([]);
		},
	);

	it('fails its item, and the others go on', async () => {
		const { output, error } = await run(
			{
				resource: 'balance',
				operation: 'get',
				entityId: team,
				output: 'asReceived',
				options: { concurrency: '={{ $json.concurrency }}' },
			},
			{ items: [{ concurrency: 99 }, { concurrency: 2 }], node },
		);
		expect(error).toBeUndefined();
		expect(output[0]?.json.error).toContain('Concurrency must be');
		expect(output[1]?.json).toHaveProperty('balances');
	});
});

describe('administrator invites', () => {
	const emails = 'one@example.com, two@example.com';

	it('are created and executed at once', async () => {
		const { output, error } = await run({
			resource: 'administratorInvite',
			operation: 'send',
			entityId: company,
			role: 'org_viewer',
			emails,
		});
		expect(error).toBeUndefined();
		expect(output[0]?.json).toEqual({
			invites: [expect.stringMatching(/^in-/), expect.stringMatching(/^in-/)],
			transaction: expect.stringMatching(/^tx-/),
		});
	});

	it('can be executed later from the answer of create, by the wallet or another signer', async () => {
		const created = await run({
			resource: 'administratorInvite',
			operation: 'create',
			entityId: team,
			role: 'team_viewer',
			emails,
		});
		expect(created.error).toBeUndefined();
		const execute = {
			resource: 'administratorInvite',
			operation: 'complete',
			inviteIds: '={{ $json.invites }}',
		};
		const byWallet = await run(
			{
				...execute,
				typedData: '={{ $json.typed_data }}',
				signatureSource: 'wallet',
				role: 'team_viewer',
			},
			{ items: json(created.output) },
		);
		expect(byWallet.error).toBeUndefined();

		const other = await run({
			resource: 'administratorInvite',
			operation: 'create',
			entityId: team,
			role: 'team_viewer',
			emails: 'three@example.com',
		});
		const { typed_data: structure } = other.output[0]?.json as {
			typed_data: Parameters<typeof signature>[0];
		};
		const signer = sandbox.account('companyAdministrator').address;
		const provided = await run(
			{
				...execute,
				typedData: '={{ $json }}',
				signatureSource: 'provided',
				signer,
				signature: await signature(structure),
			},
			{ items: json(other.output) },
		);
		expect(provided.error).toBeUndefined();
		expect(provided.output[0]?.json.transaction).toMatch(/^tx-/);
	});

	async function signature(structure: {
		domain: object;
		types: Record<string, Array<{ name: string; type: string }>>;
		typed_data: Record<string, unknown>;
	}): Promise<string> {
		const types = { ...structure.types };
		delete types.EIP712Domain;
		return await new Wallet(sandbox.account('companyAdministrator').privateKey).signTypedData(
			structure.domain,
			types,
			structure.typed_data,
		);
	}

	it('refuse an invite that is named twice', async () => {
		const created = await run({
			resource: 'administratorInvite',
			operation: 'create',
			entityId: company,
			role: 'org_viewer',
			emails,
		});
		const [first] = (created.output[0]?.json.invites ?? []) as string[];
		const { error } = await run({
			resource: 'administratorInvite',
			operation: 'complete',
			inviteIds: `${first}, ${first}`,
			typedData: JSON.stringify(created.output[0]?.json),
			role: 'org_viewer',
			signatureSource: 'wallet',
		});
		expect(error?.message).toBe('Invite IDs lists an invite twice [item 0]');
	});

	it('that were executed are answered in the same execution without a second signature', async () => {
		const parameters = {
			resource: 'administratorInvite',
			operation: 'send',
			entityId: company,
			role: 'org_viewer',
			emails,
		};
		const { first, again, signatures } = await runTwice(parameters);
		expect(again.error).toBeUndefined();
		expect(json(again.output)).toEqual(json(first.output));
		expect(signatures).toBe(1);
		expect(wire().filter(({ method }) => method !== 'GET')).toHaveLength(2);
	});

	it("refuse someone else's signature before it is sent", async () => {
		const created = await run({
			resource: 'administratorInvite',
			operation: 'create',
			entityId: team,
			role: 'team_viewer',
			emails,
		});
		const { typed_data: structure } = created.output[0]?.json as {
			typed_data: Parameters<typeof signature>[0];
		};
		const { error } = await run(
			{
				resource: 'administratorInvite',
				operation: 'complete',
				inviteIds: '={{ $json.invites }}',
				typedData: '={{ $json }}',
				signatureSource: 'provided',
				signer: sandbox.account('viewer').address,
				signature: await signature(structure),
			},
			{ items: json(created.output) },
		);
		expect(error?.message).toMatch(/^typed_data\.from is .*, not the signer .* \[item 0\]$/);
		expect(wire().filter(({ method }) => method === 'PUT')).toEqual([]);
	});

	it.each([
		'anotherPrimaryType',
		'addedType',
		'addedMember',
		'anotherRole',
		'anotherFrom',
		'extraAccount',
		'mixedRoles',
		'expired',
	])('are not signed where the service sends %s, and can be finished', async (tamper) => {
		await sandbox.control('POST', 'typed-data', { tamper, times: 1 });
		const parameters = {
			resource: 'administratorInvite',
			operation: 'send',
			entityId: company,
			role: 'org_viewer',
			emails,
		};
		const { error, output } = await run(parameters, { node: { onError: 'continueRegularOutput' } });
		expect(error).toBeUndefined();
		expect(output[0]?.json).toMatchObject({
			error: expect.stringContaining('2 invites were created'),
			invites: expect.any(Array),
			typed_data: expect.any(Object),
		});
		expect(wire().filter(({ method }) => method === 'PUT')).toEqual([]);
	});

	it('tell in the error what was done, so that it can be finished', async () => {
		await sandbox.fault({ match: { method: 'PUT' }, kind: 'status', status: 500, times: 1 });
		const { error } = await run({
			resource: 'administratorInvite',
			operation: 'send',
			entityId: company,
			role: 'org_viewer',
			emails,
		});
		expect(error?.description).toBe(
			"2 invites were created (one@example.com, two@example.com), but the role couldn't be set. Don't create them again. Retry On Fail continues from here, or run Execute with these Invite IDs and this Typed Data. The request may have succeeded anyway. Check the service before you run this again. Under Error details, Error data contains `invites` and `typed_data`. The service isn't working properly right now. Try again later.",
		);
		expect(error?.data).toEqual({
			invites: [expect.stringMatching(/^in-/), expect.stringMatching(/^in-/)],
			typed_data: expect.objectContaining({ primary_type: 'SetRolesForwardRequest' }),
		});
	});

	it('tell which of several batches were done', async () => {
		const many = Array.from({ length: 150 }, (_, index) => `admin${index}@example.com`);
		const asked = {
			resource: 'administratorInvite',
			entityId: company,
			role: 'org_viewer',
			emails: many.join(','),
		};
		await sandbox.fault({
			match: { method: 'PUT' },
			kind: 'status',
			status: 403,
			skip: 1,
			times: 1,
		});
		const both = await run({ ...asked, operation: 'send' });
		expect(both.error?.description).toMatch(
			/^Already done: “Invite 100 people \(admin0@example\.com, admin1@example\.com, admin2@example\.com and 97 more\) .*”\. .* 50 invites were created \(admin100@/,
		);
		expect(both.error?.data).toMatchObject({
			completed: [{ transaction: expect.stringMatching(/^tx-/) }],
			invites: expect.any(Array),
			typed_data: expect.any(Object),
		});
	});

	it('go in batches of 100, and a run in the same execution resumes without inviting twice', async () => {
		const many = Array.from({ length: 150 }, (_, index) => `admin${index}@example.com`);
		const parameters = {
			resource: 'administratorInvite',
			operation: 'send',
			entityId: company,
			role: 'org_viewer',
			emails: many.join(','),
		};
		await sandbox.fault({ match: { method: 'PUT' }, kind: 'status', status: 500, times: 1 });
		const first = await run(parameters, {
			executionId: 'resumed',
			node: { onError: 'continueRegularOutput' },
		});
		expect(first.output[0]?.json).toMatchObject({ http_status: 500 });
		const again = await run(parameters, { executionId: 'resumed' });
		expect(again.error).toBeUndefined();
		expect(again.output).toHaveLength(2);
		expect(wire().filter(({ method }) => method === 'POST')).toHaveLength(2);
	});
});

describe('payments', () => {
	async function payment(
		change: INodeParameters = {},
		of: IDataObject = {},
	): Promise<INodeParameters> {
		const { address } = sandbox.account('companyAdministrator');
		const query = new URLSearchParams({
			from: team,
			amount_cents: '12500',
			email: 'ana@example.com',
			signer: address,
			...Object.fromEntries(Object.entries(of).map(([key, value]) => [key, String(value)])),
		});
		const ready = (await sandbox.control(
			'GET',
			`payment-typed-data?${query.toString()}`,
		)) as Record<string, unknown>;
		return {
			resource: 'payment',
			operation: 'create',
			teamId: team,
			amountUnit: 'cents',
			amountCents: 12500,
			recipientEmail: 'ana@example.com',
			typedData: JSON.stringify(ready),
			signatureSource: 'wallet',
			currency: 'USD',
			network: 'arbitrum',
			...change,
		};
	}
	const sent = () => wire().filter(({ method }) => method === 'PUT');

	it('are signed and sent', async () => {
		const { output, error } = await run(await payment());
		expect(error).toBeUndefined();
		expect(output[0]?.json).toEqual({ transaction: expect.stringMatching(/^tx-/) });
	});

	it('are answered from memory in the same execution and refused in another', async () => {
		const parameters = await payment();
		const first = await run(parameters, { executionId: 'paid' });
		const again = await run(parameters, { executionId: 'paid' });
		expect(again.output[0]?.json).toEqual({ ...first.output[0]?.json, already_sent: true });
		const later = await run(parameters);
		expect(later.error?.message).toContain(
			'The payment of $125.00 to ana@example.com was already paid by this node',
		);
		expect(sent()).toHaveLength(1);
	});

	it('are answered from memory without a second signature', async () => {
		const { again, signatures } = await runTwice(await payment());
		expect(again.output[0]?.json).toMatchObject({ already_sent: true });
		expect(signatures).toBe(1);
	});

	it('that have a reference are paid once, though the typed data is made again', async () => {
		const paymentReference = 'INV-1';
		expect((await run(await payment({ paymentReference }))).output[0]?.json).toHaveProperty(
			'transaction',
		);
		const again = await run(await payment({ paymentReference }));
		expect(again.error?.message).toContain('was already paid by this node');
		expect(
			(await run(await payment({ paymentReference: 'INV-2' }))).output[0]?.json,
		).toHaveProperty('transaction');
		expect(sent()).toHaveLength(2);
	});

	it.each(['={{ $json.invoice }}', '={{ undefined }}', '={{ "" }}', '= '])(
		'whose reference %j finds nothing are refused',
		async (paymentReference) => {
			const { error } = await run(await payment({ paymentReference }));
			expect(error?.message).toBe(
				'Payment Reference is an expression that resolved to nothing [item 0]',
			);
			expect(wire()).toEqual([]);
		},
	);

	it('are refused as paid in a later run of the node in a loop', async () => {
		const { error, stored } = await run(await payment(), { secondRun: [{}] });
		expect(error?.message).toContain('was already paid by this node');
		expect(stored).not.toContain('already_sent');
		expect(sent()).toHaveLength(1);
	});

	describe('that a person confirmed as not made', () => {
		const codeIn = (text: string | null | undefined) =>
			/[0-9A-F]{4}-[0-9A-F]{4}-\d/.exec(text ?? '')?.[0] ?? '';

		/** A payment whose outcome is unknown, and its code. */
		async function unknownOutcome() {
			await sandbox.fault({ match: { path: 'instant' }, kind: 'cutBefore', times: 1 });
			const parameters = await payment();
			const { error } = await run(parameters);
			return { parameters, confirmedNotPaid: codeIn(error?.description) };
		}

		it('go out once more, in two executions, a loop or five items at once', async () => {
			for (const options of [
				{},
				{ secondRun: [{}] },
				{ items: [{}, {}, {}, {}, {}], node: { onError: 'continueRegularOutput' as const } },
			]) {
				const before = sent().length;
				const { parameters, confirmedNotPaid } = await unknownOutcome();
				const again = { ...parameters, options: { confirmedNotPaid, concurrency: 5 } };
				await run(again, options);
				const last = await run(again, options);
				expect(last.error?.message ?? last.output[0]?.json.error).toContain(
					'was already paid by this node',
				);
				/* The first attempt reached the wire, where its connection was cut, and one more did. */
				expect(sent().length - before).toBe(2);
			}
		});

		it('leave no other payment out of the record', async () => {
			const { parameters } = await unknownOutcome();
			const { confirmedNotPaid } = await unknownOutcome();
			const before = sent().length;
			const { error } = await run({ ...parameters, options: { confirmedNotPaid } });
			expect(error?.description).toContain(
				'No code in “Confirmed Not Paid” belongs to this payment',
			);
			expect(sent()).toHaveLength(before);
		});

		it.each(['={{ $json.code }}', '{{ $json.code }}', "={{ $fromAI('code', '', 'string') }}"])(
			'take no expression: %s',
			async (expression) => {
				const { parameters, confirmedNotPaid } = await unknownOutcome();
				const before = sent().length;
				const { error } = await run(
					{ ...parameters, options: { confirmedNotPaid: expression } },
					{ items: [{ code: confirmedNotPaid }] },
				);
				expect(error?.message).toBe("Confirmed Not Paid can't be an expression [item 0]");
				expect(sent()).toHaveLength(before);
			},
		);

		it('take nothing that is not a code', async () => {
			const { error } = await run(await payment({ options: { confirmedNotPaid: 'yes' } }));
			expect(error?.message).toBe(
				'Confirmed Not Paid must hold attempt codes, e.g. 7F3A-91C2-1, separated by commas or spaces [item 0]',
			);
			expect(wire()).toEqual([]);
		});

		it('are refused in a tool', async () => {
			const { parameters, confirmedNotPaid } = await unknownOutcome();
			const before = sent().length;
			const { error } = await run(
				{ ...parameters, allowToolWrites: true, options: { confirmedNotPaid } },
				{ node: { type: 'payrollPaymentsTool' } },
			);
			expect(error?.message).toContain(
				'“Confirmed Not Paid” was refused because an AI agent called it',
			);
			expect(sent()).toHaveLength(before);
		});
	});

	it('take no expression for the unit of the typed amount', async () => {
		const { error } = await run(
			await payment({ amountCents: 12600, options: { typedAmountUnit: '={{ "notChecked" }}' } }),
		);
		expect(error?.message).toBe("Typed Amount Unit can't be an expression [item 0]");
		expect(wire()).toEqual([]);
	});

	describe('of several items', () => {
		/** Parameters for items with typed data of their own. */
		async function several(count: number) {
			const payments = await Promise.all(
				Array.from({ length: count }, async () => await payment()),
			);
			return {
				parameters: { ...(await payment()), typedData: '={{ $json.typedData }}' },
				items: payments.map(({ typedData }) => ({ typedData: String(typedData) })),
			};
		}

		it('that fail in the middle carry the transactions of those that were made', async () => {
			const { parameters, items } = await several(4);
			await sandbox.fault({
				match: { path: 'instant' },
				kind: 'status',
				status: 400,
				skip: 2,
				times: 1,
			});
			const { error } = await run(parameters, { items });
			expect(error?.message).toMatch(/wasn't accepted\. .* \[item 2\]$/);
			expect(error?.description).toMatch(
				/^2 of 4 paid \(\$250\.00\), 1 refused, 1 not sent\. Already done before this error: item 0 \(tx-[\w-]{12}\), item 1 \(tx-[\w-]{12}\)\./,
			);
			expect(error?.data).toEqual({
				completed: [
					{ item: 0, transaction: expect.stringMatching(/^tx-/) },
					{ item: 1, transaction: expect.stringMatching(/^tx-/) },
				],
			});
			expect(sent()).toHaveLength(3);
		});

		it('are not sent where one of them was paid before', async () => {
			const { parameters, items } = await several(3);
			await run(parameters, { items: items.slice(2) });
			const { error } = await run(parameters, { items });
			expect(error?.message).toMatch(/was already paid by this node, .* \[item 2\]$/);
			expect(error?.data).toBeUndefined();
			expect(sent()).toHaveLength(1);
		});

		it('put an unknown outcome before refusals, and name every failure', async () => {
			const { parameters, items } = await several(3);
			await sandbox.fault({
				match: { path: 'instant' },
				kind: 'status',
				status: 400,
				times: 1,
				message: 'Limit reached',
			});
			await sandbox.fault({ match: { path: 'instant' }, kind: 'cutAfter', times: 1 });
			await sandbox.fault({
				match: { path: 'instant' },
				kind: 'status',
				status: 403,
				times: 1,
				message: 'Not today',
			});
			const { error } = await run({ ...parameters, options: { concurrency: 3 } }, { items });
			expect(error?.message).toMatch(/may or may not have been made/);
			expect(error?.description).toMatch(
				/Also failed: .*(Limit reached|Not today).*; .*(Limit reached|Not today)/,
			);
			expect(error?.data).toMatchObject({
				failures: [
					{
						outcome: 'unknown',
						attempt_code: expect.stringMatching(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/),
					},
					{ outcome: 'refused', http_status: expect.any(Number) },
					{ outcome: 'refused', http_status: expect.any(Number) },
				],
			});
		});
	});

	it('keep the status of the service where the outcome is not known', async () => {
		await sandbox.fault({ match: { path: 'instant' }, kind: 'status', status: 503, times: 1 });
		const { output } = await run(await payment(), { node: { onError: 'continueRegularOutput' } });
		expect(output[0]?.json).toMatchObject({
			error: expect.stringContaining('may or may not have been made'),
			http_status: 503,
		});
	});

	it('carry outcome and code into the error output', async () => {
		await sandbox.fault({ match: { path: 'instant' }, kind: 'cutAfter', times: 1 });
		const { errorOutput } = await run(await payment(), {
			node: { onError: 'continueErrorOutput' },
		});
		expect(errorOutput[0]?.json).toMatchObject({
			error: expect.stringContaining('may or may not have been made'),
			details: {
				outcome: 'unknown',
				attempt_code: expect.stringMatching(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/),
			},
		});
	});

	it('that the service refused were not made, and may be sent again', async () => {
		await sandbox.fault({
			match: { path: 'instant' },
			kind: 'status',
			status: 400,
			times: 1,
			message: 'Insufficient funds',
		});
		const parameters = await payment();
		const { error } = await run(parameters);
		expect(error?.message).toBe(
			"The payment of $125.00 to ana@example.com wasn't accepted. The service refused: Insufficient funds [item 0]",
		);
		expect(error?.description).toContain('Fix the problem, then run the node again.');
		expect((await run(parameters)).output[0]?.json).toHaveProperty('transaction');
	});

	it('go out exactly once when the connection is cut after the body was read, over three tries', async () => {
		await sandbox.fault({ match: { path: 'instant' }, kind: 'cutAfter', times: 3 });
		const { error } = await run(await payment(), {
			node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 },
		});
		expect(error?.message).toContain(
			'The payment of $125.00 to ana@example.com may or may not have been made',
		);
		expect(sent()).toHaveLength(1);
	});

	it.each([
		[{ amountCents: 99 }, 'Amount (Cents) must be from $1.00'],
		[{ amountCents: 10_000_000_001 }, 'Amount (Cents) must be from $1.00'],
		[{ amountCents: 1.5 }, 'Amount (Cents) must be a whole number of cents'],
		[{ amountCents: 'abc' }, 'Amount (Cents) must be a whole number of cents'],
		[{ amountCents: 12600 }, '$126.00'],
		[{ teamId: 'co-123456789012' }, 'Team ID must start with te-'],
		[{ teamId: 'te-12345678901' }, 'Team ID must have 15 characters, but has 14'],
		[{ teamId: 'te-1234567890123' }, 'Team ID must have 15 characters, but has 16'],
		[{ recipientEmail: 'ana' }, 'Recipient Email must be a valid email address'],
		[{ typedData: '{' }, "Payment Authorization isn't valid JSON"],
		[{ typedData: '{}' }, 'Payment Authorization, From is missing'],
		[{ currency: 'EUR' }, 'Currency must be USD'],
		[
			{
				signatureSource: 'provided',
				signature: `0x${'0'.repeat(130)}`,
				signer: `0x${'1'.repeat(40)}`,
			},
			'Signature must not be all zeros',
		],
	])('are refused before the wire: %j', async (change, message) => {
		const { error } = await run(await payment(change));
		expect(error?.message).toContain(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(wire()).toEqual([]);
	});
});

describe('name reviews, test deliveries, sign-in by hand', () => {
	it('resolve a review with the version byte for byte', async () => {
		const [userId, review] = [...(sandbox.service.organisation.teams[0]?.nameReviews ?? [])][0] ?? [
			'',
			{ reviewVersion: '' },
		];
		const { output, error } = await run({
			resource: 'nameReview',
			operation: 'update',
			teamId: team,
			userId: { __rl: true, mode: 'id', value: userId },
			decision: 'approve',
			reviewVersion: review.reviewVersion,
		});
		expect(error).toBeUndefined();
		expect(output[0]?.json).toHaveProperty('status');
		expect(wire()[0]?.body).toEqual({ review_version: review.reviewVersion, action: 'approve' });
	});

	it('put the decision into another field when told to', async () => {
		await sandbox.control('POST', 'settings', { decisionFieldName: 'decision' });
		const [userId, review] = [...(sandbox.service.organisation.teams[0]?.nameReviews ?? [])][0] ?? [
			'',
			{ reviewVersion: '' },
		];
		const { error } = await run({
			resource: 'nameReview',
			operation: 'update',
			teamId: team,
			userId: { __rl: true, mode: 'list', value: userId },
			decision: 'cancel',
			reviewVersion: review.reviewVersion,
			options: { decisionFieldName: 'decision' },
		});
		expect(error).toBeUndefined();
	});

	it.each(['2026-02-31T00:00:00Z', '2026-03-01'])(
		'refuse the version %j',
		async (reviewVersion) => {
			const { error } = await run({
				resource: 'nameReview',
				operation: 'update',
				teamId: team,
				userId: { __rl: true, mode: 'id', value: 'us-123456789012' },
				decision: 'approve',
				reviewVersion,
			});
			expect(error?.message).toContain('Review Version');
			expect(wire()).toEqual([]);
		},
	);

	it('get the message, sign it elsewhere, and verify it', async () => {
		const got = await run({ resource: 'authentication', operation: 'getSignInMessage' });
		const message = String(got.output[0]?.json.siwe);
		const signature = await new Wallet(
			sandbox.account('companyAdministrator').privateKey,
		).signMessage(message);
		const { output, error } = await run({
			resource: 'authentication',
			operation: 'verify',
			message,
			signature,
		});
		expect(error).toBeUndefined();
		expect(Object.keys(output[0]?.json ?? {})).toEqual(['jwt']);
	});
});

describe('sign-in', () => {
	it('is one for 200 parallel calls with an expired token', async () => {
		const saved = credentials();
		await runNode(saved, { resource: 'balance', operation: 'get', entityId: team });
		await sandbox.control('POST', 'tokens/expire');
		sandbox.service.wireLog.clear();
		const { output, error } = await runNode(
			saved,
			{
				resource: 'balance',
				operation: 'get',
				entityId: team,
				output: 'asReceived',
				options: { concurrency: 50 },
			},
			{ items: Array.from({ length: 200 }, () => ({})) },
		);
		expect(error).toBeUndefined();
		expect(output).toHaveLength(200);
		expect(signIns()).toBe(1);
	});

	it('says that the wallet has no role, once for many items', async () => {
		const { output } = await runNode(
			credentials('stranger'),
			{ resource: 'balance', operation: 'get', entityId: team },
			{ items: [{}, {}, {}], node: { onError: 'continueRegularOutput' } },
		);
		expect(json(output)).toEqual(
			[0, 1, 2].map((item) => ({
				error: expect.stringMatching(new RegExp(`role.*\\[item ${item}\\]`, 'i')),
			})),
		);
		expect(sandbox.service.wireLog.read().entries).toHaveLength(1);
	});

	it('does not let a token follow a redirect', async () => {
		await sandbox.fault({ match: { path: '/v2/balance' }, kind: 'redirect', times: 1 });
		const { error } = await run({ resource: 'balance', operation: 'get', entityId: team });
		expect(error?.message).toContain('redirect');
	});

	it('leaves no key and no token in what n8n stores', async () => {
		const saved = credentials();
		const results = [
			await runNode(saved, { resource: 'balance', operation: 'get', entityId: team }),
			await runNode(saved, { resource: 'balance', operation: 'get', entityId: 'te-000000000000' }),
			await runNode(saved, {
				resource: 'invite',
				operation: 'getAll',
				entityId: 'te-000000000000',
			}),
		];
		const { token } = JSON.parse(String(saved.data.sessionToken)) as { token: string };
		for (const { stored } of results) {
			expect(stored).not.toContain(token);
			expect(stored).not.toContain(String(saved.data.privateKey).slice(2));
		}
	});
});

describe('errors', () => {
	it('give the message of the service, its code, the status and what to do', async () => {
		const { error } = await run({
			resource: 'balance',
			operation: 'get',
			entityId: 'te-000000000000',
		});
		expect(error?.message).toMatch(/^The service refused: .*\[item 0\]$/);
		expect(error?.description).toContain('Check the identifier');
	});

	it('go to the error output in the shape of n8n', async () => {
		const { output, errorOutput } = await run(
			{ resource: 'balance', operation: 'get', entityId: '={{ $json.id }}', output: 'asReceived' },
			{
				items: [{ id: team }, { id: 'te-000000000000' }],
				node: { onError: 'continueErrorOutput' },
			},
		);
		expect(output).toHaveLength(1);
		expect(errorOutput[0]?.json).toMatchObject({ error: expect.stringContaining('[item 1]') });
	});

	it('come as records on the regular output', async () => {
		const { output } = await run(
			{ resource: 'balance', operation: 'get', entityId: 'te-000000000000' },
			{ node: { onError: 'continueRegularOutput' } },
		);
		expect(output[0]?.json).toMatchObject({ error: expect.any(String), http_status: 404 });
	});

	it('keep the words of the service, though n8n sees a system error in a name', async () => {
		await sandbox.fault({
			match: { path: '/v2/balance' },
			kind: 'status',
			status: 400,
			times: 1,
			message: 'jeeperman is unknown',
		});
		const { error } = await run({ resource: 'balance', operation: 'get', entityId: team });
		expect(error?.message).toBe('The service refused: jeeperman is unknown [item 0]');
	});

	it('repeat no token and no signature that the service names', async () => {
		const jwt = ['{"alg":"HS256"}', '{"sub":"somebody"}', 'signature signature']
			.map((part) => Buffer.from(part).toString('base64url'))
			.join('.');
		const message = `jwt malformed: ${jwt}, signature 0x${'ab'.repeat(65)} of 0x${'cd'.repeat(32)}`;
		await sandbox.fault({
			match: { path: '/v2/balance' },
			kind: 'status',
			status: 400,
			times: 1,
			message,
		});
		const { error } = await run({ resource: 'balance', operation: 'get', entityId: team });
		expect(error?.message).toBe(
			'The service refused: jwt malformed: […], signature […] of […] [item 0]',
		);
	});

	it('say that nothing listens', async () => {
		const saved = credentials('companyAdministrator', { baseUrl: 'http://127.0.0.1:1' });
		const { error } = await runNode(saved, {
			resource: 'balance',
			operation: 'get',
			entityId: team,
			options: { retries: 0 },
		});
		expect(error?.message).toContain('127.0.0.1:1');
	});
});

describe('as an AI tool', () => {
	const tool = { type: 'payrollPaymentsTool' };

	it('reads freely', async () => {
		const { error } = await run(
			{ resource: 'balance', operation: 'get', entityId: team },
			{ node: tool },
		);
		expect(error).toBeUndefined();
	});

	const inviteOne = () => ({
		resource: 'invite',
		operation: 'create',
		teamId: team,
		role: 'contractor',
		inviteesSource: 'json',
		inviteesJson: '[{"email":"a@example.com"}]',
	});
	const byHand = "Allow Writes by AI can't be an expression: set it by hand";
	it.each([
		[false, 'To allow it, turn on Allow Writes by AI in the node'],
		['={{ true }}', byHand],
		['true', byHand],
	])('writes nothing with allowToolWrites %j', async (allowToolWrites, reason) => {
		const { error } = await run({ ...inviteOne(), allowToolWrites }, { node: tool });
		expect(error?.message).toBe(
			`“Create invites” was refused because an AI agent called it. ${reason} [item 0]`,
		);
		expect(wire()).toEqual([]);
	});

	it('invites nobody again whose first outcome is unknown, though each try is a run of its own', async () => {
		await sandbox.fault({
			match: { method: 'POST', path: '/v2/invites' },
			kind: 'cutAfter',
			times: 1,
		});
		await run(
			{ ...inviteOne(), existingPeople: 'invite', allowToolWrites: true },
			{ node: { ...tool, onError: 'continueRegularOutput' }, secondRun: [{}] },
		);
		expect(
			wire().filter(({ method, path }) => method === 'POST' && path === '/v2/invites'),
		).toHaveLength(1);
	});

	it('writes with permission', async () => {
		const { error } = await run({ ...inviteOne(), allowToolWrites: true }, { node: tool });
		expect(error).toBeUndefined();
	});

	it('never signs in by hand', async () => {
		const { error } = await run(
			{ resource: 'authentication', operation: 'getSignInMessage', allowToolWrites: true },
			{ node: tool },
		);
		expect(error?.message).toBe(
			'“Get sign in message” was refused because an AI agent called it. Sign in outside the AI agent [item 0]',
		);
	});
});

describe('the credential test', () => {
	it('really signs in', async () => {
		expect(await testSaved(credentials())).toEqual({
			status: 'OK',
			message: 'Signed in with the wallet',
		});
		expect(signIns()).toBe(1);
	});

	it.each([
		['stranger' as const, {}, /role/i],
		[
			'companyAdministrator' as const,
			{ walletAddress: `0x${'1'.repeat(40)}` },
			/Wallet Address|wallet address/,
		],
		[
			'companyAdministrator' as const,
			{ baseUrl: 'http://api.example.com' },
			/must start with https/,
		],
		[
			'companyAdministrator' as const,
			{ baseUrl: 'http://127.0.0.1:1' },
			/it refused the connection/,
		],
		['companyAdministrator' as const, { privateKey: '0x12' }, /64 hex characters/],
		['companyAdministrator' as const, { signInDomain: 'app.example.com' }, /domain/i],
		['companyAdministrator' as const, { signInChainId: '1' }, /chain/i],
	])('says what is wrong: %s %j', async (name, change, message) => {
		const result = await testSaved(credentials(name, change));
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
	});

	it('tells a token that is taken from one that is not', async () => {
		const saved = credentials();
		await runNode(saved, { resource: 'balance', operation: 'get', entityId: team });
		const { token } = JSON.parse(String(saved.data.sessionToken)) as { token: string };
		const withToken = (accessToken: string) =>
			testSaved(
				new SavedCredentials({ baseUrl: sandbox.url, authentication: 'accessToken', accessToken }),
			);
		expect((await withToken(token)).status).toBe('OK');
		expect((await withToken('not.a.token')).status).toBe('Error');
		const legacy = new SavedCredentials({
			baseUrl: sandbox.url,
			authentication: 'legacyApiKey',
			apiKey: token,
		});
		expect((await testSaved(legacy)).status).toBe('OK');
	});
});
