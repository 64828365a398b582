import { id, Wallet } from 'ethers';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import type { AccountName } from '../../sandbox/server';

import { useActionSandbox } from '../support/actionSandbox';
import type { runNode } from '../support/actionHost';

const sandbox = useActionSandbox();
let team: string;
let company: string;

beforeEach(() => {
	const { organisation } = sandbox.service;
	company = organisation.company.nanoid;
	team = organisation.teams[0]?.nanoid ?? '';
});

const walletOf = (name: AccountName) => new Wallet(sandbox.account(name).privateKey);

const run = async (parameters: INodeParameters, options: Parameters<typeof runNode>[2] = {}) =>
	await sandbox.run(parameters, options);

/** Everything that reached the service, signing in included. */
const wire = () => sandbox.service.wireLog.read().entries;
const sent = () => wire().filter(({ method }) => method === 'PUT');

interface TypedData {
	domain: Record<string, unknown>;
	types: Record<string, Array<{ name: string; type: string }>>;
}

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
		operation: 'complete',
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

	it.each([
		['the text', 'org_admin'],
		['the hash', id('org_admin')],
	])('sign nothing where the role is %s of another one', async (_what, role) => {
		for (const options of [{}, { allowUnknownRoleHash: true }]) {
			const { error } = await run(execute(structure(role), { options }));
			expect(error?.message).toMatch(
				/gives the role Company: Admin \(org_admin\), not Team: Viewer/,
			);
			expect(error?.description).toContain('Nothing was signed.');
		}
		expect(wire()).toEqual([]);
	});

	it.each([
		['', 'Expected Role is missing [item 0]'],
		['any', 'Expected Role can be Any only with a provided signature [item 0]'],
	])('sign nothing with %j as Expected Role', async (role, words) => {
		const { error } = await run(execute(structure('team_viewer'), { role }));
		expect(error?.message).toBe(words);
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
			expect(error?.message).toContain("Allow Unknown Role Hash can't be an expression");
			expect(wire()).toEqual([]);
		},
	);

	it('sign an unknown hash with the option', async () => {
		await run(execute(structure(unknown), { options: { allowUnknownRoleHash: true } }));
		expect(sent()).toHaveLength(1);
	});

	it('are created and executed where the hash is that of the role asked for', async () => {
		await sandbox.control('POST', 'settings', { roleForm: 'hash' });
		const asked = {
			resource: 'administratorInvite',
			operation: 'send',
			entityId: company,
		};
		const { error } = await run({ ...asked, role: 'org_finance_admin', emails: 'ana@example.com' });
		expect(error).toBeUndefined();
		expect(sent()).toHaveLength(1);
	});

	it('sign no administrator’s role where Role is an expression that finds nothing', async () => {
		const parameters = execute(structure('team_viewer'), { role: '={{ $json.role }}' });
		const { error } = await run(parameters);
		expect(error?.message).toBe('Expected Role is an expression that resolved to nothing [item 0]');
		expect(wire()).toEqual([]);
	});

	describe('and a provided signature', () => {
		it('are sent where everything agrees', async () => {
			const typedData = structure(id('team_viewer'));
			await run(execute(typedData, await provided(typedData)));
			expect(sent()).toHaveLength(1);
		});

		it.each<[string, () => Structure, RegExp]>([
			['gives another role', () => structure('org_admin'), /the role Company: Admin/],
			['gives another role’s hash', () => structure(id('org_admin')), /the role Company: Admin/],
			['gives an unknown hash', () => structure(unknown), /isn’t the hash of/],
			[
				'is from another wallet than the signer',
				() => structure('team_viewer', { from: new Wallet(id('other')).address }),
				/not the signer/,
			],
			[
				'has expired',
				() => structure('team_viewer', { expires: '1577836800' }),
				/a time in the past/,
			],
			[
				'names one account only',
				() => {
					const { data } = structure('team_viewer').typed_data;
					return structure('team_viewer', { data: data.slice(1) });
				},
				/gives 1 account a role/,
			],
		])('are refused where the typed data %s', async (_what, make, words) => {
			const typedData = make();
			const { error } = await run(execute(typedData, await provided(typedData)));
			expect(error?.message).toMatch(words);
			expect(wire()).toEqual([]);
		});

		it('are refused where another wallet signed', async () => {
			const typedData = structure('team_viewer');
			const { error } = await run(
				execute(typedData, {
					...(await provided(typedData)),
					signature: await sign(typedData, 'viewer'),
				}),
			);
			expect(error?.message).toContain('Signature isn’t Signer’s signature of this typed data');
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
				expect(error?.message).toBe(`Typed Data has no ${name} [item 0]`);
				expect(wire()).toEqual([]);
			},
		);

		it.each(['org_admin', id('org_admin'), unknown])(
			'are held to Role also where only the inner object is given, with %s',
			async (role) => {
				const typedData = structure(role);
				const parameters = execute(typedData.typed_data, await provided(typedData));
				const { error } = await run(parameters);
				expect(error?.message).toMatch(/gives the role /);
				expect(wire()).toEqual([]);
				for (const any of ['', 'any']) await run({ ...parameters, role: any });
				expect(sent()).toHaveLength(2);
			},
		);

		it('are sent where only the inner object is given and Role fits', async () => {
			const typedData = structure(id('team_viewer'));
			await run(execute(typedData.typed_data, await provided(typedData)));
			expect(sent()).toHaveLength(1);
		});
	});
});

