import { encodeBytes32String, id, toUtf8Bytes, Wallet, zeroPadValue } from 'ethers';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startSandbox, type AccountName, type Sandbox } from '../../sandbox/server';

import { processedKeys, runNode, SavedCredentials } from './actionWorkflow';

let sandbox: Sandbox;
let company: string;

beforeAll(async () => {
	sandbox = await startSandbox();
});

afterAll(async () => {
	await sandbox.close();
});

beforeEach(async () => {
	await control('POST', '/sandbox/reset');
	processedKeys.clear();
	const { organisation } = sandbox.service;
	company = organisation.company.nanoid;
});

async function control(method: string, path: string, body?: unknown): Promise<unknown> {
	const answer = await fetch(`${sandbox.url}${path}`, {
		method,
		...(body === undefined
			? {}
			: { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
	});
	if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
	return await answer.json();
}

function account(name: AccountName) {
	const found = sandbox.accounts.find((each) => each.name === name);
	if (found === undefined) throw new Error(`no account ${name}`);
	return found;
}

const walletOf = (name: AccountName) => new Wallet(account(name).privateKey);

async function run(parameters: INodeParameters, options: Parameters<typeof runNode>[2] = {}) {
	const { privateKey, platformId } = account('companyAdministrator');
	const credentials = new SavedCredentials({
		baseUrl: sandbox.url,
		authentication: 'walletSignIn',
		signer: 'privateKey',
		platformId,
		privateKey,
		walletAddress: '',
		signInDomain: '',
		signInChainId: '',
		sessionToken: '',
	});
	return await runNode(credentials, parameters, options);
}

/** Everything that reached the service, signing in included. */
const wire = () => sandbox.service.wireLog.read().entries;
const sent = () => wire().filter(({ method }) => method === 'PUT');

describe('administrator invites with roles in 32 bytes', () => {
	const inviteIds = 'in-aaaaaaaaaaaa, in-bbbbbbbbbbbb';
	const unknown = id('a role that the document does not name');

	/** What Create answers with for two people, with the given role. */
	function structure(role: string, change: IDataObject = {}) {
		const [first, second, contract] = ['first', 'second', 'contract'].map(
			(name) => new Wallet(id(name)).address,
		);
		return {
			domain: { name: 'PayrollRoles', version: '1', chainId: 42161, verifyingContract: contract },
			types: {
				SetRolesForwardRequest: [
					{ name: 'from', type: 'address' },
					{ name: 'to', type: 'address' },
					{ name: 'salt', type: 'bytes32' },
					{ name: 'expires', type: 'uint256' },
					{ name: 'data', type: 'SetRole[]' },
				],
				SetRole: [
					{ name: 'role', type: role.startsWith('0x') ? 'bytes32' : 'string' },
					{ name: 'account', type: 'address' },
				],
			},
			typed_data: {
				from: walletOf('companyAdministrator').address,
				to: contract,
				salt: id('salt'),
				expires: '4102444800',
				data: [first, second].map((address) => ({ role, account: address })),
				...change,
			},
			primary_type: 'SetRolesForwardRequest',
		};
	}

	type Structure = ReturnType<typeof structure>;
	const execute = (typedData: object, change: INodeParameters = {}): INodeParameters => ({
		resource: 'administratorInvite',
		operation: 'execute',
		inviteIds,
		typedData: JSON.stringify(typedData),
		signatureSource: 'wallet',
		role: 'team_viewer',
		...change,
	});
	const sign = async ({ domain, types, typed_data: message }: Structure, name: AccountName) =>
		await walletOf(name).signTypedData(domain, types, message);
	const provided = async (typedData: Structure, name: AccountName = 'companyAdministrator') => ({
		signatureSource: 'provided',
		signer: walletOf(name).address,
		signature: await sign(typedData, name),
	});

	const others: Array<[string, string]> = [
		['ORG_ADMIN as text', encodeBytes32String('ORG_ADMIN')],
		['ORG_ADMIN_ROLE as text', encodeBytes32String('ORG_ADMIN_ROLE')],
		['org_admin padded on the left', zeroPadValue(toUtf8Bytes('org_admin'), 32)],
		['the hash of orgAdmin', id('orgAdmin')],
		['the hash of ROLE_ORG_ADMIN', id('ROLE_ORG_ADMIN')],
		['the hash of org_admin_role', id('org_admin_role')],
		['the hash of roleOrgAdmin', id('roleOrgAdmin')],
		['the hash of orgAdminRole', id('orgAdminRole')],
	];

	it.each(others)('sign nothing where the role is %s', async (_what, role) => {
		for (const options of [{}, { allowUnknownRoleHash: true }]) {
			const { error } = await run(execute(structure(role), { options }));
			expect(error?.message).toMatch(/gives the role Company: Admin \(org_admin\), not Team: Viewer.*nothing was signed/);
		}
		expect(wire()).toEqual([]);
	});

	it('sign no unknown hash without the option, and say what to do', async () => {
		const { error } = await run(execute(structure(unknown)));
		expect(error?.message).toContain(unknown);
		expect(error?.description).toContain('Allow Unknown Role Hash');
		expect(wire()).toEqual([]);
	});

	it.each(['={{ true }}', '{{ true }}', '={{ $json.allow }}', '={{ $fromAI("allow") }}'])(
		'sign no unknown hash where the option is the expression %s',
		async (allowUnknownRoleHash) => {
			const parameters = execute(structure(unknown), { options: { allowUnknownRoleHash } });
			const { error } = await run(parameters, { items: [{ allow: true }] });
			expect(error?.message).toContain(unknown);
			expect(wire()).toEqual([]);
		},
	);

	it('sign an unknown hash with the option', async () => {
		await run(execute(structure(unknown), { options: { allowUnknownRoleHash: true } }));
		expect(sent()).toHaveLength(1);
	});

	it('are created and executed where the hash is that of the role asked for', async () => {
		await control('POST', '/sandbox/settings', { roleForm: 'hash' });
		const asked = { resource: 'administratorInvite', operation: 'createAndExecute', entityId: company };
		const { error } = await run({ ...asked, role: 'org_finance_admin', emails: 'ana@example.com' });
		expect(error).toBeUndefined();
		expect(sent()).toHaveLength(1);
	});

	it('sign no administrator’s role where Role is an expression that finds nothing', async () => {
		const parameters = execute(structure('team_viewer'), { role: '={{ $json.role }}' });
		const { error } = await run(parameters);
		expect(error?.message).toBe('Role is an expression that found nothing [item 0]');
		expect(wire()).toEqual([]);
	});

	describe('and a provided signature', () => {
		it('are sent where everything agrees', async () => {
			const typedData = structure(id('team_viewer'));
			await run(execute(typedData, await provided(typedData)));
			expect(sent()).toHaveLength(1);
		});

		it.each<[string, () => Structure, RegExp]>([
			['gives another role', () => structure('org_admin'), /the role "org_admin"/],
			['gives another role’s hash', () => structure(id('ORG_ADMIN')), /the role Company: Admin/],
			['gives an unknown hash', () => structure(unknown), /isn’t a known spelling/],
			['is from another wallet than the signer', () => structure('team_viewer', { from: new Wallet(id('other')).address }), /not the signer/],
			['has expired', () => structure('team_viewer', { expires: '1577836800' }), /a time in the past/],
			['names one account only', () => {
				const { data } = structure('team_viewer').typed_data;
				return structure('team_viewer', { data: data.slice(1) });
			}, /to 1 account/],
		])('are refused where the typed data %s', async (_what, make, words) => {
			const typedData = make();
			const { error } = await run(execute(typedData, await provided(typedData)));
			expect(error?.message).toMatch(words);
			expect(error?.message).toContain('nothing was sent');
			expect(wire()).toEqual([]);
		});

		it('are refused where another wallet signed', async () => {
			const typedData = structure('team_viewer');
			const { error } = await run(
				execute(typedData, { ...(await provided(typedData)), signature: await sign(typedData, 'viewer') }),
			);
			expect(error?.message).toContain('Signature does not belong to this typed data and this signer');
			expect(wire()).toEqual([]);
		});

		it.each(['domain', 'types', 'primary_type'] as const)(
			'are refused where the typed data has all but %s',
			async (name) => {
				const typedData = structure('team_viewer');
				const parameters = await provided(typedData);
				const { [name]: left, ...rest } = typedData;
				const { error } = await run(execute(rest, parameters));
				expect(left).toBeDefined();
				expect(error?.message).toBe(`Typed Data lacks ${name} [item 0]`);
				expect(wire()).toEqual([]);
			},
		);

		it.each(['org_admin', id('ORG_ADMIN'), unknown])(
			'are held to Role also where only the inner object is given, with %s',
			async (role) => {
				const typedData = structure(role);
				const parameters = execute(typedData.typed_data, await provided(typedData));
				const { error } = await run(parameters);
				expect(error?.message).toMatch(/gives the role .*, so nothing was sent/);
				expect(wire()).toEqual([]);
				await run({ ...parameters, role: '' });
				expect(sent()).toHaveLength(1);
			},
		);

		it('are sent where only the inner object is given and Role fits', async () => {
			const typedData = structure(id('TEAM_VIEWER'));
			await run(execute(typedData.typed_data, await provided(typedData)));
			expect(sent()).toHaveLength(1);
		});
	});
});
