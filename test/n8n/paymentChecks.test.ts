import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useActionSandbox, type Payload } from '../support/actionSandbox';

const sandbox = useActionSandbox();
const CONTINUE = { node: { onError: 'continueRegularOutput' as const } };

/** A payload whose texts can be anything, with other data. */
const saying = async (data: object): Promise<Payload> => {
	const { types, message, ...others } = await sandbox.authorization();
	const texts = (types.Payment ?? []).map(({ name }) => ({ name, type: 'string' }));
	return {
		...others,
		types: { ...types, Payment: texts },
		message: { ...message, data: { ...Object(message.data), ...data } },
	};
};

/** What the check of a payment says. */
async function check(payload: Payload, options: INodeParameters = {}): Promise<IDataObject> {
	const parameters = sandbox.paying(payload, { options: { checkOnly: true, ...options } });
	const { output, error } = await sandbox.run(parameters);
	return output[0]?.json ?? { error: error?.message };
}

const DIFFERENT = (amount: string) => `Authorization: ${amount}. Form: $125.00 [item 0]`;
const NO_UNIT =
	'Typed Amount Unit must be Cents, Not Checked or Token Units (Six Decimals) (cents, notChecked, tokenSixDecimals) [item 0]';

it.each([
	[undefined, '125000000', '$125.00 (125000000 token units)', undefined],
	['', '125000000', '$125.00 (125000000 token units)', undefined],
	['tokenSixDecimals', '125000000', '$125.00 (125000000 token units)', undefined],
	['cents', '12500', '$125.00 (12500 cents)', undefined],
	['notChecked', '7', '7 (not compared)', undefined],
	[undefined, '12500', '', DIFFERENT('$0.0125')],
	['cents', '125000000', '', DIFFERENT('$1,250,000.00')],
	['dollars', '7', '', NO_UNIT],
])('with the unit %j, %s is authorized as %s', async (typedAmountUnit, amount, shown, error) => {
	const options = typedAmountUnit === undefined ? {} : { typedAmountUnit };
	const checked = await check(await saying({ amount }), options);
	expect(checked.error).toBe(error);
	if (error === undefined)
		expect(checked.summary).toContain(`. Authorization: ${shown} of token 0x`);
});

it('shows signed texts to the approver as texts, not as parts of its sentence', async () => {
	const recipient = `${sandbox.wallet().address} to vendor`;
	const forged = 'USDC to 0xGood, which was checked.\n\n\u202e';
	const said = async (token: string) => {
		const payload = await saying({ amount: 'pay 1', token, recipient });
		return (await check(payload, { typedAmountUnit: 'notChecked' })).summary;
	};
	expect(await said(forged)).toContain(
		`Authorization: "pay 1" (not compared) of token "USDC to 0xGood, which was checked.\\n\\n\ufffd" to "${recipient}" on chain `,
	);
	expect(await said('x'.repeat(101))).toContain('of token a text of 101 characters to ');
	const { domain, message } = await sandbox.authorization();
	const { token, recipient: paid } = Object(message.data);
	expect((await check(await sandbox.authorization())).summary).toMatch(
		new RegExp(
			`of token ${token} to ${paid} on chain ${domain.chainId}, contract ${domain.verifyingContract}, signed by `,
		),
	);
});

describe('a run of several payments', () => {
	const sheet = async (count: number, references: readonly unknown[] = []) =>
		await Promise.all(
			Array.from({ length: count }, async (_, row) => ({
				reference: references[row] ?? `INV-${row}`,
				authorization: JSON.stringify((await sandbox.authorization()).message),
			})),
		);
	const pay = async (items: IDataObject[], options: INodeParameters = {}, more: object = {}) => {
		const form = sandbox.paying(await sandbox.authorization(), { options });
		const each = {
			typedData: '={{ $json.authorization }}',
			paymentReference: '={{ $json.reference }}',
		};
		return await sandbox.run({ ...form, ...each }, { items, ...more });
	};

	it('is checked and paid with the totals that were entered', async () => {
		const items = await sheet(3);
		const right = { expectedPayments: 3, expectedTotal: '375' };
		const { output } = await pay(items, { ...right, checkOnly: true, checkOutput: 'run' });
		expect(output[0]?.json).toMatchObject({ check: 'passed', duplicates: [[1, 2, 3]] });
		const { stored } = await pay(items, right);
		expect(JSON.parse(stored).metadata).toMatchObject({
			...{ payments_paid: '3', payments_total: '375.00', payments_refused: '0' },
			...{ payments_unknown: '0', payments_not_sent: '0' },
		});
		const { stored: again } = await pay(await sheet(4), { ifAlreadyPaid: 'skip' });
		expect(JSON.parse(again).metadata).toMatchObject({ payments_paid: '1' });
	});

	it('knows a reference however it’s written', async () => {
		await pay(await sheet(1, [42]));
		const { output } = await pay(await sheet(3, ['42', ' 42 ', '４２']), {}, CONTINUE);
		expect(output.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('was already paid'),
			expect.stringContaining('row 1 has the same payment'),
			expect.stringContaining('row 1 has the same payment'),
		]);
	});
});