const readyPayment = z.object({
	domain: z.record(z.unknown()),
	types: z.record(z.array(z.object({ name: z.string(), type: z.string() }))),
	primary_type: z.string(),
	typed_data: z.object({
		from: z.string(),
		to: z.string(),
		salt: z.string(),
		expires: z.string(),
		data: z.record(z.string()),
	}),
});
type ReadyPayment = z.infer<typeof readyPayment>;

describe('instant payments', () => {
	/** A payment of $125.00 to Ana, as the service's own system prepares it. */
	async function ready(): Promise<ReadyPayment> {
		const query = new URLSearchParams({
			from: team,
			amount_cents: '12500',
			email: 'ana@example.com',
			signer: walletOf('companyAdministrator').address,
		});
		return readyPayment.parse(
			await sandbox.control('GET', `payment-typed-data?${query.toString()}`),
		);
	}

	/** Domain, types and primary type go under Options. */
	const form = ({ domain, types, primaryType, options, ...change }: INodeParameters) => ({
		resource: 'payment',
		operation: 'create',
		teamId: team,
		amountUnit: 'cents',
		amountCents: 12500,
		recipientEmail: 'ana@example.com',
		signatureSource: 'wallet',
		currency: 'USD',
		network: 'arbitrum',
		...change,
		options: {
			...(domain === undefined ? {} : { domain }),
			...(types === undefined ? {} : { types }),
			...(primaryType === undefined ? {} : { primaryType }),
			...Object(options),
		},
	});
	const described = ({ domain, types, primary_type: primaryType }: ReadyPayment) => ({
		domain: JSON.stringify(domain),
		types: JSON.stringify(types),
		primaryType,
	});
	const message = ({ typed_data: typedData }: ReadyPayment) => ({
		typedData: JSON.stringify(typedData),
	});
	const sign = async (
		{ domain, types }: TypedData,
		typedData: Record<string, unknown>,
		name: AccountName = 'companyAdministrator',
	) => await walletOf(name).signTypedData(domain, types, typedData);
	const provided = async (payment: ReadyPayment, name: AccountName = 'companyAdministrator') => ({
		signatureSource: 'provided',
		signer: walletOf(name).address,
		signature: await sign(payment, payment.typed_data, name),
	});

	const changed = (payment: ReadyPayment, change: object, data: object = {}): ReadyPayment => ({
		...payment,
		typed_data: {
			...payment.typed_data,
			...change,
			data: { ...payment.typed_data.data, ...data },
		},
	});

	describe('with a provided signature', () => {
		it('are sent where domain and types are given and everything agrees', async () => {
			const payment = await ready();
			const { output, error } = await run(
				form({ ...message(payment), ...described(payment), ...(await provided(payment)) }),
			);
			expect(error).toBeUndefined();
			expect(output[0]?.json).toHaveProperty('transaction');
			expect(sent()[0]?.body).toMatchObject({ typed_data: payment.typed_data });
		});

		it('are sent without domain and types, as before', async () => {
			const payment = await ready();
			const { output } = await run(form({ ...message(payment), ...(await provided(payment)) }));
			expect(output[0]?.json).toHaveProperty('transaction');
		});

		it('are sent from a whole payload', async () => {
			const payment = await ready();
			const { output } = await run(
				form({ typedData: JSON.stringify(payment), ...(await provided(payment)) }),
			);
			expect(output[0]?.json).toHaveProperty('transaction');
		});

		it.each<[string, (payment: ReadyPayment) => ReadyPayment, string]>([
			[
				'pays another amount',
				(payment) => changed(payment, {}, { amount: '125000001' }),
				'Authorization: $125.000001. Form: $125.00',
			],
			[
				'is from another wallet',
				(payment) => changed(payment, { from: new Wallet(id('other')).address }),
				'not the signer',
			],
			[
				'names another team',
				(payment) => changed(payment, {}, { groupID: 'te-zzzzzzzzzzzz' }),
				'te-zzzzzzzzzzzz',
			],
			[
				'names another email address',
				(payment) => changed(payment, {}, { data: 'mallory@example.com' }),
				'mallory@example.com',
			],
			[
				'has an integer in hex',
				(payment) => changed(payment, {}, { validMinutes: '0x3c' }),
				'validMinutes',
			],
			[
				'has an integer with a leading zero',
				(payment) => changed(payment, {}, { validMinutes: '060' }),
				'validMinutes',
			],
			[
				'signs a member that the service does not document',
				(payment) => ({
					...changed(payment, {}, { fee: '1' }),
					types: {
						...payment.types,
						Payment: [...(payment.types.Payment ?? []), { name: 'fee', type: 'uint256' }],
					},
				}),
				'fee',
			],
		])(
			'are refused, unsent and unrecorded, where the typed data %s',
			async (_what, change, words) => {
				const payment = await ready();
				const bad = change(payment);
				const { error } = await run(
					form({ ...message(bad), ...described(bad), ...(await provided(bad)) }),
				);
				expect(error?.message).toContain(words);
				expect(wire()).toEqual([]);
			},
		);

		it('are refused where another wallet signed, and can be sent with the right signature', async () => {
			const payment = await ready();
			const right = form({
				...message(payment),
				...described(payment),
				...(await provided(payment)),
			});
			const { signature } = await provided(payment, 'viewer');
			const { error } = await run({ ...right, signature });
			expect(error?.message).toContain('Signature isn’t Signer’s signature of this typed data');
			expect(wire()).toEqual([]);
			expect((await run(right)).output[0]?.json).toHaveProperty('transaction');
		});

		it.each([
			[['domain'], 'Types is missing'],
			[['types'], 'Domain is missing'],
			[['primaryType'], 'Domain is missing'],
			[['domain', 'types'], 'Primary Type is missing'],
			[['domain', 'primaryType'], 'Types is missing'],
		])('are refused where only %j is filled in', async (names, words) => {
			const payment = await ready();
			const all: Record<string, string> = described(payment);
			const some = Object.fromEntries(names.map((name) => [name, all[name] ?? '']));
			const { error } = await run(
				form({ ...message(payment), ...some, ...(await provided(payment)) }),
			);
			expect(error?.message).toBe(`${words} [item 0]`);
			expect(wire()).toEqual([]);
		});

		it.each([
			['domain', 'Domain', ['={{ $json.nothing }}', '={{ ({}) }}', '={{ "{ }" }}']],
			['types', 'Types', ['={{ $json.nothing }}', '={{ ({}) }}', '={{ null }}']],
			['primaryType', 'Primary Type', ['={{ $json.nothing }}', '={{ " " }}']],
		])(
			'are refused where %s is an expression that finds nothing',
			async (name, label, expressions) => {
				const payment = await ready();
				for (const expression of expressions) {
					const { error } = await run(
						form({ ...message(payment), ...(await provided(payment)), [name]: expression }),
					);
					expect(error?.message).toBe(
						`${label} is an expression that resolved to nothing [item 0]`,
					);
				}
				expect(wire()).toEqual([]);
			},
		);
	});

	describe('with the whole EIP-712 payload as typed data', () => {
		const EIP712_DOMAIN = [
			{ name: 'name', type: 'string' },
			{ name: 'version', type: 'string' },
			{ name: 'chainId', type: 'uint256' },
			{ name: 'verifyingContract', type: 'address' },
		];

		it.each<[string, (payment: ReadyPayment) => object]>([
			['typed_data and primary_type', (payment) => payment],
			[
				'message and primaryType',
				({ domain, types, primary_type: primaryType, typed_data: of }) => ({
					domain,
					types,
					primaryType,
					message: of,
				}),
			],
			[
				'EIP712Domain among the types',
				(payment) => ({ ...payment, types: { EIP712Domain: EIP712_DOMAIN, ...payment.types } }),
			],
		])('are signed and sent: %s', async (_what, payload) => {
			const payment = await ready();
			const { output, error } = await run(form({ typedData: JSON.stringify(payload(payment)) }));
			expect(error).toBeUndefined();
			expect(output[0]?.json).toHaveProperty('transaction');
			expect(sent()[0]?.body).toMatchObject({ typed_data: payment.typed_data });
			expect(Object.keys(Object(Object(sent()[0]?.body).typed_data))).toHaveLength(5);
		});

		it('are the same payment as with the three fields', async () => {
			const payment = await ready();
			const first = await run(form({ typedData: JSON.stringify(payment) }));
			const second = await run(form({ ...message(payment), ...described(payment) }));
			expect(first.output[0]?.json).toHaveProperty('transaction');
			expect(second.error?.message).toContain('was already paid');
			expect(sent()).toHaveLength(1);
		});

		it('are signed where the three fields say the same, in any order', async () => {
			const payment = await ready();
			const { domain } = payment;
			const reversed = JSON.stringify(Object.fromEntries(Object.entries(domain).reverse()));
			const { error } = await run(
				form({ typedData: JSON.stringify(payment), ...described(payment), domain: reversed }),
			);
			expect(error).toBeUndefined();
		});

		it.each([[false], [true]])('are signed where only one has EIP712Domain, %p', async (isOwn) => {
			const payment = await ready();
			const types = { EIP712Domain: EIP712_DOMAIN, ...payment.types };
			const [own, given] = isOwn ? [types, payment.types] : [payment.types, types];
			const { error } = await run(
				form({
					typedData: JSON.stringify({ ...payment, types: given }),
					types: JSON.stringify(own),
				}),
			);
			expect(error).toBeUndefined();
			expect(sent()).toHaveLength(1);
		});

		it.each<[string, (payment: ReadyPayment) => INodeParameters]>([
			['Domain', ({ domain }) => ({ domain: JSON.stringify({ ...domain, chainId: 1 }) })],
			['Domain', ({ domain }) => ({ domain: JSON.stringify({ name: domain.name }) })],
			['Types', ({ types }) => ({ types: JSON.stringify({ ...types, Permit: [] }) })],
			[
				'Types',
				({ types }) => ({
					types: JSON.stringify({ ...types, Payment: types.Payment?.toReversed() }),
				}),
			],
			['Primary Type', () => ({ primaryType: 'Payment' })],
		])('are refused where %s says something else', async (label, change) => {
			const payment = await ready();
			for (const signature of [{}, await provided(payment)]) {
				const { error } = await run(
					form({ typedData: JSON.stringify(payment), ...change(payment), ...signature }),
				);
				expect(error?.message).toBe(
					`${label} differs from the one in Payment Authorization [item 0]`,
				);
			}
			expect(wire()).toEqual([]);
		});

		it.each<[string, (payment: ReadyPayment) => object, string]>([
			[
				'an unknown member',
				(payment) => ({ ...payment, note: 'x' }),
				'Payment Authorization has an unknown property: note',
			],
			[
				'no message',
				({ domain, types, primary_type: name }) => ({ domain, types, primary_type: name }),
				'Payment Authorization, Message is missing',
			],
			[
				'both message and typed_data',
				(payment) => ({ ...payment, message: payment.typed_data }),
				'Payment Authorization has an unknown property: typed_data',
			],
			[
				'both primaryType and primary_type',
				(payment) => ({ ...payment, primaryType: payment.primary_type }),
				'Payment Authorization has an unknown property: primary_type',
			],
			[
				'a message with a number',
				(payment) => ({ ...payment, typed_data: { ...payment.typed_data, expires: 4102444800 } }),
				'must be text',
			],
			[
				'a domain that is not an object',
				(payment) => ({ ...payment, domain: 'x' }),
				'must be a JSON object',
			],
		])('are refused with %s', async (_what, payload, words) => {
			const { error } = await run(form({ typedData: JSON.stringify(payload(await ready())) }));
			expect(error?.message).toContain(words);
			expect(wire()).toEqual([]);
		});

		it.each([
			['domain', 'Domain is missing'],
			['types', 'Types is missing'],
			['primary_type', 'Primary Type is missing'],
		] as const)('are refused where neither it nor the form has %s', async (name, words) => {
			const { [name]: left, ...rest } = await ready();
			const { error } = await run(form({ typedData: JSON.stringify(rest) }));
			expect(left).toBeDefined();
			expect(error?.message).toBe(`${words} [item 0]`);
			expect(error?.description).toContain('The wallet needs');
			expect(wire()).toEqual([]);
		});
	});

	it.each(['0x3c', '060', '+60', ' 60', '60 ', '6e1', '60.0', '-0', '٦٠', ''])(
		'are not signed with the integer %j',
		async (validMinutes) => {
			const payment = await ready();
			const bad = changed(payment, {}, { validMinutes });
			const { error } = await run(form({ ...message(bad), ...described(bad) }));
			expect(error?.message).toContain('data.validMinutes');
			expect(wire()).toEqual([]);
		},
	);
});
